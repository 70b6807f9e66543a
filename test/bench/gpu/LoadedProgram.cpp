//===- LoadedProgram.cpp - From IR to a kernel on the GPU -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/bench/gpu/LoadedProgram.h"
#include "compiler/Driver/GpuCompiler.h"

using namespace attnc;
using namespace attnc::bench;

std::optional<std::string> attnc::bench::loadProgram(mlir::ModuleOp module, const PtxTarget &target,
                                                     cuda::CudaKernel &kernel) {
  driver::StageTimes times;
  driver::GpuCode code;
  if (auto error = driver::compileForGpu(module, Phase::Attn, target, times, code))
    return error->message.empty() ? "the program does not compile" : error->message;
  return kernel.load(code.ptx, code.kernels.front());
}
