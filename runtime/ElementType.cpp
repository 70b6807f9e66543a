//===- ElementType.cpp - Element types of tensors and scalars ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/ElementType.h"
#include "attnc/TensorView.h"
#include <cstring>

using namespace attnc;

namespace {
struct TypeRow {
  ElementType type;
  std::string_view name;
  int64_t size;
};
constexpr TypeRow typeRows[] = {
    {ElementType::F32, "f32", 4}, {ElementType::F16, "f16", 2}, {ElementType::BF16, "bf16", 2},
    {ElementType::I8, "i8", 1},   {ElementType::U8, "u8", 1},   {ElementType::I16, "i16", 2},
    {ElementType::I32, "i32", 4}, {ElementType::I64, "i64", 8}, {ElementType::Bool, "bool", 1},
};

uint32_t getBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float makeFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// `value` without its lowest `shift` bits, rounded to nearest even.
uint32_t shiftRightRounding(uint32_t value, unsigned shift) {
  uint32_t kept = value >> shift;
  uint32_t rest = value & ((1u << shift) - 1);
  uint32_t half = 1u << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}
} // namespace

int64_t attnc::getSize(ElementType type) { return typeRows[static_cast<int>(type)].size; }

std::string attnc::getName(ElementType type) {
  return std::string(typeRows[static_cast<int>(type)].name);
}

std::optional<ElementType> attnc::parseElementType(std::string_view name) {
  for (const TypeRow &row : typeRows)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

bool attnc::isFloat(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F16 || type == ElementType::BF16;
}

bool attnc::isInteger(ElementType type) { return !isFloat(type) && type != ElementType::Bool; }

float attnc::convertF16ToFloat(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f;
  uint32_t fraction = bits & 0x3ff;
  if (exponent == 0x1f)
    return makeFloat(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0)
    return makeFloat(sign | ((exponent + 112) << 23) | (fraction << 13));
  float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return makeFloat(sign | getBits(magnitude));
}

uint16_t attnc::convertFloatToF16(float value) {
  uint32_t bits = getBits(value);
  uint32_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00 | ((magnitude >> 13) & 0x3ff);
  if (magnitude >= 0x47800000)
    return sign | 0x7c00;
  if (magnitude >= 0x38800000)
    return sign | (shiftRightRounding(magnitude, 13) - (112u << 10));
  uint32_t exponent = magnitude >> 23;
  if (exponent < 101)
    return sign;
  uint32_t fraction = (magnitude & 0x7fffff) | 0x800000;
  return sign | shiftRightRounding(fraction, 126 - exponent);
}

float attnc::convertBF16ToFloat(uint16_t bits) {
  return makeFloat(static_cast<uint32_t>(bits) << 16);
}

uint16_t attnc::convertFloatToBF16(float value) {
  uint32_t bits = getBits(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (bits >> 16) | 0x40;
  return shiftRightRounding(bits, 16);
}

int64_t attnc::getNumBytes(const TensorView &view) {
  int64_t bytes = getSize(view.type);
  for (int64_t size : view.sizes)
    bytes *= size;
  return bytes;
}

std::vector<int64_t> attnc::getContiguousStrides(const std::vector<int64_t> &sizes) {
  std::vector<int64_t> strides(sizes.size());
  uint64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(sizes[i]);
  }
  return strides;
}
