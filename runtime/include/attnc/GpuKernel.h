//===- GpuKernel.h - What launching a GPU kernel takes ------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_GPUKERNEL_H
#define ATTNC_GPUKERNEL_H

#include "attnc/KernelInfo.h"
#include "attnc/Launch.h"
#include <cstdint>
#include <optional>
#include <string>

namespace attnc {

/// A kernel in PTX or machine code of a GPU. Its entry is info.name; it takes one parameter by
/// value, the slots of ArgumentLayout with pointers to device memory.
struct GpuKernel {
  KernelInfo info;
  int64_t queryBlock = 1;  ///< rows of q that a block of threads computes
  int64_t threads = 0;     ///< of a block
  int64_t sharedBytes = 0; ///< of dynamic shared memory of a block

  /// The most bytes that the parameters of a kernel can take, and the most blocks of a grid.
  static constexpr int64_t maxParameterBytes = 4096;
  static constexpr int64_t maxBlocks = 2147483647;
};

/// The bytes of the parameter of a kernel.
int64_t getParameterBytes(const KernelInfo &info);

/// An error if the launch arguments take more bytes than a GPU kernel can have parameters; nothing
/// if they fit.
std::optional<std::string> checkParameterBytes(const KernelInfo &info);

/// Sets `blocks` to the number of blocks of a launch, whose grid has one dimension: those of all
/// batches and heads, 0 if there is nothing to compute. Returns an error if no grid has so many.
std::optional<std::string> countBlocks(const GpuKernel &kernel, const BoundArguments &arguments,
                                       int64_t &blocks);

} // namespace attnc

#endif // ATTNC_GPUKERNEL_H
