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

  /// The keys for which all `conditions`, each of which has a range, hold for one query, of which
  /// all values are known.
  KeyRange emitRange(llvm::ArrayRef<mlir::Value> conditions);

private:
  /// Keys for which a condition may hold for some query (lo, hi) and does hold for every query
  /// (fullLo, fullHi). Ends lie in [0, KV]; lo >= hi is no key.
  using KeySet = KeyBounds;

  KeySet everything();
  KeySet nothingKnown();
  KeySet fromCondition(Possible condition);
  KeySet choose(mlir::Value condition, KeySet lhs, KeySet rhs);
  /// `keys` if the values of `form` do not wrap around, else nothing is known.
  KeySet onlyIfFits(const LinearForm &form, Interval rest, KeySet keys);
  KeySet intersect(KeySet lhs, KeySet rhs);
  KeySet unite(KeySet lhs, KeySet rhs);

  KeySet visit(mlir::Value condition, bool negated, unsigned depth);
  KeySet visitOp(mlir::Operation *op, bool negated, unsigned depth);
  KeySet visitComparison(const KeyConstraint &constraint);
  KeySet visitLinear(const KeyConstraint &constraint);
  KeySet visitDivided(const KeyConstraint &constraint);
  KeySet visitAbsolute(const KeyConstraint &constraint);
  /// Keys with factor * kv + rest <= 0.
  KeySet atMostZero(int64_t factor, Interval rest);

  IntervalArithmetic &emit;
  const MaskValues &values;
  RectangleEvaluator &evaluator;
  mlir::Value numKeys;
  /// Whether all values that were asked about do not wrap around; null if they never do.
  mlir::Value allFit;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, KeySet> memo;
};

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_KEYBOUNDS_H
