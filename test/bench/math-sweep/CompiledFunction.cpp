//===- CompiledFunction.cpp - Math ops as code in this process --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/bench/math-sweep/CompiledFunction.h"
#include "compiler/Target/Host/HostCode.h"
#include "dialect/Attn/Transforms/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

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

/// The op on vectors, in a function of the LLVM dialect.
static std::string getSource(llvm::StringRef op, bool binary, bool approximate) {
  std::string operands = binary ? "%a, %b" : "%a";
  return ("llvm.func @f(%x: !llvm.ptr, %y: !llvm.ptr, %out: !llvm.ptr) {\n"
          "  %a = llvm.load %x : !llvm.ptr -> vector<16xf32>\n"
          "  %b = llvm.load %y : !llvm.ptr -> vector<16xf32>\n"
          "  %r = " +
          op + " " + operands + (approximate ? " fastmath<afn>" : "") +
          " : vector<16xf32>\n"
          "  llvm.store %r, %out : vector<16xf32>, !llvm.ptr\n"
          "  llvm.return\n"
          "}\n")
      .str();
}

/// The op as an object file.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileToObject(MLIRContext &context, llvm::StringRef source, const HostTarget &target) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    return llvm::createStringError("cannot parse the op");
  attn::ExpandMathPassOptions options;
  options.noFma = !target.hasFeature("fma");
  options.expandRounding = !target.hasFeature("sse4.1");
  PassManager passes(&context);
  passes.addPass(attn::createExpandMathPass(options));
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  if (failed(passes.run(*module)))
    return llvm::createStringError("cannot lower the op");
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> translated = translateToLLVMIR(*module, llvmContext, target);
  if (!translated)
    return llvm::createStringError("cannot translate the op");
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  emitHostCode(*translated, target, llvm::CodeGenFileType::ObjectFile, os);
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object));
}

llvm::Expected<CompiledFunction> CompiledFunction::compile(MLIRContext &context, llvm::StringRef op,
                                                           bool binary, bool approximate,
                                                           const HostTarget &target) {
  auto object = compileToObject(context, getSource(op, binary, approximate), target);
  if (!object)
    return object.takeError();
  if (llvm::Error error = checkSelfContained((*object)->getMemBufferRef()))
    return error;
  auto process = orc::SelfExecutorProcessControl::Create();
  if (!process)
    return process.takeError();
  auto code = std::make_shared<LoadedCode>();
  code->session = std::make_unique<orc::ExecutionSession>(std::move(*process));
  code->linker = std::make_unique<orc::ObjectLinkingLayer>(*code->session);
  orc::JITDylib &library = code->session->createBareJITDylib("functions");
  if (llvm::Error error = code->linker->add(library, std::move(*object)))
    return error;
  llvm::Expected<orc::ExecutorSymbolDef> symbol = code->session->lookup({&library}, "f");
  if (!symbol)
    return symbol.takeError();
  CompiledFunction result;
  result.function = symbol->getAddress().toPtr<Function>();
  result.code = code;
  return result;
}
