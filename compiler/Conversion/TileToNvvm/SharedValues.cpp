//===- SharedValues.cpp - What bodies compute of keys or queries alone --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Ids and positions of a key are the same for all queries of a block, but each thread has pairs of
// a quarter of the keys. So each thread computes what depends on one key alone and puts it into
// shared memory, from which threads read it four keys at a time. Conditions become bits, which join
// those of the ranges of the rows. What depends on a query alone is put there before the loops, so
// that it takes no registers in them.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"

using namespace mlir;
using namespace attnc;

static constexpr int64_t warpSize = 32, wordBits = 32;

/// A value of at most 32 bits as an i32 or f32, and back.
static Value widenToWord(WarpBuilder &code, Value value) {
  Type type = value.getType();
  if (type.getIntOrFloatBitWidth() == wordBits)
    return value;
  if (isa<FloatType>(type))
    value =
        arith::BitcastOp::create(code, code.getIntegerType(type.getIntOrFloatBitWidth()), value);
  return arith::ExtUIOp::create(code, code.getI32Type(), value);
}
static Type getWordType(Type type) {
  return type.isF32() ? type : IntegerType::get(type.getContext(), wordBits);
}
static Value narrowWord(WarpBuilder &code, Type type, Value word) {
  if (type == word.getType())
    return word;
  Type bits = code.getIntegerType(type.getIntOrFloatBitWidth());
  Value value = bits == word.getType() ? word : arith::TruncIOp::create(code, bits, word);
  return isa<FloatType>(type) ? arith::BitcastOp::create(code, type, value) : value;
}

WarpLowering::Values WarpLowering::getSharedValues(const attn::SharedValues::OfBodies &values,
                                                   bool masked) const {
  Values all;
  if (!layout.hasSharedValues)
    return all;
  all.append(values.score);
  if (masked)
    all.append(values.mask);
  return all;
}

void WarpLowering::storeQueryValues() {
  const attn::SharedValues::OfBodies &ofQueries = layout.sharedValues.queries;
  Values values = getSharedValues(ofQueries, /*masked=*/true);
  if (values.empty())
    return;
  Value lastRow = code.sub(rowCount, 1);
  code.loop(self.thread, code.i32(schedule.getQueryBlock()), schedule.getNumThreads(),
            [&](Value row) {
              Value query = code.widen(getQuery(code.add(firstRow, code.minimum(row, lastRow))));
              StageValues emitted;
              if (!ofQueries.score.empty())
                emitted = score->emitQuery(code, scoreHeads.front(), query);
              if (!ofQueries.mask.empty()) {
                StageValues ofMask = pairMask->emitQuery(code, maskHead, query);
                emitted.insert(ofMask.begin(), ofMask.end());
              }
              Value place = code.shiftLeft(getQuadPlace(row, getNumSlots()), 2);
              for (auto [i, value] : llvm::enumerate(values))
                code.store(widenToWord(code, emitted.lookup(value)),
                           getShared(place, layout.getQueryArray(i, schedule)), 4);
            });
}

SmallVector<StageValues>
WarpLowering::loadSharedValues(ArrayRef<Value> values, Value place, int64_t count,
                               llvm::function_ref<int64_t(int64_t)> getArray) {
  SmallVector<StageValues> places(count);
  for (auto [i, value] : llvm::enumerate(values)) {
    auto type = VectorType::get(count, getWordType(value.getType()));
    Value words = code.load(type, getShared(place, getArray(i)), 4 * count);
    for (auto [known, word] : llvm::zip(places, code.unpackVector(words)))
      known[value] = narrowWord(code, value.getType(), word);
  }
  return places;
}

SmallVector<StageValues> WarpLowering::loadQueryValues(bool masked) {
  Values values = getSharedValues(layout.sharedValues.queries, masked);
  int64_t slots = getNumSlots();
  Value place;
  if (!values.empty())
    place = code.mul(code.shiftRight(code.threadIndex(), 2), 4 * slots);
  return loadSharedValues(values, place, slots,
                          [&](int64_t i) { return layout.getQueryArray(i, schedule); });
}

SmallVector<WarpLowering::KeyWords> WarpLowering::computeKeyValues(Value firstKey, bool masked) {
  const attn::SharedValues::OfBodies &ofKeys = layout.sharedValues.keys;
  Values values = getSharedValues(ofKeys, masked);
  bool hasConditions = masked && keyConditions;
  if (values.empty() && !hasConditions)
    return {};
  WarpBuilder::PhaseScope phase(code, "values of keys");
  int64_t keyBlock = getKeyBlock(masked), numThreads = schedule.getNumThreads();
  SmallVector<KeyWords> all;
  for (int64_t first = 0; first < keyBlock; first += numThreads) {
    KeyWords &words = all.emplace_back();
    words.key = code.add(code.threadIndex(), first);
    Value key = code.add(firstKey, code.bitAnd(words.key, keyBlock - 1));
    // Keys past the last are computed as the last.
    if (masked)
      key = code.minimum(key, code.sub(numKeys, 1));
    key = code.widen(key);
    StageValues emitted;
    if (!ofKeys.score.empty())
      emitted = score->emitKey(code, scoreHeads.front(), key);
    if (masked && !ofKeys.mask.empty()) {
      StageValues ofMask = pairMask->emitKey(code, maskHead, key);
      emitted.insert(ofMask.begin(), ofMask.end());
    }
    for (Value value : values)
      words.values.push_back(widenToWord(code, emitted.lookup(value)));
    if (hasConditions) {
      Value holds = keyConditions->emitPair(code, maskHead, StageValues(),
                                            keyConditions->emitKey(code, maskHead, key));
      words.conditions = code.ballot(holds);
    }
  }
  return all;
}

void WarpLowering::storeKeyValues(ArrayRef<KeyWords> all, bool masked) {
  WarpBuilder::PhaseScope phase(code, "values of keys");
  int64_t keyBlock = getKeyBlock(masked);
  for (const KeyWords &words : all) {
    auto store = [&] {
      Value place = getKeyPlace(words.key);
      for (auto [n, value] : llvm::enumerate(words.values))
        code.store(value, getShared(place, layout.getKeyArray(n, schedule)), 4);
      if (words.conditions)
        code.ifTrue(code.equal(code.bitAnd(words.key, warpSize - 1), code.i32(0)), [&] {
          storeShared(words.conditions, layout.keyBits, code.shiftRight(words.key, 5));
        });
    };
    if (keyBlock < schedule.getNumThreads())
      code.ifTrue(code.less(words.key, code.i32(keyBlock)), store);
    else
      store();
  }
}

Value WarpLowering::getLaneKeyPlace(bool masked) {
  int64_t laneKeys = getLaneKeys(getKeyBlock(masked));
  return code.mapBits(self.quadLane,
                      {layout.getKeyPlace(laneKeys), layout.getKeyPlace(2 * laneKeys)});
}

Value WarpLowering::getKeyPlace(Value key) {
  Value chunk = code.bitAnd(code.shiftRight(key, 3), 7 << 2);
  return code.shiftLeft(code.bitXor(key, chunk), 2);
}

SmallVector<StageValues> WarpLowering::loadKeyValues(Value place, int64_t count, bool masked) {
  return loadSharedValues(getSharedValues(layout.sharedValues.keys, masked), place, count,
                          [&](int64_t i) { return layout.getKeyArray(i, schedule); });
}

void WarpLowering::restrictToConditions(LaneRanges &ranges) {
  if (!keyConditions)
    return;
  int64_t keyBlock = getKeyBlock(/*masked=*/true), numWords = llvm::divideCeil(keyBlock, wordBits);
  auto load = [&](Value index, int64_t n) {
    return code.load(code.getI32Type(), getShared(code.shiftLeft(index, 2), layout.keyBits + 4 * n),
                     4);
  };
  if (!schedule.getTensorCores()) {
    for (int64_t n = 0; n < numWords; ++n)
      ranges.conditions.push_back(arith::ShRUIOp::create(
          code, load(code.i32(0), n), code.mul(self.quadLane, getLaneKeys(keyBlock))));
    return;
  }
  int64_t laneKeys = getLaneKeys(keyBlock);
  Value firstBit = code.mul(self.quadLane, laneKeys);
  for (int64_t n = 0, end = llvm::divideCeil(laneKeys, wordBits); n < end; ++n) {
    Value word = load(code.shiftRight(firstBit, 5), n);
    if (laneKeys < wordBits)
      word = arith::ShRUIOp::create(code, word, code.bitAnd(firstBit, wordBits - 1));
    for (Values &bits : ranges.bits)
      bits[n] = arith::AndIOp::create(code, bits[n], word);
  }
}
