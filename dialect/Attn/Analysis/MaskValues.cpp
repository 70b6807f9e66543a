//===- MaskValues.cpp - How the values of a mask can be known ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/MaskValues.h"
#include "dialect/Attn/Analysis/BlockLoads.h"
#include "dialect/Attn/Analysis/Predicates.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attnc::attn;
using arith::CmpIPredicate;

std::optional<int64_t> attnc::attn::getConstantInt(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

bool attnc::attn::isMask(Value value) {
  std::optional<int64_t> constant = getConstantInt(value);
  return constant && llvm::isMask_64(*constant) && *constant > 0 &&
         *constant < std::numeric_limits<int64_t>::max();
}

std::optional<Remainder> attnc::attn::getRemainder(Value value) {
  constexpr int64_t largest = int64_t(1) << 60;
  Operation *op = value.getDefiningOp();
  std::optional<int64_t> divisor;
  if (isa_and_nonnull<FloorModOp>(op))
    divisor = getConstantInt(op->getOperand(1));
  else if (isa_and_nonnull<arith::AndIOp>(op) && isMask(op->getOperand(1)))
    divisor = *getConstantInt(op->getOperand(1)) + 1;
  if (!divisor || *divisor < 1 || *divisor > largest)
    return std::nullopt;
  return Remainder{op->getOperand(0), *divisor};
}

/// True if `value` is 0 - `other`.
static bool isNegationOf(Value value, Value other) {
  auto difference = value.getDefiningOp<arith::SubIOp>();
  return difference && difference.getRhs() == other && getConstantInt(difference.getLhs()) == 0;
}

Value attnc::attn::getAbsoluteOperand(Value value) {
  if (auto absolute = value.getDefiningOp<math::AbsIOp>())
    return absolute.getOperand();
  if (auto maximum = value.getDefiningOp<arith::MaxSIOp>()) {
    if (isNegationOf(maximum.getRhs(), maximum.getLhs()))
      return maximum.getLhs();
    if (isNegationOf(maximum.getLhs(), maximum.getRhs()))
      return maximum.getRhs();
  }
  return {};
}

static bool isInt(Type type) { return type.isInteger(64) || type.isInteger(32); }

//===------------------------------------------------------------------------===//
// Values
//===------------------------------------------------------------------------===//

MaskValues::MaskValues(MaskOp mask) : mask(mask), stages(mask) {
  values[mask.getBatch()] = values[mask.getHead()] = {};
  values[mask.getQuery()] = {Stage::Query, LinearForm{1, 0, Stage::Head}, RestRule::Zero};
  values[mask.getKey()] = {Stage::Key, LinearForm{0, 1, Stage::Head}, RestRule::Zero};
  for (Operation &op : mask.getBody().front().without_terminator())
    for (Value result : op.getResults())
      values[result] = visit(result);

  for (Operation &op : mask.getBody().front().without_terminator()) {
    Value result = op.getResult(0);
    Stage stage = stages.get(result);
    if (!result.getType().isInteger(1))
      continue;
    auto isClosed = [&](Value operand) { return hasClosedForm(operand); };
    bool closed = false;
    if (stage == Stage::Head || stage == Stage::Query)
      closed = true;
    else if (auto comparison = dyn_cast<arith::CmpIOp>(op))
      closed = getKeyConstraint(comparison).has_value();
    else if (isa<arith::AndIOp, arith::OrIOp, arith::SelectOp>(op))
      closed = llvm::all_of(op.getOperands(), isClosed);
    else if (auto negation = dyn_cast<arith::XOrIOp>(op))
      closed = getConstantInt(negation.getRhs()) && isClosed(negation.getLhs());
    if (closed)
      closedForms.insert(result);
  }
}

/// True if intervals give the range of the result of `op` from those of its operands, at least
/// nearly.
static bool isIntervalOp(Operation *op, const Stages &stages) {
  Type type = op->getResult(0).getType();
  if (!isInt(type) && !type.isInteger(1))
    return false;
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp, arith::SelectOp,
          arith::ExtSIOp, math::AbsIOp>(op))
    return true;
  if (isa<arith::ShLIOp, arith::ShRSIOp>(op)) {
    std::optional<int64_t> amount = getConstantInt(op->getOperand(1));
    return amount && *amount >= 0 && *amount < 63;
  }
  if (isa<arith::OrIOp>(op))
    return type.isInteger(1);
  if (isa<arith::AndIOp>(op))
    return type.isInteger(1) || isMask(op->getOperand(1));
  if (isa<arith::XOrIOp>(op))
    return type.isInteger(1) || getConstantInt(op->getOperand(1)) == -1;
  if (isa<arith::TruncIOp>(op))
    return isInt(type);
  if (isa<arith::ExtUIOp>(op))
    return op->getOperand(0).getType().isInteger(1);
  if (isa<arith::CmpIOp>(op))
    return true;
  if (isa<FloorDivOp, FloorModOp>(op))
    return stages.get(op->getOperand(1)) == Stage::Head;
  if (isa<arith::MulIOp>(op))
    return stages.get(op->getOperand(0)) == Stage::Head ||
           stages.get(op->getOperand(1)) == Stage::Head;
  return false;
}

MaskValue MaskValues::visit(Value result) const {
  Operation *op = result.getDefiningOp();
  Type type = result.getType();
  MaskValue value;
  value.stage = stages.get(result);
  value.form.restStage = value.stage;
  if (value.stage == Stage::Head) {
    value.bounded = isInt(type) || type.isInteger(1);
    return value;
  }

  auto isTabulated = [&](Value operand) { return get(operand).tabulated; };
  auto isBounded = [&](Value operand) { return get(operand).bounded; };
  if (value.stage != Stage::Pair) {
    value.bounded = isInt(type) || type.isInteger(1);
    value.tabulated = !isIntervalOp(op, stages) || llvm::any_of(op->getOperands(), isTabulated);
  } else if (type.isInteger(1) && isa<arith::AndIOp, arith::OrIOp>(op)) {
    value.bounded = llvm::any_of(op->getOperands(), isBounded);
  } else {
    // Of single queries and keys more is known by computing them.
    bool roughly =
        isInt(type) && isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MulIOp>(op);
    auto load = dyn_cast<LoadOp>(op);
    value.bounded =
        load ? isBlockLoad(*this, load)
             : (roughly || isIntervalOp(op, stages)) && llvm::all_of(op->getOperands(), isBounded);
  }
  if (isInt(type) && !value.tabulated)
    setForm(op, value);
  return value;
}

void MaskValues::setForm(Operation *op, MaskValue &value) const {
  LinearForm form;
  RestRule rule = RestRule::Own;
  auto scale = [&](unsigned operand, std::optional<int64_t> factor) {
    if (!factor || *factor > maxFactor || *factor < -maxFactor)
      return;
    form = get(op->getOperand(operand)).form;
    form.queryFactor *= *factor;
    form.keyFactor *= *factor;
    rule = RestRule::Product;
    value.operand = operand;
    value.factor = *factor;
  };
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    int64_t sign = isa<arith::AddIOp>(op) ? 1 : -1;
    LinearForm lhs = get(op->getOperand(0)).form, rhs = get(op->getOperand(1)).form;
    form = {lhs.queryFactor + sign * rhs.queryFactor, lhs.keyFactor + sign * rhs.keyFactor,
            joinStages(lhs.restStage, rhs.restStage)};
    rule = sign == 1 ? RestRule::Sum : RestRule::Difference;
  } else if (isa<arith::MulIOp>(op)) {
    scale(0, getConstantInt(op->getOperand(1)));
    if (rule == RestRule::Own)
      scale(1, getConstantInt(op->getOperand(0)));
  } else if (isa<arith::ShLIOp>(op)) {
    std::optional<int64_t> amount = getConstantInt(op->getOperand(1));
    if (amount && *amount >= 0 && *amount <= 12)
      scale(0, int64_t(1) << *amount);
  } else if (isa<arith::XOrIOp>(op) && getConstantInt(op->getOperand(1)) == -1) {
    form = get(op->getOperand(0)).form;
    form.queryFactor = -form.queryFactor;
    form.keyFactor = -form.keyFactor;
    rule = RestRule::Complement;
  } else if (isa<arith::TruncIOp, arith::ExtSIOp>(op) && isInt(op->getOperand(0).getType())) {
    // Narrow integers are equal to what they are narrowed from.
    form = get(op->getOperand(0)).form;
    rule = RestRule::Same;
  }
  if (rule == RestRule::Own || std::abs(form.queryFactor) > maxFactor ||
      std::abs(form.keyFactor) > maxFactor)
    return;
  value.form = form;
  value.rule = rule;
}

SmallVector<Value> MaskValues::getTabulated(Stage stage) const {
  llvm::SmallSetVector<Value, 4> result;
  for (Operation &op : getMask().getBody().front())
    for (Value operand : op.getOperands()) {
      const MaskValue &value = get(operand);
      bool leavesStage = op.getNumResults() == 0 || stages.get(op.getResult(0)) != stage;
      Type type = operand.getType();
      if (value.stage == stage && value.tabulated && leavesStage &&
          (isInt(type) || type.isInteger(1)))
        result.insert(operand);
    }
  return result.takeVector();
}

//===------------------------------------------------------------------------===//
// Closed forms
//===------------------------------------------------------------------------===//

bool MaskValues::hasClosedForm(Value condition) const {
  if (!condition.getDefiningOp())
    return false;
  Stage stage = stages.get(condition);
  return stage == Stage::Head || stage == Stage::Query || closedForms.contains(condition);
}

std::optional<KeyConstraint> MaskValues::getKeyConstraint(arith::CmpIOp comparison) const {
  if (!isInt(comparison.getLhs().getType()))
    return std::nullopt;
  switch (comparison.getPredicate()) {
  case CmpIPredicate::ult:
  case CmpIPredicate::ule:
  case CmpIPredicate::ugt:
  case CmpIPredicate::uge:
    return std::nullopt;
  default:
    break;
  }
  auto isKeyFree = [](Stage stage) { return stage == Stage::Head || stage == Stage::Query; };
  KeyConstraint constraint;
  constraint.predicate = comparison.getPredicate();
  constraint.key = comparison.getLhs();
  constraint.bound = comparison.getRhs();
  LinearForm lhs = get(constraint.key).form, rhs = get(constraint.bound).form;
  if (isKeyFree(lhs.restStage) && isKeyFree(rhs.restStage)) {
    if (lhs.keyFactor == rhs.keyFactor)
      return std::nullopt;
    return constraint;
  }

  if (isKeyFree(get(constraint.key).stage)) {
    std::swap(constraint.key, constraint.bound);
    constraint.predicate = swapOperands(constraint.predicate);
  }
  if (!isKeyFree(get(constraint.bound).stage))
    return std::nullopt;
  Operation *op = constraint.key.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (Value operand = getAbsoluteOperand(constraint.key)) {
    constraint.kind = KeyConstraint::Kind::Absolute;
    constraint.key = operand;
  } else if (isa<FloorDivOp, arith::ShRSIOp>(op)) {
    std::optional<int64_t> divisor = getConstantInt(op->getOperand(1));
    int64_t limit = isa<FloorDivOp>(op) ? int64_t(1) << 40 : 40;
    if (!divisor || *divisor < 1 || *divisor > limit)
      return std::nullopt;
    constraint.kind = KeyConstraint::Kind::Divided;
    constraint.key = op->getOperand(0);
    constraint.divisor = isa<FloorDivOp>(op) ? *divisor : int64_t(1) << *divisor;
  } else {
    return std::nullopt;
  }
  LinearForm form = get(constraint.key).form;
  if (form.keyFactor == 0 || !isKeyFree(form.restStage))
    return std::nullopt;
  return constraint;
}
