//===- Runs.cpp - Loops over blocks of keys -----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace attnc;

WarpLowering::State WarpLowering::visitBlock(const State &before, Value firstKey, bool masked,
                                             Value hasNext, Value nextKey) {
  State state = before;
  llvm::SaveAndRestore guard(self, getPosition());
  // All warps have done with the values of the block before, and the keys of this one are there.
  code.waitForCopies();
  code.barrier();
  copyValues(firstKey, /*full=*/!masked);
  Scores scores = schedule.getTensorCores() ? emitMatrixDot() : emitFmaDot();
  code.waitForCopies();
  code.barrier();
  self = getPosition();
  code.ifTrue(hasNext, [&] { copyKeys(nextKey, /*full=*/!masked); });
  emitPairs(scores, firstKey, masked);
  Values factors = emitSoftmaxStep(scores, state);
  self = getPosition();
  if (schedule.getTensorCores())
    emitMatrixDotAcc(scores, factors, state);
  else
    emitFmaDotAcc(scores, factors, state);
  return state;
}

WarpLowering::State WarpLowering::visitRuns(const State &initial, const Run &partial,
                                            const Run &full) {
  Value zero = code.i32(0);
  Type i32 = code.getI32Type();
  Value somePartial = code.less(zero, partial.count), someFull = code.less(zero, full.count);
  code.ifTrue(code.orOf(somePartial, someFull), [&] {
    Value key = code.choose(
        somePartial, i32, [&] { return partial.getFirstKey(zero); },
        [&] { return full.getFirstKey(zero); });
    copyKeys(key, /*full=*/false);
  });

  auto visit = [&](const State &before, const Run &run, bool masked) {
    Values after =
        code.loop(zero, run.count, 1, before.flatten(), [&](Value n, ValueRange carried) {
          Value next = code.add(n, 1);
          Value inRun = code.less(next, run.count);
          Value hasNext = masked ? code.orOf(inRun, someFull) : inRun;
          Value nextKey = code.choose(
              inRun, i32, [&] { return run.getFirstKey(next); },
              [&]() -> Value {
                if (!masked)
                  return zero;
                return code.choose(
                    someFull, i32, [&] { return full.getFirstKey(zero); }, [&] { return zero; });
              });
          State state = before.unflatten(carried);
          return visitBlock(state, run.getFirstKey(n), masked, hasNext, nextKey).flatten();
        });
    return before.unflatten(after);
  };
  return visit(visit(initial, partial, /*masked=*/true), full, /*masked=*/false);
}

/// value / divisor of i32 that are not negative, rounded up.
static Value divideUp(WarpBuilder &code, Value value, int64_t divisor) {
  Value whole = code.divide(value, divisor);
  Value rest = code.sub(value, code.mul(whole, divisor));
  Value more = arith::ExtUIOp::create(code, code.getI32Type(), code.less(code.i32(0), rest));
  return code.add(whole, more);
}

WarpLowering::State WarpLowering::emitRuns(const State &initial) {
  int64_t keyBlock = schedule.getKeyBlock();
  Value zero = code.i32(0);
  keyBegin = zero;
  keyEnd = numKeys;
  Value fullLo = zero, fullHi = numKeys;
  if (mask) {
    Value first = code.widen(firstRow);
    Value last = code.widen(code.add(firstRow, code.sub(rowCount, 1)));
    maskRanges->prepareHead(code, batch, head, arguments.getDim("Q"), arguments.getDim("KV"));
    blockQueries = maskRanges->prepareQueries(code, first, last);
    attn::KeyBounds bounds = maskRanges->emitKeyBounds(code, blockQueries);
    keyBegin = code.narrow(bounds.lo);
    keyEnd = code.narrow(bounds.hi);
    fullLo = code.narrow(bounds.fullLo);
    fullHi = code.narrow(bounds.fullHi);
  }
  // Loops over full blocks copy aligned rows only; others are masked, though nothing is excluded.
  Value aligned = code.andOf(k.aligned, v.aligned);
  fullLo = code.select(aligned, fullLo, numKeys);
  fullHi = code.select(aligned, fullHi, zero);
  // In blocks of keys. Where there are no keys, hi may be below lo.
  Value begin = code.divide(keyBegin, keyBlock);
  Value end = code.maximum(divideUp(code, keyEnd, keyBlock), begin);
  Value fullBegin = code.minimum(divideUp(code, fullLo, keyBlock), end);
  Value fullEnd = code.minimum(code.maximum(code.divide(fullHi, keyBlock), fullBegin), end);
  if (mask && maskAnalysis->needsVerdict())
    return emitClassifiedRuns(initial, begin, end, fullBegin, fullEnd);

  Value before = code.sub(fullBegin, begin);
  Run partial, full;
  partial.count = code.add(before, code.sub(end, fullEnd));
  partial.getFirstKey = [=, this](Value n) {
    Value skipped = code.select(code.less(n, before), zero, code.sub(fullEnd, fullBegin));
    return code.mul(code.add(code.add(begin, n), skipped), keyBlock);
  };
  full.count = code.sub(fullEnd, fullBegin);
  full.getFirstKey = [=, this](Value n) { return code.mul(code.add(fullBegin, n), keyBlock); };
  return visitRuns(initial, partial, full);
}

/// Puts the blocks of keys from `first` on, one a thread, on the lists of full and partial blocks,
/// each in ascending order.
void WarpLowering::classifyBlocks(Value first, Value end, Value fullBegin, Value fullEnd) {
  int64_t keyBlock = schedule.getKeyBlock();
  Value block = code.add(first, self.thread);
  Value no = code.boolean(false);
  Type i1 = code.getI1Type();
  Value inside = code.less(block, end);
  Values verdict = code.choose(
      inside, TypeRange{i1, i1},
      [&]() -> Values {
        Value key = code.mul(block, keyBlock);
        Value count = code.minimum(code.sub(numKeys, key), code.i32(keyBlock));
        Value last = code.add(key, code.sub(count, 1));
        auto keys = maskRanges->prepareKeys(code, code.widen(key), code.widen(last));
        attn::Verdict found = maskRanges->emitVerdict(code, blockQueries, keys);
        Value known = code.andOf(code.lessEqual(fullBegin, block), code.less(block, fullEnd));
        Value whole = code.lessEqual(code.i32(keyBlock), count);
        Value must = code.andOf(found.must, code.andOf(whole, code.andOf(k.aligned, v.aligned)));
        Value full = code.orOf(known, must);
        return {code.orOf(found.may, known), full};
      },
      [&]() -> Values { return {no, no}; });
  Value isFull = verdict[1];
  Value isPartial = code.select(isFull, no, verdict[0]);

  // Each warp counts its blocks, then each thread those of the warps before its own.
  Value fullBits = code.ballot(isFull), partialBits = code.ballot(isPartial);
  auto count = [&](Value bits) -> Value { return math::CtPopOp::create(code, bits); };
  int64_t partialCounts = layout.counts + 4 * schedule.getNumWarps();
  code.ifTrue(code.equal(self.lane, code.i32(0)), [&] {
    storeShared(count(fullBits), layout.counts, self.warp);
    storeShared(count(partialBits), partialCounts, self.warp);
  });
  code.barrier();
  Value lower = code.sub(arith::ShLIOp::create(code, code.i32(1), self.lane), 1);
  auto place = [&](Value mine, Value bits, int64_t counts, int64_t list) {
    Value position = count(arith::AndIOp::create(code, bits, lower));
    for (int64_t i = 0; i < schedule.getNumWarps(); ++i) {
      Value others = loadShared(code.getI32Type(), counts, code.i32(i));
      position =
          code.add(position, code.select(code.less(code.i32(i), self.warp), others, code.i32(0)));
    }
    code.ifTrue(mine, [&] { storeShared(code.mul(block, keyBlock), list, position); });
  };
  place(isFull, fullBits, layout.counts, layout.fullBlocks);
  place(isPartial, partialBits, partialCounts, layout.partialBlocks);
  code.barrier();
}

WarpLowering::State WarpLowering::emitClassifiedRuns(const State &initial, Value begin, Value end,
                                                     Value fullBegin, Value fullEnd) {
  Type i32 = code.getI32Type();
  auto getRun = [&](int64_t list, int64_t counts) {
    Run run;
    run.count = code.i32(0);
    for (int64_t i = 0; i < schedule.getNumWarps(); ++i)
      run.count = code.add(run.count, loadShared(i32, counts, code.i32(i)));
    run.getFirstKey = [=, this](Value n) { return loadShared(i32, list, n); };
    return run;
  };
  Values after = code.loop(begin, end, schedule.getNumThreads(), initial.flatten(),
                           [&](Value first, ValueRange carried) {
                             code.barrier();
                             classifyBlocks(first, end, fullBegin, fullEnd);
                             Run full = getRun(layout.fullBlocks, layout.counts);
                             Run partial = getRun(layout.partialBlocks,
                                                  layout.counts + 4 * schedule.getNumWarps());
                             return visitRuns(initial.unflatten(carried), partial, full).flatten();
                           });
  return initial.unflatten(after);
}
