//===- RunShapes.cpp - Conditions as a few runs of keys ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/RunShapes.h"
#include "dialect/Attn/Analysis/Connectives.h"
#include <numeric>

using namespace mlir;
using namespace attnc::attn;
using arith::CmpIPredicate;
using Shapes = SmallVector<RunShape, maxKeyRuns>;

RunShape attnc::attn::intersectShapes(RunShape a, RunShape b) {
  if (a == RunShape::Whole || a == b)
    return b;
  return b == RunShape::Whole ? a : RunShape::Inner;
}

std::optional<RunShape> attnc::attn::uniteShapes(RunShape a, RunShape b) {
  if (a == RunShape::Whole)
    return b;
  if (b == RunShape::Whole || (a == b && a != RunShape::Inner))
    return a;
  return std::nullopt;
}

/// True if `condition` holds for some keys of every block and for others not, or if nothing is
/// known of it over a block.
static bool isOpenAtBlocks(const MaskValues &values, Value condition) {
  if (!values.get(condition).bounded)
    return true;
  auto comparison = condition.getDefiningOp<arith::CmpIOp>();
  if (!comparison)
    return false;
  // No block has fewer keys, but for the last one.
  constexpr int64_t longestPeriod = 16;
  auto repeats = [&](Value side) {
    std::optional<Remainder> remainder = getRemainder(side);
    if (!remainder || remainder->divisor == 1 || remainder->divisor > longestPeriod)
      return false;
    const LinearForm &form = values.get(remainder->dividend).form;
    return form.restStage <= Stage::Query && std::gcd(form.keyFactor, remainder->divisor) == 1;
  };
  auto isConstant = [&](Value side) { return values.get(side).stage == Stage::Head; };
  return (repeats(comparison.getLhs()) && isConstant(comparison.getRhs())) ||
         (repeats(comparison.getRhs()) && isConstant(comparison.getLhs()));
}

/// Adds a run to `shapes`; false if they become too many.
static bool addShape(Shapes &shapes, RunShape shape) {
  for (RunShape &other : shapes)
    if (std::optional<RunShape> both = uniteShapes(other, shape)) {
      other = *both;
      return true;
    }
  shapes.push_back(shape);
  return shapes.size() <= maxKeyRuns;
}

static std::optional<Shapes> intersect(const std::optional<Shapes> &lhs,
                                       const std::optional<Shapes> &rhs) {
  if (!lhs || !rhs)
    return std::nullopt;
  Shapes result;
  for (RunShape a : *lhs)
    for (RunShape b : *rhs)
      if (!addShape(result, intersectShapes(a, b)))
        return std::nullopt;
  return result;
}

static std::optional<Shapes> unite(const std::optional<Shapes> &lhs,
                                   const std::optional<Shapes> &rhs) {
  if (!lhs || !rhs)
    return std::nullopt;
  Shapes result = *lhs;
  for (RunShape shape : *rhs)
    if (!addShape(result, shape))
      return std::nullopt;
  return result;
}

/// The keys for which `constraint` holds: one run, or some around a point.
static std::optional<Shapes> getShapes(const MaskValues &values, const KeyConstraint &constraint) {
  CmpIPredicate predicate = constraint.predicate;
  if (predicate == CmpIPredicate::eq || predicate == CmpIPredicate::ne) {
    bool equal = predicate == CmpIPredicate::eq;
    KeyConstraint below = constraint, above = constraint;
    below.predicate = equal ? CmpIPredicate::sle : CmpIPredicate::slt;
    above.predicate = equal ? CmpIPredicate::sge : CmpIPredicate::sgt;
    auto lhs = getShapes(values, below), rhs = getShapes(values, above);
    return equal ? intersect(lhs, rhs) : unite(lhs, rhs);
  }
  bool less = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle;
  if (constraint.kind == KeyConstraint::Kind::Absolute)
    return less ? Shapes{RunShape::Inner} : Shapes{RunShape::Begin, RunShape::End};
  int64_t factor = values.get(constraint.key).form.keyFactor;
  if (constraint.kind == KeyConstraint::Kind::Linear)
    factor -= values.get(constraint.bound).form.keyFactor;
  return Shapes{less == (factor > 0) ? RunShape::Begin : RunShape::End};
}

namespace {
class ShapeFinder {
public:
  ShapeFinder(const MaskValues &values, bool atBlocks) : values(values), atBlocks(atBlocks) {}

  std::optional<Shapes> visit(Value condition, bool negated);

private:
  std::optional<Shapes> visitOp(Operation *op, bool negated);

  const MaskValues &values;
  bool atBlocks;
  unsigned depth = 0;
  llvm::DenseMap<std::pair<Value, unsigned>, std::optional<Shapes>> memo;
};
} // namespace

std::optional<Shapes> ShapeFinder::visit(Value condition, bool negated) {
  Stage stage = values.get(condition).stage;
  if (stage == Stage::Head || stage == Stage::Query)
    return Shapes{RunShape::Whole};
  if (depth == maxConditionDepth || !condition.getDefiningOp())
    return std::nullopt;
  auto key = std::pair(condition, unsigned(negated));
  if (auto found = memo.find(key); found != memo.end())
    return found->second;
  ++depth;
  std::optional<Shapes> result = visitOp(condition.getDefiningOp(), negated);
  --depth;
  memo[key] = result;
  return result;
}

std::optional<Shapes> ShapeFinder::visitOp(Operation *op, bool negated) {
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    if (std::optional<KeyConstraint> constraint = values.getKeyConstraint(comparison)) {
      if (negated)
        constraint->predicate = arith::invertPredicate(constraint->predicate);
      return getShapes(values, *constraint);
    }
  auto visitOperand = [&](Value operand, bool negate) { return visit(operand, negate); };
  if (auto result =
          visitConnective<std::optional<Shapes>>(op, negated, visitOperand, intersect, unite))
    return *result;
  if (atBlocks && isOpenAtBlocks(values, op->getResult(0)))
    return Shapes{RunShape::Whole};
  return std::nullopt;
}

std::optional<Shapes> attnc::attn::getRunShapes(const MaskValues &values, Value condition,
                                                bool atBlocks) {
  return ShapeFinder(values, atBlocks).visit(condition, /*negated=*/false);
}
