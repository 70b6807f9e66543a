//===- HostJit.h - Host kernels in this process -------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_HOST_HOSTJIT_H
#define COMPILER_TARGET_HOST_HOSTJIT_H

#include "attnc/HostKernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <vector>

namespace attnc {

/// Kernels of the names in `infos`, with the facts that the functions of `module`, in the LLVM
/// dialect, carry, and without code.
std::vector<HostKernel> describeHostKernels(mlir::ModuleOp module,
                                            llvm::ArrayRef<KernelInfo> infos);

/// Loads `object`, made of the same module by emitHostCode, into this process and gives each of
/// `kernels` its function. They share the code, which lives as long as one of them.
llvm::Error loadHostKernels(std::unique_ptr<llvm::MemoryBuffer> object,
                            llvm::MutableArrayRef<HostKernel> kernels);

} // namespace attnc

#endif // COMPILER_TARGET_HOST_HOSTJIT_H
