//===- GpuCompiler.cpp - From IR to PTX and machine code of GPUs ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/GpuCompiler.h"
#include "compiler/Driver/RunPhases.h"
#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "compiler/Target/Ptx/PtxCode.h"
#include "compiler/Target/Ptx/SourceLocations.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

std::optional<RunError> driver::writeGpuCode(ModuleOp module, Phase phase, const Target &target,
                                             StageTimes &times, llvm::raw_ostream &os) {
  registerPtxTranslations(*module.getContext());
  const RunError noIr{InternalError, "internal error, please report: no LLVM IR for the kernels"};
  StringRef llvmIr = getInfo(Phase::LlvmIr).name;
  if (phase == Phase::LlvmIr) {
    StageTimes::Scope stage = times.start(llvmIr);
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> ir = translateToLLVMIR(module, context, target.getPtx());
    if (!ir)
      return noIr;
    ir->print(os, /*AAW=*/nullptr);
    return std::nullopt;
  }
  int threads = static_cast<int>(llvm::hardware_concurrency().compute_thread_count());
  std::vector<std::string> phases;
  std::optional<std::vector<PtxPart>> parts;
  {
    StageTimes::Scope stage = times.start(llvmIr);
    phases = encodeLocations(module);
    parts = translateParts(module, target.getPtx(), threads);
  }
  if (!parts)
    return noIr;
  StageTimes::Scope stage = times.start(getInfo(Phase::Ptx).name);
  emitPtx(module, std::move(*parts), target.getPtx(), phases, target.lineInfo, threads, os);
  return std::nullopt;
}

std::optional<RunError> driver::compileForGpu(ModuleOp module, Phase from, const Target &target,
                                              StageTimes &times, GpuCode &code) {
  // Passes may remove loads, and with them what a launch must check; so describe what they leave.
  if (failed(runPhases(module, from, Phase::Expanded, target, times)))
    return RunError{BadInput, ""};
  std::vector<KernelInfo> infos;
  for (auto kernel : module.getOps<attn::KernelOp>())
    infos.push_back(getKernelInfo(kernel));
  if (failed(runPhases(module, Phase::Expanded, Phase::Llvm, target, times)))
    return RunError{BadInput, ""};
  llvm::raw_string_ostream os(code.ptx);
  if (std::optional<RunError> error = writeGpuCode(module, Phase::Ptx, target, times, os))
    return error;
  for (const KernelInfo &info : infos) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(info.name);
    assert(function && "each kernel is a function");
    code.kernels.push_back(describeGpuKernel(function));
    code.kernels.back().info = info;
  }
  return std::nullopt;
}
