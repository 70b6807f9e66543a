//===- RowRanges.cpp - Ranges of keys of the queries of a block ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Conjuncts such as q >= kv or q - kv < w let a query attend to a range of keys, and so does the
// end of the keys. Each thread computes the range of one query before the loops, and masked blocks
// of keys read those of a lane's rows. On tensor cores a lane's keys follow each other, so that a
// range is a run of bits, which one instruction makes and ptxas moves to seven predicates at a
// time.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"

using namespace mlir;
using namespace attnc;

static constexpr int64_t wordBits = 32;

void WarpLowering::storeRowRanges() {
  if (!hasRowRanges())
    return;
  Value lastRow = code.sub(rowCount, 1), zero = code.i32(0);
  code.loop(self.thread, code.i32(schedule.getQueryBlock()), schedule.getNumThreads(),
            [&](Value row) {
              Value query = code.widen(getQuery(code.add(firstRow, code.minimum(row, lastRow))));
              attn::KeyRange range = maskRanges->emitKeyRange(code, query);
              Value begin = code.narrow(range.lo), end = code.narrow(range.hi);
              if (range.known) {
                // Rows without a known range take no part, and are computed once more.
                rowsMayBeUnknown = true;
                begin = code.select(range.known, begin, zero);
                end = code.select(range.known, end, zero);
                storeShared(code.select(range.known, zero, code.i32(1)), layout.flags, row);
              }
              if (maskAnalysis->rangesHaveBegins())
                storeForQuad(begin, layout.rowBegins, row);
              storeForQuad(end, layout.rowEnds, row);
            });
}

Value WarpLowering::getQuadPlace(Value row, int64_t quadWords) {
  SmallVector<int64_t> bits;
  for (int64_t bit = 1; bit < schedule.getQueryBlock(); bit *= 2)
    bits.push_back(bit < 8                        ? bit * quadWords
                   : bit < schedule.getWarpRows() ? bit / 8
                                                  : 8 * bit / schedule.getWarpRows() * quadWords);
  return code.mapBits(row, bits);
}

/// Stores a key of `row` for each lane of the quad that owns the row, relative to the lane's first
/// key.
void WarpLowering::storeForQuad(Value key, int64_t array, Value row) {
  int64_t slots = getNumSlots();
  Value place = getQuadPlace(row, 4 * slots);
  int64_t laneKeys = getLaneKeys(getKeyBlock(/*masked=*/true));
  for (int64_t lane = 0; lane < 4; ++lane)
    storeShared(code.sub(key, lane * laneKeys), array, code.add(place, lane * slots));
}

WarpLowering::LaneRanges WarpLowering::getLaneRanges(Value firstKey) {
  auto getRelative = [&](Value key) { return code.sub(key, firstKey); };
  int64_t slots = getNumSlots();
  LaneRanges ranges;
  if (!hasRowRanges()) {
    Value laneKey = code.mul(self.quadLane, getLaneKeys(getKeyBlock(/*masked=*/true)));
    ranges.ends.assign(slots, getRelative(code.sub(numKeys, laneKey)));
    return ranges;
  }
  Value place = code.mul(self.thread, 4 * slots);
  auto load = [&](int64_t array) {
    Value keys =
        code.load(VectorType::get(slots, code.getI32Type()), getShared(place, array), 4 * slots);
    Values relative;
    for (Value key : code.unpackVector(keys))
      relative.push_back(getRelative(key));
    return relative;
  };
  if (maskAnalysis->rangesHaveBegins())
    ranges.begins = load(layout.rowBegins);
  ranges.ends = load(layout.rowEnds);
  return ranges;
}

void WarpLowering::makeBits(LaneRanges &ranges, int64_t columns) {
  for (int64_t slot = 0; slot < getNumSlots(); ++slot) {
    Values &words = ranges.bits.emplace_back();
    for (int64_t first = 0; first < columns; first += wordBits) {
      auto inWord = [&](Value key) { return code.maximum(code.sub(key, first), code.i32(0)); };
      Value begin = code.i32(0), count = inWord(ranges.ends[slot]);
      if (!ranges.begins.empty()) {
        begin = inWord(ranges.begins[slot]);
        count = code.sub(count, begin);
      }
      words.push_back(code.bitRun(begin, count));
    }
  }
}

Value WarpLowering::isInRange(const LaneRanges &ranges, int64_t slot, int64_t n) {
  if (!ranges.bits.empty())
    return code.compareBit(ranges.bits[slot][n / wordBits], n % wordBits);
  Value column = code.i32(getColumn(n));
  Value before = code.less(column, ranges.ends[slot]);
  if (!ranges.begins.empty())
    before = code.andOf(code.lessEqual(ranges.begins[slot], column), before);
  if (ranges.conditions.empty())
    return before;
  Value word = ranges.conditions[getColumn(n) / wordBits];
  return code.andOf(before, code.compareBit(word, getColumn(n) % wordBits));
}
