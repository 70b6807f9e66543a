//===- GenerateIndexChecks.cpp - Adds functions that find clamped indices ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/ArgumentLayout.h"
#include "compiler/Conversion/AttnToCheck/Passes.h"
#include "compiler/Conversion/Bodies/ElementConversion.h"
#include "compiler/Conversion/Bodies/OpEmitter.h"
#include "dialect/Tile/IR/TileOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace attnc {
#define GEN_PASS_DEF_GENERATEINDEXCHECKSPASS
#include "compiler/Conversion/AttnToCheck/Passes.h.inc"
} // namespace attnc

using namespace mlir;
using namespace attnc;

namespace {
/// An index of a load that may be outside.
struct CheckedIndex {
  attn::LoadOp load;
  int64_t loadNumber;
  unsigned dim;
};

/// Builds the check of one kernel.
class CheckBuilder {
public:
  CheckBuilder(tile::KernelOp kernel)
      : kernel(kernel.getAttnKernel()), features(getVectorFeatures(kernel.getScheduleAttr())),
        loc(kernel.getLoc()), builder(kernel) {}

  void build();

private:
  Value constant(int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 64); }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }

  void findIndices();
  void createFunction();
  Value emitPair(Value key);
  void emitBody(Region &body, ValueRange arguments, IRMapping &values);
  Value emitScore(Value key);
  Value emitElement(int64_t tensor, Value head, Value row, Value column);
  Value emitIsOutside(CheckedIndex checked, Value index, Value size);
  Value getSize(attn::LoadOp load, unsigned dim);
  Value emitCheck(ArrayRef<CheckedIndex> indices, Value key, const IRMapping &values);

  attn::KernelOp kernel;
  VectorFeatures features;
  Location loc;
  OpBuilder builder;

  SmallVector<CheckedIndex> maskIndices, scoreIndices;
  /// What the indices and the mask are computed from.
  llvm::DenseSet<Value> needed;

  LLVM::LLVMFuncOp function;
  std::optional<ArgumentReader> arguments;
  std::optional<OpEmitter> emitter;
};
} // namespace

/// Adds `value` and what it is computed from.
static void addNeeded(Value value, llvm::DenseSet<Value> &needed) {
  if (!needed.insert(value).second)
    return;
  if (Operation *op = value.getDefiningOp())
    for (Value operand : op->getOperands())
      addNeeded(operand, needed);
}

void CheckBuilder::findIndices() {
  int64_t number = 0;
  kernel.walk([&](attn::LoadOp load) {
    auto &indices = isa<attn::MaskOp>(load->getParentOp()) ? maskIndices : scoreIndices;
    for (unsigned dim = 0; dim < load.getIndices().size(); ++dim) {
      if (load.getCheck(dim) == attn::IndexCheck::Inside)
        continue;
      indices.push_back({load, number, dim});
      addNeeded(load.getIndices()[dim], needed);
    }
    ++number;
  });
  if (attn::MaskOp mask = kernel.getMask())
    addNeeded(mask.getYielded(), needed);
}

void CheckBuilder::createFunction() {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(i64, {pointer, i64, i64, i64, pointer});
  function = LLVM::LLVMFuncOp::create(builder, loc, (kernel.getSymName() + "_check").str(), type);
  function.addEntryBlock(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
}

void CheckBuilder::emitBody(Region &body, ValueRange arguments, IRMapping &values) {
  for (auto [from, to] : llvm::zip(body.getArguments(), arguments))
    values.map(from, to);
  for (Operation &op : body.front().without_terminator()) {
    if (llvm::none_of(op.getResults(), [&](Value result) { return needed.contains(result); }))
      continue;
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    values.map(op.getResults(), emitter->emit(builder, &op, operands));
  }
}

Value CheckBuilder::getSize(attn::LoadOp load, unsigned dim) {
  if (attn::TableOp table = kernel.lookupTable(load.getSource()))
    return constant(table.getValue().getShapedType().getDimSize(dim));
  int64_t position = 0;
  std::vector<int64_t> ranks;
  for (auto [i, capture] : llvm::enumerate(kernel.getBody().getOps<attn::CaptureOp>())) {
    if (capture.getSymName() == load.getSource())
      position = static_cast<int64_t>(i);
    ranks.push_back(capture.getRank());
  }
  ArgumentLayout layout(static_cast<int64_t>(kernel.getExtentNames().size()), ranks,
                        /*scalars=*/0);
  return arguments->getSlot(layout.getCaptureSize(position, dim));
}

Value CheckBuilder::emitIsOutside(CheckedIndex checked, Value index, Value size) {
  Value past = compare(arith::CmpIPredicate::sge, index, size);
  Value first = constant(0);
  // Negative indices count from the end.
  if (checked.load.getCheck(checked.dim) == attn::IndexCheck::Wrap)
    first = arith::SubIOp::create(builder, loc, first, size);
  Value before = compare(arith::CmpIPredicate::slt, index, first);
  return arith::OrIOp::create(builder, loc, before, past);
}

/// Writes the first of `indices` that is outside to the record; gives whether there is one.
Value CheckBuilder::emitCheck(ArrayRef<CheckedIndex> indices, Value key, const IRMapping &values) {
  Value found = arith::ConstantIntOp::create(builder, loc, 0, 1);
  Value number = constant(0), dim = number, index = number, size = number;
  // The last first, so that the first has the last word.
  for (CheckedIndex checked : llvm::reverse(indices)) {
    Value here = values.lookup(checked.load.getIndices()[checked.dim]);
    if (!here.getType().isInteger(64))
      here = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), here);
    Value limit = getSize(checked.load, checked.dim);
    Value outside = emitIsOutside(checked, here, limit);
    auto choose = [&](Value &chosen, Value value) {
      chosen = arith::SelectOp::create(builder, loc, outside, value, chosen);
    };
    choose(number, constant(checked.loadNumber));
    choose(dim, constant(checked.dim));
    choose(index, here);
    choose(size, limit);
    found = arith::OrIOp::create(builder, loc, found, outside);
  }
  auto store = scf::IfOp::create(builder, loc, found, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(store.thenBlock()->getTerminator());
  Value record = function.getArgument(4);
  const Value fields[] = {number, key, dim, index, size};
  for (auto [i, value] : llvm::enumerate(fields)) {
    Value address = LLVM::GEPOp::create(builder, loc, record.getType(), builder.getI64Type(),
                                        record, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    LLVM::StoreOp::create(builder, loc, value, address);
  }
  return found;
}

/// The f32 at `column` of row `row` of q or k.
Value CheckBuilder::emitElement(int64_t tensor, Value head, Value row, Value column) {
  Value offset = column;
  auto addStep = [&](Value index, int64_t part) {
    Value step = arith::MulIOp::create(builder, loc, index, arguments->getSlot(tensor + part));
    offset = arith::AddIOp::create(builder, loc, offset, step);
  };
  addStep(function.getArgument(1), ArgumentLayout::BatchStride);
  addStep(head, ArgumentLayout::HeadStride);
  addStep(row, ArgumentLayout::RowStride);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value base = LLVM::IntToPtrOp::create(builder, loc, pointer,
                                        arguments->getSlot(tensor + ArgumentLayout::Pointer));
  Value address = LLVM::GEPOp::create(builder, loc, pointer, kernel.getDtype(), base, offset);
  Value element = LLVM::LoadOp::create(builder, loc, kernel.getDtype(), address);
  return emitExtendToF32(builder, loc, element, features);
}

/// The score of a pair before the score body.
Value CheckBuilder::emitScore(Value key) {
  Value zero = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
  Value group =
      arith::DivUIOp::create(builder, loc, arguments->getDim("Hq"), arguments->getDim("Hkv"));
  Value keyHead = arith::DivUIOp::create(builder, loc, function.getArgument(2), group);
  auto loop = scf::ForOp::create(builder, loc, constant(0), constant(kernel.getHeadDim()),
                                 constant(1), zero);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value column = loop.getInductionVar();
    Value q = emitElement(ArgumentLayout::QTensor, function.getArgument(2), function.getArgument(3),
                          column);
    Value k = emitElement(ArgumentLayout::KTensor, keyHead, key, column);
    Value product = arith::MulFOp::create(builder, loc, q, k);
    Value sum = arith::AddFOp::create(builder, loc, loop.getRegionIterArg(0), product);
    scf::YieldOp::create(builder, loc, sum);
  }
  return arith::MulFOp::create(builder, loc, loop.getResult(0), arguments->getScale());
}

/// Whether the pair with `key` takes part and has an index outside.
Value CheckBuilder::emitPair(Value key) {
  SmallVector<Value> place = {function.getArgument(1), function.getArgument(2),
                              function.getArgument(3), key};
  IRMapping values;
  Value takesPart = arith::ConstantIntOp::create(builder, loc, 1, 1);
  if (attn::MaskOp mask = kernel.getMask()) {
    emitBody(mask.getBody(), place, values);
    takesPart = values.lookup(mask.getYielded());
  }
  auto check = scf::IfOp::create(builder, loc, builder.getI1Type(), takesPart,
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(check.elseBlock());
  scf::YieldOp::create(builder, loc, Value(arith::ConstantIntOp::create(builder, loc, 0, 1)));
  builder.setInsertionPointToStart(check.thenBlock());
  if (attn::ScoreOp score = kernel.getScore()) {
    Value value = needed.contains(score.getScoreArgument()) ? emitScore(key) : Value();
    place.insert(
        place.begin(),
        value ? value : Value(arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0))));
    emitBody(score.getBody(), place, values);
  }
  SmallVector<CheckedIndex> indices(maskIndices);
  indices.append(scoreIndices);
  scf::YieldOp::create(builder, loc, emitCheck(indices, key, values));
  return check.getResult(0);
}

void CheckBuilder::build() {
  findIndices();
  createFunction();
  Value zero = constant(0);
  Value no = arith::ConstantIntOp::create(builder, loc, 0, 1);
  Type i64 = builder.getI64Type(), i1 = builder.getI1Type();
  auto loop = scf::WhileOp::create(builder, loc, TypeRange{i64, i1}, ValueRange{zero, no});
  // Launch arguments are read ahead of the loop.
  arguments.emplace(kernel, function.getArgument(0), OpBuilder(loop), features);
  emitter.emplace(*arguments, features);

  Block *before = builder.createBlock(&loop.getBefore(), {}, {i64, i1}, {loc, loc});
  Value more = compare(arith::CmpIPredicate::slt, before->getArgument(0), arguments->getDim("KV"));
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
  Value notFound = arith::XOrIOp::create(builder, loc, before->getArgument(1), yes);
  Value goOn = arith::AndIOp::create(builder, loc, more, notFound);
  scf::ConditionOp::create(builder, loc, goOn, before->getArguments());

  Block *body = builder.createBlock(&loop.getAfter(), {}, {i64, i1}, {loc, loc});
  Value key = body->getArgument(0);
  Value found = emitPair(key);
  Value next = arith::AddIOp::create(builder, loc, key, constant(1));
  scf::YieldOp::create(builder, loc, ValueRange{next, found});

  builder.setInsertionPointAfter(loop);
  LLVM::ReturnOp::create(builder, loc,
                         Value(arith::ExtUIOp::create(builder, loc, i64, loop.getResult(1))));
}

namespace {
class GenerateIndexChecks : public attnc::impl::GenerateIndexChecksPassBase<GenerateIndexChecks> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<tile::KernelOp>())
      if (kernel.getAttnKernel().getChecked())
        CheckBuilder(kernel).build();
  }
};
} // namespace
