//===- RegionVectorizer.h - Score and mask bodies on vectors ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_BODIES_REGIONVECTORIZER_H
#define COMPILER_CONVERSION_BODIES_REGIONVECTORIZER_H

#include "compiler/Conversion/Bodies/OpEmitter.h"
#include "dialect/Attn/Analysis/Stages.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc {

/// What has been emitted for the values of a body at one stage.
using StageValues = llvm::DenseMap<mlir::Value, mlir::Value>;

/// Emits the body of an `attn.score` or `attn.mask` for vectors of pairs, in stages, so that what
/// depends on the query or the key alone is computed once for it:
///
///     RegionVectorizer mask(kernel.getMask(), emitter);
///     StageValues head = mask.emitHead(builder, b, h);          // once a task
///     StageValues query = mask.emitQuery(builder, head, q);     // once a vector of queries
///     for each key:
///       StageValues key = mask.emitKey(builder, head, kv);      // shared by all vectors of
///       queries Value takesPart = mask.emitPair(builder, head, query, key);
///
/// A stage emits at the builder's insertion point, which the points of the stages it is given must
/// dominate. The query is a vector of i64 (one lane a query) and the key a scalar i64, or the other
/// way round, or both are scalars; an op is emitted on scalars where all its operands are. Queries
/// and keys must lie inside the tensors: clamp the lanes past the end to the last query and drop
/// what comes out for them.
class RegionVectorizer {
public:
  RegionVectorizer(attn::ScoreOp score, OpEmitter &emitter)
      : RegionVectorizer(score, score.getYielded(), emitter) {}
  /// Of the score body only `value`, one of its values.
  RegionVectorizer(attn::ScoreOp score, mlir::Value value, OpEmitter &emitter);
  RegionVectorizer(attn::MaskOp mask, OpEmitter &emitter)
      : RegionVectorizer(mask, mask.getYielded(), emitter) {}
  /// Of the mask only whether all of `conditions`, at least one of its values, hold.
  RegionVectorizer(attn::MaskOp mask, mlir::ValueRange conditions, OpEmitter &emitter);

  /// Values of the launch, the batch and the head: constants, dimensions, `slopes[h]`,
  /// `lengths[b]`. `batch` and `head` are scalar i64.
  StageValues emitHead(mlir::OpBuilder &builder, mlir::Value batch, mlir::Value head);

  /// Values that depend on the query but not on the key: `doc[b, q]`. Nothing is emitted for those
  /// in `known`, nor for what they alone need.
  StageValues emitQuery(mlir::OpBuilder &builder, const StageValues &head, mlir::Value query,
                        const StageValues &known = StageValues());

  /// The same for values that depend on the key but not on the query: `doc[b, kv]`.
  StageValues emitKey(mlir::OpBuilder &builder, const StageValues &head, mlir::Value key,
                      const StageValues &known = StageValues());

  /// What the body yields: f32 for a score, i1 for a mask; a vector if the query, the key or the
  /// score is one, also where the body depends on none of them. `score` is given for a score body
  /// only. What depends on the pair, and not on the score, is emitted first, so that it can overlap
  /// with the computation of `score`.
  mlir::Value emitPair(mlir::OpBuilder &builder, const StageValues &head, const StageValues &query,
                       const StageValues &key, mlir::Value score = {});

  /// The number of ops that emitPair emits for each pair: what a pair costs.
  unsigned getNumPairOps() const;

private:
  void selectOps();
  /// The ops that the results need where `known` is.
  llvm::SmallVector<mlir::Operation *> selectOps(const StageValues &known) const;
  /// Emits those of `selected` that are of `stage`.
  void emitStage(mlir::OpBuilder &builder, attn::Stage stage,
                 llvm::ArrayRef<mlir::Operation *> selected,
                 llvm::ArrayRef<const StageValues *> before, StageValues &values);

  mlir::Block *body;
  attn::Stages stages;
  OpEmitter &emitter;
  mlir::Value score, batch, head, query, key;
  llvm::SmallVector<mlir::Value, 1> results;
  /// The ops that the results need.
  llvm::SmallVector<mlir::Operation *> ops;
};

} // namespace attnc

#endif // COMPILER_CONVERSION_BODIES_REGIONVECTORIZER_H
