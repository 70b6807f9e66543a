//===- WarpSchedule.cpp - Sizes of kernels for GPUs -------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// With 32 rows a warp, each fragment of keys and values that is read from shared memory serves two
// tiles of 16 rows; with 16 rows, shared memory limits the tensor cores to about 77 %. But a thread
// has 255 registers, of which output and scores of 32 rows take the value dim + 64.
//
// Bodies are unrolled over the pairs of a thread, the score body in both loops, the mask body in
// one. Large bodies get a tile with fewer pairs, so that kernels stay small: they compute more than
// they read in any case.
//
// In short grids the time goes into reading keys and values, and most rows of a block may be
// unused: warps have 16 rows, of which those without a query are skipped. There is one loop, so
// that the second kernel stays small.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/AttnToTile/WarpSchedule.h"
#include "dialect/Attn/Analysis/Stages.h"
#include "dialect/Tile/Analysis/SharedLayout.h"
#include "dialect/Tile/Analysis/ThreadRegisters.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::tile;

/// Most ops that bodies are unrolled to; in short grids, where a small kernel is worth more.
static constexpr int64_t unrolledOps = 1024, shortUnrolledOps = 256;

/// The ops of a body that are computed for each pair.
template <typename OpTy> static int64_t countPairOps(OpTy body) {
  if (!body)
    return 0;
  attn::Stages stages(body);
  return llvm::count_if(body.getBody().front().without_terminator(), [&](Operation &op) {
    return stages.get(op.getResult(0)) >= attn::Stage::Pair;
  });
}

namespace {
struct Sizes {
  int64_t queryBlock, warpRows, keyBlock, maskedKeyBlock;
};
} // namespace

/// From the best ones down.
static constexpr Sizes tensorCoreSizes[] = {
    {128, 32, 128, 128}, {128, 32, 64, 64}, {128, 16, 64, 64}, {64, 16, 64, 64},
    {64, 16, 32, 32},    {32, 16, 32, 32},  {32, 16, 16, 16}};
static constexpr Sizes fmaSizes[] = {{128, 32, 64, 64}, {128, 32, 32, 32}, {128, 16, 64, 64},
                                     {64, 16, 32, 32},  {32, 16, 32, 32},  {32, 16, 16, 16}};

/// Those with the most keys are for narrow heads only.
static constexpr Sizes shortSizes[] = {
    {64, 16, 32, 32}, {64, 16, 16, 16}, {32, 16, 16, 16}, {16, 16, 16, 16}};

/// The first of `choices` that fits, if one does with bodies of `pairOps` ops unrolled; else the
/// last that fits.
static WarpScheduleAttr chooseSizes(attn::KernelOp kernel, int64_t sharedMemory,
                                    ArrayRef<Sizes> choices, int64_t pairOps, bool shortGrid) {
  int64_t headDims = kernel.getHeadDim() + kernel.getValueDim();
  WarpScheduleAttr smallest;
  for (const Sizes &sizes : choices) {
    // The products of wide heads make large loops; the masked one is made half as large.
    int64_t maskedKeyBlock = headDims > 256 && !shortGrid
                                 ? std::max<int64_t>(sizes.keyBlock / 2, 16)
                                 : sizes.maskedKeyBlock;
    auto schedule =
        WarpScheduleAttr::get(kernel.getContext(), sizes.queryBlock, sizes.warpRows, sizes.keyBlock,
                              maskedKeyBlock, !kernel.getDtype().isF32(), shortGrid);
    SharedLayout layout(kernel, schedule);
    if (countStateRegisters(kernel, schedule) > getFreeRegisters(schedule) ||
        layout.totalBytes > sharedMemory)
      continue;
    int64_t pairs = sizes.warpRows / 8 * sizes.keyBlock / 4;
    if (pairs * pairOps <= (shortGrid ? shortUnrolledOps : unrolledOps))
      return schedule;
    smallest = schedule;
  }
  return smallest;
}

WarpScheduleAttr attnc::chooseWarpSchedule(attn::KernelOp kernel, int64_t sharedMemory) {
  ArrayRef<Sizes> choices =
      kernel.getDtype().isF32() ? ArrayRef(fmaSizes) : ArrayRef(tensorCoreSizes);
  int64_t pairOps = 2 * countPairOps(kernel.getScore()) + countPairOps(kernel.getMask());
  return chooseSizes(kernel, sharedMemory, choices, pairOps, /*shortGrid=*/false);
}

WarpScheduleAttr attnc::chooseShortSchedule(attn::KernelOp kernel, int64_t sharedMemory) {
  int64_t pairOps = countPairOps(kernel.getScore()) + countPairOps(kernel.getMask());
  bool isWide = kernel.getHeadDim() + kernel.getValueDim() > 256;
  return chooseSizes(kernel, sharedMemory, ArrayRef(shortSizes).drop_front(isWide), pairOps,
                     /*shortGrid=*/true);
}
