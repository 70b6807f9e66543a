//===- BorrowedTensor.cpp - Tensors of DLPack as views --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/BorrowedTensor.h"

using namespace attnc;
using namespace attnc::api;

/// The most dimensions of a tensor, which are those of the language.
static constexpr int maxRank = 6;

namespace {
/// kDLBool came to DLPack with 0.8.
constexpr uint8_t boolCode = 6;

struct TypePair {
  ElementType type;
  uint8_t code, bits;
};
constexpr TypePair types[] = {{ElementType::F32, kDLFloat, 32},   {ElementType::F16, kDLFloat, 16},
                              {ElementType::BF16, kDLBfloat, 16}, {ElementType::I8, kDLInt, 8},
                              {ElementType::U8, kDLUInt, 8},      {ElementType::I16, kDLInt, 16},
                              {ElementType::I32, kDLInt, 32},     {ElementType::I64, kDLInt, 64},
                              {ElementType::Bool, boolCode, 8}};
} // namespace

static std::optional<ElementType> findType(DLDataType dtype) {
  for (const TypePair &pair : types)
    if (pair.code == dtype.code && pair.bits == dtype.bits && dtype.lanes == 1)
      return pair.type;
  return std::nullopt;
}

DLDataType api::getDLDataType(ElementType type) {
  for (const TypePair &pair : types)
    if (pair.type == type)
      return {pair.code, pair.bits, 1};
  return {};
}

/// Sets the strides of a compact tensor in row-major order. Without elements any will do.
static Result setCompactStrides(TensorView &view) {
  view.strides.assign(view.sizes.size(), 0);
  for (int64_t size : view.sizes)
    if (size <= 0)
      return std::nullopt;
  int64_t stride = 1;
  for (size_t i = view.sizes.size(); i-- > 0;) {
    view.strides[i] = stride;
    if (__builtin_mul_overflow(stride, view.sizes[i], &stride))
      return invalidArgument("expected fewer than 2^63 elements");
  }
  return std::nullopt;
}

Result api::borrowTensor(const DLTensor &tensor, TensorView &view) {
  if (tensor.ndim < 0 || tensor.ndim > maxRank)
    return invalidArgument("expected 0 to " + std::to_string(maxRank) + " dimensions, got " +
                           std::to_string(tensor.ndim));
  if (tensor.ndim > 0 && !tensor.shape)
    return invalidArgument("expected a shape of " + std::to_string(tensor.ndim) +
                           " dimensions, got NULL");
  std::optional<ElementType> type = findType(tensor.dtype);
  if (!type)
    return invalidArgument("expected elements of f32, f16, bf16, i8, u8, i16, i32, i64 or bool, "
                           "got code " +
                           std::to_string(tensor.dtype.code) + " of " +
                           std::to_string(tensor.dtype.bits) + " bits and " +
                           std::to_string(tensor.dtype.lanes) + " lanes of DLPack");
  TensorView result;
  result.type = *type;
  result.sizes.assign(tensor.shape, tensor.shape + tensor.ndim);
  if (tensor.strides)
    result.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  else if (Result failure = setCompactStrides(result))
    return failure;
  if (tensor.data)
    result.data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  view = std::move(result);
  return std::nullopt;
}
