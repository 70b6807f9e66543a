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
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/AttnToTile/WarpSchedule.h"
#include "dialect/Attn/Analysis/Stages.h"
#include "dialect/Tile/Analysis/SharedLayout.h"
#include "dialect/Tile/Analysis/ThreadRegisters.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::tile;

/// Most ops that bodies are unrolled to.
static constexpr int64_t unrolledOps = 1024;

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
static constexpr Sizes tensorCoreSizes[] = {{128, 32, 128, 64}, {128, 32, 64, 64},
                                            {128, 16, 64, 64},  {64, 16, 64, 64},
                                            {32, 16, 32, 32},   {32, 16, 16, 16}};
static constexpr Sizes fmaSizes[] = {{128, 32, 64, 64}, {128, 32, 32, 32}, {128, 16, 64, 64},
                                     {64, 16, 32, 32},  {32, 16, 32, 32},  {32, 16, 16, 16}};

WarpScheduleAttr attnc::chooseWarpSchedule(attn::KernelOp kernel, int64_t sharedMemory) {
  bool tensorCores = !kernel.getDtype().isF32();
  int64_t headDims = kernel.getHeadDim() + kernel.getValueDim();
  int64_t pairOps = 2 * countPairOps(kernel.getScore()) + countPairOps(kernel.getMask());
  WarpScheduleAttr smallest;
  for (const Sizes &sizes : tensorCores ? ArrayRef(tensorCoreSizes) : ArrayRef(fmaSizes)) {
    // The products of wide heads make large loops; the masked one is made half as large.
    int64_t maskedKeyBlock =
        headDims > 256 ? std::max<int64_t>(sizes.keyBlock / 2, 16) : sizes.maskedKeyBlock;
    auto schedule = WarpScheduleAttr::get(kernel.getContext(), sizes.queryBlock, sizes.warpRows,
                                          sizes.keyBlock, maskedKeyBlock, tensorCores);
    SharedLayout layout(kernel, schedule);
    if (countStateRegisters(kernel, schedule) > getFreeRegisters(schedule) ||
        layout.totalBytes > sharedMemory)
      continue;
    int64_t pairs = sizes.warpRows / 8 * sizes.keyBlock / 4;
    if (pairs * pairOps <= unrolledOps)
      return schedule;
    smallest = schedule;
  }
  return smallest;
}
