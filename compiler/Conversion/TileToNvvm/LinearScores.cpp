//===- LinearScores.cpp - Score bodies that add a multiple of a distance ------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// ALiBi and its kind add slope * (kv - q) to a score, where the slope is one number a head. Over
// the keys of a lane, which are at fixed distances from its first one, that is slope * n beyond
// what its first key gets. So the loops add slope * n, one multiply-add with a constant, to scores
// relative to the *shift* of their row in the block: what the row's pair with the lane's first key
// gets. The maximum of a row has it added, and takes it off again as the reference of weights. The
// scale joins the exponent, as it does without a body, and its inverse the slope.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace attnc;

void WarpLowering::storeSlope() {
  if (linearScore)
    code.ifTrue(code.equal(self.thread, code.i32(0)), [&] {
      Value slope = scoreHeads.front().lookup(linearScore->slope);
      float factor = linearScore->sign / linearScore->scale;
      code.store(code.mulF(slope, code.f32(factor)), getShared(layout.slope), 4);
    });
}

Value WarpLowering::loadSlope() {
  // Not kept in a register, nor are its products.
  return code.load(code.getF32Type(), getShared(layout.slope), 4);
}

void WarpLowering::addDistances(Scores &scores) {
  Value slope = loadSlope();
  for (Values &row : scores)
    for (auto [n, value] : llvm::enumerate(row)) {
      auto column = static_cast<float>(getColumn(static_cast<int64_t>(n)));
      if (column != 0)
        value = code.fma(slope, code.f32(linearScore->step * column), value);
    }
}

WarpLowering::Values WarpLowering::emitShifts(Value firstKey, bool masked) {
  Values shifts;
  if (!linearScore)
    return shifts;
  Value laneKey = code.mul(self.quadLane, getLaneKeys(getKeyBlock(masked)));
  Value key = code.widen(code.add(firstKey, laneKey));
  const StageValues &scoreHead = scoreHeads.front();
  StageValues distanceKey = distance->emitKey(code, scoreHead, key);
  Value slope = loadSlope();
  for (const StageValues &scoreQuery : queries.score)
    shifts.push_back(
        code.mulF(slope, distance->emitPair(code, scoreHead, scoreQuery, distanceKey)));
  return shifts;
}

Value WarpLowering::isSteep() {
  // The largest slope whose products with distances are finite.
  Value size = math::AbsFOp::create(code, loadSlope());
  return code.compareF(arith::CmpFPredicate::UGE, size, code.f32(0x1p64f));
}
