//===- HostCompiler.cpp - From IR to running host kernels -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/HostCompiler.h"
#include "compiler/Driver/RunPhases.h"
#include "compiler/Target/Host/HostCode.h"
#include "compiler/Target/Host/HostJit.h"
#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

llvm::Error driver::writeHostCode(ModuleOp module, Phase phase, const HostTarget &target,
                                  StageTimes &times, llvm::raw_pwrite_stream &os) {
  registerHostTranslations(*module.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> ir;
  {
    StageTimes::Scope stage = times.start(getInfo(Phase::LlvmIr).name);
    ir = translateToLLVMIR(module, context, target);
  }
  if (!ir)
    return llvm::createStringError("internal error, please report: no LLVM IR for the kernels");
  if (phase == Phase::LlvmIr) {
    ir->print(os, /*AAW=*/nullptr);
    return llvm::Error::success();
  }
  StageTimes::Scope stage = times.start(getInfo(phase).name);
  emitHostCode(*ir, target,
               phase == Phase::Asm ? llvm::CodeGenFileType::AssemblyFile
                                   : llvm::CodeGenFileType::ObjectFile,
               os);
  return llvm::Error::success();
}

/// Where `kernel` reads captured tensors and tables, in the order of a walk.
static std::vector<LoadSite> getLoadSites(attn::KernelOp kernel) {
  std::vector<LoadSite> sites;
  kernel.walk([&](attn::LoadOp load) {
    LoadSite &site = sites.emplace_back();
    site.source = load.getSource().str();
    if (auto place = load.getLoc()->findInstanceOf<FileLineColRange>()) {
      site.file = place.getFilename().str();
      site.line = place.getStartLine();
      site.column = place.getStartColumn();
      site.endLine = place.getEndLine();
      site.endColumn = place.getEndColumn();
    }
  });
  return sites;
}

llvm::Expected<std::vector<HostKernel>>
driver::compileForHost(ModuleOp module, Phase from, const HostTarget &target, StageTimes &times) {
  if (llvm::Error error = target.checkRunsHere())
    return error;
  // Passes may remove loads, and with them what a launch must check; so describe what they leave.
  if (failed(runPhases(module, from, Phase::Expanded, target, times)))
    return llvm::createStringError("the kernel could not be compiled");
  std::vector<KernelInfo> infos;
  std::vector<std::vector<LoadSite>> loads;
  for (auto kernel : module.getOps<attn::KernelOp>()) {
    infos.push_back(getKernelInfo(kernel));
    loads.push_back(kernel.getChecked() ? getLoadSites(kernel) : std::vector<LoadSite>());
  }
  if (failed(runPhases(module, Phase::Expanded, Phase::Llvm, target, times)))
    return llvm::createStringError("the kernel could not be compiled");
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  if (llvm::Error error = writeHostCode(module, Phase::Obj, target, times, os))
    return error;
  StageTimes::Scope stage = times.start("load");
  std::vector<HostKernel> kernels = describeHostKernels(module, infos);
  for (auto [kernel, sites] : llvm::zip(kernels, loads))
    kernel.loads = std::move(sites);
  if (llvm::Error error = loadHostKernels(
          std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object)), kernels))
    return error;
  return kernels;
}
