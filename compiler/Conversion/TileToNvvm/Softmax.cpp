//===- Softmax.cpp - Scores to weights -----------------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"
#include <limits>

using namespace mlir;
using namespace attnc;

static constexpr float infinity = std::numeric_limits<float>::infinity();

void WarpLowering::emitPairs(Scores &scores, Value firstKey, bool masked) {
  Value excluded = code.f32(-infinity);
  Value left = code.sub(numKeys, firstKey), lastKey = code.sub(numKeys, 1);
  bool evaluatesMask = masked && mask;
  auto columns = static_cast<int64_t>(scores.front().size());
  for (int64_t n = 0; n < columns; ++n) {
    Value column = code.add(code.shiftLeft(self.quadLane, 1), getColumn(n));
    Value key = code.add(firstKey, column);
    Value inside;
    if (masked) {
      // Keys past the last are computed as the last.
      inside = code.less(column, left);
      key = code.select(inside, key, lastKey);
    }
    Value wideKey = code.widen(key);
    StageValues scoreKey, maskKey;
    if (score)
      scoreKey = score->emitKey(code, scoreHead, wideKey);
    if (evaluatesMask)
      maskKey = mask->emitKey(code, maskHead, wideKey);
    for (int64_t slot = 0; slot < getNumSlots(); ++slot) {
      Value &value = scores[slot][n];
      // A score body's first factor may join the scale.
      if (scoreScale)
        value = arith::MulFOp::create(code, value, scoreScale, arith::FastMathFlags::reassoc);
      if (score)
        value = score->emitPair(code, scoreHead, scoreQueries[slot], scoreKey, value);
      Value taken = inside;
      if (evaluatesMask)
        taken = code.andOf(taken, mask->emitPair(code, maskHead, maskQueries[slot], maskKey));
      if (taken)
        value = code.select(taken, value, excluded);
    }
  }
}

Value WarpLowering::emitWeight(Value score, Value maximum) {
  Value scale = code.f32(exponentScale);
  if (!fusedExponent)
    return code.exp2(code.mulF(code.subF(score, maximum), scale));
  Value reference = arith::NegFOp::create(code, code.mulF(maximum, scale));
  return code.exp2(code.fma(score, scale, reference));
}

Value WarpLowering::emitFactor(Value before, Value maximum) {
  if (!fusedExponent)
    return emitWeight(before, maximum);
  // The difference of rounded products: a maximum that stays gives a factor of exactly 1, else sums
  // would drift from block to block.
  Value scale = code.f32(exponentScale);
  return code.exp2(code.subF(code.mulF(before, scale), code.mulF(maximum, scale)));
}

WarpLowering::Values WarpLowering::emitSoftmaxStep(Scores &scores, State &state) {
  Values factors;
  for (int64_t slot = 0; slot < getNumSlots(); ++slot) {
    Values &row = scores[slot];
    // Two chains at a time.
    Value partial[] = {row[0], row[1]};
    for (size_t n = 2; n < row.size(); ++n)
      partial[n % 2] = code.maxNum(partial[n % 2], row[n]);
    Value maximum = code.maxNum(partial[0], partial[1]);
    for (int64_t laneMask : {1, 2})
      maximum = code.maxNum(maximum, code.shuffleXor(maximum, laneMask));
    maximum = code.maxNum(state.maxima[slot], maximum);
    // Nothing seen yet: subtracting 0 leaves -inf, and weights of 0.
    Value none = code.compareF(arith::CmpFPredicate::OEQ, maximum, code.f32(-infinity));
    Value subtracted = code.select(none, code.f32(0), maximum);
    Value factor = emitFactor(state.maxima[slot], subtracted);
    state.maxima[slot] = maximum;

    Value sums[] = {Value(), Value()};
    for (auto [n, value] : llvm::enumerate(row)) {
      value = emitWeight(value, subtracted);
      Value &sum = sums[n % 2];
      sum = sum ? code.addF(sum, value) : value;
    }
    state.sums[slot] = code.fma(state.sums[slot], factor, code.addF(sums[0], sums[1]));
    factors.push_back(factor);
  }
  return factors;
}
