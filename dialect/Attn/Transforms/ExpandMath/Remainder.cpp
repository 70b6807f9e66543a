//===- Remainder.cpp - The remainder of a division -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Long division: each step subtracts a whole multiple of the divisor, scaled by a power of two. The
// difference of a number and a multiple next to it is a float, so that nothing is ever rounded.
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/ExpandMath/MathExpansions.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace attnc::attn;
using mlir::arith::CmpFPredicate;

/// x - n * y, which is a float, for an n of so few bits that the products are floats too.
static Value subtractMultiple(FloatBuilder &builder, Value x, Value n, Value y) {
  if (builder.getFeatures().fma)
    return builder.fma(builder.neg(n), y, x);
  // Of y the upper and the lower twelve bits.
  Value high = builder.fromBits(builder.andBits(builder.toBits(y), builder.bits(0xfffff000)));
  Value low = builder.sub(y, high);
  return builder.sub(builder.sub(x, builder.mul(n, high)), builder.mul(n, low));
}

Value attnc::attn::expandFmod(FloatBuilder &builder, Value x, Value y) {
  // With fma a quotient of one step may have 24 bits, without twelve.
  bool fused = builder.getFeatures().fma;
  const int bits = fused ? 23 : 11, steps = fused ? 2 : 4;
  Value rest = builder.abs(x), divisor = builder.abs(y);
  for (int step = steps - 1; step >= 0; --step) {
    Value scaled = divisor;
    if (step > 0)
      scaled = builder.mul(divisor, builder.constant(std::ldexp(1.0f, step * bits)));
    // Without fma a multiple above the rest could overflow.
    Value quotient = builder.div(rest, scaled);
    Value n = fused ? builder.roundEven(quotient) : expandFloor(builder, quotient);
    Value less = subtractMultiple(builder, rest, n, scaled);
    Value isNegative = builder.compare(CmpFPredicate::OLT, less, builder.constant(0));
    less = builder.select(isNegative, builder.add(less, scaled), less);
    // Also where the scaled divisor is an infinity.
    rest = builder.select(builder.compare(CmpFPredicate::OLT, rest, scaled), rest, less);
  }
  // Of a quotient of more bits than all steps have, the rest is anything, and is replaced by 0; of
  // an infinity, or by 0, there is none.
  Value isInside = builder.compare(CmpFPredicate::OLT, builder.abs(rest), divisor);
  Value isDivisor = builder.compare(CmpFPredicate::OGT, divisor, builder.constant(0));
  Value none = builder.constant(std::numeric_limits<float>::quiet_NaN());
  Value other = builder.select(isDivisor, builder.mul(x, builder.constant(0)), none);
  return builder.copySign(builder.select(isInside, rest, other), x);
}
