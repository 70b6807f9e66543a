//===- Logarithm.cpp - log, log2 and log1p -------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/ExpandMath/MathExpansions.h"
#include <limits>
#include <numbers>

using namespace mlir;
using namespace attnc::attn;
using mlir::arith::CmpFPredicate;

static constexpr float infinity = std::numeric_limits<float>::infinity();
static constexpr uint32_t threeQuarters = 0x3f400000;

/// log(1 + f) for f in [-1/4, 1/2].
static Value buildLogNearOne(FloatBuilder &builder, Value f) {
  static constexpr float coefficients[] = {0.3333345f,  -0.25000095f, 0.19990861f,  -0.16647312f,
                                           0.14478394f, -0.13161193f, 0.104630224f, -0.045074806f};
  Value square = builder.mul(f, f);
  Value tail = builder.fma(builder.polynomial(f, coefficients), f, builder.constant(-0.5f));
  return builder.fma(tail, square, f);
}

/// `result` where `x` is above `pole` and finite; else -inf at the pole, NaN below, +inf at +inf.
static Value fixLogEdges(FloatBuilder &builder, Value x, float pole, Value result) {
  Value limit = builder.constant(pole);
  Value edge =
      builder.select(builder.compare(CmpFPredicate::OEQ, x, limit), builder.constant(-infinity),
                     builder.constant(std::numeric_limits<float>::quiet_NaN()));
  result =
      builder.select(builder.compare(CmpFPredicate::OLT, x, builder.constant(infinity)), result, x);
  return builder.select(builder.compare(CmpFPredicate::OGT, x, limit), result, edge);
}

namespace {
/// x = (1 + fraction) * 2^exponent with the fraction in [-1/4, 1/2].
struct Decomposed {
  Value exponent;
  Value fraction;
};
} // namespace

static Decomposed decompose(FloatBuilder &builder, Value x) {
  Value small = builder.compare(CmpFPredicate::OLT, x, builder.constant(0x1p-126f));
  x = builder.select(small, builder.mul(x, builder.constant(0x1p23f)), x);
  Value bias = builder.select(small, builder.constant(-23.0f), builder.constant(0.0f));
  Value xBits = builder.toBits(x);
  Value exponentBits = builder.andBits(builder.subBits(xBits, builder.bits(threeQuarters)),
                                       builder.bits(0xff800000));
  Value fraction =
      builder.sub(builder.fromBits(builder.subBits(xBits, exponentBits)), builder.constant(1.0f));
  Value exponent = builder.fma(builder.toFloat(exponentBits), builder.constant(0x1p-23f), bias);
  return {exponent, fraction};
}

Value attnc::attn::expandLog(FloatBuilder &builder, Value x) {
  auto [exponent, fraction] = decompose(builder, x);
  Value result = builder.fma(exponent, builder.constant(std::numbers::ln2_v<float>),
                             buildLogNearOne(builder, fraction));
  return fixLogEdges(builder, x, 0.0f, result);
}

Value attnc::attn::expandLog2(FloatBuilder &builder, Value x) {
  auto [exponent, fraction] = decompose(builder, x);
  Value result = builder.fma(buildLogNearOne(builder, fraction),
                             builder.constant(std::numbers::log2e_v<float>), exponent);
  return fixLogEdges(builder, x, 0.0f, result);
}

Value attnc::attn::expandLog1p(FloatBuilder &builder, Value x) {
  // The exponent is that of 1 + x; the fraction x * 2^-e + (2^-e - 1) is taken from x itself, so
  // that what 1 + x rounds away stays. 4 * 2^-e is a normal number for every e.
  Value sum = builder.add(x, builder.constant(1.0f));
  Value exponentBits = builder.andBits(
      builder.subBits(builder.toBits(sum), builder.bits(threeQuarters)), builder.bits(0xff800000));
  Value scaled = builder.fromBits(builder.subBits(builder.toBits(x), exponentBits));
  Value scale = builder.fromBits(builder.subBits(builder.bits(0x40800000), exponentBits));
  Value fraction =
      builder.add(scaled, builder.fma(scale, builder.constant(0.25f), builder.constant(-1.0f)));
  Value exponent = builder.mul(builder.toFloat(exponentBits), builder.constant(0x1p-23f));
  Value result = builder.fma(exponent, builder.constant(std::numbers::ln2_v<float>),
                             buildLogNearOne(builder, fraction));
  // Also keeps the sign of zero.
  result =
      builder.select(builder.compare(CmpFPredicate::OEQ, x, builder.constant(0.0f)), x, result);
  return fixLogEdges(builder, x, -1.0f, result);
}
