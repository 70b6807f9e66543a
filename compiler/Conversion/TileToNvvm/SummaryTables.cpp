//===- SummaryTables.cpp - What captured tables hold, in blocks -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/SummaryTables.h"
#include "compiler/Conversion/Bodies/OpEmitter.h"
#include "compiler/Conversion/TileToNvvm/WarpLowering.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include <limits>

using namespace mlir;
using namespace attnc;
using attn::Stage;

static constexpr auto globalMemory = static_cast<unsigned>(NVVM::NVVMMemorySpace::Global);
static constexpr int64_t warpSize = 32, valueBytes = 8;
/// The keys or queries of a summary, and the threads that summarize.
static constexpr int64_t blockSize = 32, numThreads = 256;

std::optional<TableSummaries> attnc::getTableSummaries(const attn::MaskAnalysis &analysis) {
  auto countValues = [&](Stage stage) {
    return static_cast<int64_t>(2 * analysis.getValues().getTabulated(stage).size());
  };
  if (!analysis.needsVerdict() || countValues(Stage::Key) == 0)
    return std::nullopt;
  attn::MaskOp mask = analysis.getMask();
  TableSummaries facts;
  facts.blockSize = blockSize;
  facts.threads = numThreads;
  facts.sharedBytes = numThreads * valueBytes;
  facts.keyValues = countValues(Stage::Key);
  facts.queryValues = countValues(Stage::Query);
  facts.perBatch = !mask.getBatch().use_empty();
  facts.perHead = !mask.getHead().use_empty();
  return facts;
}

//===------------------------------------------------------------------------===//
// Places
//===------------------------------------------------------------------------===//

/// value / size, rounded up; `value` is not negative.
static Value countParts(WarpBuilder &code, Value value, int64_t size) {
  return code.divide(code.add(value, size - 1), size);
}

Value SummaryTables::count(Kind kind) {
  switch (kind) {
  case Kind::Keys:
    return countParts(code, arguments.getDim("KV"), blockSize);
  case Kind::KeyGroup:
    return countParts(code, arguments.getDim("KV"), blockSize * numThreads);
  case Kind::Queries:
    return facts.queryValues ? countParts(code, arguments.getDim("Q"), blockSize) : code.i64(0);
  }
  llvm_unreachable("all kinds are handled");
}

Value SummaryTables::getStart(Kind kind, Value batch, Value head) {
  Value owner = code.i64(0);
  if (facts.perBatch)
    owner = batch;
  if (facts.perHead)
    owner = code.add(code.mul(owner, arguments.getDim("Hq")), head);
  Value keyBytes = code.mul(count(Kind::Keys), facts.keyValues * valueBytes);
  Value groupBytes = code.mul(count(Kind::KeyGroup), facts.keyValues * valueBytes);
  Value queryBytes = code.mul(count(Kind::Queries), facts.queryValues * valueBytes);
  Value offset = code.mul(owner, code.add(code.add(keyBytes, groupBytes), queryBytes));
  if (kind != Kind::Keys)
    offset = code.add(offset, keyBytes);
  if (kind == Kind::Queries)
    offset = code.add(offset, groupBytes);
  Value base = code.load(code.getI64Type(),
                         code.address(parameter, int64_t(SummariesAddress) * valueBytes), 8);
  return code.add(base, offset);
}

Value SummaryTables::getPlace(Kind kind, Value start, Value index) {
  auto pointer = LLVM::LLVMPointerType::get(code.getContext(), globalMemory);
  return code.address(LLVM::IntToPtrOp::create(code, pointer, start),
                      code.mul(index, getNumValues(kind) * valueBytes));
}

WarpBuilder::Values SummaryTables::join(ValueRange lhs, ValueRange rhs) {
  WarpBuilder::Values joined;
  for (auto [i, values] : llvm::enumerate(llvm::zip(lhs, rhs))) {
    auto [x, y] = values;
    joined.push_back(i % 2 == 0 ? code.minimum(x, y) : code.maximum(x, y));
  }
  return joined;
}

WarpBuilder::Values SummaryTables::load(Kind kind, Value start, Value first, Value last,
                                        int64_t most) {
  int64_t size = kind == Kind::KeyGroup ? blockSize * numThreads : blockSize;
  Value firstIndex = code.divide(first, size), lastIndex = code.divide(last, size);
  WarpBuilder::Values summary;
  for (int64_t i = 0, end = std::max<int64_t>(most / size, 1); i < end; ++i) {
    Value place = getPlace(kind, start, code.minimum(code.add(firstIndex, i), lastIndex));
    WarpBuilder::Values values;
    for (int64_t j = 0; j < getNumValues(kind); ++j)
      values.push_back(code.load(code.getI64Type(), code.address(place, j * valueBytes), 8));
    summary = i == 0 ? values : join(summary, values);
  }
  return summary;
}

void SummaryTables::store(Kind kind, Value start, Value index, ValueRange summary) {
  Value place = getPlace(kind, start, index);
  for (auto [i, value] : llvm::enumerate(summary))
    code.store(value, code.address(place, static_cast<int64_t>(i) * valueBytes), 8);
}

//===------------------------------------------------------------------------===//
// The kernel that makes them
//===------------------------------------------------------------------------===//

namespace {
class SummarizeLowering {
public:
  SummarizeLowering(attn::KernelOp kernel, const attn::MaskAnalysis &analysis,
                    const TableSummaries &facts, LLVM::LLVMFuncOp function)
      : facts(facts), code(function),
        arguments(kernel, function.getArgument(0), code.createEntryBuilder(), VectorFeatures(),
                  globalMemory),
        emitter(arguments, VectorFeatures()), ranges(analysis, emitter),
        tables(code, arguments, function.getArgument(1), facts) {}

  void lower();

private:
  using Values = WarpBuilder::Values;
  using Kind = SummaryTables::Kind;

  /// Summarizes the block with number `index` of `kind`, if there is one, and gives what it has
  /// written, or else what changes no other summary.
  Values summarizeBlock(Kind kind, Value index);
  /// The least, or the largest, of `value` of all threads, in the threads of the first warp.
  Value reduce(Value value, bool least);

  TableSummaries facts;
  WarpBuilder code;
  ArgumentReader arguments;
  OpEmitter emitter;
  attn::MaskRanges ranges;
  SummaryTables tables;
  Value thread, batch, head;
};
} // namespace

SummarizeLowering::Values SummarizeLowering::summarizeBlock(Kind kind, Value index) {
  bool ofKeys = kind == Kind::Keys;
  Value size = arguments.getDim(ofKeys ? "KV" : "Q");
  Value first = code.mul(index, blockSize);
  Values nothing;
  for (int64_t i = 0; i < (ofKeys ? facts.keyValues : facts.queryValues); ++i)
    nothing.push_back(code.i64(i % 2 == 0 ? std::numeric_limits<int64_t>::max()
                                          : std::numeric_limits<int64_t>::min()));
  return code.choose(
      code.less(first, size), ValueRange(nothing).getTypes(),
      [&] {
        Value end = code.minimum(code.add(first, blockSize), size);
        Values summary(ranges.emitSummary(code, ofKeys ? Stage::Key : Stage::Query, first,
                                          code.sub(end, code.i64(1))));
        tables.store(kind, tables.getStart(kind, batch, head), index, summary);
        return summary;
      },
      [&] { return nothing; });
}

Value SummarizeLowering::reduce(Value value, bool least) {
  Value shared = WarpLowering::createSharedBase(code);
  auto getPlace = [&](Value n) { return code.address(shared, code.mul(n, valueBytes)); };
  auto fold = [&](Value first, Value end, int64_t step) {
    Value start =
        code.i64(least ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min());
    return code.loop(first, end, step, start, [&](Value place, ValueRange carried) {
      Value next = code.load(code.getI64Type(), getPlace(place), 8);
      return Values{least ? code.minimum(carried[0], next) : code.maximum(carried[0], next)};
    })[0];
  };
  code.store(value, getPlace(thread), 8);
  code.barrier();
  Value isFirstWarp = code.less(thread, code.i32(warpSize));
  code.ifTrue(isFirstWarp, [&] {
    code.store(fold(thread, code.i32(numThreads), warpSize), getPlace(thread), 8);
  });
  code.barrier();
  Value result = fold(code.i32(0), code.i32(warpSize), 1);
  code.barrier();
  return result;
}

void SummarizeLowering::lower() {
  WarpBuilder::PhaseScope phase(code, "summarize captured tables");
  thread = code.threadIndex();
  Value keyGroups = tables.count(Kind::KeyGroup);
  Value queryGroups = countParts(code, tables.count(Kind::Queries), numThreads);
  Value groups = code.add(keyGroups, queryGroups);
  Value block = code.widen(code.blockIndex());
  Value owner = code.divide(block, groups), group = code.remainder(block, groups);
  batch = head = code.i64(0);
  if (facts.perHead) {
    head = code.remainder(owner, arguments.getDim("Hq"));
    owner = code.divide(owner, arguments.getDim("Hq"));
  }
  if (facts.perBatch)
    batch = owner;
  ranges.prepareHead(code, batch, head, arguments.getDim("Q"), arguments.getDim("KV"));
  auto getIndex = [&](Value first) {
    return code.add(code.mul(first, numThreads), code.widen(thread));
  };
  code.ifElse(
      code.less(group, keyGroups),
      [&] {
        Values all;
        for (auto [i, value] : llvm::enumerate(summarizeBlock(Kind::Keys, getIndex(group))))
          all.push_back(reduce(value, /*least=*/i % 2 == 0));
        code.ifTrue(code.equal(thread, code.i32(0)), [&] {
          tables.store(Kind::KeyGroup, tables.getStart(Kind::KeyGroup, batch, head), group, all);
        });
      },
      [&] {
        if (facts.queryValues)
          summarizeBlock(Kind::Queries, getIndex(code.sub(group, keyGroups)));
      });
  LLVM::ReturnOp::create(code, ValueRange());
}

void attnc::lowerSummarize(attn::KernelOp kernel, const attn::MaskAnalysis &analysis,
                           const TableSummaries &facts, LLVM::LLVMFuncOp function) {
  SummarizeLowering(kernel, analysis, facts, function).lower();
}
