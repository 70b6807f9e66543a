//===- HostSchedule.h - Sizes of kernels for CPUs ---------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_ATTNTOTILE_HOSTSCHEDULE_H
#define COMPILER_CONVERSION_ATTNTOTILE_HOSTSCHEDULE_H

#include "dialect/Tile/IR/TileOps.h"

namespace attnc {
/// The schedule of `kernel` for a CPU with the LLVM `features`, separated by commas; a name may
/// have a `+` in front, names with a `-` are absent.
tile::ScheduleAttr chooseHostSchedule(attn::KernelOp kernel, llvm::StringRef features);
} // namespace attnc

#endif // COMPILER_CONVERSION_ATTNTOTILE_HOSTSCHEDULE_H
