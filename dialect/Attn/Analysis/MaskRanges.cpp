//===- MaskRanges.cpp - Emits what a mask lets through ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/CaseEvaluator.h"
#include "dialect/Attn/Analysis/KeyBounds.h"
#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "dialect/Attn/Analysis/RectangleEvaluator.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace attnc::attn;
using arith::CmpIPredicate;

//===------------------------------------------------------------------------===//
// Static ranges of values of the head stage
//===------------------------------------------------------------------------===//

namespace {
struct StaticRange {
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
};
} // namespace

/// The range of the result of `op`, which a capture or a scalar of type `stored` holds.
static StaticRange getStoredRange(Type stored) {
  unsigned width = stored.getIntOrFloatBitWidth();
  if (width == 64 || !isa<IntegerType>(stored))
    return {};
  if (stored.isUnsignedInteger())
    return {0, (int64_t(1) << width) - 1};
  return {-(int64_t(1) << (width - 1)), (int64_t(1) << (width - 1)) - 1};
}

static StaticRange getStaticRange(Operation *op, ArrayRef<StaticRange> operands) {
  auto kernel = op->getParentOfType<KernelOp>();
  auto combine = [&](auto low, auto high) -> StaticRange {
    std::optional<int64_t> min = low, max = high;
    return min && max ? StaticRange{*min, *max} : StaticRange();
  };
  StaticRange result =
      llvm::TypeSwitch<Operation *, StaticRange>(op)
          .Case([&](arith::ConstantOp constant) -> StaticRange {
            int64_t value = cast<IntegerAttr>(constant.getValue()).getInt();
            return {value, value};
          })
          .Case([&](DimOp dim) -> StaticRange {
            if (dim.getName() == "Q" || dim.getName() == "KV")
              return {0, MaskValues::maxSize};
            return {0, std::numeric_limits<int64_t>::max()};
          })
          .Case([&](GetOp get) {
            return getStoredRange(kernel.lookupScalar(get.getScalar()).getElementType());
          })
          .Case([&](LoadOp load) {
            if (CaptureOp capture = kernel.lookupCapture(load.getSource()))
              return getStoredRange(capture.getElementType());
            return getStoredRange(kernel.lookupTable(load.getSource()).getValue().getElementType());
          })
          .Case([&](arith::AddIOp) {
            return combine(llvm::checkedAdd(operands[0].min, operands[1].min),
                           llvm::checkedAdd(operands[0].max, operands[1].max));
          })
          .Case([&](arith::SubIOp) {
            return combine(llvm::checkedSub(operands[0].min, operands[1].max),
                           llvm::checkedSub(operands[0].max, operands[1].min));
          })
          .Case([&](arith::MinSIOp) -> StaticRange {
            return {std::min(operands[0].min, operands[1].min),
                    std::min(operands[0].max, operands[1].max)};
          })
          .Case([&](arith::MaxSIOp) -> StaticRange {
            return {std::max(operands[0].min, operands[1].min),
                    std::max(operands[0].max, operands[1].max)};
          })
          .Case([&](arith::SelectOp) -> StaticRange {
            return {std::min(operands[1].min, operands[2].min),
                    std::max(operands[1].max, operands[2].max)};
          })
          .Case<arith::ExtSIOp, arith::TruncIOp>([&](Operation *) {
            return op->getOperand(0).getType().isInteger(1) ? StaticRange{-1, 0} : operands[0];
          })
          .Default([](Operation *) { return StaticRange(); });
  return result;
}

//===------------------------------------------------------------------------===//
// MaskRanges
//===------------------------------------------------------------------------===//

/// The most queries or keys of a part of a rectangle whose tables are read for it.
static constexpr int64_t mostTabulatedAnew = 512;

class MaskRanges::Prepared {
public:
  IndexRange range;
  AbstractValues values;
};

class MaskRanges::Implementation {
public:
  Implementation(const MaskAnalysis &analysis, ScalarEmitter &emitter)
      : analysis(analysis), values(analysis.getValues()), mask(values.getMask()), emitter(emitter) {
  }

  void prepareHead(OpBuilder &builder, Value batch, Value head, Value numQueries, Value numKeys);
  PreparedRange prepare(OpBuilder &builder, Stage stage, IndexRange range);
  SmallVector<Value> emitSummary(OpBuilder &builder, Stage stage, IndexRange range);
  PreparedRange prepareSummarized(OpBuilder &builder, Stage stage, IndexRange range,
                                  ValueRange summary);
  KeyBounds emitKeyBounds(OpBuilder &builder, const PreparedRange &queries);
  SmallVector<KeyBounds, maxKeyRuns> emitKeyRuns(OpBuilder &builder, const PreparedRange &queries);
  KeyRange emitKeyRange(OpBuilder &builder, Value query);
  Verdict emitVerdict(OpBuilder &builder, const PreparedRange &queries, const PreparedRange &keys,
                      bool solveCases);

private:
  IntervalArithmetic arithmetic(OpBuilder &builder) {
    return IntervalArithmetic(builder, mask.getLoc(), emitter);
  }
  auto getOps() { return mask.getBody().front().without_terminator(); }
  Value extendToI64(OpBuilder &builder, Value value) {
    Type i64 = builder.getI64Type();
    return value.getType() == i64 ? value
                                  : arith::ExtSIOp::create(builder, mask.getLoc(), i64, value);
  }
  DenseSet<Value> getNeeded(ArrayRef<Value> wanted);
  void emitStage(
      OpBuilder &builder, Stage stage, llvm::function_ref<bool(Value)> isNeeded,
      DenseMap<Value, Value> &emitted,
      llvm::function_ref<void(Operation &)> follow = [](Operation &) {});
  SmallVector<Value> tabulate(OpBuilder &builder, Stage stage, IndexRange range);
  /// What tabulate() gives, as what is known of the values.
  AbstractValues readTabulated(Stage stage, ValueRange found);
  AbstractValues tabulatePart(OpBuilder &builder, Stage stage, IndexRange part, IndexRange all,
                              const RectangleEvaluator &evaluator);
  PreparedRange evaluate(OpBuilder &builder, Stage stage, IndexRange range,
                         AbstractValues tabulated);
  void evaluateLaterRests(RectangleEvaluator &evaluator);

  const MaskAnalysis &analysis;
  const MaskValues &values;
  MaskOp mask;
  ScalarEmitter &emitter;
  /// What was emitted for values of the head stage.
  DenseMap<Value, Value> headValues;
  AbstractValues head;
  Value keys;
  /// True where sizes are small enough for anything to be claimed.
  Value sizesFit;
};

/// `wanted` and what they are computed from.
DenseSet<Value> MaskRanges::Implementation::getNeeded(ArrayRef<Value> wanted) {
  DenseSet<Value> needed(llvm::from_range, wanted);
  auto isNeeded = [&](Value value) { return needed.contains(value); };
  for (Operation &op : llvm::reverse(getOps()))
    if (llvm::any_of(op.getResults(), isNeeded))
      needed.insert_range(op.getOperands());
  return needed;
}

/// Emits the ops of `stage` with a result that is needed, from values of the head stage and those
/// in `emitted`, and adds theirs. `follow` is called after each op.
void MaskRanges::Implementation::emitStage(OpBuilder &builder, Stage stage,
                                           llvm::function_ref<bool(Value)> isNeeded,
                                           DenseMap<Value, Value> &emitted,
                                           llvm::function_ref<void(Operation &)> follow) {
  for (Operation &op : getOps()) {
    if (values.get(op.getResult(0)).stage != stage || llvm::none_of(op.getResults(), isNeeded))
      continue;
    auto operands = llvm::map_to_vector(op.getOperands(), [&](Value operand) {
      Value found = emitted.lookup(operand);
      return found ? found : headValues.lookup(operand);
    });
    for (auto [result, value] : llvm::zip(op.getResults(), emitter.emit(builder, &op, operands)))
      emitted[result] = value;
    follow(op);
  }
}

void MaskRanges::Implementation::prepareHead(OpBuilder &builder, Value batch, Value headValue,
                                             Value numQueries, Value numKeys) {
  IntervalArithmetic emit = arithmetic(builder);
  keys = numKeys;
  Value limit = emit.constant(MaskValues::maxSize);
  sizesFit = emit.logicalAnd(emit.compare(CmpIPredicate::sle, numQueries, limit),
                             emit.compare(CmpIPredicate::sle, numKeys, limit));

  DenseMap<Value, StaticRange> staticRanges;
  headValues = {{mask.getBatch(), batch}, {mask.getHead(), headValue}};
  auto describe = [&](Value value, StaticRange range) {
    Value emitted = headValues.lookup(value);
    staticRanges[value] = range;
    if (value.getType().isInteger(1))
      head.conditions[value] = emit.known(emitted);
    else if (isa<IntegerType>(value.getType()))
      head.rests[value] = emit.point(extendToI64(builder, emitted), range.min, range.max);
  };
  StaticRange index = {0, std::numeric_limits<int64_t>::max()};
  describe(mask.getBatch(), index);
  describe(mask.getHead(), index);
  auto all = [](Value) { return true; };
  emitStage(builder, Stage::Head, all, headValues, [&](Operation &op) {
    auto ranges = llvm::map_to_vector(op.getOperands(),
                                      [&](Value operand) { return staticRanges.lookup(operand); });
    Type type = op.getResult(0).getType();
    bool isInt = isa<IntegerType>(type) && !type.isInteger(1);
    StaticRange range = isInt ? getStaticRange(&op, ranges) : StaticRange();
    for (Value result : op.getResults())
      describe(result, range);
  });
}

/// Evaluates the tabulated values of `stage` for each query or key of `range` and gives, of each,
/// the smallest and largest integer, or whether a condition may be true and may be false.
SmallVector<Value> MaskRanges::Implementation::tabulate(OpBuilder &builder, Stage stage,
                                                        IndexRange range) {
  SmallVector<Value> tabulated = values.getTabulated(stage);
  if (tabulated.empty())
    return {};
  DenseSet<Value> needed = getNeeded(tabulated);
  auto isNeeded = [&](Value value) { return needed.contains(value); };

  Location loc = mask.getLoc();
  IntervalArithmetic emit = arithmetic(builder);
  SmallVector<Value> initial;
  for (Value value : tabulated) {
    bool condition = value.getType().isInteger(1);
    initial.push_back(condition ? emit.constant(false)
                                : emit.constant(std::numeric_limits<int64_t>::max()));
    initial.push_back(condition ? emit.constant(false)
                                : emit.constant(std::numeric_limits<int64_t>::min()));
  }
  Value one = emit.constant(int64_t(1));
  auto body = [&](OpBuilder &inner, Location, Value index, ValueRange carried) {
    IntervalArithmetic emitInner = arithmetic(inner);
    DenseMap<Value, Value> element;
    element[stage == Stage::Query ? mask.getQuery() : mask.getKey()] = index;
    emitStage(inner, stage, isNeeded, element);
    SmallVector<Value> next;
    for (auto [i, value] : llvm::enumerate(tabulated)) {
      Value current = element.lookup(value);
      Value first = carried[2 * i], second = carried[2 * i + 1];
      if (value.getType().isInteger(1)) {
        next.push_back(emitInner.logicalOr(first, current));
        next.push_back(emitInner.logicalOr(second, emitInner.logicalNot(current)));
        continue;
      }
      current = extendToI64(inner, current);
      next.push_back(emitInner.minimum(first, current));
      next.push_back(emitInner.maximum(second, current));
    }
    scf::YieldOp::create(inner, loc, next);
  };
  auto loop =
      scf::ForOp::create(builder, loc, range.first, emit.add(range.last, one), one, initial, body);
  return llvm::to_vector(ValueRange(loop.getResults()));
}

AbstractValues MaskRanges::Implementation::readTabulated(Stage stage, ValueRange found) {
  AbstractValues tabulated;
  for (auto [i, value] : llvm::enumerate(values.getTabulated(stage))) {
    if (value.getType().isInteger(1))
      tabulated.conditions[value] = {found[2 * i], found[2 * i + 1]};
    else
      tabulated.rests[value] = {found[2 * i], found[2 * i + 1]};
  }
  return tabulated;
}

/// What is known of the tabulated values of `stage` in `part`, which lies inside `all`, of which
/// `evaluator` knows: they are tabulated anew where that is little work.
AbstractValues MaskRanges::Implementation::tabulatePart(OpBuilder &builder, Stage stage,
                                                        IndexRange part, IndexRange all,
                                                        const RectangleEvaluator &evaluator) {
  SmallVector<Value> known;
  for (Value value : values.getTabulated(stage)) {
    if (value.getType().isInteger(1)) {
      Possible possible = evaluator.getCondition(value);
      known.append({possible.canBeTrue, possible.canBeFalse});
    } else {
      Interval rest = evaluator.getRest(value);
      known.append({rest.lo, rest.hi});
    }
  }
  if (known.empty())
    return AbstractValues();
  IntervalArithmetic emit = arithmetic(builder);
  Value smaller = emit.logicalOr(emit.compare(CmpIPredicate::slt, all.first, part.first),
                                 emit.compare(CmpIPredicate::slt, part.last, all.last));
  Value few = emit.compare(CmpIPredicate::slt, emit.subtract(part.last, part.first),
                           emit.constant(mostTabulatedAnew));
  auto anew = scf::IfOp::create(
      builder, mask.getLoc(), emit.logicalAnd(smaller, few),
      [&](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, tabulate(inner, stage, part));
      },
      [&](OpBuilder &inner, Location loc) { scf::YieldOp::create(inner, loc, known); });
  return readTabulated(stage, anew.getResults());
}

MaskRanges::PreparedRange MaskRanges::Implementation::prepare(OpBuilder &builder, Stage stage,
                                                              IndexRange range) {
  return evaluate(builder, stage, range, readTabulated(stage, tabulate(builder, stage, range)));
}

SmallVector<Value> MaskRanges::Implementation::emitSummary(OpBuilder &builder, Stage stage,
                                                           IndexRange range) {
  SmallVector<Value> summary = tabulate(builder, stage, range);
  IntervalArithmetic emit = arithmetic(builder);
  Type i64 = builder.getI64Type();
  for (auto [i, value] : llvm::enumerate(values.getTabulated(stage))) {
    if (!value.getType().isInteger(1))
      continue;
    // 0 is the smallest value of what can be false, and 1 the largest of what can be true.
    Value &first = summary[2 * i], &second = summary[2 * i + 1];
    Value canBeTrue = first, canBeFalse = second;
    first = arith::ExtUIOp::create(builder, mask.getLoc(), i64, emit.logicalNot(canBeFalse));
    second = arith::ExtUIOp::create(builder, mask.getLoc(), i64, canBeTrue);
  }
  return summary;
}

MaskRanges::PreparedRange MaskRanges::Implementation::prepareSummarized(OpBuilder &builder,
                                                                        Stage stage,
                                                                        IndexRange range,
                                                                        ValueRange summary) {
  IntervalArithmetic emit = arithmetic(builder);
  AbstractValues tabulated;
  for (auto [i, value] : llvm::enumerate(values.getTabulated(stage))) {
    Value smallest = summary[2 * i], largest = summary[2 * i + 1];
    if (!value.getType().isInteger(1)) {
      tabulated.rests[value] = {smallest, largest};
      continue;
    }
    Value zero = emit.constant(int64_t(0));
    tabulated.conditions[value] = {emit.compare(CmpIPredicate::ne, largest, zero),
                                   emit.compare(CmpIPredicate::eq, smallest, zero)};
  }
  return evaluate(builder, stage, range, std::move(tabulated));
}

MaskRanges::PreparedRange MaskRanges::Implementation::evaluate(OpBuilder &builder, Stage stage,
                                                               IndexRange range,
                                                               AbstractValues tabulated) {
  IntervalArithmetic emit = arithmetic(builder);
  IndexRange none;
  RectangleEvaluator evaluator(emit, values, {&head}, stage == Stage::Query ? range : none,
                               stage == Stage::Key ? range : none);
  evaluator.own = std::move(tabulated);
  for (Operation &op : getOps()) {
    const MaskValue &value = values.get(op.getResult(0));
    if (value.stage == stage && !value.tabulated)
      evaluator.evaluate(&op);
  }
  // Ranges are wanted by ops of later stages, so they are computed here once.
  for (Operation &op : getOps())
    if (values.get(op.getResult(0)).stage == Stage::Pair)
      for (Value operand : op.getOperands()) {
        const MaskValue &value = values.get(operand);
        if (value.stage == stage && value.form.hasFactor())
          evaluator.getRange(operand);
      }
  auto prepared = std::make_shared<Prepared>();
  prepared->range = range;
  prepared->values = std::move(evaluator.own);
  return prepared;
}

/// Evaluates what is added to the terms in the key.
void MaskRanges::Implementation::evaluateLaterRests(RectangleEvaluator &evaluator) {
  for (Operation &op : getOps()) {
    const MaskValue &value = values.get(op.getResult(0));
    bool later = value.stage == Stage::Key || value.stage == Stage::Pair;
    bool restIsKnown = value.form.restStage == Stage::Head || value.form.restStage == Stage::Query;
    if (later && restIsKnown && value.rule != RestRule::Own)
      evaluator.own.rests[op.getResult(0)] = evaluator.evaluateRest(&op);
  }
}

KeyBounds MaskRanges::Implementation::emitKeyBounds(OpBuilder &builder,
                                                    const PreparedRange &queries) {
  IntervalArithmetic emit = arithmetic(builder);
  RectangleEvaluator evaluator(emit, values, {&queries->values, &head}, queries->range,
                               IndexRange());
  evaluateLaterRests(evaluator);
  return KeyBoundsEmitter(emit, values, evaluator, keys).emitBounds(sizesFit);
}

SmallVector<KeyBounds, maxKeyRuns>
MaskRanges::Implementation::emitKeyRuns(OpBuilder &builder, const PreparedRange &queries) {
  if (analysis.getNumKeyRuns() == 1)
    return {emitKeyBounds(builder, queries)};
  IntervalArithmetic emit = arithmetic(builder);
  RectangleEvaluator evaluator(emit, values, {&queries->values, &head}, queries->range,
                               IndexRange());
  evaluateLaterRests(evaluator);
  return KeyBoundsEmitter(emit, values, evaluator, keys).emitRuns(sizesFit);
}

KeyRange MaskRanges::Implementation::emitKeyRange(OpBuilder &builder, Value query) {
  IntervalArithmetic emit = arithmetic(builder);
  RectangleEvaluator evaluator(emit, values, {&head}, IndexRange{query, query}, IndexRange());
  DenseSet<Value> needed = getNeeded(analysis.getRangeConditions());
  auto isNeeded = [&](Value value) { return needed.contains(value); };

  // The query's values themselves, which intervals would not keep to the point.
  DenseMap<Value, Value> own = {{mask.getQuery(), query}};
  emitStage(builder, Stage::Query, isNeeded, own, [&](Operation &op) {
    Value result = op.getResult(0), value = own.lookup(result);
    if (result.getType().isInteger(1)) {
      evaluator.own.conditions[result] = emit.known(value);
    } else if (values.get(result).rule != RestRule::Own) {
      evaluator.own.rests[result] = evaluator.evaluateRest(&op);
    } else if (isa<IntegerType>(result.getType())) {
      StaticRange all;
      evaluator.own.rests[result] = emit.point(extendToI64(builder, value), all.min, all.max);
    }
  });
  evaluateLaterRests(evaluator);
  return KeyBoundsEmitter(emit, values, evaluator, keys).emitRange(analysis.getRangeConditions());
}

Verdict MaskRanges::Implementation::emitVerdict(OpBuilder &builder, const PreparedRange &queries,
                                                const PreparedRange &keyRange, bool solveCases) {
  IntervalArithmetic emit = arithmetic(builder);
  RectangleEvaluator evaluator(emit, values, {&queries->values, &keyRange->values, &head},
                               queries->range, keyRange->range);
  for (Operation &op : getOps())
    if (values.get(op.getResult(0)).stage == Stage::Pair)
      evaluator.evaluate(&op);
  Possible possible = evaluator.getCondition(mask.getYielded());
  if (solveCases) {
    auto tabulate = [&](Stage stage, IndexRange part) {
      IndexRange all = stage == Stage::Query ? queries->range : keyRange->range;
      return tabulatePart(builder, stage, part, all, evaluator);
    };
    CaseEvaluator cases(emit, values, evaluator, queries->range, keyRange->range, tabulate);
    if (Value canHold = cases.canHold(mask.getYielded(), /*negated=*/false))
      possible.canBeTrue = emit.logicalAnd(possible.canBeTrue, canHold);
    if (Value canFail = cases.canHold(mask.getYielded(), /*negated=*/true))
      possible.canBeFalse = emit.logicalAnd(possible.canBeFalse, canFail);
  }
  return {emit.logicalOr(possible.canBeTrue, emit.logicalNot(sizesFit)),
          emit.logicalAnd(emit.logicalNot(possible.canBeFalse), sizesFit)};
}

MaskRanges::MaskRanges(const MaskAnalysis &analysis, ScalarEmitter &emitter)
    : implementation(std::make_unique<Implementation>(analysis, emitter)) {}
MaskRanges::~MaskRanges() = default;

void MaskRanges::prepareHead(OpBuilder &builder, Value batch, Value head, Value numQueries,
                             Value numKeys) {
  implementation->prepareHead(builder, batch, head, numQueries, numKeys);
}

MaskRanges::PreparedRange MaskRanges::prepareQueries(OpBuilder &builder, Value first, Value last) {
  return implementation->prepare(builder, Stage::Query, {first, last});
}

MaskRanges::PreparedRange MaskRanges::prepareKeys(OpBuilder &builder, Value first, Value last) {
  return implementation->prepare(builder, Stage::Key, {first, last});
}

SmallVector<Value> MaskRanges::emitSummary(OpBuilder &builder, Stage stage, Value first,
                                           Value last) {
  return implementation->emitSummary(builder, stage, {first, last});
}

MaskRanges::PreparedRange MaskRanges::prepareSummarized(OpBuilder &builder, Stage stage,
                                                        Value first, Value last,
                                                        ValueRange summary) {
  return implementation->prepareSummarized(builder, stage, {first, last}, summary);
}

KeyBounds MaskRanges::emitKeyBounds(OpBuilder &builder, const PreparedRange &queries) {
  return implementation->emitKeyBounds(builder, queries);
}

SmallVector<KeyBounds, maxKeyRuns> MaskRanges::emitKeyRuns(OpBuilder &builder,
                                                           const PreparedRange &queries) {
  return implementation->emitKeyRuns(builder, queries);
}

KeyRange MaskRanges::emitKeyRange(OpBuilder &builder, Value query) {
  return implementation->emitKeyRange(builder, query);
}

Verdict MaskRanges::emitVerdict(OpBuilder &builder, const PreparedRange &queries,
                                const PreparedRange &keys, bool solveCases) {
  return implementation->emitVerdict(builder, queries, keys, solveCases);
}
