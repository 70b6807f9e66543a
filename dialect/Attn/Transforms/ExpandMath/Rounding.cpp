//===- Rounding.cpp - floor, ceil, trunc and roundeven -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/ExpandMath/MathExpansions.h"

using namespace mlir;
using namespace attnc::attn;
using mlir::arith::CmpFPredicate;

Value attnc::attn::expandRoundEven(FloatBuilder &builder, Value x) { return builder.roundEven(x); }

Value attnc::attn::expandFloor(FloatBuilder &builder, Value x) {
  Value rounded = builder.roundEven(x);
  Value above = builder.compare(CmpFPredicate::OGT, rounded, x);
  Value one = builder.constant(1.0f);
  return builder.select(above, builder.sub(rounded, one), rounded);
}

Value attnc::attn::expandCeil(FloatBuilder &builder, Value x) {
  Value rounded = builder.roundEven(x);
  Value below = builder.compare(CmpFPredicate::OLT, rounded, x);
  Value one = builder.constant(1.0f);
  // The sign matters for -1 < x < 0, which gives -0.
  return builder.copySign(builder.select(below, builder.add(rounded, one), rounded), x);
}

Value attnc::attn::expandTrunc(FloatBuilder &builder, Value x) {
  return builder.copySign(expandFloor(builder, builder.abs(x)), x);
}
