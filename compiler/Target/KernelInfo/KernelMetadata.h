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
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace attnc {

/// What the symbol of a kernel's metadata has after the kernel's name.
inline constexpr llvm::StringLiteral metadataSuffix = "_metadata";

/// The metadata of the kernel `function`, as JSON: its KernelInfo, which the module holds, and
/// `facts`, which only its code knows.
std::string getKernelMetadata(mlir::LLVM::LLVMFuncOp function, llvm::json::Object facts);

/// Adds `text` and a zero byte to `module` as the constant that carries the metadata of the kernel
/// `name`.
void addMetadata(llvm::Module &module, llvm::StringRef name, llvm::StringRef text,
                 unsigned addressSpace = 0);

} // namespace attnc

#endif // COMPILER_TARGET_KERNELINFO_KERNELMETADATA_H
