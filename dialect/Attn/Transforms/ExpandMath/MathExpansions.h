//===- MathExpansions.h - Math functions as arithmetic ---------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_TRANSFORMS_EXPANDMATH_MATHEXPANSIONS_H
#define DIALECT_ATTN_TRANSFORMS_EXPANDMATH_MATHEXPANSIONS_H

#include "dialect/Attn/Transforms/ExpandMath/FloatBuilder.h"

namespace attnc::attn {

/// Each builds the function of f32, element by element where the builder's type is a vector, from
/// arith ops, math.fma, math.sqrt, math.absf, math.copysign and math.roundeven. The errors are in
/// docs/math.md. An approximate form has a relative error of at most 2^-11.
mlir::Value expandExp(FloatBuilder &builder, mlir::Value x);
mlir::Value expandExpApproximate(FloatBuilder &builder, mlir::Value x);
mlir::Value expandExp2(FloatBuilder &builder, mlir::Value x);
mlir::Value expandExp2Approximate(FloatBuilder &builder, mlir::Value x);
mlir::Value expandExpm1(FloatBuilder &builder, mlir::Value x);

mlir::Value expandLog(FloatBuilder &builder, mlir::Value x);
mlir::Value expandLog2(FloatBuilder &builder, mlir::Value x);
mlir::Value expandLog1p(FloatBuilder &builder, mlir::Value x);

mlir::Value expandTanh(FloatBuilder &builder, mlir::Value x);
mlir::Value expandTanhApproximate(FloatBuilder &builder, mlir::Value x);
mlir::Value expandErf(FloatBuilder &builder, mlir::Value x);

/// Forms for targets whose FloatFeatures have approximations.
mlir::Value expandExpByInstruction(FloatBuilder &builder, mlir::Value x);
mlir::Value expandExp2ByInstruction(FloatBuilder &builder, mlir::Value x);
mlir::Value expandTanhByInstruction(FloatBuilder &builder, mlir::Value x);
mlir::Value expandExpApproximateByInstruction(FloatBuilder &builder, mlir::Value x);
mlir::Value expandTanhApproximateByInstruction(FloatBuilder &builder, mlir::Value x);

/// Beyond the range of docs/math.md the result is some value from -1 to 1.
mlir::Value expandSin(FloatBuilder &builder, mlir::Value x);
mlir::Value expandCos(FloatBuilder &builder, mlir::Value x);

mlir::Value expandPow(FloatBuilder &builder, mlir::Value x, mlir::Value y);
/// The remainder of x / y with the sign of x. Of a quotient beyond the range of docs/math.md it is
/// some value below y in size.
mlir::Value expandFmod(FloatBuilder &builder, mlir::Value x, mlir::Value y);
mlir::Value expandRsqrt(FloatBuilder &builder, mlir::Value x);

mlir::Value expandRoundEven(FloatBuilder &builder, mlir::Value x);
mlir::Value expandFloor(FloatBuilder &builder, mlir::Value x);
mlir::Value expandCeil(FloatBuilder &builder, mlir::Value x);
mlir::Value expandTrunc(FloatBuilder &builder, mlir::Value x);

/// Adding this to a float rounds it to an integer n, which is then in the low bits of the sum; for
/// |n| up to 2^22. Shifted left by 23 the sum is n in the place of the exponent.
inline constexpr float roundingShift = 0x1.8p23f;

} // namespace attnc::attn

#endif // DIALECT_ATTN_TRANSFORMS_EXPANDMATH_MATHEXPANSIONS_H
