//===- BodyOps.cpp - What bodies take in a kernel for GPUs ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/AttnToTile/BodyOps.h"
#include "dialect/Attn/Analysis/Stages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attnc;

/// What `op` counts as: an integer division becomes a multiplication of twice the bits and
/// corrections; another one, if neither approximate nor by a constant, takes Newton's steps.
static int64_t getCount(Operation &op) {
  if (isa<attn::FloorDivOp, attn::FloorModOp>(op))
    return op.getResult(0).getType().isInteger(64) ? 12 : 4;
  if (auto division = dyn_cast<arith::DivFOp>(op)) {
    bool approximate = bitEnumContainsAny(division.getFastmath(), arith::FastMathFlags::afn);
    return approximate || matchPattern(division.getRhs(), m_Constant()) ? 1 : 4;
  }
  return 1;
}

BodyOps::BodyOps(attn::KernelOp kernel, int64_t scoreLoops) {
  add(kernel.getScore(), scoreLoops);
  add(kernel.getMask(), /*loops=*/1);
}

template <typename OpTy> void BodyOps::add(OpTy body, int64_t loops) {
  if (!body)
    return;
  attn::Stages stages(body);
  for (Operation &op : body.getBody().front().without_terminator()) {
    attn::Stage stage = stages.get(op.getResult(0));
    if (stage == attn::Stage::Key)
      ofKeys += getCount(op) * loops;
    if (stage >= attn::Stage::Pair)
      ofPairs += getCount(op) * loops;
    if (stage >= attn::Stage::Pair && isa<attn::LoadOp>(op))
      hasPairLoads = true;
    auto isOfPairs = [&](Operation *user) {
      return user->getNumResults() == 0 || stages.get(user->getResult(0)) >= attn::Stage::Pair;
    };
    if (stage == attn::Stage::Query && llvm::any_of(op.getUsers(), isOfPairs))
      ++queryValues;
  }
}

bool BodyOps::fitUnrolled(tile::WarpScheduleAttr schedule, int64_t mostOfPairs,
                          int64_t mostOfKeys) const {
  // A thread has every eighth row of its warp, and of each a quarter of the columns.
  int64_t keys = schedule.getKeyBlock() / 4, pairs = schedule.getWarpRows() / 8 * keys;
  return pairs * ofPairs <= mostOfPairs && keys * ofKeys <= mostOfKeys;
}
