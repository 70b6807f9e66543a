//===- LoadedProgram.cpp - From IR to a kernel on the GPU -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/bench/gpu/LoadedProgram.h"
#include "compiler/Driver/GpuCompiler.h"
#include "llvm/Support/raw_ostream.h"

using namespace attnc;
using namespace attnc::bench;

std::optional<std::string> attnc::bench::loadProgram(mlir::ModuleOp module,
                                                     const driver::Target &target,
                                                     const DiagnosticEngine &diagnostics,
                                                     cuda::CudaKernel &kernel) {
  driver::StageTimes times;
  driver::GpuCode code;
  if (auto error = driver::compileForGpu(module, Phase::Attn, target, times, code)) {
    std::string text = error->message.empty() ? "the program does not compile" : error->message;
    llvm::raw_string_ostream os(text);
    os << "\n";
    diagnostics.printText(os);
    return llvm::StringRef(text).rtrim().str();
  }
  return kernel.load(code.ptx, code.kernels.front());
}
