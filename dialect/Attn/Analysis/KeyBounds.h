//===- KeyBounds.h - The keys that a range of queries attends to --*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_KEYBOUNDS_H
#define DIALECT_ATTN_ANALYSIS_KEYBOUNDS_H

#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "dialect/Attn/Analysis/RectangleEvaluator.h"
#include "dialect/Attn/Analysis/RunShapes.h"

namespace attnc::attn {

/// Emits the keys for which a mask may or must hold, from the conditions with a closed form.
/// `evaluator` knows the values that do not depend on the key.
class KeyBoundsEmitter {
public:
  KeyBoundsEmitter(IntervalArithmetic &emit, const MaskValues &values,
                   RectangleEvaluator &evaluator, mlir::Value numKeys)
      : emit(emit), values(values), evaluator(evaluator), numKeys(numKeys) {}

  /// Bounds for the mask; `known` is false where nothing may be claimed.
  KeyBounds emitBounds(mlir::Value known);

  /// The same as runs that ascend and do not overlap, of a mask that is a few runs at blocks of
  /// keys.
  llvm::SmallVector<KeyBounds, maxKeyRuns> emitRuns(mlir::Value known);

  /// The keys for which all `conditions`, each of which has a range, hold for one query, of which
  /// all values are known.
  KeyRange emitRange(llvm::ArrayRef<mlir::Value> conditions);

private:
  /// Keys for which a condition may hold for some query (lo, hi) and does hold for every query
  /// (fullLo, fullHi). Ends lie in [0, KV]; lo >= hi is no key.
  struct Run {
    KeyBounds keys;
    RunShape shape;
  };
  /// Keys of any of the runs, which are in no order and may overlap.
  using Runs = llvm::SmallVector<Run, maxKeyRuns>;

  KeyBounds everything();
  KeyBounds nothingKnown();
  Run fromCondition(Possible condition);
  KeyBounds choose(mlir::Value condition, KeyBounds lhs, KeyBounds rhs);
  /// `runs` if the values of `form` do not wrap around, else nothing is known.
  Runs onlyIfFits(const LinearForm &form, Interval rest, Runs runs);
  KeyBounds intersect(KeyBounds lhs, KeyBounds rhs);
  Runs intersect(const Runs &lhs, const Runs &rhs);
  /// The smallest run of all keys of both, and the longest full one that is known.
  KeyBounds unite(KeyBounds lhs, KeyBounds rhs);
  Runs unite(Runs lhs, const Runs &rhs);
  void add(Runs &runs, const Run &run);

  Runs visit(mlir::Value condition, bool negated, unsigned depth);
  Runs visitOp(mlir::Operation *op, bool negated, unsigned depth);
  Runs visitComparison(const KeyConstraint &constraint);
  Runs visitLinear(const KeyConstraint &constraint);
  Runs visitDivided(const KeyConstraint &constraint);
  Runs visitAbsolute(const KeyConstraint &constraint);
  /// Keys with factor * kv + rest <= 0.
  Runs atMostZero(int64_t factor, Interval rest);

  /// Puts `lhs` before `rhs`, by their first keys.
  void sort(KeyBounds &lhs, KeyBounds &rhs);
  /// Joins runs that meet, `rhs` not beginning before `lhs`. Where each has a full run and these do
  /// not meet, they are cut between them; else the first one is empty in the end.
  void join(KeyBounds &lhs, KeyBounds &rhs);

  IntervalArithmetic &emit;
  const MaskValues &values;
  RectangleEvaluator &evaluator;
  mlir::Value numKeys;
  /// Whether runs that do not always meet are kept apart.
  bool apart = false;
  /// Whether all values that were asked about do not wrap around; null if they never do.
  mlir::Value allFit;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, Runs> memo;
};

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_KEYBOUNDS_H
