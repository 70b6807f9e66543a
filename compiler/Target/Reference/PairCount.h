//===- PairCount.h - How many pairs take part ---------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_REFERENCE_PAIRCOUNT_H
#define COMPILER_TARGET_REFERENCE_PAIRCOUNT_H

#include "attnc/Launch.h"
#include "dialect/Attn/IR/AttnOps.h"

namespace attnc::reference {

/// The mask of one batch and head, cut into blocks.
struct BlockCounts {
  int64_t queriesPerBlock, keysPerBlock;
  int64_t rows, columns;
  std::vector<int64_t> pairs; ///< that take part, of block (row, column) at row * columns + column
};

/// Evaluates the mask at every pair of one batch and head.
mlir::FailureOr<BlockCounts> countBlocks(attn::KernelOp kernel, const KernelInfo &info,
                                         const LaunchArguments &arguments,
                                         const BoundArguments &bound, int64_t b, int64_t h,
                                         int64_t queriesPerBlock, int64_t keysPerBlock);

/// The pairs that take part in all batches and heads; one of them is evaluated where the mask does
/// not depend on the batch or head.
mlir::FailureOr<int64_t> countPairs(attn::KernelOp kernel, const KernelInfo &info,
                                    const LaunchArguments &arguments, const BoundArguments &bound);

} // namespace attnc::reference

#endif // COMPILER_TARGET_REFERENCE_PAIRCOUNT_H
