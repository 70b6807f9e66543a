//===- ThreadRegisters.cpp - Registers of a thread --------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Tile/Analysis/ThreadRegisters.h"
#include "dialect/Tile/Analysis/SharedLayout.h"

using namespace attnc;
using namespace attnc::tile;

/// Registers of a thread for addresses and operands.
static constexpr int64_t otherRegisters = 55;
/// A warp gets registers by the eight a thread.
static constexpr int64_t registerUnit = 8;

int64_t tile::countStateRegisters(attn::KernelOp kernel, WarpScheduleAttr schedule) {
  // Of split operands, products of a block have sums of their own beside the scores, and weights
  // are two.
  int64_t keys = (schedule.getTf32() == Tf32::Split ? 2 : 1) * schedule.getKeyBlock();
  int64_t columns = keys + SharedLayout(kernel, schedule).valueDim;
  return schedule.getWarpRows() / 8 * (columns / 4);
}

int64_t tile::getMostRegisters(WarpScheduleAttr schedule) {
  int64_t share = multiprocessorRegisters / schedule.getNumThreads();
  return std::min(share / registerUnit * registerUnit, mostThreadRegisters);
}

int64_t tile::getFreeRegisters(WarpScheduleAttr schedule) {
  return getMostRegisters(schedule) - otherRegisters;
}
