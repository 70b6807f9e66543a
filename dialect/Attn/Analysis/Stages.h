//===- Stages.h - What the values of a body depend on -------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_STAGES_H
#define DIALECT_ATTN_ANALYSIS_STAGES_H

#include "dialect/Attn/IR/AttnOps.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc::attn {

/// When a value of a score or mask body is known.
enum class Stage {
  Head,  ///< with the batch and the head: constants, dimensions, arguments, `slopes[h]`
  Query, ///< with the query as well: `doc[b, q]`
  Key,   ///< with the key, without the query: `doc[b, kv]`
  Pair,  ///< with both
  Score  ///< with the score of the pair
};

/// When a value of both is known: not before either.
Stage joinStages(Stage a, Stage b);

/// The stages of all values of a score or mask body.
class Stages {
public:
  explicit Stages(ScoreOp score);
  explicit Stages(MaskOp mask);

  Stage get(mlir::Value value) const { return stages.lookup(value); }

private:
  void visitBody(mlir::Block &body);

  llvm::DenseMap<mlir::Value, Stage> stages;
};

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_STAGES_H
