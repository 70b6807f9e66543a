//===- HostJit.cpp - Host kernels in this process ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Host/HostJit.h"
#include "compiler/Target/Host/HostCode.h"
#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"

using namespace mlir;
using namespace attnc;
namespace orc = llvm::orc;

namespace {
/// Code in this process, with what it takes to unload it.
struct LoadedCode {
  std::unique_ptr<orc::ExecutionSession> session;
  std::unique_ptr<orc::ObjectLinkingLayer> linker;

  ~LoadedCode() {
    if (session)
      llvm::consumeError(session->endSession());
  }
};
} // namespace

std::vector<HostKernel> attnc::describeHostKernels(ModuleOp module, ArrayRef<KernelInfo> infos) {
  std::vector<HostKernel> kernels;
  for (const KernelInfo &info : infos) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(info.name);
    assert(function && "each kernel is a function");
    HostKernel kernel;
    kernel.queryBlock = function->getAttrOfType<IntegerAttr>(queryBlockAttrName).getInt();
    kernel.scratchBytes = function->getAttrOfType<IntegerAttr>(scratchBytesAttrName).getInt();
    kernel.info = info;
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

llvm::Error attnc::loadHostKernels(std::unique_ptr<llvm::MemoryBuffer> object,
                                   llvm::MutableArrayRef<HostKernel> kernels) {
  if (llvm::Error error = checkSelfContained(object->getMemBufferRef()))
    return error;
  llvm::Expected<std::unique_ptr<orc::SelfExecutorProcessControl>> process =
      orc::SelfExecutorProcessControl::Create();
  if (!process)
    return process.takeError();
  auto code = std::make_shared<LoadedCode>();
  code->session = std::make_unique<orc::ExecutionSession>(std::move(*process));
  code->linker = std::make_unique<orc::ObjectLinkingLayer>(*code->session);
  orc::JITDylib &library = code->session->createBareJITDylib("kernels");
  if (llvm::Error error = code->linker->add(library, std::move(object)))
    return error;
  for (HostKernel &kernel : kernels) {
    llvm::Expected<orc::ExecutorSymbolDef> symbol =
        code->session->lookup({&library}, kernel.info.name);
    if (!symbol)
      return symbol.takeError();
    kernel.function = symbol->getAddress().toPtr<HostKernel::Function>();
    if (kernel.info.checked) {
      symbol = code->session->lookup({&library}, kernel.info.name + "_check");
      if (!symbol)
        return symbol.takeError();
      kernel.check = symbol->getAddress().toPtr<HostKernel::Check>();
    }
    kernel.code = code;
  }
  return llvm::Error::success();
}
