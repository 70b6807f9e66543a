//===- KernelLowering.cpp - The frame and the loops of a kernel -----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToVector/KernelLowering.h"
#include "attnc/ArgumentLayout.h"
#include "dialect/Attn/Analysis/ScoreScale.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <numbers>
#include <tuple>

using namespace mlir;
using namespace attnc;

KernelLowering::KernelLowering(tile::KernelOp kernel, LLVM::LLVMFuncOp function)
    : kernel(kernel), attn(kernel.getAttnKernel()), schedule(kernel.getScheduleAttr()),
      scratch(kernel), features(getVectorFeatures(schedule)), code(function, schedule.getLanes()),
      arguments(attn, function.getArgument(0), code.createEntryBuilder(), features),
      emitter(arguments, features), batch(function.getArgument(1)), head(function.getArgument(2)),
      rowBegin(function.getArgument(3)), rowEnd(function.getArgument(4)),
      scratchBase(function.getArgument(5)) {
  if (attn::ScoreOp op = attn.getScore())
    score.emplace(op, emitter);
  if (attn::MaskOp op = attn.getMask()) {
    runs = function.getArgument(6);
    mask.emplace(op, emitter);
    maskAnalysis.emplace(op);
    maskRanges.emplace(*maskAnalysis, emitter);
  }
}

KernelLowering::Rows KernelLowering::getRows(int64_t tensor, Type element, Value tensorHead) {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Value address = arguments.getSlot(tensor + ArgumentLayout::Pointer);
  Value offset =
      code.add(code.mul(batch, arguments.getSlot(tensor + ArgumentLayout::BatchStride)),
               code.mul(tensorHead, arguments.getSlot(tensor + ArgumentLayout::HeadStride)));
  Value base = LLVM::IntToPtrOp::create(code, scratchBase.getType(), address);
  return {code.address(base, code.mul(offset, bytes)),
          code.mul(arguments.getSlot(tensor + ArgumentLayout::RowStride), bytes)};
}

Value KernelLowering::getRow(const Rows &rows, Value row) {
  return code.address(rows.base, code.mul(row, rows.stride));
}

Value KernelLowering::getQueryIndices(Value firstRow, Value v) {
  Value first = code.add(firstRow, code.mul(v, schedule.getLanes()));
  Value last = code.broadcast(code.sub(rowEnd, code.i64(1)));
  return code.minimum(code.add(code.broadcast(first), code.steps(1, schedule.getLanes())), last);
}

void KernelLowering::forSubTiles(llvm::function_ref<void(Value)> body) {
  Value rows = code.sub(rowEnd, rowBegin);
  Value count = arith::DivUIOp::create(code, code.add(rows, schedule.getQueryTile() - 1),
                                       code.i64(schedule.getQueryTile()));
  code.loop(code.i64(0), count, 1, body);
}

void KernelLowering::lower() {
  Type dtype = attn.getDtype();
  Value group = arith::DivUIOp::create(code, arguments.getDim("Hq"), arguments.getDim("Hkv"));
  Value keyHead = arith::DivUIOp::create(code, head, group);
  numKeys = arguments.getDim("KV");
  q = getRows(ArgumentLayout::QTensor, dtype, head);
  k = getRows(ArgumentLayout::KTensor, dtype, keyHead);
  v = getRows(ArgumentLayout::VTensor, dtype, keyHead);
  o = getRows(ArgumentLayout::OTensor, dtype, head);

  std::optional<float> scale = attn.getStaticScale(), deferred = attn::getDeferredScale(attn);
  storedScale = deferred.value_or(1.0f);
  exponentScale =
      static_cast<float>(static_cast<double>(storedScale) * std::numbers::log2e_v<double>);
  if (!deferred)
    scoreScale =
        code.broadcast(scale ? code.constant(code.getF32FloatAttr(*scale)) : arguments.getScale());

  // Runs the steps; once more, with masked accumulations, if an output is not finite.
  Value initial = code.boolean(false);
  auto attempts = scf::WhileOp::create(code, TypeRange(code.getI1Type()), ValueRange(initial));
  Block *before = code.createBlock(&attempts.getBefore(), {}, code.getI1Type(), code.getLoc());
  exact = before->getArgument(0);
  lowerSteps();
  Block *after = code.createBlock(&attempts.getAfter(), {}, code.getI1Type(), code.getLoc());
  scf::YieldOp::create(code, after->getArguments());
  code.setInsertionPointAfter(attempts);
  LLVM::ReturnOp::create(code, ValueRange());
}

void KernelLowering::lowerSteps() {
  for (Operation &op : kernel.getBody().front()) {
    if (isa<tile::LoadQueriesOp>(op))
      packQueries();
    else if (isa<tile::InitStateOp>(op))
      initState();
    else if (auto loop = dyn_cast<tile::ForKeysOp>(op))
      lowerForKeys(loop);
    else if (isa<tile::EpilogueOp>(op)) {
      Value notFinite = emitEpilogue();
      Value again = code.select(exact, code.boolean(false), notFinite);
      Value yes = code.boolean(true);
      scf::ConditionOp::create(code, again, ValueRange(yes));
    }
  }
}

void KernelLowering::lowerForKeys(tile::ForKeysOp op) {
  // Without keys there is nothing that captured tensors could be read for.
  code.ifTrue(code.less(code.i64(0), numKeys), [&] {
    Value lastRow = code.sub(rowEnd, code.i64(1));
    if (score)
      scoreHead = score->emitHead(code, batch, head);
    if (!mask) {
      lowerBlocks(op, code.i64(0), numKeys, Value());
      return;
    }
    maskHead = mask->emitHead(code, batch, head);
    maskRanges->prepareHead(code, batch, head, arguments.getDim("Q"), numKeys);
    blockQueries = maskRanges->prepareQueries(code, rowBegin, lastRow);
    forRuns(maskRanges->emitKeyRuns(code, blockQueries),
            [&](Value begin, Value end, Value full) { lowerBlocks(op, begin, end, full); });
  });
}

void KernelLowering::forRuns(ArrayRef<attn::KeyBounds> bounds,
                             llvm::function_ref<void(Value, Value, Value)> body) {
  // The fields of KeyRuns and of KeyRun.
  Value list = LLVM::LoadOp::create(code, runs.getType(), runs, 8);
  Value count = code.load(code.getI64Type(), code.address(runs, 8), 8);
  Value keysPerBlock = code.load(code.getI64Type(), code.address(runs, 16), 8);
  code.loop(code.i64(0), count, 1, [&](Value n) {
    Value run = code.address(list, code.mul(n, 8));
    auto getField = [&](int64_t offset) -> Value {
      return arith::ExtUIOp::create(code, code.getI64Type(),
                                    code.load(code.getI32Type(), code.address(run, offset), 4));
    };
    Value first = getField(0), last = getField(4);
    constexpr int64_t fullBit = int64_t(1) << 31;
    Value full = code.lessEqual(code.i64(fullBit), last);
    Value end = code.add(arith::AndIOp::create(code, last, code.i64(fullBit - 1)), 1);
    Value begin = code.mul(first, keysPerBlock), stop = code.mul(end, keysPerBlock);
    auto visit = [&](Value lo, Value hi) {
      body(code.maximum(begin, lo), code.minimum(stop, hi), full);
    };
    if (bounds.size() == 1) {
      visit(bounds.front().lo, bounds.front().hi);
      return;
    }
    // The blocks are emitted once.
    auto count = static_cast<int64_t>(bounds.size());
    code.loop(code.i64(0), code.i64(count), 1, [&](Value i) {
      Value lo = bounds.back().lo, hi = bounds.back().hi;
      for (int64_t j = count - 2; j >= 0; --j) {
        Value isEarlier = code.less(i, code.i64(j + 1));
        lo = code.select(isEarlier, bounds[j].lo, lo);
        hi = code.select(isEarlier, bounds[j].hi, hi);
      }
      visit(lo, hi);
    });
  });
}

void KernelLowering::lowerBlocks(tile::ForKeysOp op, Value begin, Value end, Value full) {
  code.loop(begin, end, schedule.getKeyBlock(), [&](Value first) {
    KeyBlock block;
    block.begin = first;
    block.count = code.minimum(code.sub(end, first), code.i64(schedule.getKeyBlock()));
    block.keys = {getRow(k, first), k.stride};
    block.values = {getRow(v, first), v.stride};
    block.full = full;
    auto lowerBody = [&] {
      for (Operation &inner : op.getBody().front()) {
        if (isa<tile::LoadKeysOp>(inner))
          packKeys(block);
        else if (isa<tile::LoadValuesOp>(inner))
          packValues(block);
        else if (auto loop = dyn_cast<tile::ForQueriesOp>(inner))
          lowerForQueries(loop, block);
      }
    };
    if (!mask || !maskAnalysis->needsVerdict()) {
      lowerBody();
      return;
    }
    Value last = code.sub(code.add(first, block.count), code.i64(1));
    block.prepared = maskRanges->prepareKeys(code, first, last);
    code.ifTrue(maskRanges->emitVerdict(code, blockQueries, block.prepared).may, lowerBody);
  });
}

void KernelLowering::lowerForQueries(tile::ForQueriesOp op, const KeyBlock &block) {
  forSubTiles([&](Value index) {
    int64_t rowTile = schedule.getRowTile();
    SubTile tile;
    tile.index = index;
    tile.firstRow = code.add(rowBegin, code.mul(index, schedule.getQueryTile()));
    auto place = [&](int64_t offset, int64_t bytes) {
      return code.address(code.address(scratchBase, offset), code.mul(index, bytes));
    };
    tile.queries = place(scratch.queries, scratch.queryTileBytes);
    tile.output = place(scratch.output, scratch.outputTileBytes);
    tile.maxima = place(scratch.maxima, scratch.rowBytes);
    tile.sums = place(scratch.sums, scratch.rowBytes);

    if (!mask) {
      tile.keyBegin = code.i64(0);
      tile.keyEnd = code.roundUp(block.count, rowTile);
      tile.keyStop = block.count;
      lowerSubTile(op, block, tile, code.lessEqual(tile.keyEnd, block.count));
      return;
    }

    Value lastRow = code.sub(code.minimum(code.add(tile.firstRow, schedule.getQueryTile()), rowEnd),
                             code.i64(1));
    auto queries = maskRanges->prepareQueries(code, tile.firstRow, lastRow);
    auto runs = maskRanges->emitKeyRuns(code, queries);
    Value zero = code.i64(0), lo, hi;
    for (const attn::KeyBounds &run : runs) {
      Value begin = code.maximum(code.sub(run.lo, block.begin), zero);
      Value end = code.minimum(code.sub(run.hi, block.begin), block.count);
      if (!lo) {
        lo = begin;
        hi = end;
        continue;
      }
      // From the first key to the last one that are in a run and in the block.
      Value some = code.less(begin, end);
      lo = code.select(code.andOf(some, code.lessEqual(hi, lo)), begin, lo);
      hi = code.select(some, end, hi);
    }
    Value must = block.full;
    if (maskAnalysis->needsVerdict()) {
      attn::Verdict verdict = maskRanges->emitVerdict(code, queries, block.prepared);
      verdict.must = must = code.orOf(verdict.must, block.full);
      std::tie(lo, hi) = trimKeys(block, queries, verdict, lo, hi);
    }
    code.ifTrue(code.less(lo, hi), [&] {
      tile.keyBegin = code.roundDown(lo, rowTile);
      tile.keyEnd = code.roundUp(hi, rowTile);
      tile.keyStop = code.minimum(tile.keyEnd, block.count);
      Value first = code.add(block.begin, tile.keyBegin);
      Value end = code.add(block.begin, tile.keyEnd), inside;
      for (const attn::KeyBounds &run : runs) {
        Value own = code.andOf(code.lessEqual(run.fullLo, first), code.lessEqual(end, run.fullHi));
        inside = inside ? code.orOf(inside, own) : own;
      }
      Value whole = code.lessEqual(tile.keyEnd, block.count);
      Value full = code.andOf(code.orOf(inside, must), whole);
      lowerSubTile(op, block, tile, full);
    });
  });
}

std::pair<Value, Value> KernelLowering::trimKeys(const KeyBlock &block,
                                                 const attn::MaskRanges::PreparedRange &queries,
                                                 attn::Verdict verdict, Value lo, Value hi) {
  // Pieces that no query attends to are cheaper to find than to compute, and are where neighbouring
  // documents meet.
  int64_t piece = 2 * schedule.getRowTile();
  Value no = code.boolean(false);
  hi = code.select(verdict.may, hi, lo);
  Value unsure = code.andOf(code.less(lo, hi), code.select(verdict.must, no, verdict.may));
  Value begin = code.select(unsure, code.roundDown(lo, schedule.getRowTile()), hi);
  Values initial = {code.select(unsure, hi, lo), code.select(unsure, lo, hi)};
  Values found = code.loop(begin, hi, piece, initial, [&](Value first, ValueRange carried) {
    Value end = code.minimum(code.add(first, piece), hi);
    auto keys = maskRanges->prepareKeys(code, code.add(block.begin, first),
                                        code.add(block.begin, code.sub(end, code.i64(1))));
    Value may = maskRanges->emitVerdict(code, queries, keys).may;
    return Values{code.select(may, code.minimum(carried[0], first), carried[0]),
                  code.select(may, end, carried[1])};
  });
  return {code.maximum(lo, found[0]), found[1]};
}

void KernelLowering::lowerSubTile(tile::ForQueriesOp op, const KeyBlock &block, SubTile &tile,
                                  Value full) {
  SmallVector<Operation *> fullOps, partialOps;
  for (Operation &inner : op.getFull().front())
    fullOps.push_back(&inner);
  for (Operation &inner : op.getPartial().front())
    partialOps.push_back(&inner);

  // What both bodies begin and end with is emitted once.
  auto sameKind = [](Operation *a, Operation *b) { return a->getName() == b->getName(); };
  auto fromEnd = [](ArrayRef<Operation *> ops, size_t i) { return ops[ops.size() - 1 - i]; };
  size_t shorter = std::min(fullOps.size(), partialOps.size());
  size_t begin = 0, end = 0;
  while (begin < shorter && sameKind(fullOps[begin], partialOps[begin]))
    ++begin;
  while (begin + end < shorter && sameKind(fromEnd(fullOps, end), fromEnd(partialOps, end)))
    ++end;
  // A map is part of the pass over the scores that masks them.
  if (begin > 0 && isa<tile::MapOp>(fullOps[begin - 1]))
    --begin;

  ArrayRef<Operation *> all(fullOps);
  lowerOps(all.take_front(begin), block, tile);
  code.ifElse(
      full, [&] { lowerOps(all.drop_front(begin).drop_back(end), block, tile); },
      [&] { lowerOps(ArrayRef(partialOps).drop_front(begin).drop_back(end), block, tile); });
  lowerOps(all.take_back(end), block, tile);
}

void KernelLowering::lowerOps(ArrayRef<Operation *> ops, const KeyBlock &block, SubTile &tile) {
  for (Operation *op : ops) {
    if (isa<tile::DotOp>(op)) {
      emitDot(block, tile, isa<tile::SoftmaxStepOp>(*op->user_begin()));
    } else if (isa<tile::MapOp, tile::MaskOp>(op)) {
      // One pass over the scores does both.
      bool isMask = isa<tile::MaskOp>(op);
      bool mapped = !isMask || op->getOperand(0).getDefiningOp<tile::MapOp>();
      if (isMask || !isa<tile::MaskOp>(*op->user_begin()))
        emitPairs(block, tile, mapped, isMask);
    } else if (isa<tile::SoftmaxStepOp>(op)) {
      emitSoftmaxStep(tile);
    } else if (isa<tile::DotAccOp>(op)) {
      emitDotAcc(block, tile);
    }
  }
}
