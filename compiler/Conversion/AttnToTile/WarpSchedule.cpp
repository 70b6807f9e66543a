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
// they read in any case. Still larger ones are computed in a loop over the keys of a thread, for
// two rows at a time: warps of 16 rows, of which a multiprocessor holds more, hide its latencies.
//
// Tiles of f32 are twice as large. On tensor cores, wide heads have blocks of few keys: where
// shared memory is large, two blocks of threads fit. So have split operands, of which a fragment
// serves three products, so that 16 rows a warp do not wait for shared memory, and whose products
// are long and take more registers.
//
// In short grids the time goes into reading keys and values, and most rows of a block may be
// unused: warps have 16 rows, of which those without a query are skipped. There is one loop, so
// that the second kernel stays small.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/AttnToTile/WarpSchedule.h"
#include "compiler/Conversion/AttnToTile/BodyOps.h"
#include "dialect/Tile/Analysis/SharedLayout.h"
#include "dialect/Tile/Analysis/ThreadRegisters.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::tile;

/// Most ops that bodies are unrolled to, of pairs in warps with many rows; else, where bodies can
/// be rolled instead; in short grids, where a small kernel is worth more.
static constexpr int64_t widePairOps = 1792, unrolledOps = 1024, shortUnrolledOps = 256;

/// The rows of warps that compute rolled bodies, and the most values of a query that these may keep
/// in registers beside the scores and the output of a large tile.
static constexpr int64_t rolledWarpRows = 16, mostQueryValues = 16;

/// The largest blocks of keys where bodies read captured tensors pair by pair.
static constexpr int64_t mostKeysOfPairReads = 64;

namespace {
struct Sizes {
  int64_t queryBlock, warpRows, keyBlock, maskedKeyBlock;
};
} // namespace

/// From the best ones down.
static constexpr Sizes tensorCoreSizes[] = {
    {128, 32, 128, 128}, {128, 32, 64, 64}, {128, 16, 64, 64}, {64, 16, 64, 64},
    {64, 16, 32, 32},    {32, 16, 32, 32},  {32, 16, 16, 16}};
/// The first one is for narrow heads only.
static constexpr Sizes roundedSizes[] = {{128, 32, 64, 64}, {128, 32, 32, 32}, {128, 16, 32, 32},
                                         {64, 16, 32, 32},  {64, 16, 16, 16},  {32, 16, 16, 16}};
static constexpr Sizes splitSizes[] = {
    {128, 32, 32, 32}, {64, 16, 32, 32}, {32, 16, 32, 32}, {32, 16, 16, 16}};
static constexpr Sizes fmaSizes[] = {{128, 32, 64, 64}, {128, 32, 32, 32}, {128, 16, 64, 64},
                                     {64, 16, 32, 32},  {32, 16, 32, 32},  {32, 16, 16, 16}};

/// Those with the most keys are for narrow heads only.
static constexpr Sizes shortSizes[] = {
    {64, 16, 32, 32}, {64, 16, 16, 16}, {32, 16, 16, 16}, {16, 16, 16, 16}};

/// The first of `choices` that fits with its bodies unrolled, or that has warps for rolled ones and
/// fits so; else the last that fits at all.
static WarpScheduleAttr chooseSizes(attn::KernelOp kernel, int64_t sharedMemory,
                                    ArrayRef<Sizes> choices, Tf32 tf32, bool shortGrid) {
  BodyOps bodies(kernel, /*scoreLoops=*/shortGrid ? 1 : 2);
  int64_t headDims = kernel.getHeadDim() + kernel.getValueDim();
  WarpScheduleAttr smallest;
  for (const Sizes &sizes : choices) {
    auto getSchedule = [&](bool rolled) {
      // The products of wide heads make large loops; the masked one is made half as large. So is
      // that of rolled bodies, which cost more than products: fewer pairs are computed in vain.
      int64_t maskedKeyBlock = (rolled || headDims > 256) && !shortGrid
                                   ? std::max<int64_t>(sizes.keyBlock / 2, 16)
                                   : sizes.maskedKeyBlock;
      return WarpScheduleAttr::get(
          kernel.getContext(), sizes.queryBlock, sizes.warpRows, sizes.keyBlock, maskedKeyBlock,
          !kernel.getDtype().isF32() || tf32 != Tf32::None, shortGrid, rolled, tf32);
    };
    auto fits = [&](WarpScheduleAttr schedule) {
      return countStateRegisters(kernel, schedule) <= getFreeRegisters(schedule) &&
             SharedLayout(kernel, schedule).totalBytes <= sharedMemory;
    };
    WarpScheduleAttr unrolled = getSchedule(/*rolled=*/false);
    // Addresses of pairs take registers that large blocks of keys do not leave.
    if (!fits(unrolled) || (bodies.readPairs() && sizes.keyBlock > mostKeysOfPairReads))
      continue;
    int64_t most = shortGrid ? shortUnrolledOps : unrolledOps;
    bool isWide = !shortGrid && sizes.warpRows > rolledWarpRows;
    if (bodies.fitUnrolled(unrolled, isWide ? widePairOps : most, most))
      return unrolled;
    WarpScheduleAttr rolled = getSchedule(/*rolled=*/true);
    if (sizes.warpRows == rolledWarpRows && bodies.getQueryValues() <= mostQueryValues &&
        fits(rolled))
      return rolled;
    smallest = unrolled;
  }
  return smallest;
}

WarpScheduleAttr attnc::chooseWarpSchedule(attn::KernelOp kernel, int64_t sharedMemory, Tf32 tf32) {
  ArrayRef<Sizes> choices =
      kernel.getDtype().isF32() ? ArrayRef(fmaSizes) : ArrayRef(tensorCoreSizes);
  bool isNarrow = kernel.getHeadDim() + kernel.getValueDim() <= 128;
  if (tf32 == Tf32::Rounded)
    choices = ArrayRef(roundedSizes).drop_front(isNarrow ? 0 : 1);
  if (tf32 == Tf32::Split)
    choices = splitSizes;
  return chooseSizes(kernel, sharedMemory, choices, tf32, /*shortGrid=*/false);
}

WarpScheduleAttr attnc::chooseShortSchedule(attn::KernelOp kernel, int64_t sharedMemory,
                                            Tf32 tf32) {
  bool isWide = kernel.getHeadDim() + kernel.getValueDim() > 256;
  return chooseSizes(kernel, sharedMemory, ArrayRef(shortSizes).drop_front(isWide), tf32,
                     /*shortGrid=*/true);
}
