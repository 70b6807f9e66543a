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
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/AttnToTile/WarpSchedule.h"
#include "dialect/Tile/Analysis/SharedLayout.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::tile;

/// Registers of a thread for scores and output; the rest holds addresses and operands.
static constexpr int64_t stateRegisters = 200;

namespace {
struct Sizes {
  int64_t queryBlock, warpRows, keyBlock;
};
} // namespace

/// From the best ones down.
static constexpr Sizes tensorCoreSizes[] = {{128, 32, 128}, {128, 32, 64}, {128, 16, 64},
                                            {64, 16, 64},   {32, 16, 32},  {32, 16, 16}};
static constexpr Sizes fmaSizes[] = {{128, 32, 64}, {128, 32, 32}, {128, 16, 64},
                                     {64, 16, 32},  {32, 16, 32},  {32, 16, 16}};

WarpScheduleAttr attnc::chooseWarpSchedule(attn::KernelOp kernel, int64_t sharedMemory) {
  bool tensorCores = !kernel.getDtype().isF32();
  for (const Sizes &sizes : tensorCores ? ArrayRef(tensorCoreSizes) : ArrayRef(fmaSizes)) {
    auto schedule = WarpScheduleAttr::get(kernel.getContext(), sizes.queryBlock, sizes.warpRows,
                                          sizes.keyBlock, tensorCores);
    SharedLayout layout(kernel, schedule);
    int64_t rowsOfThread = sizes.warpRows / 8;
    int64_t registers = rowsOfThread * (layout.valueDim + sizes.keyBlock) / 4;
    if (registers <= stateRegisters && layout.totalBytes <= sharedMemory)
      return schedule;
  }
  return {};
}
