//===- Combine.cpp - The kernel that puts splits together -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Each warp adds up every fourth split, a lane every 32nd column; then their sums meet in shared
// memory.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/Combine.h"
#include "attnc/ArgumentLayout.h"
#include "compiler/Conversion/TileToNvvm/WarpBuilder.h"
#include "compiler/Conversion/TileToNvvm/Workspace.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <numbers>

using namespace mlir;
using namespace attnc;

ScoreUnits ScoreUnits::get(float storedScale) {
  double exponentScale = static_cast<double>(storedScale) * std::numbers::log2e_v<double>;
  return {static_cast<float>(exponentScale), storedScale};
}

static constexpr int64_t warpSize = 32, numWarps = combineThreads / warpSize;
static constexpr auto globalMemory = static_cast<unsigned>(NVVM::NVVMMemorySpace::Global);

/// The columns of a row in shared memory, whose last one is the sum of weights.
static int64_t getRowColumns(attn::KernelOp kernel) { return kernel.getValueDim() + 1; }

int64_t attnc::getCombineSharedBytes(attn::KernelOp kernel) {
  return numWarps * getRowColumns(kernel) * 4;
}

namespace {
class CombineLowering {
public:
  CombineLowering(attn::KernelOp kernel, const ScoreUnits &units, LLVM::LLVMFuncOp function)
      : kernel(kernel), units(units), code(function),
        arguments(kernel, function.getArgument(0), code.createEntryBuilder(), VectorFeatures(),
                  globalMemory),
        workspace(code, arguments, function.getArgument(1), kernel.getValueDim()) {}

  void lower();

private:
  using Values = WarpBuilder::Values;

  Value getStatistic(Value split, int64_t place) {
    Workspace::Row row = workspace.getRow(split, batch, head, query);
    return code.load(code.getF32Type(), code.address(row.statistics, place), 4);
  }
  /// The largest score of all splits, in every lane.
  Value findMaximum();
  /// The address of the row of o or lse.
  Value getOutput(int64_t tensor, int64_t elementBytes);
  Value getShared(Value row, Value column);

  attn::KernelOp kernel;
  ScoreUnits units;
  WarpBuilder code;
  ArgumentReader arguments;
  Workspace workspace;
  Value thread, lane, warp, batch, head, query;
};
} // namespace

Value CombineLowering::findMaximum() {
  Value infinite = code.f32(-std::numeric_limits<float>::infinity());
  Value found = code.loop(lane, workspace.getNumSplits(), warpSize, ValueRange{infinite},
                          [&](Value split, ValueRange carried) {
                            Value own = getStatistic(split, Workspace::Maximum);
                            return Values{code.maxNum(carried[0], own)};
                          })[0];
  for (int64_t mask = warpSize / 2; mask != 0; mask /= 2)
    found = code.maxNum(found, code.shuffleXor(found, mask));
  return found;
}

Value CombineLowering::getOutput(int64_t tensor, int64_t elementBytes) {
  auto getSlot = [&](int64_t place) { return arguments.getSlot(tensor + place); };
  Value offset = code.add(code.add(code.mul(batch, getSlot(ArgumentLayout::BatchStride)),
                                   code.mul(head, getSlot(ArgumentLayout::HeadStride))),
                          code.mul(query, getSlot(ArgumentLayout::RowStride)));
  Value address = code.add(getSlot(ArgumentLayout::Pointer), code.mul(offset, elementBytes));
  return LLVM::IntToPtrOp::create(code, LLVM::LLVMPointerType::get(code.getContext(), globalMemory),
                                  address);
}

Value CombineLowering::getShared(Value row, Value column) {
  Value shared = LLVM::AddressOfOp::create(
      code,
      LLVM::LLVMPointerType::get(code.getContext(),
                                 static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared)),
      "attnc_shared");
  Value place = code.add(code.mul(row, getRowColumns(kernel)), column);
  return code.address(shared, code.shiftLeft(place, 2));
}

void CombineLowering::lower() {
  int64_t valueDim = kernel.getValueDim(), parts = llvm::divideCeil(valueDim, warpSize);
  Type f32 = code.getF32Type();
  thread = code.threadIndex();
  lane = code.bitAnd(thread, warpSize - 1);
  warp = code.shiftRight(thread, 5);
  Value numHeads = arguments.getDim("Hq"), numQueries = arguments.getDim("Q");
  Value row = code.widen(code.blockIndex());
  query = code.remainder(row, numQueries);
  head = code.remainder(code.divide(row, numQueries), numHeads);
  batch = code.divide(code.divide(row, numQueries), numHeads);
  Value maximum = findMaximum();
  Value none = code.compareF(arith::CmpFPredicate::OEQ, maximum,
                             code.f32(-std::numeric_limits<float>::infinity()));
  Value subtracted = code.select(none, code.f32(0), maximum);

  // The columns of this lane, then the sum of weights.
  Values initial(parts + 1, code.f32(0));
  Values sums = code.loop(
      warp, workspace.getNumSplits(), numWarps, initial, [&](Value split, ValueRange carried) {
        Value difference = code.subF(getStatistic(split, Workspace::Maximum), subtracted);
        Value factor = code.exp2(code.mulF(difference, code.f32(units.exponentScale)));
        Workspace::Row source = workspace.getRow(split, batch, head, query);
        Values results;
        for (int64_t part = 0; part < parts; ++part) {
          Value column = code.add(lane, warpSize * part);
          Value address = code.address(source.output, code.widen(code.shiftLeft(column, 2)));
          Value value = code.choose(
              code.less(column, code.i32(valueDim)), f32,
              [&] { return code.load(f32, address, 4); }, [&] { return code.f32(0); });
          results.push_back(code.fma(value, factor, carried[part]));
        }
        Value sum = getStatistic(split, Workspace::Sum);
        results.push_back(code.fma(sum, factor, carried.back()));
        return results;
      });
  for (int64_t part = 0; part < parts; ++part) {
    Value column = code.add(lane, warpSize * part);
    code.ifTrue(code.less(column, code.i32(valueDim)),
                [&] { code.store(sums[part], getShared(warp, column), 4); });
  }
  code.ifTrue(code.equal(lane, code.i32(0)),
              [&] { code.store(sums.back(), getShared(warp, code.i32(valueDim)), 4); });
  code.barrier();

  auto addWarps = [&](Value column) {
    Value total = code.load(f32, getShared(code.i32(0), column), 4);
    for (int64_t i = 1; i < numWarps; ++i)
      total = code.addF(total, code.load(f32, getShared(code.i32(i), column), 4));
    return total;
  };
  Value sum = addWarps(code.i32(valueDim)), inverse = code.invert(sum);
  Type element = kernel.getDtype();
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  Value output = getOutput(ArgumentLayout::OTensor, elementBytes);
  code.loop(thread, code.i32(valueDim), combineThreads, [&](Value column) {
    Value result = code.round(element, code.mulF(addWarps(column), inverse));
    code.store(result, code.address(output, code.widen(code.mul(column, elementBytes))),
               elementBytes);
  });
  if (kernel.getLse())
    code.ifTrue(code.equal(thread, code.i32(0)), [&] {
      Value logarithm = code.naturalLog(maximum, code.f32(units.storedScale), sum);
      code.store(logarithm, getOutput(ArgumentLayout::LseTensor, 4), 4);
    });
  LLVM::ReturnOp::create(code, ValueRange());
}

void attnc::lowerCombine(attn::KernelOp kernel, const ScoreUnits &units,
                         LLVM::LLVMFuncOp function) {
  CombineLowering(kernel, units, function).lower();
}
