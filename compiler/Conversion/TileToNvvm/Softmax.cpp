//===- Softmax.cpp - Scores to weights -----------------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace attnc;

static constexpr float infinity = std::numeric_limits<float>::infinity();

WarpLowering::QueryStages WarpLowering::emitQueries(bool masked) {
  QueryStages stages;
  for (auto [slot, known] : llvm::enumerate(loadQueryValues(masked))) {
    if (score)
      stages.score.push_back(
          score->emitQuery(code, scoreHeads[slot % scoreHeads.size()], rowQueries[slot], known));
    if (masked && pairMask)
      stages.mask.push_back(pairMask->emitQuery(code, maskHead, rowQueries[slot], known));
  }
  return stages;
}

void WarpLowering::emitColumn(MutableArrayRef<Value> scores, const QueryStages &queries, Value key,
                              const StageValues &known, CombineFn combine) {
  SmallVector<StageValues, 4> scoreKeys;
  StageValues maskKey;
  if (evaluatesScore())
    for (const StageValues &scoreHead : scoreHeads)
      scoreKeys.push_back(score->emitKey(code, scoreHead, key, known));
  if (combine)
    maskKey = pairMask->emitKey(code, maskHead, key, known);
  for (auto [slot, value] : llvm::enumerate(scores)) {
    // A score body's first factor may join the scale.
    if (scoreScale)
      value = arith::MulFOp::create(code, value, scoreScale, arith::FastMathFlags::reassoc);
    if (evaluatesScore()) {
      size_t i = slot % scoreHeads.size();
      value = score->emitPair(code, scoreHeads[i], queries.score[slot], scoreKeys[i], value);
    }
    if (!combine)
      continue;
    Value taken = pairMask->emitPair(code, maskHead, queries.mask[slot], maskKey);
    value = code.select(combine(slot, taken), value, code.f32(-infinity));
  }
}

WarpLowering::LaneRanges WarpLowering::emitPairs(Scores &scores, Value firstKey, bool masked) {
  WarpBuilder::PhaseScope phase(code, masked ? "mask" : "scores");
  auto columns = static_cast<int64_t>(scores.front().size());
  bool evaluatesMask = masked && pairMask;
  bool evaluates = evaluatesScore() || evaluatesMask;
  if (linearScore)
    addDistances(scores);
  bool rolled = evaluates && schedule.getRolled();
  if (rolled)
    emitRolledColumns(scores, firstKey, masked);
  LaneRanges ranges;
  if (masked) {
    ranges = getLaneRanges(firstKey);
    // With conditions of pairs, and none of keys, which are bits, a comparison joins theirs.
    bool compares = evaluatesMask && !rolled && ranges.begins.empty() && !keyConditions;
    if (schedule.getTensorCores() && !compares)
      makeBits(ranges, columns);
    restrictToConditions(ranges);
  }
  if (rolled)
    return ranges;
  Value laneFirst, lanePlace, lastKey = code.sub(numKeys, 1);
  if (evaluates)
    laneFirst = code.add(firstKey, code.mul(self.quadLane, getLaneKeys(getKeyBlock(masked))));
  bool hasKeyValues = !getSharedValues(layout.sharedValues.keys, masked).empty();
  if (hasKeyValues)
    lanePlace = getLaneKeyPlace(masked);
  SmallVector<StageValues> known(getKeyGroup());
  const QueryStages rows = layout.hasSharedValues && evaluates ? emitQueries(masked) : queries;
  for (int64_t n = 0; n < columns; ++n) {
    if (hasKeyValues && n % getKeyGroup() == 0)
      known = loadKeyValues(code.bitXor(lanePlace, layout.getKeyPlace(getColumn(n))), getKeyGroup(),
                            masked);
    Value key;
    if (evaluates) {
      key = code.add(laneFirst, getColumn(n));
      // Keys past the last are computed as the last.
      if (masked)
        key = code.minimum(key, lastKey);
      key = code.widen(key);
    }
    Values column;
    for (const Values &row : scores)
      column.push_back(row[n]);
    auto combine = [&](int64_t slot, Value taken) {
      return code.bothOf(isInRange(ranges, slot, n), taken);
    };
    emitColumn(column, rows, key, known[n % getKeyGroup()],
               evaluatesMask ? CombineFn(combine) : CombineFn());
    for (auto [row, value] : llvm::zip(scores, column))
      row[n] = value;
  }
  if (evaluatesMask)
    ranges = {};
  return ranges;
}

// A weight is exp2(s c - r), where r is m c rounded up and m the largest score: one fused
// multiply-add a score. The rounding of r is the same for all scores of a row, and cancels when the
// row is normalised. Rounded up, it leaves exponents below 0, so that no weight is infinite; from
// |r| = 2^29 on it is worth powers of 2^-64 and more, and rows are left to ExactRows.cpp.

Value WarpLowering::emitReference(Value maximum) {
  return code.mulRoundedUp(maximum, code.f32(units.exponentScale));
}

Value WarpLowering::emitWeight(Value score, Value reference) {
  Value negated = arith::NegFOp::create(code, reference);
  return code.exp2(code.fma(score, code.f32(units.exponentScale), negated));
}

Value WarpLowering::hasLargeScores(Value maximum) {
  Value magnitude = math::AbsFOp::create(code, emitReference(maximum));
  Value large = code.compareF(arith::CmpFPredicate::OGE, magnitude, code.f32(0x1p29f));
  Value some = code.compareF(arith::CmpFPredicate::UNE, maximum, code.f32(-infinity));
  return code.andOf(large, some);
}

WarpLowering::Values WarpLowering::emitSoftmaxStep(Scores &scores, const LaneRanges &ranges,
                                                   ValueRange shifts, State &state) {
  WarpBuilder::PhaseScope phase(code, "softmax");
  Values factors;
  Value smallest = code.f32(std::numeric_limits<float>::lowest());
  loadStatistics(state);
  for (int64_t slot = 0; slot < getNumSlots(); ++slot) {
    Values &row = scores[slot];
    if (!ranges.ends.empty())
      for (auto [n, value] : llvm::enumerate(row))
        value = code.select(isInRange(ranges, slot, n), value, code.f32(-infinity));
    // Two chains at a time.
    Value partial[] = {row[0], row[1]};
    for (size_t n = 2; n < row.size(); ++n)
      partial[n % 2] = code.maxNum(partial[n % 2], row[n]);
    Value maximum = code.maxNum(partial[0], partial[1]);
    if (!shifts.empty())
      maximum = code.addF(maximum, shifts[slot]);
    for (int64_t laneMask : {1, 2})
      maximum = code.maxNum(maximum, code.shuffleXor(maximum, laneMask));
    Value before = state.maxima[slot];
    maximum = code.maxNum(before, maximum);
    state.maxima[slot] = maximum;
    // Nothing seen yet: what is subtracted is finite, which leaves -inf, and weights of 0.
    Value reference = code.maxNum(emitReference(maximum), smallest);
    // Exactly 1 where the maximum stays, else sums would drift from block to block.
    Value factor = code.exp2(code.subF(emitReference(before), reference));
    if (!shifts.empty())
      reference = code.maxNum(emitReference(code.subF(maximum, shifts[slot])), smallest);

    Value sums[] = {Value(), Value()};
    for (auto [n, value] : llvm::enumerate(row)) {
      value = emitWeight(value, reference);
      Value &sum = sums[n % 2];
      sum = sum ? code.addF(sum, value) : value;
    }
    state.sums[slot] = code.fma(state.sums[slot], factor, code.addF(sums[0], sums[1]));
    factors.push_back(factor);
  }
  storeStatistics(state);
  return factors;
}

void WarpLowering::loadStatistics(State &state) {
  if (!layout.hasStatistics)
    return;
  int64_t slots = getNumSlots();
  auto type = VectorType::get(slots, code.getF32Type());
  Value place = code.mul(code.threadIndex(), 4 * slots);
  for (auto [values, array] :
       {std::pair(&state.maxima, layout.maxima), {&state.sums, layout.sums}}) {
    *values = code.unpackVector(code.load(type, getShared(place, array), 4 * slots));
  }
}

void WarpLowering::storeStatistics(State &state) {
  if (!layout.hasStatistics)
    return;
  int64_t slots = getNumSlots();
  Value place = code.mul(code.threadIndex(), 4 * slots);
  for (auto [values, array] :
       {std::pair(&state.maxima, layout.maxima), {&state.sums, layout.sums}}) {
    code.store(code.packVector(*values), getShared(place, array), 4 * slots);
    values->clear();
  }
}
