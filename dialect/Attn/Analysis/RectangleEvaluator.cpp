//===- RectangleEvaluator.cpp - Evaluates a mask on intervals ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/RectangleEvaluator.h"
#include "dialect/Attn/Analysis/BlockLoads.h"
#include "dialect/Attn/Analysis/Predicates.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <numeric>

using namespace mlir;
using namespace attnc::attn;
using arith::CmpIPredicate;

static constexpr int64_t maxRest = MaskValues::maxRest;

//===------------------------------------------------------------------------===//
// Lookup
//===------------------------------------------------------------------------===//

Interval RectangleEvaluator::getRest(Value value) const {
  if (values.get(value).rule == RestRule::Zero)
    return emit.point(int64_t(0));
  auto found = own.rests.find(value);
  if (found != own.rests.end())
    return found->second;
  for (const AbstractValues *earlier : before)
    if (auto position = earlier->rests.find(value); position != earlier->rests.end())
      return position->second;
  return emit.all();
}

Possible RectangleEvaluator::getCondition(Value value) const {
  auto found = own.conditions.find(value);
  if (found != own.conditions.end())
    return found->second;
  for (const AbstractValues *earlier : before)
    if (auto position = earlier->conditions.find(value); position != earlier->conditions.end())
      return position->second;
  return emit.unknown();
}

RectangleEvaluator RectangleEvaluator::narrow(IndexRange newQueries, IndexRange newKeys) const {
  SmallVector<const AbstractValues *> all = {&own};
  llvm::append_range(all, before);
  RectangleEvaluator result(emit, values, all, newQueries, newKeys);
  result.narrowed = true;
  return result;
}

Interval RectangleEvaluator::getRange(Value value) {
  bool isAnew = narrowed && (!value.getDefiningOp() || own.rests.contains(value));
  if (!isAnew)
    for (const AbstractValues *earlier : before)
      if (auto position = earlier->ranges.find(value); position != earlier->ranges.end())
        return position->second;
  auto found = own.ranges.find(value);
  if (found != own.ranges.end())
    return found->second;
  const LinearForm &form = values.get(value).form;
  Interval rest = getRest(value);
  if (!form.hasFactor())
    return rest;
  Interval range = addTerms(rest, form.queryFactor, form.keyFactor);
  if (Value known = fits(form, rest))
    range = emit.allUnless(known, {range.lo, range.hi});
  own.ranges[value] = range;
  return range;
}

Interval RectangleEvaluator::addTerms(Interval rest, int64_t queryFactor, int64_t keyFactor) {
  Interval result = rest;
  bool bounded = rest.min >= -maxRest && rest.max <= maxRest;
  for (auto [factor, range] : {std::pair(queryFactor, queries), std::pair(keyFactor, keys)}) {
    if (factor == 0)
      continue;
    Value low = factor > 0 ? range.first : range.last;
    Value high = factor > 0 ? range.last : range.first;
    result.lo = emit.add(result.lo, emit.multiply(low, factor));
    result.hi = emit.add(result.hi, emit.multiply(high, factor));
    if (bounded) {
      result.min += std::min<int64_t>(factor, 0) * MaskValues::maxSize;
      result.max += std::max<int64_t>(factor, 0) * MaskValues::maxSize;
    }
  }
  return bounded ? result : Interval{result.lo, result.hi};
}

Value RectangleEvaluator::fits(const LinearForm &form, Interval rest) {
  if (!form.hasFactor() || (rest.min >= -maxRest && rest.max <= maxRest))
    return {};
  return emit.logicalAnd(emit.compare(CmpIPredicate::sge, rest.lo, emit.constant(-maxRest)),
                         emit.compare(CmpIPredicate::sle, rest.hi, emit.constant(maxRest)));
}

//===------------------------------------------------------------------------===//
// Evaluation
//===------------------------------------------------------------------------===//

void RectangleEvaluator::evaluate(Operation *op) {
  Value result = op->getResult(0);
  if (result.getType().isInteger(1))
    own.conditions[result] = evaluateCondition(op);
  else if (values.get(result).rule != RestRule::Own)
    own.rests[result] = evaluateRest(op);
  else if (isa<IntegerType>(result.getType()))
    own.rests[result] = evaluateInt(op);
}

/// Sums of single values may wrap around, as rests are known up to multiples of 2^64 only.
static Interval combinePoints(IntervalArithmetic &emit, Interval lhs, Interval rhs, bool add) {
  Value value = add ? emit.add(lhs.lo, rhs.lo) : emit.subtract(lhs.lo, rhs.lo);
  std::optional<int64_t> min =
      add ? llvm::checkedAdd(lhs.min, rhs.min) : llvm::checkedSub(lhs.min, rhs.max);
  std::optional<int64_t> max =
      add ? llvm::checkedAdd(lhs.max, rhs.max) : llvm::checkedSub(lhs.max, rhs.min);
  Interval result = {value, value};
  if (min && max) {
    result.min = *min;
    result.max = *max;
  }
  return result;
}

Interval RectangleEvaluator::evaluateRest(Operation *op) {
  const MaskValue &value = values.get(op->getResult(0));
  if (value.rule == RestRule::Sum || value.rule == RestRule::Difference) {
    Interval lhs = getRest(op->getOperand(0)), rhs = getRest(op->getOperand(1));
    bool add = value.rule == RestRule::Sum;
    if (lhs.isPoint() && rhs.isPoint())
      return combinePoints(emit, lhs, rhs, add);
    return add ? emit.add(lhs, rhs) : emit.subtract(lhs, rhs);
  }
  Interval rest = getRest(op->getOperand(value.operand));
  if (value.rule == RestRule::Complement) {
    Interval minusOne = emit.point(int64_t(-1));
    return rest.isPoint() ? combinePoints(emit, minusOne, rest, /*add=*/false)
                          : emit.subtract(minusOne, rest);
  }
  if (value.rule == RestRule::Product) {
    Interval product = emit.multiply(rest, value.factor);
    if (!rest.isPoint() || product.isPoint())
      return product;
    Value wrapped = emit.multiply(rest.lo, value.factor);
    return {wrapped, wrapped};
  }
  return rest;
}

Interval RectangleEvaluator::evaluateInt(Operation *op) {
  auto range = [&](unsigned i) { return getRange(op->getOperand(i)); };
  auto choice = [&](int64_t whenTrue) {
    return emit.select(getCondition(op->getOperand(0)), emit.point(whenTrue),
                       emit.point(int64_t(0)));
  };
  if (Value operand = getAbsoluteOperand(op->getResult(0)))
    return emit.absolute(getRange(operand));
  std::optional<int64_t> constant;
  if (op->getNumOperands() == 2)
    constant = getConstantInt(op->getOperand(1));
  return llvm::TypeSwitch<Operation *, Interval>(op)
      .Case([&](arith::AddIOp) { return emit.add(range(0), range(1)); })
      .Case([&](arith::SubIOp) { return emit.subtract(range(0), range(1)); })
      .Case([&](arith::MulIOp) {
        if (op->getOperand(0) == op->getOperand(1))
          return emit.square(range(0));
        return constant ? emit.multiply(range(0), *constant) : emit.multiply(range(0), range(1));
      })
      .Case([&](arith::ShLIOp) {
        return constant && *constant >= 0 && *constant < 63
                   ? emit.multiply(range(0), int64_t(1) << *constant)
                   : emit.all();
      })
      .Case([&](arith::ShRSIOp) {
        return constant && *constant >= 0 && *constant < 64
                   ? emit.shiftRight(range(0), static_cast<unsigned>(*constant))
                   : emit.all();
      })
      .Case<FloorDivOp, FloorModOp>([&](Operation *) {
        Interval divisor = range(1);
        if (!divisor.isPoint())
          return emit.all();
        return isa<FloorDivOp>(op) ? emit.floorDiv(range(0), divisor)
                                   : emit.floorMod(range(0), divisor);
      })
      .Case([&](arith::AndIOp) {
        return isMask(op->getOperand(1)) ? emit.floorMod(range(0), emit.point(*constant + 1))
                                         : emit.bitwiseAnd(range(0), range(1));
      })
      .Case([&](arith::OrIOp) { return emit.bitwiseOr(range(0), range(1)); })
      .Case([&](arith::XOrIOp) {
        return constant == -1 ? emit.subtract(emit.point(int64_t(-1)), range(0))
                              : emit.bitwiseXor(range(0), range(1));
      })
      .Case([&](LoadOp load) { return evaluateLoad(load); })
      .Case([&](arith::MinSIOp) { return emit.minimum(range(0), range(1)); })
      .Case([&](arith::MaxSIOp) { return emit.maximum(range(0), range(1)); })
      .Case([&](arith::SelectOp) {
        return emit.select(getCondition(op->getOperand(0)), range(1), range(2));
      })
      .Case<arith::TruncIOp, arith::ExtSIOp, arith::ExtUIOp>([&](Operation *) {
        if (op->getOperand(0).getType().isInteger(1))
          return choice(isa<arith::ExtUIOp>(op) ? 1 : -1);
        return isa<arith::ExtUIOp>(op) ? emit.all() : range(0);
      })
      .Default([&](Operation *) { return emit.all(); });
}

Value RectangleEvaluator::loadAtPoint(LoadOp load, Value &isPoint) {
  isPoint = emit.constant(true);
  SmallVector<Interval> ranges;
  for (Value index : load.getIndices()) {
    ranges.push_back(getRange(index));
    Value same = emit.compare(CmpIPredicate::eq, ranges.back().lo, ranges.back().hi);
    isPoint = emit.logicalAnd(isPoint, same);
  }
  // The ends of an interval need not occur, so nothing can be read there: indices that are proved
  // inside are not checked. Index 0 can.
  Value zero = emit.constant(int64_t(0));
  auto indices = llvm::map_to_vector(
      ranges, [&](const Interval &range) { return emit.choose(isPoint, range.lo, zero); });
  return emit.load(load, indices);
}

Interval RectangleEvaluator::evaluateLoad(LoadOp load) {
  if (!isBlockLoad(values, load))
    return emit.all();
  Value isPoint, element = loadAtPoint(load, isPoint);
  return emit.allUnless(isPoint, {element, element});
}

Possible RectangleEvaluator::evaluateCondition(Operation *op) {
  auto condition = [&](unsigned i) { return getCondition(op->getOperand(i)); };
  return llvm::TypeSwitch<Operation *, Possible>(op)
      .Case([&](arith::AndIOp) { return emit.both(condition(0), condition(1)); })
      .Case([&](arith::OrIOp) { return emit.either(condition(0), condition(1)); })
      .Case([&](arith::XOrIOp) { return emit.differ(condition(0), condition(1)); })
      .Case([&](arith::SelectOp) { return emit.select(condition(0), condition(1), condition(2)); })
      .Case([&](arith::CmpIOp comparison) {
        CmpIPredicate predicate = comparison.getPredicate();
        if (!comparison.getLhs().getType().isInteger(1))
          return compare(predicate, comparison.getLhs(), comparison.getRhs());
        Possible differ = emit.differ(condition(0), condition(1));
        if (predicate == CmpIPredicate::ne)
          return differ;
        return predicate == CmpIPredicate::eq ? emit.negate(differ) : emit.unknown();
      })
      .Case([&](LoadOp load) {
        if (!isBlockLoad(values, load))
          return emit.unknown();
        Value isPoint, element = loadAtPoint(load, isPoint);
        Value unsure = emit.logicalNot(isPoint);
        return Possible{emit.logicalOr(unsure, element),
                        emit.logicalOr(unsure, emit.logicalNot(element))};
      })
      .Default([&](Operation *) { return emit.unknown(); });
}

Interval RectangleEvaluator::getDifference(Value lhs, Value rhs) {
  const LinearForm &a = values.get(lhs).form, &b = values.get(rhs).form;
  // It cannot overflow where both sides fit.
  Interval restA = getRest(lhs), restB = getRest(rhs);
  Value knownA = fits(a, restA), knownB = fits(b, restB);
  Interval rest = {emit.subtract(restA.lo, restB.hi), emit.subtract(restA.hi, restB.lo)};
  Interval difference = addTerms(rest, a.queryFactor - b.queryFactor, a.keyFactor - b.keyFactor);
  for (Value known : {knownA, knownB})
    if (known)
      difference = emit.allUnless(known, difference);
  return difference;
}

IntervalArithmetic::Residues RectangleEvaluator::getResidues(Value value, int64_t divisor) {
  const LinearForm &form = values.get(value).form;
  IntervalArithmetic::Residues result = {getRange(value)};
  Interval rest = getRest(value);
  int64_t step = std::gcd(std::gcd(form.queryFactor, form.keyFactor), divisor);
  if (!form.hasFactor() || step == 1 || !rest.isPoint())
    return result;
  result.step = step;
  result.residue = emit.floorMod(rest, emit.point(step)).lo;
  return result;
}

Value RectangleEvaluator::mayBeCongruent(Value lhs, Value rhs) {
  const LinearForm &a = values.get(lhs).form, &b = values.get(rhs).form;
  int64_t step = std::gcd(a.queryFactor - b.queryFactor, a.keyFactor - b.keyFactor);
  Interval restA = getRest(lhs), restB = getRest(rhs);
  if (step < 2 || !restA.isPoint() || !restB.isPoint())
    return {};
  Value rest = emit.subtract(restA.lo, restB.lo);
  Value result =
      emit.compare(CmpIPredicate::eq, rest, emit.multiply(emit.floorDiv(rest, step), step));
  // What may wrap around is known up to multiples of 2^64 only.
  for (auto [form, side] : {std::pair(a, restA), std::pair(b, restB)})
    if (Value known = fits(form, side))
      result = emit.logicalOr(result, emit.logicalNot(known));
  return result;
}

Possible RectangleEvaluator::compareForms(CmpIPredicate predicate, Value lhs, Value rhs) {
  const LinearForm &a = values.get(lhs).form, &b = values.get(rhs).form;
  // Sides that move together have a difference that says more than their ranges.
  bool shared =
      (a.queryFactor != 0 && b.queryFactor != 0) || (a.keyFactor != 0 && b.keyFactor != 0);
  if (!shared)
    return emit.compare(predicate, getRange(lhs), getRange(rhs));
  return emit.compare(predicate, getDifference(lhs, rhs), emit.point(int64_t(0)));
}

Possible RectangleEvaluator::compare(CmpIPredicate predicate, Value lhs, Value rhs) {
  // Of a table's elements no more is known than the smallest and the largest remainder.
  auto getExact = [&](Value value) -> std::optional<Remainder> {
    if (values.get(value).tabulated || values.get(value).stage == Stage::Head)
      return std::nullopt;
    return getRemainder(value);
  };
  bool isEquation = predicate == CmpIPredicate::eq || predicate == CmpIPredicate::ne;
  std::optional<Remainder> left = getExact(lhs), right = getExact(rhs);
  if (isEquation && left && right && left->divisor == right->divisor) {
    // Remainders are equal where the difference is a multiple.
    auto hasFactor = [&](Value value) { return values.get(value).form.hasFactor(); };
    if (hasFactor(left->dividend) && hasFactor(right->dividend))
      return emit.compareRemainder(predicate, {getDifference(left->dividend, right->dividend)},
                                   left->divisor, emit.point(int64_t(0)));
  }
  if (right && !getRemainder(lhs)) {
    std::swap(lhs, rhs);
    std::swap(left, right);
    predicate = swapOperands(predicate);
  }
  if (left)
    return emit.compareRemainder(predicate, getResidues(left->dividend, left->divisor),
                                 left->divisor, getRange(rhs));
  Possible result = compareForms(predicate, lhs, rhs);
  if (isEquation)
    if (Value congruent = mayBeCongruent(lhs, rhs)) {
      Value &canBeEqual = predicate == CmpIPredicate::eq ? result.canBeTrue : result.canBeFalse;
      canBeEqual = emit.logicalAnd(canBeEqual, congruent);
    }
  return result;
}
