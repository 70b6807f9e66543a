//===- WarpSchedule.h - Sizes of kernels for GPUs ---------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_ATTNTOTILE_WARPSCHEDULE_H
#define COMPILER_CONVERSION_ATTNTOTILE_WARPSCHEDULE_H

#include "dialect/Tile/IR/TileOps.h"

namespace attnc {
/// The schedule of `kernel` for a GPU whose blocks of threads can have `sharedMemory` bytes; null
/// if none fits.
tile::WarpScheduleAttr chooseWarpSchedule(attn::KernelOp kernel, int64_t sharedMemory,
                                          tile::Tf32 tf32);

/// The schedule for short grids of `kernel`. There is one if chooseWarpSchedule finds one.
tile::WarpScheduleAttr chooseShortSchedule(attn::KernelOp kernel, int64_t sharedMemory,
                                           tile::Tf32 tf32);
} // namespace attnc

#endif // COMPILER_CONVERSION_ATTNTOTILE_WARPSCHEDULE_H
