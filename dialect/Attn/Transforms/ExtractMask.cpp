//===- ExtractMask.cpp - Masks written into the score -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace attnc::attn {
#define GEN_PASS_DEF_EXTRACTMASKPASS
#include "dialect/Attn/Transforms/Passes.h.inc"
} // namespace attnc::attn

using namespace mlir;
using namespace attnc::attn;

namespace {
/// When a chosen score is a constant -inf.
enum class Excluded { Never, Sometimes, Always };

/// Moves the choices of -inf at the root of one score body into the mask.
class MaskExtractor {
public:
  MaskExtractor(KernelOp kernel, ScoreOp score)
      : kernel(kernel), score(score), body(score.getBody().front()) {}

  void run() {
    findMovableValues();
    findChoices();
    Value root = score.getYielded();
    if (getExcluded(root) == Excluded::Never)
      return;
    MaskOp mask = getOrCreateMask();
    auto yield = cast<YieldOp>(mask.getBody().front().getTerminator());
    OpBuilder builder(yield);
    copyConditions(mask, builder);
    Value kept = rewriteChoices(root, builder);
    yield.getValueMutable().assign(
        arith::AndIOp::create(builder, score.getLoc(), yield.getValue(), kept));
    eraseDeadOps();
  }

private:
  /// Collects what the mask may compute: all that does not depend on the score. In a checked kernel
  /// loads stay in the score, where an index that had to be clamped is reported.
  void findMovableValues() {
    for (Value argument : body.getArguments().drop_front())
      movable.insert(argument);
    for (Operation &op : body.without_terminator())
      if (llvm::all_of(op.getOperands(), [&](Value value) { return movable.contains(value); }) &&
          !(kernel.getChecked() && isa<LoadOp>(op)))
        movable.insert_range(op.getResults());
  }

  /// Collects the selects that choose the yielded value, and when each gives -inf.
  void findChoices() {
    DenseSet<Operation *> reached;
    SmallVector<Value> pending = {score.getYielded()};
    while (!pending.empty()) {
      auto select = pending.pop_back_val().getDefiningOp<arith::SelectOp>();
      if (!select || !movable.contains(select.getCondition()) || !reached.insert(select).second)
        continue;
      pending.append({select.getTrueValue(), select.getFalseValue()});
    }
    for (auto select : body.getOps<arith::SelectOp>()) {
      if (!reached.contains(select))
        continue;
      Excluded onTrue = getExcluded(select.getTrueValue());
      Excluded onFalse = getExcluded(select.getFalseValue());
      choices[select] = onTrue == onFalse ? onTrue : Excluded::Sometimes;
    }
  }

  Excluded getExcluded(Value value) {
    if (matchPattern(value, m_NegInfFloat()))
      return Excluded::Always;
    auto found = choices.find(value.getDefiningOp());
    return found == choices.end() ? Excluded::Never : found->second;
  }

  /// The mask of the kernel, one that is true everywhere if there was none.
  MaskOp getOrCreateMask() {
    if (MaskOp mask = kernel.getMask())
      return mask;
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointAfter(score);
    auto mask = MaskOp::create(builder, score.getLoc());
    Block *block = builder.createBlock(&mask.getBody());
    for (Value argument : body.getArguments().drop_front())
      block->addArgument(argument.getType(), argument.getLoc());
    Value all = arith::ConstantIntOp::create(builder, score.getLoc(), 1, 1);
    YieldOp::create(builder, score.getLoc(), all);
    return mask;
  }

  /// Copies the conditions of all choices, and what they are computed from, into the mask.
  void copyConditions(MaskOp mask, OpBuilder &builder) {
    DenseSet<Operation *> needed;
    for (auto [select, excluded] : choices)
      if (excluded == Excluded::Sometimes)
        needed.insert(cast<arith::SelectOp>(select).getCondition().getDefiningOp());
    for (Operation &op : llvm::reverse(body))
      if (needed.contains(&op))
        for (Value operand : op.getOperands())
          needed.insert(operand.getDefiningOp());
    mapping.map(body.getArguments().drop_front(), mask.getBody().getArguments());
    for (Operation &op : body)
      if (needed.contains(&op))
        builder.clone(op, mapping);
  }

  /// Makes the score without -inf and returns the condition, in the mask, under which it is kept.
  Value rewriteChoices(Value root, OpBuilder &maskBuilder) {
    for (auto [op, excluded] : choices) {
      auto select = cast<arith::SelectOp>(op);
      Location loc = select.getLoc();
      if (excluded == Excluded::Always)
        continue;
      Excluded onTrue = getExcluded(select.getTrueValue());
      Excluded onFalse = getExcluded(select.getFalseValue());
      Value trueScore = getScore(select.getTrueValue());
      Value falseScore = getScore(select.getFalseValue());
      if (onTrue == Excluded::Always) {
        scores[op] = falseScore;
      } else if (onFalse == Excluded::Always) {
        scores[op] = trueScore;
      } else if (excluded == Excluded::Sometimes) {
        OpBuilder builder(select);
        scores[op] =
            arith::SelectOp::create(builder, loc, select.getCondition(), trueScore, falseScore);
      }
      if (excluded == Excluded::Sometimes)
        kept[op] = createKept(maskBuilder, select, onTrue, onFalse);
    }
    Value newScore =
        getExcluded(root) == Excluded::Always ? score.getScoreArgument() : getScore(root);
    body.getTerminator()->setOperand(0, newScore);
    if (getExcluded(root) == Excluded::Always)
      return arith::ConstantIntOp::create(maskBuilder, score.getLoc(), 0, 1);
    return kept.lookup(root.getDefiningOp());
  }

  /// What `value` becomes in the score.
  Value getScore(Value value) {
    Value found = scores.lookup(value.getDefiningOp());
    return found ? found : value;
  }

  Value createKept(OpBuilder &builder, arith::SelectOp select, Excluded onTrue, Excluded onFalse) {
    Location loc = select.getLoc();
    Value condition = mapping.lookup(select.getCondition());
    if (onTrue == Excluded::Never && onFalse == Excluded::Always)
      return condition;
    Value keptTrue = kept.lookup(select.getTrueValue().getDefiningOp());
    Value keptFalse = kept.lookup(select.getFalseValue().getDefiningOp());
    if (onTrue == Excluded::Never)
      return arith::OrIOp::create(builder, loc, condition, keptFalse);
    if (onFalse == Excluded::Always)
      return arith::AndIOp::create(builder, loc, condition, keptTrue);
    if (onTrue == Excluded::Sometimes && onFalse == Excluded::Sometimes)
      return arith::SelectOp::create(builder, loc, condition, keptTrue, keptFalse);
    Value negated = createNot(builder, loc, condition);
    if (onTrue == Excluded::Sometimes)
      return arith::OrIOp::create(builder, loc, negated, keptTrue);
    if (onFalse == Excluded::Sometimes)
      return arith::AndIOp::create(builder, loc, negated, keptFalse);
    return negated;
  }

  /// The negation of `condition`, as a comparison where it is one of integers.
  static Value createNot(OpBuilder &builder, Location loc, Value condition) {
    if (auto compare = condition.getDefiningOp<arith::CmpIOp>())
      return arith::CmpIOp::create(builder, loc, arith::invertPredicate(compare.getPredicate()),
                                   compare.getLhs(), compare.getRhs());
    Value one = arith::ConstantIntOp::create(builder, loc, 1, 1);
    return arith::XOrIOp::create(builder, loc, condition, one);
  }

  void eraseDeadOps() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  KernelOp kernel;
  ScoreOp score;
  Block &body;
  DenseSet<Value> movable;
  /// The selects that choose the score, in the order of the body.
  llvm::MapVector<Operation *, Excluded> choices;
  /// What a select becomes, where it changes.
  DenseMap<Operation *, Value> scores;
  /// In the mask: when the score a select gives is not -inf, for those that sometimes are.
  DenseMap<Operation *, Value> kept;
  /// From the score body to the mask body.
  IRMapping mapping;
};

struct ExtractMaskPass : attnc::attn::impl::ExtractMaskPassBase<ExtractMaskPass> {
  void runOnOperation() override {
    if (ScoreOp score = getOperation().getScore())
      MaskExtractor(getOperation(), score).run();
  }
};
} // namespace
