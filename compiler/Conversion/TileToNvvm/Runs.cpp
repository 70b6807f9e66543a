//===- Runs.cpp - Loops over blocks of keys -----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace attnc;

WarpLowering::State WarpLowering::visitBlock(const State &before, Value firstKey, bool masked,
                                             llvm::function_ref<void()> copyNextKeys) {
  WarpBuilder::PhaseScope phase(code, masked ? "loop over masked blocks" : "loop over full blocks");
  State state = before;
  bool tensorCores = schedule.getTensorCores();
  llvm::SaveAndRestore guard(self, self);
  if (!tensorCores)
    self = getPosition();
  // All warps have done with the values of the block before, and the keys of this one are there.
  code.waitForCopies();
  code.barrier();
  if (masked)
    code.ifElse(
        code.lessEqual(firstKey, lastWholeKey), [&] { copyValues(firstKey, /*masked=*/true); },
        [&] { copyBlock(firstKey); });
  else
    copyValues(firstKey, /*masked=*/false);
  // Loads take their time while products are computed.
  SmallVector<KeyWords> keyWords = computeKeyValues(firstKey, masked);
  Scores scores = emitDot(masked);
  storeKeyValues(keyWords, masked);
  code.waitForCopies();
  code.barrier();
  copyNextKeys();
  emitWeights(scores, firstKey, masked, state);
  return state;
}

WarpLowering::Scores WarpLowering::emitDot(bool masked) {
  if (schedule.getTf32() != tile::Tf32::None)
    return emitTf32Dot(masked);
  return schedule.getTensorCores() ? emitMatrixDot(masked) : emitFmaDot(getKeyBlock(masked));
}

void WarpLowering::emitWeights(Scores &scores, Value firstKey, bool masked, State &state) {
  if (score || masked)
    self = getPosition();
  Values checks = checkProducts(scores);
  LaneRanges ranges = emitPairs(scores, firstKey, masked);
  Values factors = emitSoftmaxStep(scores, ranges, emitShifts(firstKey, masked), state);
  for (auto [factor, check] : llvm::zip(factors, checks))
    factor = code.addF(factor, check);
  if (schedule.getTf32() != tile::Tf32::None) {
    emitTf32DotAcc(masked, scores, factors, state);
  } else if (schedule.getTensorCores()) {
    emitMatrixDotAcc(masked, scores, factors, state);
  } else {
    self = getPosition();
    emitFmaDotAcc(scores, factors, state);
  }
}

WarpLowering::State WarpLowering::visitRuns(const State &initial, const Run &partial,
                                            const Run &full) {
  auto isInside = [&](const Run &run, Value place) {
    return code.lessUnsigned(place, run.getEnd());
  };
  Value someFull = isInside(full, full.first);
  auto getFirstFull = [&] { return full.getFirstKey(full.first); };
  auto copyFirstFull = [&] {
    code.ifTrue(someFull, [&] { copyKeys(getFirstFull(), /*masked=*/false); });
  };
  // Full blocks of the size of masked ones are copied in the same way; the first key is `numKeys`
  // where there are none.
  bool sameBlocks = schedule.getMaskedBlocks() == 1;
  Value firstFull;
  if (sameBlocks)
    firstFull = code.choose(someFull, code.getI32Type(), getFirstFull, [&] { return numKeys; });
  auto copyMasked = [&](Value place) {
    auto getFirstKey = [&] { return partial.getFirstKey(place); };
    if (sameBlocks) {
      // Not the condition of the loop, which would take a register until then.
      Value isPartial = code.less(place, partial.getEnd());
      Value key = code.choose(isPartial, code.getI32Type(), getFirstKey, [&] { return firstFull; });
      code.ifTrue(code.lessEqual(key, lastWholeKey), [&] { copyKeys(key, /*masked=*/true); });
    } else {
      code.ifElse(
          isInside(partial, place),
          [&] {
            Value key = getFirstKey();
            code.ifTrue(code.lessEqual(key, lastWholeKey), [&] { copyKeys(key, /*masked=*/true); });
          },
          copyFirstFull);
    }
  };
  copyMasked(partial.first);

  auto visit = [&](const State &before, const Run &run, bool masked) {
    Values initial = {run.first};
    initial.append(before.flatten());
    auto isAny = [&](ValueRange carried) { return isInside(run, carried.front()); };
    Values after = code.loopWhile(initial, isAny, [&](ValueRange carried) {
      Value next;
      auto copyNextKeys = [&] {
        next = run.getNext(carried.front());
        if (masked)
          copyMasked(next);
        else
          code.ifTrue(isInside(run, next),
                      [&] { copyKeys(run.getFirstKey(next), /*masked=*/false); });
      };
      State state = visitBlock(before.unflatten(carried.drop_front()),
                               run.getFirstKey(carried.front()), masked, copyNextKeys);
      Values results = {next};
      results.append(state.flatten());
      return results;
    });
    return before.unflatten(ArrayRef(after).drop_front());
  };
  return visit(visit(initial, partial, /*masked=*/true), full, /*masked=*/false);
}

WarpLowering::State WarpLowering::visitShortRun(const State &initial, const BlockList &blocks) {
  WarpBuilder::PhaseScope phase(code, "loop over masked blocks");
  Value hasRows = code.less(self.warpRow, rowCount), zero = code.i32(0);
  auto getStage = [&](Value n) { return code.mul(code.bitAnd(n, 1), layout.stageBytes); };
  llvm::SaveAndRestore guard(stage, Value());
  // Step n copies block n and computes with block n - 1.
  Values after = code.loop(
      zero, code.add(blocks.count, 1), 1, initial.flatten(), [&](Value n, ValueRange carried) {
        // Block n - 1 is there, and all warps have done with the one before it.
        code.waitForCopies();
        code.barrier();
        code.ifTrue(code.less(n, blocks.count), [&] {
          stage = getStage(n);
          Value firstKey = blocks.getFirstKey(n);
          code.ifElse(
              alignedKeys,
              [&] {
                copyKeys(firstKey, /*masked=*/true, /*whole=*/false);
                copyValues(firstKey, /*masked=*/true, /*whole=*/false);
              },
              [&] { copyBlock(firstKey); });
        });
        return code.choose(
            code.andOf(hasRows, code.less(zero, n)), carried.getTypes(),
            [&] {
              Value last = code.sub(n, 1);
              stage = getStage(last);
              State state = initial.unflatten(carried);
              Scores scores = emitDot(/*masked=*/true);
              emitWeights(scores, blocks.getFirstKey(last), /*masked=*/true, state);
              return state.flatten();
            },
            [&] { return Values(carried); });
      });
  return initial.unflatten(after);
}

void WarpLowering::placeSplit(ArrayRef<KeyBlocks> runs) {
  Value splits = workspace->getNumSplits();
  Value count = code.sub(runs.front().end, runs.front().begin);
  for (const KeyBlocks &run : runs.drop_front()) {
    laterRuns.push_back({count, code.sub(code.sub(run.begin, count), runs.front().begin)});
    count = code.add(count, code.sub(run.end, run.begin));
  }
  Value left = code.maximum(code.sub(count, split), code.i32(0));
  numSplitBlocks = code.divide(code.add(left, code.sub(splits, 1)), splits);
  firstSplitBlock = code.add(runs.front().begin, split);
}

Value WarpLowering::getSplitBlock(Value n) {
  Value next = code.mul(n, workspace->getNumSplits());
  Value block = code.add(firstSplitBlock, next);
  if (laterRuns.empty())
    return block;
  Value place = code.add(split, next), offset = code.i32(0);
  for (const LaterRun &run : laterRuns)
    offset = code.select(code.lessEqual(run.first, place), run.offset, offset);
  return code.add(block, offset);
}

/// value / divisor of i32 that are not negative, rounded up.
static Value divideUp(WarpBuilder &code, Value value, int64_t divisor) {
  Value whole = code.divide(value, divisor);
  Value rest = code.sub(value, code.mul(whole, divisor));
  Value more = arith::ExtUIOp::create(code, code.getI32Type(), code.less(code.i32(0), rest));
  return code.add(whole, more);
}

void WarpLowering::prepareMaskHead() {
  maskRanges->prepareHead(code, batch, head, arguments.getDim("Q"), arguments.getDim("KV"));
}

attn::MaskRanges::PreparedRange WarpLowering::prepareBlockQueries() {
  Value first = code.widen(getQuery(firstRow));
  Value last = code.widen(getQuery(code.add(firstRow, code.sub(rowCount, 1))));
  // Blocks of short grids have few queries, which need not begin with a summary.
  if (!summaries || schedule.getShortGrid())
    return maskRanges->prepareQueries(code, first, last);
  Values summary;
  for (int64_t i = 0; i < summaries->getNumValues(SummaryTables::Kind::Queries); ++i)
    summary.push_back(code.load(code.getI64Type(), getShared(layout.querySummary + 8 * i), 8));
  return maskRanges->prepareSummarized(code, attn::Stage::Query, first, last, summary);
}

void WarpLowering::storeSummaries() {
  using Kind = SummaryTables::Kind;
  auto store = [&](Value value, int64_t place) { code.store(value, getShared(place), 8); };
  code.ifTrue(code.equal(self.thread, code.i32(0)), [&] {
    store(summaries->getStart(Kind::Keys, batch, head), layout.keySummaries);
    store(summaries->getStart(Kind::KeyGroup, batch, head), layout.keyGroups);
    if (summaries->getNumValues(Kind::Queries) == 0)
      return;
    Value first = code.widen(firstRow);
    Value last = code.widen(code.add(firstRow, code.sub(rowCount, 1)));
    Value start = summaries->getStart(Kind::Queries, batch, head);
    Values summary = summaries->load(Kind::Queries, start, first, last, schedule.getQueryBlock());
    for (auto [i, value] : llvm::enumerate(summary))
      store(value, layout.querySummary + 8 * static_cast<int64_t>(i));
  });
  code.barrier();
}

attn::MaskRanges::PreparedRange WarpLowering::prepareKeys(SummaryTables::Kind kind, Value first,
                                                          Value last, int64_t most) {
  first = code.widen(first);
  last = code.widen(last);
  if (!summaries)
    return maskRanges->prepareKeys(code, first, last);
  int64_t place = kind == SummaryTables::Kind::Keys ? layout.keySummaries : layout.keyGroups;
  Value start = schedule.getShortGrid() ? summaries->getStart(kind, batch, head)
                                        : code.load(code.getI64Type(), getShared(place), 8);
  return maskRanges->prepareSummarized(code, attn::Stage::Key, first, last,
                                       summaries->load(kind, start, first, last, most));
}

WarpLowering::State WarpLowering::emitRuns(const State &initial) {
  WarpBuilder::PhaseScope phase(code, "loops over blocks of keys");
  Value zero = code.i32(0);
  keyBegin = zero;
  keyEnd = numKeys;
  SmallVector<KeyBlocks, attn::maxKeyRuns> runs;
  if (mask) {
    if (summaries && !schedule.getShortGrid())
      storeSummaries();
    prepareMaskHead();
    storeRowRanges();
    runs = placeRuns(maskRanges->emitKeyRuns(code, prepareBlockQueries()));
  } else {
    runs.push_back(placeRun(zero, numKeys, zero, numKeys));
  }
  if (workspace)
    placeSplit(runs);
  if (mask && maskAnalysis->needsVerdict())
    return emitClassifiedRuns(initial, runs.front());
  if (workspace)
    return visitShortRun(initial, {numSplitBlocks, [&](Value n) {
                                     return code.mul(getSplitBlock(n), schedule.getKeyBlock());
                                   }});
  if (runs.size() > 1)
    return visitSeveral(initial, runs);
  auto isAt = [](Value key) { return [key] { return key; }; };
  auto [first, end, fullBegin, fullEnd] = getPlaces(runs.front());
  return visitBlocks(initial, {isAt(first), isAt(end), isAt(fullBegin), isAt(fullEnd)});
}

WarpLowering::KeyBlocks WarpLowering::placeRun(Value lo, Value hi, Value fullLo, Value fullHi) {
  int64_t keyBlock = schedule.getKeyBlock();
  int64_t maskedKeyBlock = schedule.getMaskedKeyBlock();
  // Loops over full blocks copy aligned rows only; others are masked, though nothing is excluded.
  fullLo = code.select(alignedKeys, fullLo, numKeys);
  fullHi = code.select(alignedKeys, fullHi, code.i32(0));
  KeyBlocks blocks;
  // Where there are no keys, hi may be below lo.
  blocks.begin = code.divide(lo, maskedKeyBlock);
  blocks.end = code.maximum(divideUp(code, hi, maskedKeyBlock), blocks.begin);
  blocks.fullBegin = divideUp(code, fullLo, keyBlock);
  blocks.fullEnd = code.maximum(code.divide(fullHi, keyBlock), blocks.fullBegin);
  return blocks;
}

SmallVector<WarpLowering::KeyBlocks, attn::maxKeyRuns>
WarpLowering::placeRuns(ArrayRef<attn::KeyBounds> bounds) {
  SmallVector<KeyBlocks, attn::maxKeyRuns> runs;
  for (const attn::KeyBounds &keys : bounds) {
    Value lo = code.narrow(keys.lo), hi = code.narrow(keys.hi);
    Value fullLo = code.narrow(keys.fullLo), fullHi = code.narrow(keys.fullHi);
    KeyBlocks run = placeRun(lo, hi, fullLo, fullHi);
    if (bounds.size() == 1) {
      keyBegin = lo;
      keyEnd = hi;
      return {run};
    }
    Value some = code.less(lo, hi);
    run.end = code.select(some, run.end, run.begin);
    Value lastKey = code.select(some, hi, code.i32(0));
    if (runs.empty()) {
      keyBegin = lo;
      keyEnd = lastKey;
    } else {
      // A block with the end of one run and the beginning of the next is one of the former.
      keyEnd = code.maximum(keyEnd, lastKey);
      run.begin = code.maximum(run.begin, runs.back().end);
      run.end = code.maximum(run.end, run.begin);
      run.fullBegin =
          code.maximum(run.fullBegin, divideUp(code, run.begin, schedule.getMaskedBlocks()));
      run.fullEnd = code.maximum(run.fullEnd, run.fullBegin);
    }
    runs.push_back(run);
  }
  return runs;
}

std::array<Value, 4> WarpLowering::getPlaces(const KeyBlocks &blocks) {
  int64_t keyBlock = schedule.getKeyBlock(), maskedKeyBlock = schedule.getMaskedKeyBlock();
  Value fullBegin = code.mul(blocks.fullBegin, keyBlock);
  Value fullEnd = code.mul(blocks.fullEnd, keyBlock);
  Value begin = code.mul(blocks.begin, maskedKeyBlock);
  Value first = code.select(code.equal(begin, fullBegin), fullEnd, begin);
  return {first, code.mul(blocks.end, maskedKeyBlock), fullBegin, fullEnd};
}

WarpLowering::State WarpLowering::visitBlocks(const State &initial, const KeyPlaces &places) {
  int64_t keyBlock = schedule.getKeyBlock(), maskedKeyBlock = schedule.getMaskedKeyBlock();
  // Places are first keys.
  auto isKey = [](Value key) { return key; };
  // Where all keys up to a bound take part, full blocks are the first ones.
  bool isPrefix =
      !mask || (maskAnalysis->getPairConditions().empty() && !maskAnalysis->rangesHaveBegins());
  auto getNext = [=, this](Value key) {
    Value next = code.add(key, maskedKeyBlock);
    if (isPrefix)
      return next;
    return code.select(code.equal(next, places.fullBegin()), places.fullEnd(), next);
  };
  Run full{places.fullBegin(), places.fullEnd,
           [=, this](Value key) { return code.add(key, keyBlock); }, isKey};
  Run partial{places.first(), places.end, getNext, isKey};
  return visitRuns(initial, partial, full);
}

WarpLowering::State WarpLowering::visitSeveral(const State &initial, ArrayRef<KeyBlocks> runs) {
  constexpr int64_t words = 4;
  code.ifTrue(code.equal(self.thread, code.i32(0)), [&] {
    int64_t place = 0;
    for (const KeyBlocks &run : runs)
      for (Value key : getPlaces(run))
        storeShared(key, layout.keyRuns, code.i32(place++));
  });
  code.barrier();
  Value count = code.i32(static_cast<int64_t>(runs.size()));
  Values after =
      code.loop(code.i32(0), count, 1, initial.flatten(), [&](Value i, ValueRange carried) {
        auto load = [&](int64_t word) {
          return [=, this] {
            return loadShared(code.getI32Type(), layout.keyRuns,
                              code.add(code.mul(i, words), word));
          };
        };
        return visitBlocks(initial.unflatten(carried), {load(0), load(1), load(2), load(3)})
            .flatten();
      });
  return initial.unflatten(after);
}

/// Puts the blocks of keys from `first` on, one a thread, on the list of full blocks, or else their
/// masked blocks on the list of partial ones; both lists ascend. In short grids the blocks are
/// those of the split, and all that may have pairs are partial.
void WarpLowering::classifyBlocks(Value first, const KeyBlocks &blocks) {
  WarpBuilder::PhaseScope phase(code, "classify blocks of keys");
  int64_t keyBlock = schedule.getKeyBlock(), maskedBlocks = schedule.getMaskedBlocks();
  int64_t maskedKeyBlock = schedule.getMaskedKeyBlock();
  bool hasFull = !schedule.getShortGrid();
  Value block = code.add(first, self.thread), zero = code.i32(0);
  // Prepared for each list anew, and not kept through the loops.
  prepareMaskHead();
  attn::MaskRanges::PreparedRange blockQueries = prepareBlockQueries();
  if (workspace)
    block = getSplitBlock(block);
  // A bit for each masked block of this thread's block.
  Values bits = code.loop(
      zero, code.i32(maskedBlocks), 1, ValueRange{zero, zero}, [&](Value i, ValueRange found) {
        Value part = code.add(code.mul(block, maskedBlocks), i);
        Value inside = code.andOf(code.lessEqual(blocks.begin, part), code.less(part, blocks.end));
        return code.choose(
            inside, found.getTypes(),
            [&]() -> Values {
              Value key = code.mul(part, maskedKeyBlock);
              Value count = code.minimum(code.sub(numKeys, key), code.i32(maskedKeyBlock));
              Value last = code.add(key, code.sub(count, 1));
              auto keys = prepareKeys(SummaryTables::Kind::Keys, key, last, maskedKeyBlock);
              attn::Verdict verdict = maskRanges->emitVerdict(code, blockQueries, keys);
              Value whole = code.lessEqual(code.i32(maskedKeyBlock), count);
              auto addBit = [&](Value all, Value condition) -> Value {
                Value bit = arith::ExtUIOp::create(code, code.getI32Type(), condition);
                return arith::OrIOp::create(code, all, arith::ShLIOp::create(code, bit, i));
              };
              return {addBit(found[0], verdict.may),
                      addBit(found[1], code.andOf(verdict.must, whole))};
            },
            [&] { return Values(found); });
      });
  Value isFull, partialBits = bits[0];
  if (hasFull) {
    Value known =
        code.andOf(code.lessEqual(blocks.fullBegin, block), code.less(block, blocks.fullEnd));
    Value all = code.equal(bits[1], code.i32((int64_t(1) << maskedBlocks) - 1));
    isFull = code.orOf(known, code.andOf(all, code.lessEqual(code.i32(0), lastWholeKey)));
    partialBits = code.select(isFull, zero, bits[0]);
  }

  // Each warp counts its blocks, then each thread those of the warps and lanes before it.
  auto count = [&](Value ballot) -> Value { return math::CtPopOp::create(code, ballot); };
  Value fullBallot = hasFull ? code.ballot(isFull) : Value();
  Values isPartial, partialBallots;
  Value numPartial = zero;
  for (int64_t i = 0; i < maskedBlocks; ++i) {
    isPartial.push_back(code.less(zero, code.bitAnd(partialBits, int64_t(1) << i)));
    partialBallots.push_back(code.ballot(isPartial.back()));
    numPartial = code.add(numPartial, count(partialBallots.back()));
  }
  int64_t partialCounts = layout.counts + 4 * schedule.getNumWarps();
  code.ifTrue(code.equal(self.lane, zero), [&] {
    if (hasFull)
      storeShared(count(fullBallot), layout.counts, self.warp);
    storeShared(numPartial, partialCounts, self.warp);
  });
  code.barrier();
  Value lower = code.sub(arith::ShLIOp::create(code, code.i32(1), self.lane), 1);
  auto getPosition = [&](ValueRange ballots, int64_t counts) {
    Value position = zero;
    for (Value ballot : ballots)
      position = code.add(position, count(arith::AndIOp::create(code, ballot, lower)));
    for (int64_t i = 0; i < schedule.getNumWarps(); ++i) {
      Value others = loadShared(code.getI32Type(), counts, code.i32(i));
      position = code.add(position, code.select(code.less(code.i32(i), self.warp), others, zero));
    }
    return position;
  };
  Value key = code.mul(block, keyBlock);
  if (hasFull) {
    Value fullPosition = getPosition(fullBallot, layout.counts);
    code.ifTrue(isFull, [&] { storeShared(key, layout.fullBlocks, fullPosition); });
  }
  Value position = getPosition(partialBallots, partialCounts);
  for (int64_t i = 0; i < maskedBlocks; ++i) {
    code.ifTrue(isPartial[i], [&] {
      storeShared(code.add(key, i * maskedKeyBlock), layout.partialBlocks, position);
    });
    position = code.add(position, arith::ExtUIOp::create(code, code.getI32Type(), isPartial[i]));
  }
  code.barrier();
}

Value WarpLowering::findRound(Value first, Value end) {
  int64_t keyBlock = schedule.getKeyBlock(), roundKeys = keyBlock * schedule.getNumThreads();
  prepareMaskHead();
  attn::MaskRanges::PreparedRange blockQueries = prepareBlockQueries();
  Value lastKey = code.sub(numKeys, 1);
  auto isEmpty = [&](ValueRange round) -> Value {
    // Behind the last round the keys are the last one, of which nothing is used.
    Value key = code.minimum(code.mul(round[0], keyBlock), lastKey);
    Value last = code.minimum(code.add(key, roundKeys - 1), lastKey);
    auto keys = prepareKeys(SummaryTables::Kind::KeyGroup, key, last, roundKeys);
    Value may = maskRanges->emitVerdict(code, blockQueries, keys).may;
    return code.andOf(code.less(round[0], end), code.notOf(may));
  };
  return code.loopWhile(first, isEmpty, [&](ValueRange round) {
    return Values{code.add(round[0], schedule.getNumThreads())};
  })[0];
}

WarpLowering::State WarpLowering::emitClassifiedRuns(const State &initial,
                                                     const KeyBlocks &blocks) {
  Type i32 = code.getI32Type();
  auto getBlocks = [&](int64_t list, int64_t counts) {
    BlockList blocks{code.i32(0), [=, this](Value n) { return loadShared(i32, list, n); }};
    for (int64_t i = 0; i < schedule.getNumWarps(); ++i)
      blocks.count = code.add(blocks.count, loadShared(i32, counts, code.i32(i)));
    return blocks;
  };
  auto getRun = [&](const BlockList &blocks) {
    return Run{code.i32(0), [=] { return blocks.count; },
               [this](Value n) { return code.add(n, 1); }, blocks.getFirstKey};
  };
  // In shared memory they take no registers in the loops over blocks.
  if (!workspace) {
    code.ifTrue(code.equal(self.thread, code.i32(0)), [&] {
      int64_t place = 0;
      for (Value value : {blocks.begin, blocks.end, blocks.fullBegin, blocks.fullEnd})
        storeShared(value, layout.keyRuns, code.i32(place++));
    });
    code.barrier();
  }
  auto readBlocks = [&] {
    if (workspace)
      return blocks;
    auto load = [&](int64_t place) { return loadShared(i32, layout.keyRuns, code.i32(place)); };
    return KeyBlocks{load(0), load(1), load(2), load(3)};
  };
  auto visitRound = [&](Value first, const State &state) {
    code.barrier();
    classifyBlocks(first, readBlocks());
    BlockList partial = getBlocks(layout.partialBlocks, layout.counts + 4 * schedule.getNumWarps());
    if (workspace)
      return visitShortRun(state, partial);
    BlockList full = getBlocks(layout.fullBlocks, layout.counts);
    return visitRuns(state, getRun(partial), getRun(full));
  };
  int64_t numThreads = schedule.getNumThreads();
  auto getEnd = [&] {
    return workspace ? numSplitBlocks
                     : divideUp(code, readBlocks().end, schedule.getMaskedBlocks());
  };
  Value begin = workspace ? code.i32(0) : code.divide(blocks.begin, schedule.getMaskedBlocks());
  if (workspace || !summaries) {
    Values after = code.loop(begin, getEnd(), numThreads, initial.flatten(),
                             [&](Value first, ValueRange carried) {
                               return visitRound(first, initial.unflatten(carried)).flatten();
                             });
    return initial.unflatten(after);
  }
  // Rounds begin with multiples of their size, as summaries do.
  Values before = {code.bitAnd(begin, -numThreads)};
  before.append(initial.flatten());
  auto loop = scf::WhileOp::create(
      code, ValueRange(before).getTypes(), before,
      [&](OpBuilder &, Location, ValueRange carried) {
        Values found(carried);
        Value end = getEnd();
        found.front() = findRound(carried.front(), end);
        scf::ConditionOp::create(code, code.less(found.front(), end), found);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        Values next = {code.add(carried.front(), numThreads)};
        next.append(visitRound(carried.front(), initial.unflatten(carried.drop_front())).flatten());
        scf::YieldOp::create(code, next);
      });
  return initial.unflatten(ValueRange(loop.getResults()).drop_front());
}
