//===- RolledBodies.cpp - Bodies in a loop over keys --------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Registers cannot be indexed. A thread puts its scores into shared memory, where those of a warp
// lie in different banks, a loop over its keys computes them, for all its rows at a time, and they
// go back into registers. So a body is in each loop over blocks of keys as often as a thread has
// rows, and what depends on the key alone once.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"

using namespace mlir;
using namespace attnc;

Value WarpLowering::getColumn(Value n) {
  if (schedule.getTensorCores())
    return n;
  Value pair = code.shiftLeft(code.shiftRight(n, 1), 3);
  return code.add(pair, code.bitAnd(n, 1));
}

void WarpLowering::emitRolledColumns(Scores &scores, Value firstKey, bool masked) {
  int64_t slots = getNumSlots(), columns = getKeyBlock(masked) / 4;
  Type f32 = code.getF32Type();
  Value row = code.shiftLeft(self.warpRow, 7);
  Value lane = getShared(code.add(row, code.shiftLeft(self.lane, 2)), layout.weights);
  auto getPlace = [&](int64_t slot, int64_t n) {
    return code.address(lane, layout.getScorePlace(slot, n, schedule));
  };
  for (auto [slot, row] : llvm::enumerate(scores))
    for (auto [n, value] : llvm::enumerate(row))
      code.store(value, getPlace(slot, n), 4);

  Value laneFirst = code.add(firstKey, code.mul(self.quadLane, getLaneKeys(getKeyBlock(masked))));
  Value lastKey = code.sub(numKeys, 1), lanePlace = getLaneKeyPlace(masked);
  const QueryStages rows = layout.hasSharedValues ? emitQueries(masked) : queries;
  code.loop(code.i32(0), code.i32(columns), 1, [&](Value n) {
    Value column = getColumn(n), key = code.add(laneFirst, column);
    // Keys past the last are computed as the last.
    if (masked)
      key = code.minimum(key, lastKey);
    // Columns of one panel, and panels, follow each other at equal distances.
    Value panel = code.mul(code.shiftRight(n, 3), layout.getScorePlace(0, 8, schedule));
    Value inPanel = code.mul(code.bitAnd(n, 7), layout.getScorePlace(0, 1, schedule));
    Value first = code.address(lane, code.add(panel, inPanel));
    Value keyPlace = code.bitXor(lanePlace, getKeyPlace(column));
    StageValues known = loadKeyValues(keyPlace, /*count=*/1, masked).front();
    auto getSlot = [&](int64_t slot) {
      return code.address(first, layout.getScorePlace(slot, 0, schedule));
    };
    Values scoresOfKey;
    for (int64_t slot = 0; slot < slots; ++slot)
      scoresOfKey.push_back(code.load(f32, getSlot(slot), 4));
    // Ranges of keys are left to the softmax.
    auto combine = [](int64_t, Value taken) { return taken; };
    emitColumn(scoresOfKey, rows, code.widen(key), known,
               masked && pairMask ? CombineFn(combine) : CombineFn());
    for (auto [slot, value] : llvm::enumerate(scoresOfKey))
      code.store(value, getSlot(slot), 4);
  });

  for (auto [slot, row] : llvm::enumerate(scores))
    for (auto [n, value] : llvm::enumerate(row))
      value = code.load(f32, getPlace(slot, n), 4);
  // Other threads of the warp put weights there.
  if (!schedule.getTensorCores())
    code.syncWarp();
}
