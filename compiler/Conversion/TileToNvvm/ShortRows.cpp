//===- ShortRows.cpp - The end of rows in short grids ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Rows that have seen all keys go to o; those of a split go to the workspace, in f32 and relative
// to their largest score. All pass through shared memory, and a warp finishes them one after the
// other: short grids have few rows, and what is not unrolled over them stays small.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attnc;

static constexpr int64_t warpSize = 32;

void WarpLowering::stageShortRows(const State &state) {
  int64_t group = getOutputGroup(), groupBytes = 16 * group;
  constexpr int64_t swizzled = tile::SharedLayout::stagedRowAlignment;
  Value inRow = code.bitXor(code.mul(self.quadLane, 4 * group), code.shiftLeft(self.quadRow, 5));
  for (int64_t slot = 0; slot < getNumSlots(); ++slot) {
    Value row = code.add(code.add(self.warpRow, self.quadRow), 8 * slot);
    Value sum = state.sums[slot];
    for (int64_t laneMask : {1, 2})
      sum = code.addF(sum, code.shuffleXor(sum, laneMask));
    code.ifTrue(code.equal(self.quadLane, code.i32(0)), [&] {
      code.store(code.packVector({state.maxima[slot], sum}),
                 getShared(code.shiftLeft(row, 3), layout.statistics), 8);
    });
    Value start = code.add(code.mul(row, layout.getStagedRowBytes()), inRow);
    for (int64_t n = 0; n < getNumOutputs(); n += group) {
      int64_t byte = n / group * groupBytes;
      Value place = code.bitXor(start, byte % swizzled);
      code.store(code.packVector(ArrayRef(state.output[slot]).slice(n, group)),
                 getShared(place, layout.queries + byte / swizzled * swizzled), 4 * group);
    }
  }
}

void WarpLowering::storeShortRow(Value row) {
  Type f32 = code.getF32Type();
  Value zero = code.f32(0), one = code.f32(1), rowOfAll = code.add(firstRow, row);
  int64_t valueDim = attn.getValueDim(), parts = llvm::divideCeil(valueDim, warpSize);
  auto getColumn = [&](int64_t part) { return code.add(self.lane, warpSize * part); };
  auto isInside = [&](int64_t part) { return code.less(getColumn(part), code.i32(valueDim)); };

  Value statistics = getShared(code.shiftLeft(row, 3), layout.statistics);
  Value maximum = code.load(f32, statistics, 4),
        sum = code.load(f32, code.address(statistics, 4), 4);
  Value start = code.mul(row, layout.getStagedRowBytes());
  Value swizzle = code.shiftLeft(code.bitAnd(row, 7), 5);
  // Products with 0 are 0, or NaN where an output is not finite.
  Value check = zero;
  Values staged;
  for (int64_t part = 0; part < parts; ++part) {
    auto load = [&] {
      Value place = code.bitXor(code.shiftLeft(getColumn(part), 2), swizzle);
      return code.load(f32, getShared(code.add(start, place), layout.queries), 4);
    };
    staged.push_back(warpSize * (part + 1) <= valueDim
                         ? load()
                         : code.choose(isInside(part), f32, load, [&] { return zero; }));
    check = code.fma(staged.back(), zero, check);
  }
  Value notFinite = code.compareF(arith::CmpFPredicate::UNE, check, zero);
  Value flag = code.orOf(notFinite, hasLargeScores(maximum));
  if (rowsMayBeUnknown) {
    Value unknown = loadShared(code.getI32Type(), layout.flags, row);
    flag = code.orOf(flag, code.less(code.i32(0), unknown));
  }
  Value again = code.anyInWarp(flag);
  Values types = staged;
  types.append({sum, maximum});
  Values results = code.choose(
      again, TypeRange(ValueRange(types)), [&] { return computeExactRow(rowOfAll); },
      [&] {
        // Weights become relative to the largest score itself.
        Value infinite = code.f32(-std::numeric_limits<float>::infinity());
        Value none = code.compareF(arith::CmpFPredicate::OEQ, maximum, infinite);
        Value largest = code.select(none, one, emitWeight(maximum, emitReference(maximum)));
        Value factor = arith::DivFOp::create(code, one, largest);
        Values scaled;
        for (Value value : staged)
          scaled.push_back(code.mulF(value, factor));
        scaled.push_back(code.mulF(sum, factor));
        scaled.push_back(maximum);
        return scaled;
      });
  sum = results[parts];

  Value isFirst = code.equal(self.lane, code.i32(0));
  code.ifElse(
      workspace->isShared(),
      [&] {
        Workspace::Row target =
            workspace->getRow(split, batch, getHead(rowOfAll), code.widen(getQuery(rowOfAll)));
        for (int64_t part = 0; part < parts; ++part)
          code.ifTrue(isInside(part), [&] {
            Value offset = code.widen(code.shiftLeft(getColumn(part), 2));
            code.store(results[part], code.address(target.output, offset), 4);
          });
        code.ifTrue(isFirst, [&] {
          code.store(results.back(), code.address(target.statistics, Workspace::Maximum), 4);
          code.store(sum, code.address(target.statistics, Workspace::Sum), 4);
        });
      },
      [&] { storeExactRow(rowOfAll, results); });
}

void WarpLowering::emitShortEpilogue(const State &state) {
  WarpBuilder::PhaseScope phase(code, "epilogue");
  stageShortRows(state);
  code.syncWarp();
  Value end = code.minimum(code.add(self.warpRow, schedule.getWarpRows()), rowCount);
  code.loop(self.warpRow, end, 1, [&](Value row) { storeShortRow(row); });
}
