//===- HostCompiler.cpp - From IR to running host kernels -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/HostCompiler.h"
#include "compiler/Driver/RunPhases.h"
#include "compiler/Target/Host/HostCode.h"
#include "compiler/Target/Host/HostImage.h"
#include "compiler/Target/Host/LaunchFunctions.h"
#include "dialect/Attn/IR/AttnOps.h"
#include "runtime/host/HostImage.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

llvm::Expected<HostLevel> driver::translateForHost(ModuleOp module, const HostTarget &target,
                                                   llvm::LLVMContext &context, StageTimes &times) {
  registerHostTranslations(*module.getContext());
  StageTimes::Scope stage = times.start(getInfo(Phase::LlvmIr).name);
  HostLevel level{target, translateToLLVMIR(module, context, target)};
  if (!level.module)
    return llvm::createStringError("internal error, please report: no LLVM IR for the kernels");
  return level;
}

llvm::Error driver::writeHostCode(std::vector<HostLevel> levels, Phase phase, StageTimes &times,
                                  llvm::raw_pwrite_stream &os) {
  assert((levels.size() == 1 || phase == Phase::Obj || phase == Phase::Image) &&
         "texts are of one level");
  if (phase == Phase::LlvmIr) {
    levels.front().module->print(os, /*AAW=*/nullptr);
    return llvm::Error::success();
  }
  StageTimes::Scope stage = times.start(getInfo(phase).name);
  HostTarget target = levels.front().target;
  if (phase == Phase::Asm) {
    emitHostCode(*levels.front().module, target, llvm::CodeGenFileType::AssemblyFile, os);
    return llvm::Error::success();
  }
  std::unique_ptr<llvm::Module> module =
      phase == Phase::Image ? joinLevels(std::move(levels)) : addLaunchFunctions(std::move(levels));
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream object(code);
  emitHostCode(*module, target, llvm::CodeGenFileType::ObjectFile, object);
  llvm::MemoryBufferRef buffer(object.str(), "kernels");
  if (phase == Phase::Image)
    return linkHostImage(buffer, os);
  if (llvm::Error error = checkSelfContained(buffer))
    return error;
  os << object.str();
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
  // Passes may remove loads.
  if (failed(runPhases(module, from, Phase::Expanded, target, times)))
    return llvm::createStringError("the kernel could not be compiled");
  std::vector<std::vector<LoadSite>> loads;
  for (auto kernel : module.getOps<attn::KernelOp>())
    loads.push_back(kernel.getChecked() ? getLoadSites(kernel) : std::vector<LoadSite>());
  if (failed(runPhases(module, Phase::Expanded, Phase::Llvm, target, times)))
    return llvm::createStringError("the kernel could not be compiled");
  llvm::SmallVector<char, 0> image;
  llvm::raw_svector_ostream os(image);
  llvm::LLVMContext context;
  std::vector<HostLevel> levels(1);
  if (llvm::Error error = translateForHost(module, target, context, times).moveInto(levels[0]))
    return error;
  if (llvm::Error error = writeHostCode(std::move(levels), Phase::Image, times, os))
    return error;
  StageTimes::Scope stage = times.start("load");
  std::vector<HostKernel> kernels;
  if (std::optional<std::string> error = loadHostImage({image.data(), image.size()}, kernels))
    return llvm::createStringError("internal error, please report: " + *error);
  assert(kernels.size() == loads.size() && "each kernel has its metadata");
  for (auto [kernel, sites] : llvm::zip(kernels, loads))
    kernel.loads = std::move(sites);
  return kernels;
}
