//===- Sigmoidal.cpp - tanh and erf --------------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/ExpandMath/MathExpansions.h"
#include <numbers>

using namespace mlir;
using namespace attnc::attn;
using mlir::arith::CmpFPredicate;

static constexpr double ln2 = std::numbers::ln2;
static constexpr float log2e = std::numbers::log2e_v<float>;

/// 2^n, where `shifted` is n + roundingShift, for n from -126 to 127.
static Value buildPowerOf2(FloatBuilder &builder, Value shifted) {
  Value exponent = builder.shiftLeft(builder.toBits(shifted), 23);
  return builder.fromBits(builder.addBits(exponent, builder.bits(0x3f800000)));
}

Value attnc::attn::expandTanh(FloatBuilder &builder, Value x) {
  // u / (u + 2) with u = e^2x - 1 = 2^n * p - (1 - 2^n), p = e^2r - 1, x = n * ln 2 / 2 + r. Every
  // step keeps the sign of zero. Beyond 10 the result is 1.
  static constexpr float coefficients[] = {2.0f, 1.9999659f, 1.3333166f, 0.67037243f, 0.2679885f};
  x = builder.clamp(x, -10.0f, 10.0f);
  Value shift = builder.constant(roundingShift);
  Value shifted = builder.fma(x, builder.constant(2 * log2e), shift);
  Value n = builder.sub(shifted, shift);
  Value r = builder.fma(n, builder.constant(static_cast<float>(-ln2 / 2)), x);
  Value p = builder.mul(r, builder.polynomial(r, coefficients));
  Value scale = buildPowerOf2(builder, shifted);
  Value rest = builder.neg(builder.sub(builder.constant(1.0f), scale));
  Value u = builder.fma(scale, p, rest);
  return builder.div(u, builder.add(u, builder.constant(2.0f)));
}

Value attnc::attn::expandTanhApproximate(FloatBuilder &builder, Value x) {
  static constexpr float numerator[] = {0.999948f, 0.10241765f, 0.00067056436f};
  static constexpr float denominator[] = {1.0f, 0.43543243f, 0.012819875f};
  x = builder.clamp(x, -5.0f, 5.0f);
  Value square = builder.mul(x, x);
  return builder.div(builder.mul(x, builder.polynomial(square, numerator)),
                     builder.polynomial(square, denominator));
}

/// e^x for x from -87 to 0.
static Value buildExpOfNegative(FloatBuilder &builder, Value x) {
  static constexpr float coefficients[] = {1.0f,        1.0f,         0.4999923f,
                                           0.16667114f, 0.041890115f, 0.008312525f};
  constexpr float high = 0x1.62e4p-1f;
  constexpr float low = static_cast<float>(ln2 - high);
  Value shift = builder.constant(roundingShift);
  Value shifted = builder.fma(x, builder.constant(log2e), shift);
  Value n = builder.sub(shifted, shift);
  Value r = builder.fma(n, builder.constant(-high), x);
  r = builder.fma(n, builder.constant(-low), r);
  return builder.mul(builder.polynomial(r, coefficients), buildPowerOf2(builder, shifted));
}

Value attnc::attn::expandErf(FloatBuilder &builder, Value x) {
  // x + x * P(x^2) near 0, else 1 - e^R(|x|), which is 1 beyond 4.
  static constexpr float near[] = {0.12837917f,   -0.37612635f,    0.11283694f,   -0.026859269f,
                                   0.0052006273f, -0.00081373559f, 8.3448795e-05f};
  static constexpr float far[] = {0.00017587331f, -1.1295208f,    -0.63333464f,   -0.10829393f,
                                  0.025128614f,   -0.0041746385f, 0.00043521795f, -2.1161823e-05f};
  Value magnitude = builder.clamp(builder.abs(x), 0.0f, 4.0f);
  Value square = builder.mul(x, x);
  Value nearResult = builder.fma(builder.polynomial(square, near), x, x);
  Value power = buildExpOfNegative(builder, builder.polynomial(magnitude, far));
  Value farResult = builder.copySign(builder.sub(builder.constant(1.0f), power), x);
  Value isNear = builder.compare(CmpFPredicate::OLT, magnitude, builder.constant(0.925f));
  return builder.select(isNear, nearResult, farResult);
}
