//===- Trigonometric.cpp - sin and cos -----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/ExpandMath/MathExpansions.h"
#include <numbers>

using namespace mlir;
using namespace attnc::attn;

static constexpr float inversePi = std::numbers::inv_pi_v<float>;

/// x - n * pi, for an n that is a multiple of 1/2 with at most 16 bits.
static Value subtractMultipleOfPi(FloatBuilder &builder, Value x, Value n) {
  // With fma a product is exact whatever its factors; without, factors of 8 bits make it so.
  constexpr double pi = std::numbers::pi;
  // Below pi, so that all parts have one sign and a zero rest keeps that of x.
  constexpr float whole = 0x1.921fb4p1f;
  constexpr float first = 0x1.92p1f, second = 0x1.fap-11f, third = 0x1.54p-19f;
  const float parts[] = {first, second, third, static_cast<float>(pi - first - second - third)};
  const float fused[] = {whole, static_cast<float>(pi - whole)};
  Value rest = x;
  for (float part : builder.getFeatures().fma ? ArrayRef<float>(fused) : ArrayRef<float>(parts))
    rest = builder.fma(n, builder.constant(-part), rest);
  // Beyond the range of the reduction the rest is anything; keep the result within [-1, 1].
  return builder.clamp(rest, -1.6f, 1.6f);
}

/// sin(r) for r in [-pi/2, pi/2], negated where the lowest bit of `parity` is set.
static Value buildSinOfHalfTurn(FloatBuilder &builder, Value r, Value parity) {
  static constexpr float coefficients[] = {1.0f, -0.1666666f, 0.008333085f, -0.00019810896f,
                                           2.6084113e-06f};
  Value square = builder.mul(r, r);
  Value result = builder.mul(r, builder.polynomial(square, coefficients));
  Value sign = builder.shiftLeft(builder.toBits(parity), 31);
  return builder.fromBits(builder.xorBits(builder.toBits(result), sign));
}

Value attnc::attn::expandSin(FloatBuilder &builder, Value x) {
  Value shift = builder.constant(roundingShift);
  Value shifted = builder.fma(x, builder.constant(inversePi), shift);
  Value n = builder.sub(shifted, shift);
  return buildSinOfHalfTurn(builder, subtractMultipleOfPi(builder, x, n), shifted);
}

Value attnc::attn::expandCos(FloatBuilder &builder, Value x) {
  // cos(x) = sin(x - (n - 1/2) * pi), negated for odd n.
  Value shift = builder.constant(roundingShift);
  Value half = builder.constant(0.5f);
  Value shifted = builder.add(builder.fma(x, builder.constant(inversePi), half), shift);
  Value n = builder.sub(builder.sub(shifted, shift), half);
  return buildSinOfHalfTurn(builder, subtractMultipleOfPi(builder, x, n), shifted);
}
