//===- KernelMetadata.h - What code says of its kernels -----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_KERNELINFO_KERNELMETADATA_H
#define COMPILER_TARGET_KERNELINFO_KERNELMETADATA_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/JSON.h"

namespace llvm {
class Module;
} // namespace llvm

namespace attnc {

/// The metadata of the kernel `function`: its KernelInfo, which the module holds, and `facts`,
/// which only its code knows.
llvm::json::Object getKernelMetadata(mlir::LLVM::LLVMFuncOp function, llvm::json::Object facts);

/// Adds `metadata` of the kernel `name` to `module` as the constant that carries it: JSON text and
/// a zero byte.
void addMetadata(llvm::Module &module, llvm::StringRef name, llvm::json::Object metadata,
                 unsigned addressSpace = 0);

} // namespace attnc

#endif // COMPILER_TARGET_KERNELINFO_KERNELMETADATA_H
