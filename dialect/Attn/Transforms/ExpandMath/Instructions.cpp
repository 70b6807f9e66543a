//===- Instructions.cpp - exp, exp2 and tanh by instructions -------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/ExpandMath/MathExpansions.h"
#include <numbers>

using namespace mlir;
using namespace attnc::attn;

static constexpr float log2e = std::numbers::log2e_v<float>;

Value attnc::attn::expandExp2ByInstruction(FloatBuilder &builder, Value x) {
  return builder.exp2Instruction(x);
}

Value attnc::attn::expandExpByInstruction(FloatBuilder &builder, Value x) {
  // x log2(e) = t + r: e^x = 2^t * 2^r, and r is so small that 2^r is 1 + r ln 2.
  constexpr float low = static_cast<float>(std::numbers::log2e - log2e);
  x = builder.clamp(x, -105.0f, 89.0f);
  Value factor = builder.constant(log2e);
  Value t = builder.mul(x, factor);
  Value r = builder.fma(x, factor, builder.neg(t));
  r = builder.fma(x, builder.constant(low), r);
  Value power = builder.exp2Instruction(t);
  Value change = builder.mul(r, builder.constant(std::numbers::ln2_v<float>));
  // Where the power is infinite, its product with a change of 0 would be NaN.
  return builder.mul(power, builder.add(change, builder.constant(1.0f)));
}

Value attnc::attn::expandExpApproximateByInstruction(FloatBuilder &builder, Value x) {
  return builder.exp2Instruction(builder.mul(x, builder.constant(log2e)));
}

Value attnc::attn::expandTanhByInstruction(FloatBuilder &builder, Value x) {
  // 1 - 2 / (e^2x + 1), right to 2^-22 though not to some ulp near 0.
  Value power = builder.exp2Instruction(builder.scale(x, 2 * log2e));
  Value inverse = builder.reciprocalInstruction(builder.add(power, builder.constant(1.0f)));
  return builder.fma(inverse, builder.constant(-2.0f), builder.constant(1.0f));
}

Value attnc::attn::expandTanhApproximateByInstruction(FloatBuilder &builder, Value x) {
  return builder.tanhInstruction(builder.combineFactor(x));
}
