//===- Exponential.cpp - exp, exp2 and expm1 -----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/ExpandMath/MathExpansions.h"
#include <numbers>

using namespace mlir;
using namespace attnc::attn;

static constexpr double ln2 = std::numbers::ln2;
static constexpr float log2e = std::numbers::log2e_v<float>;

/// p * 4^n, where `shifted` is n + roundingShift. Two factors of 2^n reach from denormal results to
/// overflow, and round once.
static Value scaleByPowerOf4(FloatBuilder &builder, Value p, Value shifted) {
  Value exponent = builder.shiftLeft(builder.toBits(shifted), 23);
  Value scale = builder.fromBits(builder.addBits(exponent, builder.bits(0x3f800000)));
  return builder.mul(builder.mul(p, scale), scale);
}

Value attnc::attn::expandExp2(FloatBuilder &builder, Value x) {
  // x = 2n + f with f in [-1, 1]
  static constexpr float coefficients[] = {1.0f,           0.69314724f,   0.24022673f,
                                           0.055503797f,   0.0096167196f, 0.001333949f,
                                           0.00015653663f, 1.5030574e-05f};
  x = builder.clamp(x, -151.0f, 129.0f);
  Value shift = builder.constant(roundingShift);
  Value shifted = builder.fma(x, builder.constant(0.5f), shift);
  Value n = builder.sub(shifted, shift);
  Value f = builder.fma(n, builder.constant(-2.0f), x);
  return scaleByPowerOf4(builder, builder.polynomial(f, coefficients), shifted);
}

Value attnc::attn::expandExp(FloatBuilder &builder, Value x) {
  // x = n * ln 4 + r with r in [-ln 2, ln 2]; n * high is exact.
  static constexpr float coefficients[] = {1.0f,          1.0f,          0.50000036f,
                                           0.16666615f,   0.041661277f,  0.008336098f,
                                           0.0014104263f, 0.00019611853f};
  constexpr float high = 0x1.62e4p0f;
  constexpr float low = static_cast<float>(2 * ln2 - high);
  x = builder.clamp(x, -105.0f, 89.0f);
  Value shift = builder.constant(roundingShift);
  Value shifted = builder.fma(x, builder.constant(log2e / 2), shift);
  Value n = builder.sub(shifted, shift);
  Value r = builder.fma(n, builder.constant(-high), x);
  r = builder.fma(n, builder.constant(-low), r);
  return scaleByPowerOf4(builder, builder.polynomial(r, coefficients), shifted);
}

Value attnc::attn::expandExp2Approximate(FloatBuilder &builder, Value x) {
  // x = n + f with f in [0, 1]; results below 2^-126 become 0.
  static constexpr float coefficients[] = {0.9999252f, 0.69583356f, 0.22606716f, 0.07802452f};
  x = builder.clamp(x, -126.99999f, 128.0f);
  Value shift = builder.constant(roundingShift);
  Value shifted = builder.add(builder.sub(x, builder.constant(0.5f)), shift);
  Value f = builder.sub(x, builder.sub(shifted, shift));
  Value exponent = builder.shiftLeft(builder.toBits(shifted), 23);
  Value scale = builder.fromBits(builder.addBits(exponent, builder.bits(0x3f800000)));
  return builder.mul(builder.polynomial(f, coefficients), scale);
}

Value attnc::attn::expandExpApproximate(FloatBuilder &builder, Value x) {
  return expandExp2Approximate(builder, builder.mul(x, builder.constant(log2e)));
}

Value attnc::attn::expandExpm1(FloatBuilder &builder, Value x) {
  // x = n * ln 2 + r; the result is 2 * (2^(n-1) * (e^r - 1) - (1/2 - 2^(n-1))).
  static constexpr float coefficients[] = {1.0f,        0.5f,          0.16666543f,
                                           0.04166628f, 0.0083665773f, 0.0013946439f};
  constexpr float high = 0x1.62e4p-1f;
  constexpr float low = static_cast<float>(ln2 - high);
  x = builder.clamp(x, -18.0f, 89.0f);
  Value shift = builder.constant(roundingShift);
  Value shifted = builder.fma(x, builder.constant(log2e), shift);
  Value n = builder.sub(shifted, shift);
  Value r = builder.fma(n, builder.constant(-high), x);
  r = builder.fma(n, builder.constant(-low), r);
  // A product keeps the sign of a zero r, and so does adding -(1/2 - 1/2).
  Value p = builder.mul(r, builder.polynomial(r, coefficients));
  Value exponent = builder.shiftLeft(builder.toBits(shifted), 23);
  Value scale = builder.fromBits(builder.addBits(exponent, builder.bits(0x3f000000)));
  Value rest = builder.neg(builder.sub(builder.constant(0.5f), scale));
  Value half = builder.fma(scale, p, rest);
  return builder.add(half, half);
}
