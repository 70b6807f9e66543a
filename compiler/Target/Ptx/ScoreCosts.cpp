//===- ScoreCosts.cpp - What a score takes on a GPU -------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Ptx/ScoreCosts.h"
#include "dialect/Attn/Analysis/LinearScore.h"
#include "dialect/Attn/Analysis/Stages.h"
#include "dialect/Tile/Analysis/SharedLayout.h"
#include "dialect/Tile/Analysis/ThreadRegisters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attnc;

ScoreCosts &ScoreCosts::operator+=(const ScoreCosts &other) {
  tensor += other.tensor;
  fp32 += other.fp32;
  integer += other.integer;
  special += other.special;
  memory += other.memory;
  sharedBytes += other.sharedBytes;
  cacheBytes += other.cacheBytes;
  return *this;
}

ScoreCosts ScoreCosts::scaled(double factor) const {
  return {factor * tensor, factor * fp32,        factor * integer,   factor * special,
          factor * memory, factor * sharedBytes, factor * cacheBytes};
}

double ScoreCosts::countInstructions() const {
  return tensor / 64 + fp32 + integer + special + memory;
}

SmallVector<ResourceTime> attnc::getTimes(const ScoreCosts &costs, const GpuRates &rates) {
  return {{"tensor", costs.tensor / rates.tensor},
          {"issue", costs.countInstructions() / rates.issue},
          {"fp32", costs.fp32 / rates.fp32},
          {"integer", costs.integer / rates.integer},
          {"MUFU", costs.special / rates.special},
          {"shared memory", costs.sharedBytes / rates.sharedBytes},
          {"memory", costs.cacheBytes / rates.cacheBytes}};
}

//===------------------------------------------------------------------------===//
// Bodies
//===------------------------------------------------------------------------===//

static ScoreCosts makeInteger(Operation *op, double count) {
  bool isWide = llvm::any_of(op->getOperandTypes(), [](Type type) { return type.isInteger(64); });
  ScoreCosts costs;
  costs.integer = isWide ? 2 * count : count;
  return costs;
}

static bool isApproximate(Operation *op) {
  auto fastMath = dyn_cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlagsAttr flags = fastMath ? fastMath.getFastMathFlagsAttr() : nullptr;
  return flags && bitEnumContainsAny(flags.getValue(), arith::FastMathFlags::afn);
}

static ScoreCosts countLoad(attn::LoadOp load) {
  ScoreCosts costs;
  costs.memory = 1;
  for (unsigned i = 0; i < load.getIndices().size(); ++i) {
    // The address, and keeping the index inside.
    costs.integer += 2;
    if (load.getCheck(i) == attn::IndexCheck::Clamp)
      costs.integer += 1;
    if (load.getCheck(i) == attn::IndexCheck::Wrap)
      costs.integer += 4;
  }
  return costs;
}

static ScoreCosts countDivision(arith::DivFOp op) {
  ScoreCosts costs;
  if (matchPattern(op.getRhs(), m_Constant())) {
    costs.fp32 = 1;
    return costs;
  }
  costs.special = 1;
  // Rounded to nearest it is a reciprocal, its correction, and a test for the rare.
  if (!isApproximate(op))
    costs.fp32 = 8;
  return costs;
}

/// Instructions that `op` becomes, about.
static ScoreCosts countOp(Operation *op) {
  ScoreCosts fp32, special, none;
  fp32.fp32 = 1;
  special.special = 1;
  return llvm::TypeSwitch<Operation *, ScoreCosts>(op)
      .Case([](attn::LoadOp load) { return countLoad(load); })
      .Case([](arith::DivFOp division) { return countDivision(division); })
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>([&](auto) { return fp32; })
      .Case<arith::SIToFPOp, arith::UIToFPOp, math::FloorOp, math::CeilOp, math::TruncOp,
            math::RoundEvenOp, math::Exp2Op, math::Log2Op, math::TanhOp, math::SqrtOp,
            math::RsqrtOp>([&](auto) { return special; })
      .Case([&](attn::ToIntOp conversion) {
        ScoreCosts costs = makeInteger(conversion, 2);
        costs.special = 1;
        return costs;
      })
      .Case<attn::FloorDivOp, attn::FloorModOp>([](Operation *division) {
        // By a constant it is a product of double width and shifts.
        bool isConstant = matchPattern(division->getOperand(1), m_Constant());
        return makeInteger(division, isConstant ? 5 : 25);
      })
      // Constants, arguments, and widths that no instruction changes.
      .Case<arith::ConstantOp, attn::GetOp, attn::DimOp, arith::TruncIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::BitcastOp, arith::NegFOp, math::AbsFOp>(
          [&](auto) { return none; })
      .Default([](Operation *other) { return makeInteger(other, 1); });
}

namespace {
/// Costs of the values of a body, each counted once.
class BodyCounter {
public:
  template <typename BodyOp>
  BodyCounter(BodyOp body, tile::WarpScheduleAttr schedule, int64_t keyBlock,
              ArrayRef<Value> sharedValues);

  /// Of what `value` needs and has not been counted yet. With `isShared` it is computed for keys,
  /// each by one thread for the whole block.
  ScoreCosts count(Value value, bool isShared = false);

private:
  attn::Stages stages;
  /// Values of keys that threads compute for others, and read for four keys at a time.
  DenseSet<Value> sharedValues;
  /// Of what depends on the key alone, what a score has of a computation of each thread for all its
  /// rows, and of one for the block. Where there are more threads than keys, several compute the
  /// same.
  double shareOfThread, shareOfBlock;
  DenseSet<Operation *> counted;
};
} // namespace

template <typename BodyOp>
BodyCounter::BodyCounter(BodyOp body, tile::WarpScheduleAttr schedule, int64_t keyBlock,
                         ArrayRef<Value> sharedValues)
    : stages(body), sharedValues(llvm::from_range, sharedValues),
      shareOfThread(8 / static_cast<double>(schedule.getWarpRows())) {
  auto copies = static_cast<double>(std::max(schedule.getNumThreads(), keyBlock)) /
                static_cast<double>(keyBlock);
  shareOfBlock = copies / static_cast<double>(schedule.getQueryBlock());
}

ScoreCosts BodyCounter::count(Value value, bool isShared) {
  ScoreCosts costs;
  SmallVector<std::pair<Value, bool>> pending = {{value, isShared}};
  while (!pending.empty()) {
    auto [next, shared] = pending.pop_back_val();
    Operation *op = next.getDefiningOp();
    attn::Stage stage = stages.get(next);
    // Once for all keys.
    if (!op || stage == attn::Stage::Head || stage == attn::Stage::Query ||
        !counted.insert(op).second)
      continue;
    if (!shared && sharedValues.contains(next)) {
      shared = true;
      costs.memory += shareOfThread / 4;
      costs.sharedBytes += 4 * shareOfThread;
    }
    bool isOfKey = stage == attn::Stage::Key;
    costs += countOp(op).scaled(isOfKey ? shared ? shareOfBlock : shareOfThread : 1);
    for (Value operand : op->getOperands())
      pending.push_back({operand, shared});
  }
  return costs;
}

//===------------------------------------------------------------------------===//
// Kernels
//===------------------------------------------------------------------------===//

KernelCosts::KernelCosts(tile::KernelOp kernel)
    : schedule(kernel.getWarpScheduleAttr()), attnKernel(kernel.getAttnKernel()) {
  tile::SharedLayout layout(attnKernel, schedule);
  attn::SharedValues shared = layout.sharedValues;
  if (!layout.hasSharedValues)
    shared.keys = {};
  if (attn::matchLinearScore(attnKernel)) {
    // One multiply-add; the scale stays in the exponent.
    score.fp32 = 1;
  } else if (attn::ScoreOp body = attnKernel.getScore()) {
    score = BodyCounter(body, schedule, schedule.getKeyBlock(), shared.keys.score)
                .count(body.getYielded());
    scalesScores = true;
  }
  if (attn::MaskOp body = attnKernel.getMask()) {
    int64_t keyBlock = schedule.getMaskedKeyBlock();
    BodyCounter counter(body, schedule, keyBlock, shared.keys.mask);
    attn::MaskAnalysis analysis(body);
    for (const attn::Conjunct &conjunct : analysis.getConjuncts()) {
      ScoreCosts &costs = conjuncts.emplace_back();
      Value condition = conjunct.condition;
      bool isRange = llvm::is_contained(analysis.getRangeConditions(), condition);
      bool isOfKeys = layout.hasSharedValues && llvm::is_contained(shared.keyConditions, condition);
      if (!isRange)
        costs = counter.count(condition, isOfKeys);
      // On tensor cores the keys of a row are bits, of which the pair's one is asked in any case;
      // those of conditions of keys join them. Others join by an instruction.
      if (!schedule.getTensorCores() || !(isRange || isOfKeys))
        costs.integer += 1;
      else if (isOfKeys)
        costs.integer += 4 / static_cast<double>(keyBlock);
    }
  }
}

/// The products. Of operands from shared memory, a warp reads k and v once for its rows, and q once
/// for a block of keys.
static ScoreCosts countProducts(attn::KernelOp kernel, tile::WarpScheduleAttr schedule,
                                double keys) {
  tile::SharedLayout layout(kernel, schedule);
  auto rows = static_cast<double>(schedule.getWarpRows());
  auto headDim = static_cast<double>(layout.headDim),
       valueDim = static_cast<double>(layout.valueDim);
  ScoreCosts costs;
  if (schedule.getTensorCores()) {
    auto bytes = static_cast<double>(layout.elementBytes);
    costs.tensor = headDim + valueDim;
    // ldmatrix gives a warp 512 bytes.
    double queryBytes = bytes * headDim / keys, keyBytes = bytes * headDim / rows,
           valueBytes = bytes * valueDim / rows;
    costs.sharedBytes = queryBytes + keyBytes + valueBytes;
    costs.memory = costs.sharedBytes / 16;
    if (schedule.getTf32() == tile::Tf32::None) {
      // Weights are packed in pairs.
      costs.integer = 0.5;
    } else {
      // Products of tf32 take twice as long, and values come eight bytes at a time.
      costs.tensor *= 2;
      costs.memory += valueBytes / 16;
      // A test, a sum and a mask round one element; weights are elements too.
      double elements = (keyBytes + valueBytes) / bytes + 1;
      if (schedule.getTf32() == tile::Tf32::Rounded) {
        costs.integer = 3 * elements;
        // Scores are checked.
        costs.fp32 = 1;
      } else {
        elements += queryBytes / bytes;
        costs.tensor *= 3;
        costs.integer = 6 * elements;
        // What rounding leaves, and sums of panels.
        costs.fp32 = elements + headDim / 32;
      }
    }
  } else {
    costs.fp32 = headDim + valueDim;
    // A lane has rows / 8 rows and keys / 4 columns; it reads four columns at a time.
    costs.memory = headDim / 4 * (4 / keys + 8 / rows) + valueDim / 4 * (8 / rows);
    // Weights pass through shared memory.
    costs.memory += 2;
    costs.sharedBytes = 16 * costs.memory / 4;
  }
  // The output is scaled once a block.
  costs.fp32 += valueDim / keys;
  // Keys and values come once for all queries of the block, 16 bytes a copy.
  double bytes = static_cast<double>(layout.elementBytes) * (headDim + valueDim) /
                 static_cast<double>(schedule.getQueryBlock());
  costs.cacheBytes = bytes;
  costs.sharedBytes += bytes;
  costs.memory += bytes / 16;
  return costs;
}

/// The maximum, the exponential of a difference, and the sum.
static ScoreCosts countSoftmax(double keys) {
  ScoreCosts costs;
  costs.integer = 1;
  costs.special = 1;
  costs.fp32 = 2;
  // A row is spread over four lanes, each with a quarter of the keys.
  double shuffles = 2 * 4 / keys;
  costs.memory = shuffles;
  costs.sharedBytes = 4 * shuffles;
  return costs;
}

ScoreCosts KernelCosts::getCommon(int64_t keyBlock) const {
  auto keys = static_cast<double>(keyBlock);
  attn::KernelOp kernel = attnKernel;
  ScoreCosts costs = countProducts(kernel, schedule, keys);
  costs += countSoftmax(keys);
  costs += score;
  if (scalesScores)
    costs.fp32 += 1;
  // Rolled bodies read scores from shared memory, where they are put before and taken from behind.
  if (schedule.getRolled()) {
    costs.memory += 4;
    costs.sharedBytes += 16;
  }
  return costs;
}

ScoreCosts KernelCosts::getFull() const { return getCommon(schedule.getKeyBlock()); }

ScoreCosts KernelCosts::getMasked() const {
  ScoreCosts costs = getCommon(schedule.getMaskedKeyBlock());
  for (const ScoreCosts &conjunct : conjuncts)
    costs += conjunct;
  // Each pair's score or -inf, and for each column whether the key is one.
  costs.integer += 1 + 16 / static_cast<double>(schedule.getWarpRows());
  return costs;
}

Occupancy attnc::getOccupancy(tile::KernelOp kernel, const GpuRates &rates) {
  attn::KernelOp attnKernel = kernel.getAttnKernel();
  tile::WarpScheduleAttr schedule = kernel.getWarpScheduleAttr();
  constexpr int64_t registerUnit = 8, reservedBytes = 1024;
  int64_t registers = std::min(
      llvm::alignTo(tile::countStateRegisters(attnKernel, schedule) +
                        tile::getMostRegisters(schedule) - tile::getFreeRegisters(schedule),
                    registerUnit),
      static_cast<uint64_t>(llvm::alignTo(tile::getMostRegisters(schedule), registerUnit)));
  int64_t sharedBytes = tile::SharedLayout(attnKernel, schedule).totalBytes + reservedBytes;
  Occupancy occupancy{rates.blocks, "blocks", registers};
  auto limitTo = [&](int64_t blocks, llvm::StringLiteral limit) {
    if (blocks < occupancy.blocks) {
      occupancy.blocks = blocks;
      occupancy.limit = limit;
    }
  };
  limitTo(rates.warps / schedule.getNumWarps(), "warps");
  limitTo(tile::multiprocessorRegisters / (registers * schedule.getNumThreads()), "registers");
  limitTo(rates.sharedMemory / sharedBytes, "shared memory");
  return occupancy;
}
