//===- GpuCompiler.h - From IR to PTX and machine code of GPUs ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_GPUCOMPILER_H
#define COMPILER_DRIVER_GPUCOMPILER_H

#include "attnc/GpuKernel.h"
#include "compiler/Driver/RunError.h"
#include "compiler/Driver/StageTimes.h"
#include "compiler/Driver/Target.h"
#include "compiler/Pipelines/Phases.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <vector>

namespace attnc::driver {

/// Writes `module`, kernels for GPUs in the LLVM dialect, as LLVM IR or PTX.
std::optional<RunError> writeGpuCode(mlir::ModuleOp module, Phase phase, const Target &target,
                                     StageTimes &times, llvm::raw_ostream &os);

/// PTX, and what a launcher must know of its kernels.
struct GpuCode {
  std::string ptx;
  std::vector<GpuKernel> kernels;
};

/// Compiles the attn.kernel ops of `module`, which is at the phase `from`, attn or expanded.
/// Afterwards `module` is in the LLVM dialect. An error without a message has been reported.
std::optional<RunError> compileForGpu(mlir::ModuleOp module, Phase from, const Target &target,
                                      StageTimes &times, GpuCode &code);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_GPUCOMPILER_H
