//===- MaskCheck.cpp - Compares what is emitted for masks with pairs --------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/region/MaskCheck.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::test;
using attn::Stage;

//===------------------------------------------------------------------------===//
// Pairs
//===------------------------------------------------------------------------===//

PairCounts::PairCounts(Oracle &oracle, int64_t b, int64_t h, int64_t queries, int64_t keys)
    : width(keys + 1), sums((queries + 1) * width) {
  for (int64_t q = 0; q < queries; ++q)
    for (int64_t kv = 0; kv < keys; ++kv)
      sums[(q + 1) * width + kv + 1] = sums[q * width + kv + 1] + sums[(q + 1) * width + kv] -
                                       sums[q * width + kv] +
                                       (oracle.evaluateMask(b, h, q, kv) ? 1 : 0);
}

int64_t PairCounts::count(Span queries, Span keys) const {
  if (keys.end <= keys.begin || queries.end <= queries.begin)
    return 0;
  return sums[queries.end * width + keys.end] - sums[queries.begin * width + keys.end] -
         sums[queries.end * width + keys.begin] + sums[queries.begin * width + keys.begin];
}

std::optional<std::string> test::findUnsound(const Rectangle &found, const PairCounts &pairs,
                                             Span queries, Span keys, int64_t numKeys) {
  int64_t rows = queries.end - queries.begin;
  int64_t count = pairs.count(queries, keys), all = rows * (keys.end - keys.begin);
  if ((!found.may || !found.summarizedMay) && count != 0)
    return "a block with pairs was found empty";
  if ((found.must || found.summarizedMust) && count != all)
    return "a block without all pairs was found full";
  if ((found.must && !found.may) || (found.summarizedMust && !found.summarizedMay))
    return "a block was found empty and full";
  if (0 > found.lo || found.lo > found.fullLo || found.fullLo > found.fullHi ||
      found.fullHi > found.hi || found.hi > numKeys)
    return "bounds do not ascend";
  if (pairs.count(queries, {0, found.lo}) != 0 || pairs.count(queries, {found.hi, numKeys}) != 0)
    return "keys outside the bounds take part";
  if (pairs.count(queries, {found.fullLo, found.fullHi}) != rows * (found.fullHi - found.fullLo))
    return "keys inside the full bounds take no part";
  int64_t end = 0;
  for (const FoundRun &run : llvm::ArrayRef(found.runs).take_front(found.numRuns)) {
    if (end > run.lo || run.lo > run.fullLo || run.fullLo > run.fullHi || run.fullHi > run.hi)
      return "runs do not ascend";
    if (pairs.count(queries, {end, run.lo}) != 0)
      return "keys before a run take part";
    if (pairs.count(queries, {run.fullLo, run.fullHi}) != rows * (run.fullHi - run.fullLo))
      return "full keys of a run take no part";
    end = run.hi;
  }
  if (end > numKeys || pairs.count(queries, {end, numKeys}) != 0)
    return "keys behind the runs take part";
  return std::nullopt;
}

//===------------------------------------------------------------------------===//
// Functions
//===------------------------------------------------------------------------===//

/// What is known of `first`..`last`, from summaries of its halves.
static attn::MaskRanges::PreparedRange prepareHalves(OpBuilder &builder, Location loc,
                                                     attn::MaskRanges &ranges, Stage stage,
                                                     Value first, Value last) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  };
  // The second half may be the first once more.
  Value sum = arith::AddIOp::create(builder, loc, first, last);
  Value middle = arith::ShRSIOp::create(builder, loc, sum, constant(1));
  Value next = arith::MinSIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, middle, constant(1)), last);
  SmallVector<Value> summary = ranges.emitSummary(builder, stage, first, middle);
  SmallVector<Value> second = ranges.emitSummary(builder, stage, next, last);
  for (size_t i = 0; i < summary.size(); i += 2) {
    summary[i] = arith::MinSIOp::create(builder, loc, summary[i], second[i]);
    summary[i + 1] = arith::MaxSIOp::create(builder, loc, summary[i + 1], second[i + 1]);
  }
  return ranges.prepareSummarized(builder, stage, first, last, summary);
}

static void emitResult(OpBuilder &builder, OpEmitter &emitter, const FunctionArguments &arguments,
                       attn::KernelOp kernel) {
  Location loc = kernel.getLoc();
  Type i64 = builder.getI64Type();
  auto place = [&](int32_t i) -> Value {
    return LLVM::GEPOp::create(builder, loc, arguments.scratch.getType(), i64, arguments.scratch,
                               ArrayRef<LLVM::GEPArg>{i});
  };
  auto read = [&](int32_t i) -> Value { return LLVM::LoadOp::create(builder, loc, i64, place(i)); };
  auto widen = [&](Value bit) -> Value { return LLVM::ZExtOp::create(builder, loc, i64, bit); };
  attn::MaskAnalysis analysis(kernel.getMask());
  attn::MaskRanges ranges(analysis, emitter);
  ranges.prepareHead(builder, arguments.batch, arguments.head, read(0), read(1));
  Value firstKey = read(2), lastKey = read(3);
  auto queries = ranges.prepareQueries(builder, arguments.first, arguments.last);
  auto keys = ranges.prepareKeys(builder, firstKey, lastKey);
  attn::Verdict verdict = ranges.emitVerdict(builder, queries, keys);
  attn::Verdict summarized = ranges.emitVerdict(
      builder, prepareHalves(builder, loc, ranges, Stage::Query, arguments.first, arguments.last),
      prepareHalves(builder, loc, ranges, Stage::Key, firstKey, lastKey), /*solveCases=*/true);
  attn::KeyBounds bounds = ranges.emitKeyBounds(builder, queries);
  auto runs = ranges.emitKeyRuns(builder, queries);
  SmallVector<Value> results = {
      widen(verdict.may),
      widen(verdict.must),
      widen(summarized.may),
      widen(summarized.must),
      bounds.lo,
      bounds.hi,
      bounds.fullLo,
      bounds.fullHi,
      arith::ConstantIntOp::create(builder, loc, static_cast<int64_t>(runs.size()), 64)};
  for (const attn::KeyBounds &run : runs)
    results.append({run.lo, run.hi, run.fullLo, run.fullHi});
  for (auto [i, result] : llvm::enumerate(results))
    LLVM::StoreOp::create(builder, loc, result, place(static_cast<int32_t>(i) + 4));
}

void MaskCheck::add(attn::KernelOp kernel) {
  runner.add(kernel.getSymName().str(), kernel,
             [&](OpBuilder &builder, OpEmitter &emitter, const FunctionArguments &arguments) {
               emitResult(builder, emitter, arguments, kernel);
             });
}

Rectangle MaskCheck::run(const std::string &name, const BoundArguments &bound, int64_t b, int64_t h,
                         Span queries, Span keys) {
  Rectangle result = {};
  result.numQueries = bound.Q;
  result.numKeys = bound.KV;
  result.firstKey = keys.begin;
  result.lastKey = keys.end - 1;
  runner.get(name)(bound.slots.data(), b, h, queries.begin, queries.end - 1, &result);
  return result;
}

//===------------------------------------------------------------------------===//
// Random masks
//===------------------------------------------------------------------------===//

std::optional<std::string> MaskCheck::check(attn::KernelOp kernel, RandomBody &random) {
  RandomSizes sizes;
  sizes.queries = 1 + random.below(30);
  sizes.keys = random.oneIn(2) ? sizes.queries : 1 + random.below(30);
  sizes.extent = random.below(6);
  std::unique_ptr<Arguments> arguments = random.makeArguments(sizes);
  BoundArguments bound = bind(kernel, *arguments);
  Oracle oracle(kernel.getMask(), kernel, *arguments, bound);
  auto chooseSpan = [&](int64_t size) {
    int64_t begin = random.below(size);
    return Span{begin, begin + 1 + random.below(std::min<int64_t>(size - begin, 8))};
  };
  for (int64_t b = 0; b < sizes.batches; ++b)
    for (int64_t h = 0; h < sizes.heads; ++h) {
      PairCounts pairs(oracle, b, h, sizes.queries, sizes.keys);
      for (int i = 0; i < 40; ++i) {
        Span queries = chooseSpan(sizes.queries), keys = chooseSpan(sizes.keys);
        Rectangle found = run(kernel.getSymName().str(), bound, b, h, queries, keys);
        auto problem = findUnsound(found, pairs, queries, keys, sizes.keys);
        if (!problem)
          continue;
        std::string text;
        llvm::raw_string_ostream(text)
            << *problem << "\n"
            << kernel << "\nqueries " << queries.begin << " to " << queries.end - 1 << " of "
            << sizes.queries << ", keys " << keys.begin << " to " << keys.end - 1 << " of "
            << sizes.keys << " of batch " << b << ", head " << h;
        return text;
      }
    }
  return std::nullopt;
}

std::optional<std::string> MaskCheck::checkRandomMasks(RandomBody &random, int count) {
  std::unique_ptr<MLIRContext> context = createContext();
  MaskCheck check(*context);
  std::vector<OwningOpRef<ModuleOp>> modules;
  while (count > 0) {
    OwningOpRef<ModuleOp> module =
        random.makeMask(*context, "mask" + std::to_string(modules.size()));
    if (!module || !prepare(*module, random.oneIn(2)))
      return "a kernel is not valid";
    --count;
    attn::KernelOp kernel = *module->getOps<attn::KernelOp>().begin();
    // A mask that is always true is simplified away.
    if (!kernel.getMask())
      continue;
    check.add(kernel);
    modules.push_back(std::move(module));
  }
  if (modules.empty())
    return std::nullopt;
  if (!check.compile())
    return "the functions do not compile";
  for (OwningOpRef<ModuleOp> &module : modules)
    if (auto problem = check.check(*module->getOps<attn::KernelOp>().begin(), random))
      return problem;
  return std::nullopt;
}
