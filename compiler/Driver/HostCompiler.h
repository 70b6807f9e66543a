//===- HostCompiler.h - From IR to running host kernels -----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_HOSTCOMPILER_H
#define COMPILER_DRIVER_HOSTCOMPILER_H

#include "attnc/HostKernel.h"
#include "compiler/Driver/StageTimes.h"
#include "compiler/Pipelines/Phases.h"
#include "compiler/Target/Host/HostTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBuffer.h"

namespace attnc::driver {

/// Writes `module`, in the LLVM dialect, as LLVM IR, assembly, an object file or an image. An error
/// means that our own code is at fault, or that there has been a diagnostic.
llvm::Error writeHostCode(mlir::ModuleOp module, Phase phase, const HostTarget &target,
                          StageTimes &times, llvm::raw_pwrite_stream &os);

/// Compiles the attn.kernel ops of `module`, which is at the phase `from`, attn or expanded, and
/// loads them into this process, in their order. Afterwards `module` is in the LLVM dialect.
llvm::Expected<std::vector<HostKernel>> compileForHost(mlir::ModuleOp module, Phase from,
                                                       const HostTarget &target, StageTimes &times);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_HOSTCOMPILER_H
