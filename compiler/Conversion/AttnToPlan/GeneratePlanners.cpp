//===- GeneratePlanners.cpp - Adds functions that tell of blocks of pairs ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/AttnToPlan/Passes.h"
#include "compiler/Conversion/Bodies/KernelBuilder.h"
#include "compiler/Conversion/Bodies/RegionVectorizer.h"
#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "dialect/Tile/IR/TileOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/xxhash.h"

namespace attnc {
#define GEN_PASS_DEF_GENERATEPLANNERSPASS
#include "compiler/Conversion/AttnToPlan/Passes.h.inc"
} // namespace attnc

using namespace mlir;
using namespace attnc;
using attn::Stage;

//===------------------------------------------------------------------------===//
// One function
//===------------------------------------------------------------------------===//

namespace {
/// A function of (slots, b, h, ...) for one kernel, and what it takes to emit its mask.
struct PlannerFunction {
  PlannerFunction(tile::KernelOp kernel, StringRef suffix, const attn::MaskAnalysis &analysis,
                  ArrayRef<Type> otherArguments, Type result = {});

  Value getArgument(unsigned i) { return function.getArgument(i); }
  /// The i64 number `i` from `base`.
  Value load(Value base, int64_t i) {
    return code.load(code.getI64Type(), code.address(base, 8 * i), 8);
  }
  Value pointer(Value address) {
    return LLVM::IntToPtrOp::create(code, LLVM::LLVMPointerType::get(code.getContext()), address);
  }
  /// Calls `body` with number, first and last element of each block of [begin, end).
  void forBlocks(Value begin, Value end, Value size,
                 llvm::function_ref<void(Value, Value, Value)> body);
  void prepareHead();

  attn::KernelOp kernel;
  LLVM::LLVMFuncOp function;
  KernelBuilder code;
  ArgumentReader arguments;
  OpEmitter emitter;
  attn::MaskRanges ranges;

private:
  static LLVM::LLVMFuncOp create(tile::KernelOp kernel, StringRef suffix,
                                 ArrayRef<Type> otherArguments, Type result);
};
} // namespace

LLVM::LLVMFuncOp PlannerFunction::create(tile::KernelOp kernel, StringRef suffix,
                                         ArrayRef<Type> otherArguments, Type result) {
  OpBuilder builder(kernel);
  MLIRContext *context = builder.getContext();
  Type i64 = builder.getI64Type();
  SmallVector<Type> types = {LLVM::LLVMPointerType::get(context), i64, i64};
  types.append(otherArguments.begin(), otherArguments.end());
  auto type =
      LLVM::LLVMFunctionType::get(result ? result : LLVM::LLVMVoidType::get(context), types);
  auto function = LLVM::LLVMFuncOp::create(builder, kernel.getLoc(),
                                           (kernel.getSymName() + suffix).str(), type);
  function.addEntryBlock(builder);
  return function;
}

PlannerFunction::PlannerFunction(tile::KernelOp tileKernel, StringRef suffix,
                                 const attn::MaskAnalysis &analysis, ArrayRef<Type> otherArguments,
                                 Type result)
    : kernel(tileKernel.getAttnKernel()),
      function(create(tileKernel, suffix, otherArguments, result)), code(function),
      arguments(kernel, function.getArgument(0), code.createEntryBuilder(),
                getVectorFeatures(tileKernel.getScheduleAttr())),
      emitter(arguments, getVectorFeatures(tileKernel.getScheduleAttr())),
      ranges(analysis, emitter) {}

void PlannerFunction::prepareHead() {
  ranges.prepareHead(code, getArgument(1), getArgument(2), arguments.getDim("Q"),
                     arguments.getDim("KV"));
}

void PlannerFunction::forBlocks(Value begin, Value end, Value size,
                                llvm::function_ref<void(Value, Value, Value)> body) {
  Value span = code.sub(code.add(code.sub(end, begin), size), code.i64(1));
  Value count = arith::DivUIOp::create(code, span, size);
  code.loop(code.i64(0), count, 1, [&](Value i) {
    Value first = code.add(begin, code.mul(i, size));
    Value last = code.sub(code.minimum(code.add(first, size), end), code.i64(1));
    body(i, first, last);
  });
}

//===------------------------------------------------------------------------===//
// The functions of a planner
//===------------------------------------------------------------------------===//

namespace {
class PlannerBuilder {
public:
  explicit PlannerBuilder(tile::KernelOp kernel)
      : kernel(kernel), mask(kernel.getAttnKernel().getMask()), analysis(mask), builder(kernel) {}

  void build();

private:
  unsigned getNumValues(Stage stage) const {
    return static_cast<unsigned>(2 * analysis.getValues().getTabulated(stage).size());
  }
  void buildSummarize(Stage stage, StringRef suffix);
  void buildClassify();
  void buildKeyBounds();
  void buildRefine();
  /// Whether the keys of a range of queries are one run with a formula.
  bool hasKeyBounds() const { return !analysis.needsVerdict() && analysis.getNumKeyRuns() == 1; }
  bool sharesSummaries() const;
  DictionaryAttr describe();

  tile::KernelOp kernel;
  attn::MaskOp mask;
  attn::MaskAnalysis analysis;
  Builder builder;
};
} // namespace

/// NAME_summarize_*(slots, b, h, begin, end, size, summaries).
void PlannerBuilder::buildSummarize(Stage stage, StringRef suffix) {
  Type i64 = builder.getI64Type(), pointer = LLVM::LLVMPointerType::get(builder.getContext());
  PlannerFunction function(kernel, suffix, analysis, {i64, i64, i64, pointer});
  KernelBuilder &code = function.code;
  function.prepareHead();
  function.forBlocks(function.getArgument(3), function.getArgument(4), function.getArgument(5),
                     [&](Value i, Value first, Value last) {
                       SmallVector<Value> summary =
                           function.ranges.emitSummary(code, stage, first, last);
                       Value place =
                           code.address(function.getArgument(6),
                                        code.mul(i, static_cast<int64_t>(8 * summary.size())));
                       for (auto [j, value] : llvm::enumerate(summary))
                         code.store(value, code.address(place, static_cast<int64_t>(8 * j)), 8);
                     });
  LLVM::ReturnOp::create(code, ValueRange());
}

/// NAME_classify(slots, b, h, rectangles, count, verdicts).
void PlannerBuilder::buildClassify() {
  Type i64 = builder.getI64Type(), pointer = LLVM::LLVMPointerType::get(builder.getContext());
  PlannerFunction function(kernel, "_classify", analysis, {pointer, i64, pointer});
  KernelBuilder &code = function.code;
  function.prepareHead();
  constexpr int64_t rectangleBytes = 6 * 8;
  code.loop(code.i64(0), function.getArgument(4), 1, [&](Value i) {
    Value rectangle = code.address(function.getArgument(3), code.mul(i, rectangleBytes));
    auto prepare = [&](Stage stage, int64_t range, int64_t summary) {
      SmallVector<Value> values;
      if (unsigned count = getNumValues(stage)) {
        Value place = function.pointer(function.load(rectangle, summary));
        for (unsigned j = 0; j < count; ++j)
          values.push_back(function.load(place, j));
      }
      return function.ranges.prepareSummarized(code, stage, function.load(rectangle, range),
                                               function.load(rectangle, range + 1), values);
    };
    auto queries = prepare(Stage::Query, 0, 4), keys = prepare(Stage::Key, 2, 5);
    attn::Verdict verdict = function.ranges.emitVerdict(code, queries, keys, /*solveCases=*/true);
    Type i8 = code.getI8Type();
    Value may = arith::ExtUIOp::create(code, i8, verdict.may);
    Value must = arith::ExtUIOp::create(code, i8, verdict.must);
    Value bits =
        arith::OrIOp::create(code, may, arith::ShLIOp::create(code, must, code.integer(i8, 1)));
    code.store(bits, code.address(function.getArgument(5), i), 1);
  });
  LLVM::ReturnOp::create(code, ValueRange());
}

/// NAME_key_bounds(slots, b, h, begin, end, size, bounds).
void PlannerBuilder::buildKeyBounds() {
  Type i64 = builder.getI64Type(), pointer = LLVM::LLVMPointerType::get(builder.getContext());
  PlannerFunction function(kernel, "_key_bounds", analysis, {i64, i64, i64, pointer});
  KernelBuilder &code = function.code;
  function.prepareHead();
  function.forBlocks(function.getArgument(3), function.getArgument(4), function.getArgument(5),
                     [&](Value i, Value first, Value last) {
                       auto queries = function.ranges.prepareQueries(code, first, last);
                       attn::KeyBounds bounds = function.ranges.emitKeyBounds(code, queries);
                       Value place = code.address(function.getArgument(6), code.mul(i, 4 * 8));
                       const Value ends[] = {bounds.lo, bounds.hi, bounds.fullLo, bounds.fullHi};
                       for (auto [j, value] : llvm::enumerate(ends))
                         code.store(value, code.address(place, static_cast<int64_t>(8 * j)), 8);
                     });
  LLVM::ReturnOp::create(code, ValueRange());
}

/// NAME_refine(slots, b, h, q0, q1, k0, k1): the verdict's bits. Vectors hold queries; it ends once
/// it has met pairs of both kinds.
void PlannerBuilder::buildRefine() {
  Type i64 = builder.getI64Type(), i1 = builder.getI1Type();
  PlannerFunction function(kernel, "_refine", analysis, {i64, i64, i64, i64}, i64);
  KernelBuilder &code = function.code;
  RegionVectorizer pairs(mask, function.emitter);
  int64_t lanes = kernel.getScheduleAttr().getLanes();
  auto vector = [&](Type element) { return VectorType::get(lanes, element); };
  StageValues head = pairs.emitHead(code, function.getArgument(1), function.getArgument(2));
  Value begin = function.getArgument(3), last = function.getArgument(4);
  SmallVector<int64_t> steps(lanes);
  for (int64_t i = 0; i < lanes; ++i)
    steps[i] = i;
  Value lane = code.constant(DenseElementsAttr::get(vector(i64), ArrayRef<int64_t>(steps)));
  Value none = code.constant(DenseElementsAttr::get(vector(i1), false));
  Value every = code.constant(DenseElementsAttr::get(vector(i1), true));

  Value no = code.boolean(false), yes = code.boolean(true);
  auto loop = scf::WhileOp::create(code, TypeRange{i64, i1, i1}, ValueRange{begin, no, yes});
  Location loc = code.getLoc();
  Block *before = code.createBlock(&loop.getBefore(), {}, {i64, i1, i1}, {loc, loc, loc});
  Value mixed = code.andOf(before->getArgument(1), code.notOf(before->getArgument(2)));
  Value goOn = code.andOf(code.lessEqual(before->getArgument(0), last), code.notOf(mixed));
  scf::ConditionOp::create(code, goOn, before->getArguments());

  Block *body = code.createBlock(&loop.getAfter(), {}, {i64, i1, i1}, {loc, loc, loc});
  Value first = body->getArgument(0);
  // Lanes past the end see the last query once more, which changes nothing.
  Value queries = code.minimum(code.add(broadcastTo(code, loc, first, lanes), lane),
                               broadcastTo(code, loc, last, lanes));
  StageValues query = pairs.emitQuery(code, head, queries);
  Value end = code.add(function.getArgument(6), 1);
  auto found = code.loop(function.getArgument(5), end, 1, ValueRange{none, every},
                         [&](Value key, ValueRange carried) {
                           StageValues own = pairs.emitKey(code, head, key);
                           Value takesPart = pairs.emitPair(code, head, query, own);
                           return KernelBuilder::Values{code.orOf(carried[0], takesPart),
                                                        code.andOf(carried[1], takesPart)};
                         });
  Value any = vector::ReductionOp::create(code, vector::CombiningKind::OR, found[0]);
  Value all = vector::ReductionOp::create(code, vector::CombiningKind::AND, found[1]);
  scf::YieldOp::create(code,
                       ValueRange{code.add(first, lanes), code.orOf(body->getArgument(1), any),
                                  code.andOf(body->getArgument(2), all)});

  code.setInsertionPointAfter(loop);
  Value may = arith::ExtUIOp::create(code, i64, loop.getResult(1));
  Value must = arith::ExtUIOp::create(code, i64, loop.getResult(2));
  Value bits = arith::OrIOp::create(code, may, arith::ShLIOp::create(code, must, code.i64(1)));
  LLVM::ReturnOp::create(code, bits);
}

//===------------------------------------------------------------------------===//
// What is noted of it
//===------------------------------------------------------------------------===//

/// True if `a` is of the query what `b` is of the key, where both are inside all tensors. `same`
/// holds pairs of which that is known.
static bool isSameFunction(attn::MaskOp mask, Value a, Value b,
                           llvm::DenseSet<std::pair<Value, Value>> &same) {
  if (same.contains({a, b}))
    return true;
  if (a == b)
    return a != mask.getQuery() && a != mask.getKey();
  if (a == mask.getQuery())
    return b == mask.getKey();
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || x->getName() != y->getName() || x->getNumOperands() != y->getNumOperands() ||
      x->getResultTypes() != y->getResultTypes())
    return false;
  if (auto load = dyn_cast<attn::LoadOp>(x)) {
    // Indices that are proved inside for one of them only differ in attributes.
    if (load.getSource() != cast<attn::LoadOp>(y).getSource())
      return false;
  } else if (x->getAttrDictionary() != y->getAttrDictionary()) {
    return false;
  }
  for (auto [lhs, rhs] : llvm::zip(x->getOperands(), y->getOperands()))
    if (!isSameFunction(mask, lhs, rhs, same))
      return false;
  same.insert({a, b});
  return true;
}

bool PlannerBuilder::sharesSummaries() const {
  SmallVector<Value> queries = analysis.getValues().getTabulated(Stage::Query);
  SmallVector<Value> keys = analysis.getValues().getTabulated(Stage::Key);
  llvm::DenseSet<std::pair<Value, Value>> same;
  return !queries.empty() && queries.size() == keys.size() &&
         llvm::all_of(llvm::zip(queries, keys), [&](auto values) {
           return isSameFunction(mask, std::get<0>(values), std::get<1>(values), same);
         });
}

DictionaryAttr PlannerBuilder::describe() {
  // What a mask lets through follows from its text and from that of the tables it reads.
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.useLocalScope();
  mask->print(os, flags);
  SmallVector<int64_t> scalars;
  attn::KernelOp attnKernel = kernel.getAttnKernel();
  for (attn::TableOp table : attnKernel.getBody().getOps<attn::TableOp>())
    table->print(os, flags);
  for (auto [i, scalar] : llvm::enumerate(attnKernel.getBody().getOps<attn::ScalarOp>())) {
    bool read = false;
    mask.walk([&](attn::GetOp get) { read |= get.getScalar() == scalar.getSymName(); });
    if (read)
      scalars.push_back(static_cast<int64_t>(i));
  }
  auto number = [&](int64_t value) { return builder.getI64IntegerAttr(value); };
  return builder.getDictionaryAttr({
      builder.getNamedAttr("query_values", number(getNumValues(Stage::Query))),
      builder.getNamedAttr("key_values", number(getNumValues(Stage::Key))),
      builder.getNamedAttr("shared_summaries", number(sharesSummaries())),
      builder.getNamedAttr("closed_form", number(hasKeyBounds())),
      builder.getNamedAttr("per_batch", number(!mask.getBatch().use_empty())),
      builder.getNamedAttr("per_head", number(!mask.getHead().use_empty())),
      builder.getNamedAttr("mask", number(static_cast<int64_t>(llvm::xxh3_64bits(text) >> 1) | 1)),
      builder.getNamedAttr("key_block", number(kernel.getScheduleAttr().getKeyBlock())),
      builder.getNamedAttr("scalars", builder.getI64ArrayAttr(scalars)),
  });
}

void PlannerBuilder::build() {
  if (getNumValues(Stage::Query))
    buildSummarize(Stage::Query, "_summarize_queries");
  if (getNumValues(Stage::Key))
    buildSummarize(Stage::Key, "_summarize_keys");
  buildClassify();
  if (hasKeyBounds())
    buildKeyBounds();
  buildRefine();
  kernel->setAttr(plannerAttrName, describe());
}

namespace {
class GeneratePlanners : public attnc::impl::GeneratePlannersPassBase<GeneratePlanners> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<tile::KernelOp>())
      if (kernel.getScheduleAttr() && kernel.getAttnKernel().getMask())
        PlannerBuilder(kernel).build();
  }
};
} // namespace
