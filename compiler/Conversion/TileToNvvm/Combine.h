//===- Combine.h - The kernel that puts splits together -----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_TILETONVVM_COMBINE_H
#define COMPILER_CONVERSION_TILETONVVM_COMBINE_H

#include "dialect/Attn/IR/AttnOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc {

/// What scores are stored as: exp(a - b) is exp2((a - b) * exponentScale), and a natural logarithm
/// is a stored score times `storedScale`.
struct ScoreUnits {
  float exponentScale, storedScale = 1;

  /// Scores that are stored without the factor `storedScale`.
  static ScoreUnits get(float storedScale);
};

/// The threads of a block of NAME_combine.
inline constexpr int64_t combineThreads = 128;

/// The bytes of shared memory of such a block.
int64_t getCombineSharedBytes(attn::KernelOp kernel);

/// Builds NAME_combine of `kernel` into the entry block of `function`, whose arguments are the
/// array of slots, and the workspace with the number of splits. A block computes one row of o from
/// what the splits have left, in the order of the splits.
void lowerCombine(attn::KernelOp kernel, const ScoreUnits &units, mlir::LLVM::LLVMFuncOp function);

} // namespace attnc

#endif // COMPILER_CONVERSION_TILETONVVM_COMBINE_H
