//===- PtxLimits.h - What kernels for GPUs cannot be --------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_PTX_PTXLIMITS_H
#define COMPILER_TARGET_PTX_PTXLIMITS_H

#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Reports the attn.kernel ops of `module` that no kernel for GPUs can be made of.
llvm::LogicalResult checkPtxLimits(mlir::ModuleOp module);

} // namespace attnc

#endif // COMPILER_TARGET_PTX_PTXLIMITS_H
