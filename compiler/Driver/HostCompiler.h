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
#include "compiler/Target/Host/HostLevels.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBuffer.h"

namespace attnc::driver {

/// The LLVM IR of `module`, in the LLVM dialect, in `context`. An error means that our own code is
/// at fault, or that there has been a diagnostic.
llvm::Expected<HostLevel> translateForHost(mlir::ModuleOp module, const HostTarget &target,
                                           llvm::LLVMContext &context, StageTimes &times);

/// Writes kernels as LLVM IR or assembly of one level, or as an object file or an image of any
/// number. An error means that our own code is at fault.
llvm::Error writeHostCode(std::vector<HostLevel> levels, Phase phase, StageTimes &times,
                          llvm::raw_pwrite_stream &os);

/// Compiles the attn.kernel ops of `module`, which is at the phase `from`, attn or expanded, and
/// loads them into this process, in their order. Afterwards `module` is in the LLVM dialect.
llvm::Expected<std::vector<HostKernel>> compileForHost(mlir::ModuleOp module, Phase from,
                                                       const HostTarget &target, StageTimes &times);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_HOSTCOMPILER_H
