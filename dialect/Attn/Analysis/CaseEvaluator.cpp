//===- CaseEvaluator.cpp - Which cases of a mask are possible ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/CaseEvaluator.h"

using namespace mlir;
using namespace attnc::attn;
using arith::CmpIPredicate;

/// Bounds beyond this say nothing: no index or difference is as large.
static constexpr int64_t farAway = int64_t(1) << 61;

/// The factors of the difference of the sides of a comparison.
static std::pair<int64_t, int64_t> getFactors(const MaskValues &values, arith::CmpIOp comparison) {
  const LinearForm &lhs = values.get(comparison.getLhs()).form;
  const LinearForm &rhs = values.get(comparison.getRhs()).form;
  return {lhs.queryFactor - rhs.queryFactor, lhs.keyFactor - rhs.keyFactor};
}

std::optional<CaseEvaluator::Sides> CaseEvaluator::getSides(const Literal &literal) const {
  std::optional<CmpIPredicate> predicate = getPredicate(literal);
  if (!predicate)
    return std::nullopt;
  auto [query, key] = getFactors(values, cast<arith::CmpIOp>(literal.condition.getDefiningOp()));
  Sides sides = {Difference, false, false};
  if (std::abs(query) == 1 && key == 0)
    sides.axis = Query;
  else if (query == 0 && std::abs(key) == 1)
    sides.axis = Key;
  else if (std::abs(query) != 1 || key != -query)
    return std::nullopt;
  bool positive = query > 0 || (query == 0 && key > 0);
  switch (*predicate) {
  case CmpIPredicate::slt:
  case CmpIPredicate::sle:
    (positive ? sides.high : sides.low) = true;
    return sides;
  case CmpIPredicate::sgt:
  case CmpIPredicate::sge:
    (positive ? sides.low : sides.high) = true;
    return sides;
  case CmpIPredicate::eq:
    sides.low = sides.high = true;
    return sides;
  default:
    return std::nullopt;
  }
}

CaseEvaluator::Bound CaseEvaluator::getBound(const Literal &literal) {
  auto comparison = cast<arith::CmpIOp>(literal.condition.getDefiningOp());
  Bound bound = {getSides(literal)->axis, {}, {}};
  auto [query, key] = getFactors(values, comparison);
  bool positive = query > 0 || (query == 0 && key > 0);

  // With x for the axis: the comparison is of x + rest, or rest - x, with 0. Sides without a factor
  // may be any integer, and are cut off where no index reaches.
  auto getRest = [&](Value side) {
    Interval rest = evaluator.getRest(side);
    auto cut = [&](Value end) {
      return emit.minimum(emit.maximum(end, emit.constant(-farAway)), emit.constant(farAway));
    };
    if (values.get(side).form.hasFactor())
      return rest;
    return Interval{cut(rest.lo), cut(rest.hi)};
  };
  Interval lhs = getRest(comparison.getLhs()), rhs = getRest(comparison.getRhs());
  Value lo = emit.subtract(lhs.lo, rhs.hi), hi = emit.subtract(lhs.hi, rhs.lo);
  // Where sides may wrap around nothing is known.
  for (Value side : {comparison.getLhs(), comparison.getRhs()})
    if (Value fits = evaluator.fits(values.get(side).form, evaluator.getRest(side))) {
      lo = emit.choose(fits, lo, emit.constant(-farAway));
      hi = emit.choose(fits, hi, emit.constant(farAway));
    }
  Value zero = emit.constant(int64_t(0)), one = emit.constant(int64_t(1));
  CmpIPredicate predicate = *getPredicate(literal);
  bool less = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle;
  bool greater = predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge;
  bool strict = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sgt;
  // x + rest <= 0 is possible for x <= -lo, and x + rest >= 0 for x >= -hi.
  // rest - x <= 0 is possible for x >= lo, and rest - x >= 0 for x <= hi.
  if (less || predicate == CmpIPredicate::eq) {
    Value end = positive ? emit.subtract(zero, lo) : lo;
    if (strict)
      end = positive ? emit.subtract(end, one) : emit.add(end, one);
    (positive ? bound.high : bound.low) = end;
  }
  if (greater || predicate == CmpIPredicate::eq) {
    Value end = positive ? emit.subtract(zero, hi) : hi;
    if (strict)
      end = positive ? emit.add(end, one) : emit.subtract(end, one);
    (positive ? bound.low : bound.high) = end;
  }
  return bound;
}

bool CaseEvaluator::isJoint(const Case &literals) const {
  bool low[3] = {}, high[3] = {};
  for (const Literal &literal : literals)
    if (std::optional<Sides> sides = getSides(literal)) {
      low[sides->axis] |= sides->low;
      high[sides->axis] |= sides->high;
    }
  // q - kv is large where q is large or kv is small.
  return (low[Difference] && (high[Query] || low[Key])) ||
         (high[Difference] && (low[Query] || high[Key]));
}

bool CaseEvaluator::isInformed(const Case &literals) const {
  // What is known better inside the case: conditions that it settles, and q and kv with bounds.
  DenseSet<Value> informed;
  for (const Literal &literal : literals) {
    informed.insert(literal.condition);
    std::optional<Sides> sides = getSides(literal);
    if (sides && sides->axis == Query)
      informed.insert(values.getMask().getQuery());
    if (sides && sides->axis == Key)
      informed.insert(values.getMask().getKey());
  }
  for (Operation &op : getOps()) {
    Value result = op.getResult(0);
    bool follows = llvm::any_of(op.getOperands(), [&](Value x) { return informed.contains(x); });
    if (!follows)
      continue;
    auto *own = llvm::find_if(literals, [&](const Literal &x) { return x.condition == result; });
    if (own != literals.end() && !getSides(*own))
      return true;
    informed.insert(result);
  }
  return false;
}

Value CaseEvaluator::canHoldAnew(const Case &literals, IndexRange queryRange, IndexRange keyRange) {
  RectangleEvaluator part = evaluator.narrow(queryRange, keyRange);
  DenseSet<Value> anew = {values.getMask().getQuery(), values.getMask().getKey()};
  for (auto [stage, axis, range] :
       {std::tuple(Stage::Query, Query, queryRange), std::tuple(Stage::Key, Key, keyRange)}) {
    auto isOnAxis = [&](const Literal &literal) {
      std::optional<Sides> sides = getSides(literal);
      return sides && sides->axis == axis;
    };
    if (llvm::none_of(literals, isOnAxis))
      continue;
    AbstractValues tabulated = tabulate(stage, range);
    for (Value value : values.getTabulated(stage)) {
      if (value.getType().isInteger(1))
        part.own.conditions[value] = tabulated.conditions.lookup(value);
      else
        part.own.rests[value] = tabulated.rests.lookup(value);
      anew.insert(value);
    }
  }
  Value result;
  for (Operation &op : getOps()) {
    Value value = op.getResult(0);
    bool follows = llvm::any_of(op.getOperands(), [&](Value x) { return anew.contains(x); });
    if (follows && !values.get(value).tabulated) {
      part.evaluate(&op);
      anew.insert(value);
    }
    for (const Literal &literal : literals) {
      if (literal.condition != value)
        continue;
      Possible possible = part.getCondition(value);
      if (!getSides(literal)) {
        Value can = literal.negated ? possible.canBeFalse : possible.canBeTrue;
        result = result ? emit.logicalAnd(result, can) : can;
      }
      part.own.conditions[value] = emit.known(emit.constant(!literal.negated));
      anew.insert(value);
    }
  }
  return result ? result : emit.constant(true);
}

Value CaseEvaluator::canHold(const Case &literals) {
  Value result;
  auto require = [&](Value condition) {
    result = result ? emit.logicalAnd(result, condition) : condition;
  };
  Range ranges[3] = {{queries.first, queries.last}, {keys.first, keys.last}, {}};
  bool informed = isInformed(literals), joint = informed || isJoint(literals);
  for (const Literal &literal : literals) {
    if (joint && getSides(literal)) {
      Bound bound = getBound(literal);
      Range &range = ranges[bound.axis];
      if (bound.low)
        range.low = range.low ? emit.maximum(range.low, bound.low) : bound.low;
      if (bound.high)
        range.high = range.high ? emit.minimum(range.high, bound.high) : bound.high;
      continue;
    }
    if (informed)
      continue;
    Possible possible = evaluator.getCondition(literal.condition);
    require(literal.negated ? possible.canBeFalse : possible.canBeTrue);
  }
  if (joint) {
    // Differences of integers of two ranges are all integers of a range.
    auto notAbove = [&](Value low, Value high) {
      if (low && high)
        require(emit.compare(CmpIPredicate::sle, low, high));
    };
    auto [query, key, difference] = ranges;
    notAbove(query.low, query.high);
    notAbove(key.low, key.high);
    notAbove(difference.low, difference.high);
    if (difference.low)
      notAbove(difference.low, emit.subtract(query.high, key.low));
    if (difference.high)
      notAbove(emit.subtract(query.low, key.high), difference.high);
  }
  if (informed) {
    // Where nothing is left one index of the rectangle stands for it: all is evaluated inside.
    auto getPart = [&](const Range &range, const IndexRange &all) {
      Value first = emit.minimum(range.low, all.last);
      return IndexRange{first, emit.maximum(range.high, first)};
    };
    require(canHoldAnew(literals, getPart(ranges[Query], queries), getPart(ranges[Key], keys)));
  }
  return result ? result : emit.constant(true);
}

Value CaseEvaluator::canHold(Value condition, bool negated) {
  std::optional<Disjunction> disjunction = getDisjunction(condition, negated);
  if (!disjunction)
    return {};
  bool addsSomething =
      disjunction->leavesOut || llvm::any_of(disjunction->cases, [&](const Case &literals) {
        return isJoint(literals) || isInformed(literals);
      });
  if (!addsSomething)
    return {};
  Value result = emit.constant(false);
  for (const Case &literals : disjunction->cases)
    result = emit.logicalOr(result, canHold(literals));
  return result;
}
