//===- GpuKernel.cpp - What launching a GPU kernel takes --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/GpuKernel.h"
#include "attnc/ArgumentLayout.h"

using namespace attnc;

int64_t attnc::getParameterBytes(const KernelInfo &info) {
  return ArgumentLayout(info).getNumSlots() * static_cast<int64_t>(sizeof(int64_t));
}

std::optional<std::string> attnc::checkParameterBytes(const KernelInfo &info) {
  int64_t bytes = getParameterBytes(info);
  if (bytes <= GpuKernel::maxParameterBytes)
    return std::nullopt;
  return "expected launch arguments of at most " + std::to_string(GpuKernel::maxParameterBytes) +
         " bytes, the most that kernels for GPUs take, got " + std::to_string(bytes) + " with " +
         std::to_string(info.captures.size()) + " captured tensors and " +
         std::to_string(info.scalars.size()) + " scalars";
}

std::optional<std::string> attnc::countBlocks(const GpuKernel &kernel,
                                              const BoundArguments &arguments, int64_t &blocks) {
  int64_t rows = kernel.queryBlock;
  blocks = arguments.Q / rows + (arguments.Q % rows != 0);
  bool overflows = false;
  for (int64_t size : {arguments.B, arguments.Hq}) {
    if (size == 0) {
      blocks = 0;
      return std::nullopt;
    }
    overflows |= __builtin_mul_overflow(blocks, size, &blocks);
  }
  if (!overflows && blocks <= GpuKernel::maxBlocks)
    return std::nullopt;
  return "expected a grid of at most " + std::to_string(GpuKernel::maxBlocks) +
         " blocks, got B * Hq = " + std::to_string(arguments.B) + " * " +
         std::to_string(arguments.Hq) + " heads with " + std::to_string(arguments.Q) +
         " queries in blocks of " + std::to_string(rows);
}
