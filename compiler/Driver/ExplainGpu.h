//===- ExplainGpu.h - What a GPU kernel costs ---------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_EXPLAINGPU_H
#define COMPILER_DRIVER_EXPLAINGPU_H

#include "compiler/Frontend/SourceFile.h"
#include "compiler/Target/Ptx/PtxTarget.h"
#include "dialect/Tile/IR/TileOps.h"

namespace attnc::driver {

/// Prints what is known of the mask of `kernel`, which has a warp_schedule, how it is scheduled,
/// and a model of its costs: of each conjunct and mod under the user's text in `sources`, and what
/// is expected to bound it on `target`.
void explainGpuKernel(tile::KernelOp kernel, const PtxTarget &target, const SourceManager &sources,
                      llvm::raw_ostream &os);

/// Prints the schedule of `kernel`, which is for short grids of the kernel before it.
void explainShortGrids(tile::KernelOp kernel, llvm::raw_ostream &os);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_EXPLAINGPU_H
