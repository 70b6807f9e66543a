//===- CaseEvaluator.h - Which cases of a mask are possible -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_CASEEVALUATOR_H
#define DIALECT_ATTN_ANALYSIS_CASEEVALUATOR_H

#include "dialect/Attn/Analysis/Disjunctions.h"
#include "dialect/Attn/Analysis/RectangleEvaluator.h"

namespace attnc::attn {

/// Emits whether a condition can hold in a rectangle, case by case, where that says more than its
/// operands each for themselves: in a case, bounds on q, kv and q - kv are solved together,
/// literals that contradict each other make none, and what a literal is computed from is evaluated
/// anew where other literals say more of it: for the part of the rectangle that they leave, tables
/// included, and with the branches of selects that they choose.
class CaseEvaluator {
public:
  /// Emits what is known of the tabulated values of `stage`, Query or Key, in part of the
  /// rectangle.
  using Tabulate = llvm::function_ref<AbstractValues(Stage stage, IndexRange part)>;

  /// `tabulate` must outlive the evaluator.
  CaseEvaluator(IntervalArithmetic &emit, const MaskValues &values, RectangleEvaluator &evaluator,
                IndexRange queries, IndexRange keys, Tabulate tabulate)
      : emit(emit), values(values), evaluator(evaluator), queries(queries), keys(keys),
        tabulate(tabulate) {}

  /// Whether `condition`, or its negation, can hold; null where the cases add nothing.
  mlir::Value canHold(mlir::Value condition, bool negated);

private:
  /// What a bound is on.
  enum Axis { Query, Key, Difference };
  /// low <= axis <= high, as far as they are given.
  struct Bound {
    Axis axis;
    mlir::Value low, high;
  };
  /// The axis that a literal bounds, and on which sides.
  struct Sides {
    Axis axis;
    bool low, high;
  };
  struct Range {
    mlir::Value low, high;
  };
  std::optional<Sides> getSides(const Literal &literal) const;
  auto getOps() const { return values.getMask().getBody().front().without_terminator(); }
  Bound getBound(const Literal &literal);
  /// True if bounds of the literals on different axes may exclude each other, which none of them
  /// tells for itself.
  bool isJoint(const Case &literals) const;
  /// True if literals say more of what others of the case are computed from.
  bool isInformed(const Case &literals) const;
  mlir::Value canHold(const Case &literals);
  /// Whether the literals without bounds can hold where q and kv are in `range`s.
  mlir::Value canHoldAnew(const Case &literals, IndexRange queryRange, IndexRange keyRange);

  IntervalArithmetic &emit;
  const MaskValues &values;
  RectangleEvaluator &evaluator;
  IndexRange queries, keys;
  Tabulate tabulate;
};

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_CASEEVALUATOR_H
