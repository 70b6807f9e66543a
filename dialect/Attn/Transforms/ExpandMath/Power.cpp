//===- Power.cpp - powf and rsqrt ----------------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/ExpandMath/MathExpansions.h"
#include "mlir/IR/Matchers.h"
#include <limits>
#include <numbers>

using namespace mlir;
using namespace attnc::attn;
using mlir::arith::CmpFPredicate;

static constexpr float infinity = std::numeric_limits<float>::infinity();

namespace {
/// The unrounded sum of two floats, the second below the last bit of the first.
struct DoubleFloat {
  Value high;
  Value low;
};
} // namespace

/// a + b, where |a| >= |b| or a is 0.
static DoubleFloat addExactly(FloatBuilder &builder, Value a, Value b) {
  Value sum = builder.add(a, b);
  return {sum, builder.sub(b, builder.sub(sum, a))};
}

/// a * b
static DoubleFloat multiplyExactly(FloatBuilder &builder, Value a, Value b) {
  Value product = builder.mul(a, b);
  if (builder.getFeatures().fma)
    return {product, builder.fma(a, b, builder.neg(product))};
  // Halves of 12 bits, whose products are exact.
  Value mask = builder.bits(0xfffff000);
  auto split = [&](Value value) -> DoubleFloat {
    Value high = builder.fromBits(builder.andBits(builder.toBits(value), mask));
    return {high, builder.sub(value, high)};
  };
  DoubleFloat x = split(a), y = split(b);
  Value error = builder.sub(builder.mul(x.high, y.high), product);
  error = builder.add(error, builder.mul(x.high, y.low));
  error = builder.add(error, builder.mul(x.low, y.high));
  error = builder.add(error, builder.mul(x.low, y.low));
  return {product, error};
}

/// log2(x) to about 2^-31 of its size, for positive finite x.
static DoubleFloat buildLog2(FloatBuilder &builder, Value x) {
  // x = m * 2^e with m in [2/3, 4/3], log2(m) = 2 / ln 2 * atanh(s), s = (m - 1) / (m + 1), and
  // atanh(s) = s + s^3 / 3 + s^5 * P(s^2).
  static constexpr float coefficients[] = {0.200002f, 0.14262503f, 0.11941901f};
  constexpr float third = static_cast<float>(1.0 / 3);
  constexpr float thirdLow = static_cast<float>(1.0 / 3 - third);
  constexpr float scaleHigh = static_cast<float>(2 * std::numbers::log2e);
  constexpr float scaleLow = static_cast<float>(2 * std::numbers::log2e - scaleHigh);
  Value small = builder.compare(CmpFPredicate::OLT, x, builder.constant(0x1p-126f));
  x = builder.select(small, builder.mul(x, builder.constant(0x1p23f)), x);
  Value bias = builder.select(small, builder.constant(-23.0f), builder.constant(0.0f));
  Value xBits = builder.toBits(x);
  Value exponentBits =
      builder.andBits(builder.subBits(xBits, builder.bits(0x3f2aaaab)), builder.bits(0xff800000));
  Value exponent = builder.fma(builder.toFloat(exponentBits), builder.constant(0x1p-23f), bias);
  Value m = builder.fromBits(builder.subBits(xBits, exponentBits));
  Value one = builder.constant(1.0f);

  // s = high + low; the remainder m - 1 - high * (m + 1) is exact but for m + 1's rounding, which
  // is added back.
  Value over = builder.sub(m, one);
  DoubleFloat under = addExactly(builder, one, m);
  Value high = builder.div(over, under.high);
  DoubleFloat back = multiplyExactly(builder, high, under.high);
  Value remainder = builder.sub(builder.sub(over, back.high), back.low);
  remainder = builder.sub(remainder, builder.mul(high, under.low));
  Value low = builder.div(remainder, under.high);

  DoubleFloat square = multiplyExactly(builder, high, high);
  DoubleFloat cube = multiplyExactly(builder, high, square.high);
  cube.low = builder.fma(high, square.low, cube.low);
  DoubleFloat term = multiplyExactly(builder, cube.high, builder.constant(third));
  Value tail = builder.fma(builder.polynomial(square.high, coefficients), square.high,
                           builder.constant(thirdLow));
  tail = builder.fma(cube.high, tail, builder.mul(cube.low, builder.constant(third)));
  low = builder.fma(low, square.high, low);
  low = builder.add(builder.add(low, term.low), tail);
  DoubleFloat s = addExactly(builder, high, term.high);
  s = addExactly(builder, s.high, builder.add(s.low, low));
  DoubleFloat log = multiplyExactly(builder, s.high, builder.constant(scaleHigh));
  Value rest = builder.fma(s.low, builder.constant(scaleHigh),
                           builder.mul(s.high, builder.constant(scaleLow)));
  rest = builder.add(log.low, rest);
  DoubleFloat sum = addExactly(builder, exponent, log.high);
  return addExactly(builder, sum.high, builder.add(sum.low, rest));
}

/// 2^(a + b) for any a and a small b.
static Value buildExp2(FloatBuilder &builder, DoubleFloat x) {
  static constexpr float coefficients[] = {1.0f,           0.69314724f,   0.24022673f,
                                           0.055503797f,   0.0096167196f, 0.001333949f,
                                           0.00015653663f, 1.5030574e-05f};
  Value high = builder.clamp(x.high, -160.0f, 140.0f);
  Value inside = builder.compare(CmpFPredicate::OEQ, high, x.high);
  Value low = builder.select(inside, x.low, builder.constant(0.0f));
  Value shift = builder.constant(roundingShift);
  Value shifted = builder.fma(high, builder.constant(0.5f), shift);
  Value f = builder.fma(builder.sub(shifted, shift), builder.constant(-2.0f), high);
  Value p = builder.polynomial(builder.add(f, low), coefficients);
  Value exponent = builder.shiftLeft(builder.toBits(shifted), 23);
  Value scale = builder.fromBits(builder.addBits(exponent, builder.bits(0x3f800000)));
  return builder.mul(builder.mul(p, scale), scale);
}

/// |x|^y
static Value buildPowOfMagnitude(FloatBuilder &builder, Value magnitude, Value y) {
  // Any larger exponent overflows or underflows as 2^32 does: |log2(x)| is 0 or at least 2^-24.
  Value exponent = builder.clamp(y, -0x1p32f, 0x1p32f);
  DoubleFloat log = buildLog2(builder, magnitude);
  DoubleFloat product = multiplyExactly(builder, log.high, exponent);
  product.low = builder.fma(log.low, exponent, product.low);
  Value result = buildExp2(builder, product);

  Value zero = builder.constant(0.0f), limit = builder.constant(infinity);
  Value negative = builder.compare(CmpFPredicate::OLT, y, zero);
  Value isZero = builder.compare(CmpFPredicate::OEQ, magnitude, zero);
  result = builder.select(isZero, builder.select(negative, limit, zero), result);
  Value isInfinite = builder.compare(CmpFPredicate::OEQ, magnitude, limit);
  return builder.select(isInfinite, builder.select(negative, zero, limit), result);
}

/// x^y as products, for a few constant exponents, or null.
static Value buildSmallPower(FloatBuilder &builder, Value x, Value y) {
  APFloat exponent(0.0f);
  if (!matchPattern(y, m_ConstantFloat(&exponent)))
    return {};
  float value = exponent.convertToFloat();
  if (value == 1.0f)
    return x;
  if (value == -1.0f)
    return builder.div(builder.constant(1.0f), x);
  if (value != 2.0f && value != 3.0f && value != 4.0f)
    return {};
  Value square = builder.mul(x, x);
  return value == 2.0f ? square : builder.mul(square, value == 3.0f ? x : square);
}

Value attnc::attn::expandPow(FloatBuilder &builder, Value x, Value y) {
  if (Value power = buildSmallPower(builder, x, y))
    return power;
  Value result = buildPowOfMagnitude(builder, builder.abs(x), y);

  // A negative base: the sign of x for odd y, NaN for y with a fraction.
  Value zero = builder.constant(0.0f);
  Value half = builder.mul(y, builder.constant(0.5f));
  Value isInteger = builder.compare(CmpFPredicate::OEQ, builder.roundEven(y), y);
  Value isOdd =
      builder.both(isInteger, builder.compare(CmpFPredicate::ONE, builder.roundEven(half), half));
  result = builder.select(isOdd, builder.copySign(result, x), result);
  Value nan = builder.constant(std::numeric_limits<float>::quiet_NaN());
  Value isFiniteNegative =
      builder.both(builder.compare(CmpFPredicate::OLT, x, zero),
                   builder.compare(CmpFPredicate::OGT, x, builder.constant(-infinity)));
  result = builder.select(isFiniteNegative, builder.select(isInteger, result, nan), result);

  // NaN in, NaN out; but x^0 and 1^y are 1 for any x and y.
  result = builder.select(builder.compare(CmpFPredicate::UNO, x, y), nan, result);
  Value one = builder.constant(1.0f);
  result = builder.select(builder.compare(CmpFPredicate::OEQ, x, one), one, result);
  return builder.select(builder.compare(CmpFPredicate::OEQ, y, zero), one, result);
}

Value attnc::attn::expandRsqrt(FloatBuilder &builder, Value x) {
  return builder.div(builder.constant(1.0f), builder.sqrt(x));
}
