//===- ThreadRegisters.h - Registers of a thread ------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_TILE_ANALYSIS_THREADREGISTERS_H
#define DIALECT_TILE_ANALYSIS_THREADREGISTERS_H

#include "dialect/Tile/IR/TileOps.h"

namespace attnc::tile {

/// Registers, of 32 bits, of a multiprocessor, and the most of a thread.
inline constexpr int64_t multiprocessorRegisters = 65536, mostThreadRegisters = 255;

/// The registers that hold the scores and the output of a thread: a thread of a warp has every
/// eighth row, and of each a quarter of the columns.
int64_t countStateRegisters(attn::KernelOp kernel, WarpScheduleAttr schedule);

/// The most registers that a thread can have.
int64_t getMostRegisters(WarpScheduleAttr schedule);

/// What is left of them for scores and output beside addresses and operands.
int64_t getFreeRegisters(WarpScheduleAttr schedule);

} // namespace attnc::tile

#endif // DIALECT_TILE_ANALYSIS_THREADREGISTERS_H
