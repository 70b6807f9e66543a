//===- Disjunctions.cpp - A condition as cases ------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/Disjunctions.h"

using namespace mlir;
using namespace attnc::attn;

static constexpr size_t maxCases = 8, maxLiterals = 12;
static constexpr unsigned maxDepth = 40;

std::optional<arith::CmpIPredicate> attnc::attn::getPredicate(const Literal &literal) {
  auto comparison = literal.condition.getDefiningOp<arith::CmpIOp>();
  if (!comparison || comparison.getLhs().getType().isInteger(1))
    return std::nullopt;
  arith::CmpIPredicate predicate = comparison.getPredicate();
  return literal.negated ? arith::invertPredicate(predicate) : predicate;
}

/// True if both cannot hold.
static bool contradict(const Literal &a, const Literal &b) {
  if (a.condition == b.condition)
    return a.negated != b.negated;
  std::optional<arith::CmpIPredicate> first = getPredicate(a), second = getPredicate(b);
  return first && second && arith::invertPredicate(*first) == *second &&
         a.condition.getDefiningOp()->getOperands() == b.condition.getDefiningOp()->getOperands();
}

/// The cases where one of each side holds, or nothing if they are too many.
static std::optional<Disjunction> conjoin(const Disjunction &lhs, const Disjunction &rhs) {
  Disjunction result;
  result.leavesOut = lhs.leavesOut || rhs.leavesOut;
  for (const Case &a : lhs.cases)
    for (const Case &b : rhs.cases) {
      Case both = a;
      bool possible = true;
      for (const Literal &literal : b) {
        possible &= llvm::none_of(a, [&](const Literal &x) { return contradict(x, literal); });
        if (llvm::none_of(a, [&](const Literal &x) {
              return x.condition == literal.condition && x.negated == literal.negated;
            }))
          both.push_back(literal);
      }
      result.leavesOut |= !possible;
      if (!possible)
        continue;
      if (both.size() > maxLiterals || result.cases.size() == maxCases)
        return std::nullopt;
      result.cases.push_back(std::move(both));
    }
  return result;
}

static std::optional<Disjunction> disjoin(const Disjunction &lhs, const Disjunction &rhs) {
  Disjunction result = lhs;
  result.leavesOut |= rhs.leavesOut;
  llvm::append_range(result.cases, rhs.cases);
  return result.cases.size() > maxCases ? std::nullopt : std::optional(result);
}

static std::optional<Disjunction> visit(Value condition, bool negated, unsigned depth) {
  Operation *op = condition.getDefiningOp();
  if (depth == maxDepth)
    return std::nullopt;
  auto combine = [&](const std::optional<Disjunction> &lhs, const std::optional<Disjunction> &rhs,
                     bool conjunction) -> std::optional<Disjunction> {
    if (!lhs || !rhs)
      return std::nullopt;
    return conjunction ? conjoin(*lhs, *rhs) : disjoin(*lhs, *rhs);
  };
  auto operand = [&](unsigned i, bool negate) {
    return visit(op->getOperand(i), negate, depth + 1);
  };
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op))
    return combine(operand(0, negated), operand(1, negated), isa<arith::AndIOp>(op) != negated);
  // Where two differ one holds and the other does not.
  auto differ = [&](bool notSo) {
    return combine(combine(operand(0, false), operand(1, !notSo), true),
                   combine(operand(0, true), operand(1, notSo), true), false);
  };
  if (isa_and_nonnull<arith::XOrIOp>(op)) {
    if (std::optional<int64_t> constant = getConstantInt(op->getOperand(1)))
      return operand(0, negated != (*constant != 0));
    return differ(negated);
  }
  if (auto comparison = condition.getDefiningOp<arith::CmpIOp>())
    if (comparison.getLhs().getType().isInteger(1)) {
      if (comparison.getPredicate() == arith::CmpIPredicate::eq)
        return differ(!negated);
      if (comparison.getPredicate() == arith::CmpIPredicate::ne)
        return differ(negated);
    }
  if (isa_and_nonnull<arith::SelectOp>(op))
    return combine(combine(operand(0, false), operand(1, negated), true),
                   combine(operand(0, true), operand(2, negated), true), false);
  if (std::optional<int64_t> constant = getConstantInt(condition)) {
    Disjunction result;
    if ((*constant != 0) != negated)
      result.cases.emplace_back();
    return result;
  }
  Disjunction result;
  result.cases.push_back({Literal{condition, negated}});
  return result;
}

std::optional<Disjunction> attnc::attn::getDisjunction(Value condition, bool negated) {
  return visit(condition, negated, 0);
}
