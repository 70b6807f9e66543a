//===- KernelInfo.h - Describes attn kernels to their callers -----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_KERNELINFO_KERNELINFO_H
#define COMPILER_TARGET_KERNELINFO_KERNELINFO_H

#include "attnc/KernelInfo.h"
#include "dialect/Attn/IR/AttnOps.h"

namespace llvm::json {
class Value;
} // namespace llvm::json

namespace attnc {

/// The element type of storage of type `stored`, which must be one of the language.
ElementType getElementType(mlir::Type stored);

/// What callers of `kernel` must know.
KernelInfo getKernelInfo(attn::KernelOp kernel);

/// The same as JSON, the form in which compiled kernels carry it.
llvm::json::Value toJSON(const KernelInfo &info);

} // namespace attnc

#endif // COMPILER_TARGET_KERNELINFO_KERNELINFO_H
