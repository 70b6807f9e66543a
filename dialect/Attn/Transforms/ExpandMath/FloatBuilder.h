//===- FloatBuilder.h - Builds f32 arithmetic for a target -----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_TRANSFORMS_EXPANDMATH_FLOATBUILDER_H
#define DIALECT_ATTN_TRANSFORMS_EXPANDMATH_FLOATBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include <cstdint>

namespace attnc::attn {

/// What a target computes with one instruction.
struct FloatFeatures {
  /// math.fma
  bool fma = true;
  /// math.floor, math.ceil, math.trunc, math.roundeven
  bool rounding = true;
  /// 2^x, tanh and 1 / x to about 2 ulp, as GPUs have them.
  bool approximations = false;
};

/// Builds arithmetic on values of one shape: f32, or a vector of f32.
class FloatBuilder {
public:
  FloatBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
               FloatFeatures features)
      : builder(builder), loc(loc), type(type), features(features) {}

  const FloatFeatures &getFeatures() const { return features; }

  mlir::Value constant(float value);
  /// A constant of the integer type as wide as f32, of the same shape.
  mlir::Value bits(uint32_t value);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value neg(mlir::Value a);
  mlir::Value abs(mlir::Value a);
  mlir::Value sqrt(mlir::Value a);
  /// `a`. If it is a product or quotient with a constant, the constant may be combined with other
  /// factors, and a quotient become a product with the reciprocal.
  mlir::Value combineFactor(mlir::Value a);
  /// combineFactor(a) * factor, in which the factors may be combined.
  mlir::Value scale(mlir::Value a, float factor);
  /// 2^a, tanh(a) and 1 / a by the target's instruction.
  mlir::Value exp2Instruction(mlir::Value a);
  mlir::Value tanhInstruction(mlir::Value a);
  mlir::Value reciprocalInstruction(mlir::Value a);
  /// |a| with the sign of b.
  mlir::Value copySign(mlir::Value a, mlir::Value b);
  /// a * b + c, rounded once where the target has an instruction for it, else twice.
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  /// sum of coefficients[k] * x^k
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<float> coefficients);
  /// `a` where it is within the limits, else the nearer limit; NaN stays.
  mlir::Value clamp(mlir::Value a, float low, float high);
  /// `a` rounded to an integer, ties to even, with the sign of `a`.
  mlir::Value roundEven(mlir::Value a);

  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b);

  mlir::Value toBits(mlir::Value a);
  mlir::Value fromBits(mlir::Value a);
  /// The integer `a` as a float.
  mlir::Value toFloat(mlir::Value a);
  mlir::Value addBits(mlir::Value a, mlir::Value b);
  mlir::Value subBits(mlir::Value a, mlir::Value b);
  mlir::Value andBits(mlir::Value a, mlir::Value b);
  mlir::Value xorBits(mlir::Value a, mlir::Value b);
  mlir::Value shiftLeft(mlir::Value a, unsigned count);

private:
  mlir::Type getBitsType() const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type type;
  FloatFeatures features;
};

} // namespace attnc::attn

#endif // DIALECT_ATTN_TRANSFORMS_EXPANDMATH_FLOATBUILDER_H
