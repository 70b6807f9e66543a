//===- RegionVectorizer.cpp - Score and mask bodies on vectors --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/Bodies/RegionVectorizer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attnc;
using attn::Stage;

RegionVectorizer::RegionVectorizer(attn::ScoreOp score, Value value, OpEmitter &emitter)
    : body(&score.getBody().front()), stages(score), emitter(emitter),
      score(score.getScoreArgument()), batch(score.getBatch()), head(score.getHead()),
      query(score.getQuery()), key(score.getKey()), results({value}) {
  selectOps();
}

RegionVectorizer::RegionVectorizer(attn::MaskOp mask, ValueRange conditions, OpEmitter &emitter)
    : body(&mask.getBody().front()), stages(mask), emitter(emitter), batch(mask.getBatch()),
      head(mask.getHead()), query(mask.getQuery()), key(mask.getKey()), results(conditions) {
  selectOps();
}

void RegionVectorizer::selectOps() {
  for (Operation &op : body->without_terminator())
    ops.push_back(&op);
  ops = selectOps(StageValues());
}

SmallVector<Operation *> RegionVectorizer::selectOps(const StageValues &known) const {
  DenseSet<Value> needed(llvm::from_range, results);
  SmallVector<Operation *> selected;
  for (Operation *op : llvm::reverse(ops)) {
    auto isNeeded = [&](Value value) { return needed.contains(value) && !known.contains(value); };
    if (llvm::none_of(op->getResults(), isNeeded))
      continue;
    needed.insert_range(op->getOperands());
    selected.push_back(op);
  }
  std::reverse(selected.begin(), selected.end());
  return selected;
}

void RegionVectorizer::emitStage(OpBuilder &builder, Stage stage, ArrayRef<Operation *> selected,
                                 ArrayRef<const StageValues *> before, StageValues &values) {
  auto lookup = [&](Value value) {
    if (Value found = values.lookup(value))
      return found;
    for (const StageValues *earlier : before)
      if (Value found = earlier->lookup(value))
        return found;
    llvm_unreachable("a value is used before its stage was emitted");
  };
  for (Operation *op : selected) {
    if (stages.get(op->getResult(0)) != stage)
      continue;
    SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), lookup);
    for (auto [result, emitted] : llvm::zip(op->getResults(), emitter.emit(builder, op, operands)))
      values[result] = emitted;
  }
}

StageValues RegionVectorizer::emitHead(OpBuilder &builder, Value batchValue, Value headValue) {
  StageValues values = {{batch, batchValue}, {head, headValue}};
  emitStage(builder, Stage::Head, ops, {}, values);
  return values;
}

StageValues RegionVectorizer::emitQuery(OpBuilder &builder, const StageValues &headValues,
                                        Value queryValue, const StageValues &known) {
  StageValues values = known;
  values[query] = queryValue;
  emitStage(builder, Stage::Query, selectOps(known), {&headValues}, values);
  return values;
}

StageValues RegionVectorizer::emitKey(OpBuilder &builder, const StageValues &headValues,
                                      Value keyValue, const StageValues &known) {
  StageValues values = known;
  values[key] = keyValue;
  emitStage(builder, Stage::Key, selectOps(known), {&headValues}, values);
  return values;
}

Value RegionVectorizer::emitPair(OpBuilder &builder, const StageValues &headValues,
                                 const StageValues &queryValues, const StageValues &keyValues,
                                 Value scoreValue) {
  StageValues values;
  emitStage(builder, Stage::Pair, ops, {&headValues, &queryValues, &keyValues}, values);
  if (score) {
    values[score] = scoreValue;
    emitStage(builder, Stage::Score, ops, {&headValues, &queryValues, &keyValues}, values);
  }
  auto lookup = [&](Value value) {
    for (const StageValues *stage : {&std::as_const(values), &keyValues, &queryValues, &headValues})
      if (Value found = stage->lookup(value))
        return found;
    llvm_unreachable("all results are emitted");
  };
  int64_t lanes = 0;
  for (Value shape : {queryValues.lookup(query), keyValues.lookup(key), scoreValue})
    if (auto vector = shape ? dyn_cast<VectorType>(shape.getType()) : VectorType())
      lanes = vector.getNumElements();
  Value all;
  for (Value result : results) {
    Location loc = result.getLoc();
    Value emitted = lookup(result);
    if (lanes != 0)
      emitted = broadcastTo(builder, loc, emitted, lanes);
    all = all ? arith::AndIOp::create(builder, loc, all, emitted).getResult() : emitted;
  }
  return all;
}

unsigned RegionVectorizer::getNumPairOps() const {
  return llvm::count_if(ops,
                        [&](Operation *op) { return stages.get(op->getResult(0)) >= Stage::Pair; });
}
