//===- SharedValues.cpp - What bodies compute for many pairs -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/SharedValues.h"
#include "dialect/Attn/Analysis/LinearScore.h"
#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "dialect/Attn/Analysis/Stages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace attnc::attn;

static constexpr unsigned maxBits = 32;

/// Whether `op`, of the key's stage, gives the key or a value of this kind, converted or with
/// something added.
static bool isSumOfKey(Operation *op, Value key, const llvm::DenseSet<Value> &sums,
                       const Stages &stages) {
  return isa<arith::TruncIOp, arith::ExtSIOp, arith::ExtUIOp, arith::AddIOp, arith::SubIOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return operand == key || sums.contains(operand) || stages.get(operand) == Stage::Head;
         });
}

static llvm::DenseSet<Value> findSumsOfKey(Block &body, Value key, const Stages &stages) {
  llvm::DenseSet<Value> sums;
  for (Operation &op : body.without_terminator())
    if (stages.get(op.getResult(0)) == Stage::Key && isSumOfKey(&op, key, sums, stages))
      sums.insert(op.getResult(0));
  return sums;
}

/// The values of `stage` from which, with others, `results` are computed.
static llvm::SmallVector<Value> findValues(Block &body, ArrayRef<Value> results,
                                           const Stages &stages, Stage stage,
                                           const llvm::DenseSet<Value> &excluded) {
  llvm::DenseSet<Value> needed(llvm::from_range, results);
  llvm::SmallVector<Value> values;
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (llvm::none_of(op.getResults(), [&](Value result) { return needed.contains(result); }))
      continue;
    Value result = op.getResult(0);
    if (stages.get(result) == stage && op.getNumResults() == 1 && !excluded.contains(result) &&
        result.getType().getIntOrFloatBitWidth() <= maxBits)
      values.push_back(result);
    else
      needed.insert_range(op.getOperands());
  }
  return llvm::to_vector(llvm::reverse(values));
}

SharedValues::SharedValues(KernelOp kernel) {
  if (ScoreOp op = kernel.getScore(); op && !matchLinearScore(kernel)) {
    Stages stages(op);
    Block &body = op.getBody().front();
    llvm::DenseSet<Value> sums = findSumsOfKey(body, op.getKey(), stages);
    keys.score = findValues(body, op.getYielded(), stages, Stage::Key, sums);
    queries.score = findValues(body, op.getYielded(), stages, Stage::Query, {});
  }
  MaskOp op = kernel.getMask();
  if (!op)
    return;
  Stages stages(op);
  MaskAnalysis analysis(op);
  for (Value condition : analysis.getPairConditions()) {
    Stage stage = stages.get(condition);
    bool needsQuery = stage != Stage::Head && stage != Stage::Key;
    (needsQuery ? pairConditions : keyConditions).push_back(condition);
  }
  Block &body = op.getBody().front();
  llvm::DenseSet<Value> sums = findSumsOfKey(body, op.getKey(), stages);
  keys.mask = findValues(body, pairConditions, stages, Stage::Key, sums);
  queries.mask = findValues(body, pairConditions, stages, Stage::Query, {});
}
