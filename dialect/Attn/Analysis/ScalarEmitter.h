//===- ScalarEmitter.h - How an analysis emits ops of a body ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_SCALAREMITTER_H
#define DIALECT_ATTN_ANALYSIS_SCALAREMITTER_H

#include "mlir/IR/Builders.h"

namespace attnc::attn {

/// Emits ops of this dialect as code of a target: how launch arguments are read and what division
/// looks like is the target's. The rest of what an analysis emits is `arith` and `scf`.
class ScalarEmitter {
public:
  virtual ~ScalarEmitter() = default;

  /// The results of `op`, an op inside a score or mask body, for scalar `operands` in place of its
  /// own.
  virtual llvm::SmallVector<mlir::Value, 1> emit(mlir::OpBuilder &builder, mlir::Operation *op,
                                                 mlir::ValueRange operands) = 0;

  /// `attn.floordiv` and `attn.floormod` of two i64.
  virtual mlir::Value emitFloorDiv(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lhs,
                                   mlir::Value rhs) = 0;
  virtual mlir::Value emitFloorMod(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lhs,
                                   mlir::Value rhs) = 0;
};

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_SCALAREMITTER_H
