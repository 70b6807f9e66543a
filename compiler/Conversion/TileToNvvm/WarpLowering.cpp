//===- WarpLowering.cpp - The frame of a GPU kernel ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"
#include "attnc/ArgumentLayout.h"
#include "dialect/Attn/Analysis/ScoreScale.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include <limits>

using namespace mlir;
using namespace attnc;

static constexpr auto globalMemory = static_cast<unsigned>(NVVM::NVVMMemorySpace::Global);

static VectorFeatures getGpuFeatures() {
  VectorFeatures features;
  features.fma = features.rounding = features.f16 = features.bf16 = true;
  return features;
}

/// If all that the body does in the end is to multiply by a constant of ordinary size above zero,
/// makes it yield what it multiplies. Gives the constant, else 1.
static float takeLastFactor(attn::ScoreOp score) {
  auto product = score.getYielded().getDefiningOp<arith::MulFOp>();
  llvm::APFloat factor(0.0f);
  if (!product || !matchPattern(product.getRhs(), m_ConstantFloat(&factor)))
    return 1.0f;
  float value = factor.convertToFloat();
  if (!attn::canScaleDifferences(value))
    return 1.0f;
  score.getBody().front().getTerminator()->setOperand(0, product.getLhs());
  return value;
}

/// Puts what is emitted for the ops of `body` into the phase `phase`.
static void nameOps(Operation *body, StringRef phase) {
  body->walk([&](Operation *op) { op->setLoc(getPhaseLocation(phase, op->getLoc())); });
}

WarpLowering::WarpLowering(tile::KernelOp kernel, LLVM::LLVMFuncOp function)
    : kernel(kernel), function(function), attn(kernel.getAttnKernel()),
      schedule(kernel.getWarpScheduleAttr()), layout(attn, schedule), features(getGpuFeatures()),
      code(function),
      arguments(attn, function.getArgument(0), code.createEntryBuilder(), features, globalMemory),
      emitter(arguments, features) {
  if (attn::ScoreOp op = attn.getScore()) {
    nameOps(op, "score_mod");
    bodyUnits.storedScale = takeLastFactor(op);
    score.emplace(op, emitter);
    // Rows of short grids may have heads of their own.
    if (!schedule.getShortGrid())
      linearScore = attn::matchLinearScore(attn);
    if (linearScore)
      distance.emplace(op, linearScore->distance, emitter);
  }
  if (attn::MaskOp op = attn.getMask()) {
    nameOps(op, "mask_mod");
    mask.emplace(op, emitter);
    maskAnalysis.emplace(op);
    maskRanges.emplace(*maskAnalysis, emitter);
    if (std::optional<TableSummaries> facts = getTableSummaries(*maskAnalysis))
      summaries.emplace(code, arguments, function.getArgument(1), *facts);
    const attn::SharedValues &values = layout.sharedValues;
    ArrayRef<Value> conditions =
        layout.hasSharedValues ? values.pairConditions : maskAnalysis->getPairConditions();
    if (!conditions.empty())
      pairMask.emplace(op, conditions, emitter);
    if (layout.hasSharedValues && !values.keyConditions.empty())
      keyConditions.emplace(op, values.keyConditions, emitter);
  }
}

bool WarpLowering::packsHeads() const {
  // A mask that uses the head lets other keys through for each of them.
  attn::MaskOp op = attn::KernelOp(attn).getMask();
  return schedule.getShortGrid() && (!op || op.getHead().use_empty());
}

//===------------------------------------------------------------------------===//
// Addresses
//===------------------------------------------------------------------------===//

WarpLowering::Rows WarpLowering::getRows(int64_t tensor, int64_t elementBytes, Value tensorHead) {
  Value address = arguments.getSlot(tensor + ArgumentLayout::Pointer);
  Value offset =
      code.add(code.mul(batch, arguments.getSlot(tensor + ArgumentLayout::BatchStride)),
               code.mul(tensorHead, arguments.getSlot(tensor + ArgumentLayout::HeadStride)));
  Rows rows;
  Value start = code.add(address, code.mul(offset, elementBytes));
  rows.base = LLVM::IntToPtrOp::create(
      code, LLVM::LLVMPointerType::get(code.getContext(), globalMemory), start);
  Value stride = arguments.getSlot(tensor + ArgumentLayout::RowStride);
  rows.stride = code.mul(stride, elementBytes);
  rows.narrowStride = code.mul(code.narrow(stride), elementBytes);
  Value low = code.bitAnd(arith::OrIOp::create(code, start, rows.stride), 15);
  rows.aligned =
      code.andOf(code.equal(low, code.i64(0)), code.less(rows.stride, code.i64(int64_t(1) << 24)));
  return rows;
}

WarpLowering::Rows WarpLowering::getQueryRows(int64_t tensor, int64_t elementBytes) {
  Rows rows = getRows(tensor, elementBytes, head);
  if (!packedHeads)
    return rows;
  rows.headStride = code.mul(arguments.getSlot(tensor + ArgumentLayout::HeadStride), elementBytes);
  Value low = code.bitAnd(rows.headStride, 15);
  rows.aligned = code.andOf(rows.aligned, code.equal(low, code.i64(0)));
  return rows;
}

Value WarpLowering::getRow(const Rows &rows, Value row) {
  return code.address(rows.base, code.mul(code.widen(row), rows.stride));
}

Value WarpLowering::getQueryRow(const Rows &rows, Value row) {
  if (!packedHeads)
    return getRow(rows, row);
  Value start = getRow(rows, getQuery(row));
  return code.address(start,
                      code.mul(code.widen(code.remainder(row, packedHeads)), rows.headStride));
}

Value WarpLowering::getQuery(Value row) {
  return packedHeads ? code.divide(row, packedHeads) : row;
}

Value WarpLowering::getHead(Value row) {
  return packedHeads ? code.add(head, code.widen(code.remainder(row, packedHeads))) : head;
}

Value WarpLowering::getShared(int64_t offset) { return code.address(shared, offset); }
Value WarpLowering::getShared(Value offset, int64_t constantOffset) {
  return code.address(code.address(shared, offset), constantOffset);
}
Value WarpLowering::getKeyShared(Value offset, int64_t constantOffset) {
  return getShared(stage ? code.add(offset, stage) : offset, constantOffset);
}
Value WarpLowering::loadShared(Type type, int64_t array, Value index) {
  return code.load(type, getShared(code.shiftLeft(index, 2), array), 4);
}
void WarpLowering::storeShared(Value value, int64_t array, Value index) {
  code.store(value, getShared(code.shiftLeft(index, 2), array), 4);
}

//===------------------------------------------------------------------------===//
// The frame
//===------------------------------------------------------------------------===//

WarpLowering::ThreadPosition WarpLowering::getPosition() {
  ThreadPosition position;
  position.thread = code.threadIndex();
  position.lane = code.bitAnd(position.thread, 31);
  position.warp = code.shiftRight(position.thread, 5);
  position.quadRow = code.shiftRight(position.lane, 2);
  position.quadLane = code.bitAnd(position.lane, 3);
  position.warpRow = code.mul(position.warp, schedule.getWarpRows());
  return position;
}

Value WarpLowering::createSharedBase(WarpBuilder &builder) {
  auto space = static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
  return LLVM::AddressOfOp::create(builder, LLVM::LLVMPointerType::get(builder.getContext(), space),
                                   "attnc_shared");
}

void WarpLowering::placeBlock() {
  WarpBuilder::PhaseScope phase(code, "where the block is");
  shared = createSharedBase(code);
  Value numRows = code.narrow(arguments.getDim("Q"));
  numKeys = code.narrow(arguments.getDim("KV"));
  Value numHeads = code.narrow(arguments.getDim("Hq"));
  Value numKeyHeads = code.narrow(arguments.getDim("Hkv"));
  Value groupSize = code.divide(numHeads, numKeyHeads);
  // What has rows of its own: heads, or groups of them.
  Value numOwners = numHeads;
  if (packsHeads()) {
    packedHeads = groupSize;
    numRows = code.mul(numRows, groupSize);
    numOwners = numKeyHeads;
  }
  Value pairs = code.mul(code.narrow(arguments.getDim("B")), numOwners);
  // Blocks of later queries, which attend to more keys in causal masks, come first.
  Value index = code.blockIndex();
  Value last = code.divide(code.sub(numRows, 1), schedule.getQueryBlock());
  Value later = code.divide(index, pairs);
  if (schedule.getShortGrid()) {
    workspace.emplace(code, arguments, function.getArgument(1), attn.getValueDim());
    split = code.remainder(later, workspace->getNumSplits());
    later = code.divide(later, workspace->getNumSplits());
  }
  Value block = code.sub(last, later);
  Value pair = code.remainder(index, pairs);
  firstRow = code.mul(block, schedule.getQueryBlock());
  rowCount = code.minimum(code.sub(numRows, firstRow), code.i32(schedule.getQueryBlock()));
  batch = code.widen(code.divide(pair, numOwners));
  Value owner = code.remainder(pair, numOwners), keyHead32 = owner;
  if (packedHeads)
    owner = code.mul(owner, groupSize);
  else
    keyHead32 = code.divide(owner, groupSize);
  head = code.widen(owner);
  Value keyHead = code.widen(keyHead32);

  int64_t bytes = layout.elementBytes;
  q = getQueryRows(ArgumentLayout::QTensor, bytes);
  k = getRows(ArgumentLayout::KTensor, bytes, keyHead);
  v = getRows(ArgumentLayout::VTensor, bytes, keyHead);
  o = getQueryRows(ArgumentLayout::OTensor, bytes);
  alignedKeys = code.andOf(k.aligned, v.aligned);
  if (!schedule.getShortGrid())
    lastWholeKey =
        code.select(alignedKeys, code.sub(numKeys, schedule.getMaskedKeyBlock()), code.i32(-1));
}

void WarpLowering::preparePairs() {
  WarpBuilder::PhaseScope phase(code, "prepare rows");
  std::optional<float> scale = attn.getStaticScale(), deferred = attn::getDeferredScale(attn);
  bodyUnits = ScoreUnits::get(deferred.value_or(bodyUnits.storedScale));
  units = bodyUnits;
  if (linearScore)
    units = ScoreUnits::get(bodyUnits.storedScale * linearScore->scale);
  else if (!deferred)
    scoreScale = scale ? code.f32(*scale) : arguments.getScale();
  if (mask)
    maskHead = mask->emitHead(code, batch, head);
  bool differ = packedHeads && score && !attn.getScore().getHead().use_empty();
  if (score && !differ)
    scoreHeads.push_back(score->emitHead(code, batch, head));
  // Rows past the last are computed as the last.
  Value lastRow = code.sub(rowCount, 1);
  for (int64_t slot = 0; slot < getNumSlots(); ++slot) {
    Value row = code.minimum(code.add(code.add(self.warpRow, self.quadRow), 8 * slot), lastRow);
    Value rowOfAll = code.add(firstRow, row);
    Value query = code.widen(getQuery(rowOfAll));
    if (differ)
      scoreHeads.push_back(score->emitHead(code, batch, getHead(rowOfAll)));
    rowQueries.push_back(query);
  }
  storeQueryValues();
  if (linearScore || !layout.hasSharedValues)
    queries = emitQueries(/*masked=*/true);
}

WarpLowering::Values WarpLowering::State::flatten() const {
  Values all(maxima);
  all.append(sums);
  for (const Values &row : output)
    all.append(row);
  return all;
}

WarpLowering::State WarpLowering::State::unflatten(ValueRange values) const {
  State state = *this;
  auto next = values.begin();
  for (Values *group : {&state.maxima, &state.sums})
    for (Value &value : *group)
      value = *next++;
  for (Values &row : state.output)
    for (Value &value : row)
      value = *next++;
  return state;
}

WarpLowering::State WarpLowering::createState() {
  State state;
  Value zero = code.f32(0);
  state.maxima.assign(getNumSlots(), code.f32(-std::numeric_limits<float>::infinity()));
  state.sums.assign(getNumSlots(), zero);
  state.output.assign(getNumSlots(), Values(getNumOutputs(), zero));
  storeStatistics(state);
  return state;
}

void WarpLowering::emitEmptyRows() {
  WarpBuilder::PhaseScope phase(code, "rows without keys");
  Value zero = code.round(attn.getDtype(), code.f32(0));
  int64_t valueDim = attn.getValueDim();
  Value count = code.mul(rowCount, valueDim);
  code.loop(self.thread, count, schedule.getNumThreads(), [&](Value index) {
    Value row = code.add(firstRow, code.divide(index, valueDim));
    Value column = code.remainder(index, code.i32(valueDim));
    Value place = code.address(getRow(o, row), code.mul(column, layout.elementBytes));
    code.store(zero, place, layout.elementBytes);
  });
  if (!attn.getLse())
    return;
  Rows lse = getRows(ArgumentLayout::LseTensor, 4, head);
  code.loop(self.thread, rowCount, schedule.getNumThreads(), [&](Value index) {
    code.store(code.f32(-std::numeric_limits<float>::infinity()),
               getRow(lse, code.add(firstRow, index)), 4);
  });
}

void WarpLowering::lower() {
  self = getPosition();
  placeBlock();
  auto computeBlock = [&] {
    preparePairs();
    if (schedule.getTensorCores())
      storePlaces();
    storeBlockSource();
    storeSlope();
    copyQueries();
    if (schedule.getTf32() == tile::Tf32::Rounded)
      roundQueries();
    State state = emitRuns(createState());
    emitEpilogue(state);
  };
  // Without keys there is nothing that captured tensors could be read for. Short grids have keys.
  if (workspace)
    computeBlock();
  else
    code.ifElse(code.equal(numKeys, code.i32(0)), [&] { emitEmptyRows(); }, computeBlock);
  LLVM::ReturnOp::create(code, ValueRange());
}
