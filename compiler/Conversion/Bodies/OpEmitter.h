//===- OpEmitter.h - Ops of a score or mask body on host values ---*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_BODIES_OPEMITTER_H
#define COMPILER_CONVERSION_BODIES_OPEMITTER_H

#include "compiler/Conversion/Bodies/ArgumentReader.h"
#include "dialect/Attn/Analysis/ScalarEmitter.h"

namespace attnc {

/// Emits single ops of score and mask bodies as host code: on scalars, or on vectors where an
/// operand is a vector.
class OpEmitter : public attn::ScalarEmitter {
public:
  OpEmitter(ArgumentReader &arguments, const VectorFeatures &features)
      : arguments(arguments), features(features) {}

  /// The results of `op`, an op inside a score or mask body, for `operands` instead of its own:
  /// each of the same element type, a scalar or a vector of one length. Scalars alone give scalars;
  /// else they are broadcast and the results are vectors.
  llvm::SmallVector<mlir::Value, 1> emit(mlir::OpBuilder &builder, mlir::Operation *op,
                                         mlir::ValueRange operands) override;
  mlir::Value emitFloorDiv(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lhs,
                           mlir::Value rhs) override;
  mlir::Value emitFloorMod(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lhs,
                           mlir::Value rhs) override;

private:
  /// The value of an op that reads a launch argument, or null for others.
  mlir::Value emitRead(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);
  /// `op` on other operands; what it computes in f16 or bf16 is computed in f32 and rounded.
  llvm::SmallVector<mlir::Value, 1> emitClone(mlir::OpBuilder &builder, mlir::Operation *op,
                                              llvm::MutableArrayRef<mlir::Value> operands,
                                              int64_t lanes);

  ArgumentReader &arguments;
  VectorFeatures features;
};

/// `value` as a vector of `lanes`: broadcast if it is a scalar.
mlir::Value broadcastTo(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                        int64_t lanes);

} // namespace attnc

#endif // COMPILER_CONVERSION_BODIES_OPEMITTER_H
