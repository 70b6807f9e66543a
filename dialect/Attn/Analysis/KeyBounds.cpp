//===- KeyBounds.cpp - The keys that a range of queries attends to ----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/KeyBounds.h"
#include "dialect/Attn/Analysis/Connectives.h"

using namespace mlir;
using namespace attnc::attn;
using arith::CmpIPredicate;

/// What is added to a form is cut off here: beyond, no key changes the outcome of a comparison.
static constexpr int64_t farAway = int64_t(1) << 62;

//===------------------------------------------------------------------------===//
// Sets of keys
//===------------------------------------------------------------------------===//

KeyBounds KeyBoundsEmitter::everything() {
  Value zero = emit.constant(int64_t(0));
  return {zero, numKeys, zero, numKeys};
}

KeyBounds KeyBoundsEmitter::nothingKnown() {
  Value zero = emit.constant(int64_t(0));
  return {zero, numKeys, zero, zero};
}

KeyBoundsEmitter::Run KeyBoundsEmitter::fromCondition(Possible condition) {
  Value zero = emit.constant(int64_t(0));
  return {{zero, emit.choose(condition.canBeTrue, numKeys, zero), zero,
           emit.choose(condition.canBeFalse, zero, numKeys)},
          RunShape::Whole};
}

KeyBounds KeyBoundsEmitter::choose(Value condition, KeyBounds lhs, KeyBounds rhs) {
  return {emit.choose(condition, lhs.lo, rhs.lo), emit.choose(condition, lhs.hi, rhs.hi),
          emit.choose(condition, lhs.fullLo, rhs.fullLo),
          emit.choose(condition, lhs.fullHi, rhs.fullHi)};
}

KeyBoundsEmitter::Runs KeyBoundsEmitter::onlyIfFits(const LinearForm &form, Interval rest,
                                                    Runs runs) {
  Value known = evaluator.fits(form, rest);
  if (!known)
    return runs;
  allFit = allFit ? emit.logicalAnd(allFit, known) : known;
  for (Run &run : runs)
    run.keys = choose(known, run.keys, nothingKnown());
  return runs;
}

void KeyBoundsEmitter::add(Runs &runs, const Run &run) {
  for (Run &other : runs)
    if (std::optional<RunShape> shape = uniteShapes(other.shape, run.shape); shape || !apart) {
      other = {unite(other.keys, run.keys), shape.value_or(RunShape::Inner)};
      return;
    }
  runs.push_back(run);
}

KeyBoundsEmitter::Runs KeyBoundsEmitter::intersect(const Runs &lhs, const Runs &rhs) {
  Runs result;
  for (const Run &a : lhs)
    for (const Run &b : rhs)
      add(result, {intersect(a.keys, b.keys), intersectShapes(a.shape, b.shape)});
  return result;
}

KeyBoundsEmitter::Runs KeyBoundsEmitter::unite(Runs lhs, const Runs &rhs) {
  for (const Run &run : rhs)
    add(lhs, run);
  return lhs;
}

KeyBounds KeyBoundsEmitter::intersect(KeyBounds lhs, KeyBounds rhs) {
  return {emit.maximum(lhs.lo, rhs.lo), emit.minimum(lhs.hi, rhs.hi),
          emit.maximum(lhs.fullLo, rhs.fullLo), emit.minimum(lhs.fullHi, rhs.fullHi)};
}

KeyBounds KeyBoundsEmitter::unite(KeyBounds lhs, KeyBounds rhs) {
  auto isEmpty = [&](Value lo, Value hi) { return emit.compare(CmpIPredicate::sge, lo, hi); };
  Value noLhs = isEmpty(lhs.lo, lhs.hi), noRhs = isEmpty(rhs.lo, rhs.hi);
  KeyBounds result;
  result.lo = emit.choose(noLhs, rhs.lo, emit.choose(noRhs, lhs.lo, emit.minimum(lhs.lo, rhs.lo)));
  result.hi = emit.choose(noLhs, rhs.hi, emit.choose(noRhs, lhs.hi, emit.maximum(lhs.hi, rhs.hi)));

  // Full runs are joined where they touch; else the longer one is kept. An empty one is never the
  // longer.
  Value touch = emit.logicalAnd(emit.compare(CmpIPredicate::sle, lhs.fullLo, rhs.fullHi),
                                emit.compare(CmpIPredicate::sle, rhs.fullLo, lhs.fullHi));
  Value neitherEmpty = emit.logicalNot(
      emit.logicalOr(isEmpty(lhs.fullLo, lhs.fullHi), isEmpty(rhs.fullLo, rhs.fullHi)));
  Value join = emit.logicalAnd(touch, neitherEmpty);
  Value keepLhs = emit.compare(CmpIPredicate::sge, emit.subtract(lhs.fullHi, lhs.fullLo),
                               emit.subtract(rhs.fullHi, rhs.fullLo));
  result.fullLo = emit.choose(join, emit.minimum(lhs.fullLo, rhs.fullLo),
                              emit.choose(keepLhs, lhs.fullLo, rhs.fullLo));
  result.fullHi = emit.choose(join, emit.maximum(lhs.fullHi, rhs.fullHi),
                              emit.choose(keepLhs, lhs.fullHi, rhs.fullHi));
  return result;
}

KeyBoundsEmitter::Runs KeyBoundsEmitter::atMostZero(int64_t factor, Interval rest) {
  Value zero = emit.constant(int64_t(0));
  auto inside = [&](Value key) { return emit.minimum(emit.maximum(key, zero), numKeys); };
  // The first key for which this fails, or holds: floor(-rest / factor) + 1, or ceil(rest /
  // -factor).
  auto bound = [&](Value end) {
    if (factor < 0)
      return inside(emit.subtract(zero, emit.floorDiv(emit.subtract(zero, end), -factor)));
    Value last = emit.floorDiv(emit.subtract(zero, end), factor);
    return inside(emit.add(last, emit.constant(int64_t(1))));
  };
  if (factor > 0)
    return {{{zero, bound(rest.lo), zero, bound(rest.hi)}, RunShape::Begin}};
  return {{{bound(rest.lo), numKeys, bound(rest.hi), numKeys}, RunShape::End}};
}

//===------------------------------------------------------------------------===//
// Comparisons
//===------------------------------------------------------------------------===//

static Interval addConstant(IntervalArithmetic &emit, Interval value, int64_t addend) {
  return {emit.add(value.lo, emit.constant(addend)), emit.add(value.hi, emit.constant(addend))};
}

static Interval difference(IntervalArithmetic &emit, Interval lhs, Interval rhs) {
  return {emit.subtract(lhs.lo, rhs.hi), emit.subtract(lhs.hi, rhs.lo)};
}

static Interval cutOff(IntervalArithmetic &emit, Interval value, int64_t limit) {
  auto cut = [&](Value end) {
    return emit.minimum(emit.maximum(end, emit.constant(-limit)), emit.constant(limit));
  };
  return {cut(value.lo), cut(value.hi), std::max(value.min, -limit), std::min(value.max, limit)};
}

KeyBoundsEmitter::Runs KeyBoundsEmitter::visitComparison(const KeyConstraint &constraint) {
  KeyConstraint part = constraint;
  if (constraint.predicate == CmpIPredicate::eq || constraint.predicate == CmpIPredicate::ne) {
    bool equal = constraint.predicate == CmpIPredicate::eq;
    part.predicate = equal ? CmpIPredicate::sle : CmpIPredicate::slt;
    Runs below = visitComparison(part);
    part.predicate = equal ? CmpIPredicate::sge : CmpIPredicate::sgt;
    Runs above = visitComparison(part);
    return equal ? intersect(below, above) : unite(below, above);
  }
  switch (constraint.kind) {
  case KeyConstraint::Kind::Linear:
    return visitLinear(constraint);
  case KeyConstraint::Kind::Divided:
    return visitDivided(constraint);
  case KeyConstraint::Kind::Absolute:
    return visitAbsolute(constraint);
  }
  llvm_unreachable("all kinds are handled");
}

KeyBoundsEmitter::Runs KeyBoundsEmitter::visitLinear(const KeyConstraint &constraint) {
  const LinearForm &lhs = values.get(constraint.key).form;
  const LinearForm &rhs = values.get(constraint.bound).form;
  Interval restL = evaluator.getRest(constraint.key);
  Interval restR = evaluator.getRest(constraint.bound);
  // A side without a factor is any 64-bit integer.
  if (!lhs.hasFactor())
    restL = cutOff(emit, restL, farAway - 1);
  if (!rhs.hasFactor())
    restR = cutOff(emit, restR, farAway - 1);
  Interval rest = evaluator.addTerms(difference(emit, restL, restR),
                                     lhs.queryFactor - rhs.queryFactor, /*keyFactor=*/0);
  int64_t factor = lhs.keyFactor - rhs.keyFactor;

  // lhs <= rhs is lhs - rhs <= 0, and lhs < rhs is lhs - rhs + 1 <= 0.
  bool strict =
      constraint.predicate == CmpIPredicate::slt || constraint.predicate == CmpIPredicate::sgt;
  bool less =
      constraint.predicate == CmpIPredicate::slt || constraint.predicate == CmpIPredicate::sle;
  if (!less) {
    rest = difference(emit, emit.point(int64_t(0)), rest);
    factor = -factor;
  }
  if (strict)
    rest = addConstant(emit, rest, 1);
  Runs keys = atMostZero(factor, rest);
  for (const auto &[form, side] : {std::pair(lhs, restL), std::pair(rhs, restR)})
    keys = onlyIfFits(form, side, keys);
  return keys;
}

KeyBoundsEmitter::Runs KeyBoundsEmitter::visitDivided(const KeyConstraint &constraint) {
  int64_t divisor = constraint.divisor;
  const LinearForm &form = values.get(constraint.key).form;
  Interval rest = evaluator.getRest(constraint.key);
  Interval key = evaluator.addTerms(rest, form.queryFactor, /*keyFactor=*/0);
  Interval bound = cutOff(emit, evaluator.getRange(constraint.bound), farAway / divisor);
  bound = {emit.multiply(bound.lo, divisor), emit.multiply(bound.hi, divisor)};

  // With x for the key, n the divisor and z the bound: x // n <= z is x - z * n - n + 1 <= 0, x //
  // n < z is x - z * n + 1 <= 0, x // n >= z is z * n - x <= 0 and x // n > z is z * n + n - x <=
  // 0.
  int64_t factor = form.keyFactor;
  Interval sum = difference(emit, key, bound);
  switch (constraint.predicate) {
  case CmpIPredicate::sle:
    sum = addConstant(emit, sum, 1 - divisor);
    break;
  case CmpIPredicate::slt:
    sum = addConstant(emit, sum, 1);
    break;
  case CmpIPredicate::sge:
    sum = difference(emit, bound, key);
    factor = -factor;
    break;
  default:
    sum = addConstant(emit, difference(emit, bound, key), divisor);
    factor = -factor;
    break;
  }
  return onlyIfFits(form, rest, atMostZero(factor, sum));
}

KeyBoundsEmitter::Runs KeyBoundsEmitter::visitAbsolute(const KeyConstraint &constraint) {
  const LinearForm &form = values.get(constraint.key).form;
  Interval rest = evaluator.getRest(constraint.key);
  Interval key = evaluator.addTerms(rest, form.queryFactor, /*keyFactor=*/0);
  Interval zero = emit.point(int64_t(0));
  Interval negated = difference(emit, zero, key);
  Interval bound = cutOff(emit, evaluator.getRange(constraint.bound), farAway - 1);
  int64_t factor = form.keyFactor;

  bool strict =
      constraint.predicate == CmpIPredicate::slt || constraint.predicate == CmpIPredicate::sgt;
  bool less =
      constraint.predicate == CmpIPredicate::slt || constraint.predicate == CmpIPredicate::sle;
  auto solve = [&](int64_t keyFactor, Interval lhs, Interval rhs) {
    Interval sum = difference(emit, lhs, rhs);
    return atMostZero(keyFactor, strict ? addConstant(emit, sum, 1) : sum);
  };
  // abs(x) <= z is x <= z and -x <= z; abs(x) >= z is z <= x or z <= -x.
  Runs keys = less ? intersect(solve(factor, key, bound), solve(-factor, negated, bound))
                   : unite(solve(-factor, bound, key), solve(factor, bound, negated));
  return onlyIfFits(form, rest, keys);
}

//===------------------------------------------------------------------------===//
// Conditions
//===------------------------------------------------------------------------===//

KeyBoundsEmitter::Runs KeyBoundsEmitter::visit(Value condition, bool negated, unsigned depth) {
  Stage stage = values.get(condition).stage;
  if (stage == Stage::Head || stage == Stage::Query) {
    Possible possible = evaluator.getCondition(condition);
    return {fromCondition(negated ? emit.negate(possible) : possible)};
  }
  if (depth == maxConditionDepth)
    return {{nothingKnown(), RunShape::Whole}};
  auto key = std::pair(condition, unsigned(negated));
  if (auto found = memo.find(key); found != memo.end())
    return found->second;
  Runs result = visitOp(condition.getDefiningOp(), negated, depth + 1);
  memo[key] = result;
  return result;
}

KeyBoundsEmitter::Runs KeyBoundsEmitter::visitOp(Operation *op, bool negated, unsigned depth) {
  if (auto comparison = dyn_cast<arith::CmpIOp>(op)) {
    std::optional<KeyConstraint> constraint = values.getKeyConstraint(comparison);
    if (!constraint)
      return {{nothingKnown(), RunShape::Whole}};
    if (negated)
      constraint->predicate = arith::invertPredicate(constraint->predicate);
    return visitComparison(*constraint);
  }
  auto visitOperand = [&](Value operand, bool negate) { return visit(operand, negate, depth); };
  auto intersectSets = [&](const Runs &lhs, const Runs &rhs) { return intersect(lhs, rhs); };
  auto uniteSets = [&](const Runs &lhs, const Runs &rhs) { return unite(lhs, rhs); };
  if (std::optional<Runs> result =
          visitConnective<Runs>(op, negated, visitOperand, intersectSets, uniteSets))
    return *result;
  return {{nothingKnown(), RunShape::Whole}};
}

KeyBounds KeyBoundsEmitter::emitBounds(Value known) {
  KeyBounds keys =
      visit(values.getMask().getYielded(), /*negated=*/false, /*depth=*/0).front().keys;
  keys = choose(known, keys, nothingKnown());
  keys.hi = emit.maximum(keys.lo, keys.hi);
  keys.fullLo = emit.minimum(emit.maximum(keys.fullLo, keys.lo), keys.hi);
  keys.fullHi = emit.maximum(emit.minimum(keys.fullHi, keys.hi), keys.fullLo);
  return keys;
}

KeyRange KeyBoundsEmitter::emitRange(ArrayRef<Value> conditions) {
  KeyBounds keys = everything();
  for (auto [i, condition] : llvm::enumerate(conditions)) {
    KeyBounds own = visit(condition, /*negated=*/false, /*depth=*/0).front().keys;
    keys = i == 0 ? own : intersect(keys, own);
  }
  return {keys.lo, emit.maximum(keys.lo, keys.hi), allFit};
}

//===------------------------------------------------------------------------===//
// Runs that ascend
//===------------------------------------------------------------------------===//

void KeyBoundsEmitter::sort(KeyBounds &lhs, KeyBounds &rhs) {
  Value ascend = emit.compare(CmpIPredicate::sle, lhs.lo, rhs.lo);
  KeyBounds first = choose(ascend, lhs, rhs), second = choose(ascend, rhs, lhs);
  lhs = first;
  rhs = second;
}

void KeyBoundsEmitter::join(KeyBounds &lhs, KeyBounds &rhs) {
  Value zero = emit.constant(int64_t(0));
  // Of what begins before `lhs` the runs before it have taken care. No full keys are [KV, 0), so
  // that smallest and largest ends are those of the other run.
  rhs.fullLo = emit.maximum(rhs.fullLo, lhs.lo);
  auto normalize = [&](KeyBounds &run) {
    Value some = emit.compare(CmpIPredicate::slt, run.fullLo, run.fullHi);
    run.fullLo = emit.choose(some, run.fullLo, numKeys);
    run.fullHi = emit.choose(some, run.fullHi, zero);
    return some;
  };
  Value someLhs = normalize(lhs), someRhs = normalize(rhs);
  Value firstLo = emit.minimum(lhs.fullLo, rhs.fullLo);
  Value firstHi = emit.minimum(lhs.fullHi, rhs.fullHi);
  Value secondLo = emit.maximum(lhs.fullLo, rhs.fullLo);
  Value secondHi = emit.maximum(lhs.fullHi, rhs.fullHi);
  Value two = emit.logicalAnd(emit.logicalAnd(someLhs, someRhs),
                              emit.compare(CmpIPredicate::slt, firstHi, secondLo));
  Value cut = emit.choose(two, firstHi, lhs.lo);
  KeyBounds before = {lhs.lo, cut, firstLo, cut};
  KeyBounds after = {cut, emit.maximum(lhs.hi, rhs.hi), emit.choose(two, secondLo, firstLo),
                     secondHi};
  Value meet = emit.compare(CmpIPredicate::sle, rhs.lo, lhs.hi);
  lhs = choose(meet, before, lhs);
  rhs = choose(meet, after, rhs);
}

SmallVector<KeyBounds, maxKeyRuns> KeyBoundsEmitter::emitRuns(Value known) {
  apart = true;
  Runs found = visit(values.getMask().getYielded(), /*negated=*/false, /*depth=*/0);
  assert(found.size() <= maxKeyRuns && "more runs than their shapes");
  SmallVector<KeyBounds, maxKeyRuns> runs;
  for (const Run &run : found) {
    KeyBounds keys = choose(known, run.keys, nothingKnown());
    // Empty runs are the last ones.
    Value empty = emit.compare(CmpIPredicate::sge, keys.lo, keys.hi);
    keys.lo = emit.choose(empty, numKeys, keys.lo);
    keys.hi = emit.choose(empty, numKeys, keys.hi);
    runs.push_back(keys);
  }
  for (size_t end = runs.size(); end > 1; --end)
    for (size_t i = 1; i < end; ++i)
      sort(runs[i - 1], runs[i]);
  for (size_t i = 1; i < runs.size(); ++i)
    join(runs[i - 1], runs[i]);
  for (KeyBounds &run : runs) {
    run.fullLo = emit.minimum(emit.maximum(run.fullLo, run.lo), run.hi);
    run.fullHi = emit.maximum(emit.minimum(run.fullHi, run.hi), run.fullLo);
  }
  return runs;
}
