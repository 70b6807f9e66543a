//===- AttnFolds.cpp - Folding of attn ops ----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/IR/AttnOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace attnc::attn;

int64_t attnc::attn::floorDiv(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return static_cast<int64_t>(-static_cast<uint64_t>(a));
  int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

int64_t attnc::attn::floorMod(int64_t a, int64_t b) {
  if (b == 0 || b == -1)
    return 0;
  int64_t remainder = a % b;
  return remainder != 0 && ((remainder < 0) != (b < 0)) ? remainder + b : remainder;
}

int64_t attnc::attn::toInt(double value, unsigned bits) {
  double limit = std::ldexp(1.0, static_cast<int>(bits) - 1);
  if (std::isnan(value))
    return 0;
  if (value >= limit)
    return bits == 32 ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
  if (value < -limit)
    return bits == 32 ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

/// Folds two constant integers with `function`, which computes in 64 bits.
template <typename Function>
static OpFoldResult foldInts(Attribute lhs, Attribute rhs, Type type, Function function) {
  auto a = dyn_cast_or_null<IntegerAttr>(lhs);
  auto b = dyn_cast_or_null<IntegerAttr>(rhs);
  if (!a || !b)
    return {};
  uint64_t result = function(a.getInt(), b.getInt());
  return IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), result, /*isSigned=*/true,
                                      /*implicitTrunc=*/true));
}

OpFoldResult FloorDivOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(getRhs(), m_One()))
    return getLhs();
  if (matchPattern(getRhs(), m_Zero()) || matchPattern(getLhs(), m_Zero()))
    return IntegerAttr::get(getType(), 0);
  return foldInts(adaptor.getLhs(), adaptor.getRhs(), getType(), floorDiv);
}

OpFoldResult FloorModOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(getRhs(), m_One()) || matchPattern(getRhs(), m_Zero()) ||
      matchPattern(getLhs(), m_Zero()) || getLhs() == getRhs())
    return IntegerAttr::get(getType(), 0);
  return foldInts(adaptor.getLhs(), adaptor.getRhs(), getType(), floorMod);
}

OpFoldResult ToIntOp::fold(FoldAdaptor adaptor) {
  auto value = dyn_cast_or_null<FloatAttr>(adaptor.getValue());
  if (!value)
    return {};
  Type type = getType();
  return IntegerAttr::get(type, toInt(value.getValueAsDouble(), type.getIntOrFloatBitWidth()));
}

/// The value of a stored `element` as a `type`: floats as f32, integers extended.
static Attribute convertElement(Attribute element, Type stored, Type type) {
  if (auto number = dyn_cast<FloatAttr>(element))
    return FloatAttr::get(type, number.getValueAsDouble());
  APInt value = cast<IntegerAttr>(element).getValue();
  unsigned width = type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, stored.isUnsignedInteger() ? value.zext(width)
                                                           : value.sextOrTrunc(width));
}

OpFoldResult LoadOp::fold(FoldAdaptor adaptor) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  TableOp table = kernel ? kernel.lookupTable(getSource()) : TableOp();
  auto values = table ? dyn_cast<DenseElementsAttr>(table.getValue()) : DenseElementsAttr();
  if (!values)
    return {};
  if (values.empty())
    return cast<TypedAttr>(Builder(getContext()).getZeroAttr(getType()));

  int64_t position = 0;
  for (auto [i, size] : llvm::enumerate(values.getType().getShape())) {
    auto index = dyn_cast_or_null<IntegerAttr>(adaptor.getIndices()[i]);
    // A clamped index that is to be reported must stay.
    if (!index && (kernel.getChecked() || (size != 1 && !values.isSplat())))
      return {};
    int64_t value = index ? index.getInt() : 0;
    if (value < 0 && getCheck(i) == IndexCheck::Wrap)
      value += size;
    if (kernel.getChecked() && (value < 0 || value >= size))
      return {};
    value = std::clamp<int64_t>(value, 0, size - 1);
    position = values.isSplat() ? 0 : position * size + value;
  }
  Attribute element = values.isSplat() ? values.getSplatValue<Attribute>()
                                       : *(values.value_begin<Attribute>() + position);
  return convertElement(element, values.getElementType(), getType());
}
