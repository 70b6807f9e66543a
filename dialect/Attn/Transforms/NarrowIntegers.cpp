//===- NarrowIntegers.cpp - 64-bit integers computed in 32 bits -------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/IntegerRanges.h"
#include "dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include <limits>

namespace attnc::attn {
#define GEN_PASS_DEF_NARROWINTEGERSPASS
#include "dialect/Attn/Transforms/Passes.h.inc"
} // namespace attnc::attn

using namespace mlir;
using namespace attnc::attn;

namespace {
/// Rewrites the integers of one score or mask body.
///
/// A value is narrow if its low 32 bits can be computed in 32 bits: sums, products and bitwise ops
/// need only the low bits of their operands, other ops need operands that fit. Where a user that
/// takes the whole value (a comparison, a conversion to float, an index) has operands that are
/// narrow and fit, it takes them in 32 bits.
class Narrower {
public:
  explicit Narrower(Operation *scoreOrMask)
      : body(scoreOrMask->getRegion(0).front()), ranges(scoreOrMask) {}

  void run() {
    findNarrowValues();
    findNeededValues();
    SmallVector<Operation *> originals =
        llvm::map_to_vector(body, [](Operation &op) { return &op; });
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    for (Value argument : body.getArguments())
      if (needed.contains(argument))
        createTruncated(builder, argument);
    for (Operation *op : originals)
      rewrite(op);
    // One load for both widths.
    for (auto [wide, narrow] : loads) {
      builder.setInsertionPointAfterValue(narrow);
      wide.replaceAllUsesWith(
          arith::ExtSIOp::create(builder, wide.getLoc(), wide.getType(), narrow).getResult());
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

private:
  bool fits(Value value) const { return ranges.get(value).fits(32); }
  bool isNarrow(Value value) const { return narrow.contains(value); }
  bool isWhole(Value value) const { return isNarrow(value) && fits(value); }

  void findNarrowValues() {
    for (Value argument : body.getArguments())
      if (argument.getType().isInteger(64)) {
        narrow.insert(argument);
        positional.insert(argument);
      }
    for (Operation &op : body) {
      if (op.getNumResults() != 1 || !op.getResult(0).getType().isInteger(64))
        continue;
      if (isa<arith::ConstantOp, DimOp, arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) &&
          llvm::all_of(op.getOperands(), [&](Value value) { return positional.contains(value); }))
        positional.insert(op.getResult(0));
      if (canNarrow(&op))
        narrow.insert(op.getResult(0));
    }
  }

  bool canNarrow(Operation *op) const {
    auto areNarrow = [&](ValueRange values) {
      return llvm::all_of(values, [&](Value value) { return isNarrow(value); });
    };
    auto areWhole = [&](ValueRange values) {
      return llvm::all_of(values, [&](Value value) { return isWhole(value); });
    };
    if (auto dim = dyn_cast<DimOp>(op))
      return dim.isDimension();
    if (isa<GetOp, LoadOp>(op))
      return isStoredNarrow(op);
    if (isa<arith::ConstantOp, arith::ExtSIOp, arith::ExtUIOp>(op))
      return isa<arith::ConstantOp>(op) || op->getOperand(0).getType().isInteger(1) ||
             op->getOperand(0).getType().isInteger(32);
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp, arith::OrIOp,
            arith::XOrIOp>(op))
      return areNarrow(op->getOperands()) &&
             (fits(op->getResult(0)) || positional.contains(op->getResult(0)));
    if (isa<arith::SelectOp>(op))
      return areNarrow(op->getOperands().drop_front()) && fits(op->getResult(0));
    if (isa<arith::ShLIOp, arith::ShRSIOp>(op)) {
      const IntegerRange &count = ranges.get(op->getOperand(1));
      return count.min >= 0 && count.max < 32 && isNarrow(op->getOperand(1)) &&
             (isa<arith::ShLIOp>(op) ? isNarrow(op->getOperand(0)) && fits(op->getResult(0))
                                     : isWhole(op->getOperand(0)));
    }
    if (isa<FloorDivOp, FloorModOp>(op))
      // The quotient of the smallest integer by -1 does not fit, so it is excluded.
      return areWhole(op->getOperands()) && fits(op->getResult(0));
    return isa<arith::MinSIOp, arith::MaxSIOp>(op) && areWhole(op->getOperands());
  }

  /// True if what `op` reads is stored in at most 32 bits.
  static bool isStoredNarrow(Operation *op) {
    auto kernel = op->getParentOfType<KernelOp>();
    Type stored;
    if (auto get = dyn_cast<GetOp>(op))
      stored = kernel.lookupScalar(get.getScalar()).getElementType();
    else if (CaptureOp capture = kernel.lookupCapture(cast<LoadOp>(op).getSource()))
      stored = capture.getElementType();
    else
      stored = kernel.lookupTable(cast<LoadOp>(op).getSource()).getValue().getElementType();
    return stored.getIntOrFloatBitWidth() <= 32;
  }

  /// The operands that `op`, which takes whole values, takes in 32 bits.
  SmallVector<OpOperand *> getNarrowedOperands(Operation *op) const {
    SmallVector<OpOperand *> operands;
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get().getType().isInteger(64) && isWhole(operand.get()))
        operands.push_back(&operand);
    if (isa<LoadOp>(op))
      return operands;
    if (isa<arith::TruncIOp>(op))
      return op->getResult(0).getType().isInteger(32) && isNarrow(op->getOperand(0))
                 ? SmallVector<OpOperand *>{&op->getOpOperand(0)}
                 : SmallVector<OpOperand *>();
    if (operands.size() != op->getNumOperands())
      return {};
    if (isa<arith::SIToFPOp>(op))
      return operands;
    auto compare = dyn_cast<arith::CmpIOp>(op);
    if (!compare)
      return {};
    bool isUnsigned = compare.getPredicate() >= arith::CmpIPredicate::ult;
    bool keepsOrder = !isUnsigned || llvm::all_of(op->getOperands(), [&](Value value) {
      return ranges.get(value).isNonNegative();
    });
    return keepsOrder ? operands : SmallVector<OpOperand *>();
  }

  void findNeededValues() {
    for (Operation &op : llvm::reverse(body)) {
      for (OpOperand *operand : getNarrowedOperands(&op))
        needed.insert(operand->get());
      if (op.getNumResults() != 1 || !needed.contains(op.getResult(0)))
        continue;
      for (Value operand : op.getOperands())
        if (operand.getType().isInteger(64) && !isa<LoadOp>(op))
          needed.insert(operand);
    }
  }

  void createTruncated(OpBuilder &builder, Value value) {
    mapping.map(
        value,
        arith::TruncIOp::create(builder, value.getLoc(), builder.getI32Type(), value).getResult());
  }

  /// Makes `op` take 32-bit operands where it can, and creates its 32-bit result where that is
  /// needed.
  void rewrite(Operation *op) {
    OpBuilder builder(op);
    SmallVector<OpOperand *> operands = getNarrowedOperands(op);
    if (isa<arith::TruncIOp>(op) && !operands.empty()) {
      op->getResult(0).replaceAllUsesWith(mapping.lookup(operands.front()->get()));
      return;
    }
    for (OpOperand *operand : operands)
      operand->set(mapping.lookup(operand->get()));
    if (op->getNumResults() == 1 && needed.contains(op->getResult(0)))
      createNarrow(builder, op);
  }

  void createNarrow(OpBuilder &builder, Operation *op) {
    Value wide = op->getResult(0);
    Type i32 = builder.getI32Type();
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      APInt value = cast<IntegerAttr>(constant.getValue()).getValue().trunc(32);
      mapping.map(
          wide, arith::ConstantOp::create(builder, op->getLoc(), builder.getIntegerAttr(i32, value))
                    .getResult());
      return;
    }
    if (isa<arith::ExtSIOp, arith::ExtUIOp>(op) && op->getOperand(0).getType() == i32) {
      mapping.map(wide, op->getOperand(0));
      return;
    }
    // Operands without a 32-bit form are conditions, indices and the sources of extensions.
    Operation *copy = builder.clone(*op);
    for (OpOperand &operand : copy->getOpOperands())
      if (Value mapped = mapping.lookupOrNull(operand.get()); mapped && !isa<LoadOp>(op))
        operand.set(mapped);
    copy->getResult(0).setType(i32);
    dropOverflowFlags(copy);
    mapping.map(wide, copy->getResult(0));
    if (isa<LoadOp>(op))
      loads.push_back({wide, copy->getResult(0)});
  }

  /// What did not overflow in 64 bits may in 32.
  static void dropOverflowFlags(Operation *op) {
    if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
      op->setAttr(flags.getIntegerOverflowAttrName(),
                  arith::IntegerOverflowFlagsAttr::get(op->getContext(),
                                                       arith::IntegerOverflowFlags::none));
  }

  Block &body;
  IntegerRanges ranges;
  DenseSet<Value> positional;
  DenseSet<Value> narrow;
  DenseSet<Value> needed;
  /// Loaded values in 64 bits and in 32.
  SmallVector<std::pair<Value, Value>> loads;
  /// From 64-bit values to their low 32 bits.
  IRMapping mapping;
};

struct NarrowIntegersPass : attnc::attn::impl::NarrowIntegersPassBase<NarrowIntegersPass> {
  void runOnOperation() override {
    for (Operation &op : getOperation().getBody().front())
      if (isa<ScoreOp, MaskOp>(op))
        Narrower(&op).run();
  }
};
} // namespace
