//===- RectangleEvaluator.h - Evaluates a mask on intervals -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_RECTANGLEEVALUATOR_H
#define DIALECT_ATTN_ANALYSIS_RECTANGLEEVALUATOR_H

#include "dialect/Attn/Analysis/IntervalArithmetic.h"
#include "dialect/Attn/Analysis/MaskValues.h"

namespace attnc::attn {

/// What was emitted for the values of a mask at one stage.
struct AbstractValues {
  llvm::DenseMap<mlir::Value, Interval> rests;
  llvm::DenseMap<mlir::Value, Interval> ranges;
  llvm::DenseMap<mlir::Value, Possible> conditions;
};

/// Queries or keys from `first` to `last`, inclusive.
struct IndexRange {
  mlir::Value first, last;
};

/// Evaluates values of a mask on intervals: for one batch and head, over ranges of queries and keys
/// as far as they are given. Results go to `own`; what earlier stages found is looked up in
/// `before`.
class RectangleEvaluator {
public:
  RectangleEvaluator(IntervalArithmetic &emit, const MaskValues &values,
                     llvm::ArrayRef<const AbstractValues *> before, IndexRange queries,
                     IndexRange keys)
      : emit(emit), values(values), before(before), queries(queries), keys(keys) {}

  AbstractValues own;

  /// An evaluator for part of the rectangle. Values that are evaluated there are looked up here
  /// no more.
  RectangleEvaluator narrow(IndexRange newQueries, IndexRange newKeys) const;

  /// Evaluates the result of `op` from its operands.
  void evaluate(mlir::Operation *op);

  /// Evaluates the rest of the result of `op`, whose rule is not Own.
  Interval evaluateRest(mlir::Operation *op);

  Interval getRest(mlir::Value value) const;
  Possible getCondition(mlir::Value value) const;
  /// All values that the integer `value` takes over the rectangle.
  Interval getRange(mlir::Value value);

  /// The values of queryFactor * q + keyFactor * kv + rest, exact where that does not overflow.
  Interval addTerms(Interval rest, int64_t queryFactor, int64_t keyFactor);

  /// True where a form with this rest is computed without wrapping around; null if it always is.
  mlir::Value fits(const LinearForm &form, Interval rest);

private:
  Interval evaluateInt(mlir::Operation *op);
  Interval evaluateLoad(LoadOp load);
  /// What `load` reads; of use where `isPoint` is true, which says that its indices are known.
  mlir::Value loadAtPoint(LoadOp load, mlir::Value &isPoint);
  Possible evaluateCondition(mlir::Operation *op);
  Possible compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs, mlir::Value rhs);
  Possible compareForms(mlir::arith::CmpIPredicate predicate, mlir::Value lhs, mlir::Value rhs);
  /// `lhs` - `rhs`, of which terms that both sides have are taken away.
  Interval getDifference(mlir::Value lhs, mlir::Value rhs);
  /// The integers that `value` takes, which are known modulo `divisor` where its factors share one
  /// with it.
  IntervalArithmetic::Residues getResidues(mlir::Value value, int64_t divisor);
  /// Whether the sides of an equation are equal modulo what their factors have in common; null
  /// where that is always so.
  mlir::Value mayBeCongruent(mlir::Value lhs, mlir::Value rhs);

  IntervalArithmetic &emit;
  const MaskValues &values;
  llvm::SmallVector<const AbstractValues *> before;
  IndexRange queries, keys;
  /// Whether q and kv have other ranges here than before.
  bool narrowed = false;
};

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_RECTANGLEEVALUATOR_H
