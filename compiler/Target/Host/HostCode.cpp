//===- HostCode.cpp - LLVM IR and machine code of host kernels --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Host/HostCode.h"
#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "compiler/Target/KernelInfo/KernelMetadata.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace attnc;

void attnc::registerHostTranslations(MLIRContext &context) {
  registerBuiltinDialectTranslation(context);
  registerLLVMDialectTranslation(context);
}

void attnc::setTargetAttributes(llvm::Function &function, const HostTarget &target) {
  function.addFnAttr("target-cpu", target.cpu);
  function.addFnAttr("target-features", target.features);
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

static void setKernelAttributes(llvm::Function &function) {
  // The slots and the scratch memory belong to this call alone.
  for (size_t i : {size_t(0), function.arg_size() - 1})
    if (function.getArg(i)->getType()->isPointerTy())
      function.addParamAttr(i, llvm::Attribute::NoAlias);
}

/// What the code of the kernel `function` knows of it.
static llvm::json::Object getFacts(LLVM::LLVMFuncOp function, const HostTarget &target) {
  llvm::json::Object facts{{"cpu", target.getName()},
                           {"features", llvm::json::Array(target.getNeeds())}};
  for (StringRef name : {queryBlockAttrName, scratchBytesAttrName})
    if (auto value = function->getAttrOfType<IntegerAttr>(name))
      facts[name.split('.').second] = value.getInt();
  if (auto planner = function->getAttrOfType<DictionaryAttr>(plannerAttrName)) {
    llvm::json::Object fields;
    for (NamedAttribute field : planner) {
      llvm::json::Value value = nullptr;
      if (auto number = dyn_cast<IntegerAttr>(field.getValue()))
        value = number.getInt();
      else if (auto numbers = dyn_cast<ArrayAttr>(field.getValue()))
        value = llvm::json::Array(llvm::map_range(numbers.getAsValueRange<IntegerAttr>(),
                                                  [](const APInt &x) { return x.getSExtValue(); }));
      fields[field.getName().getValue()] = std::move(value);
    }
    facts[plannerAttrName.split('.').second] = std::move(fields);
  }
  return facts;
}

std::unique_ptr<llvm::Module> attnc::translateToLLVMIR(ModuleOp module, llvm::LLVMContext &context,
                                                       const HostTarget &target) {
  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(
      module, context, module.getName().value_or("attnc"), /*disableVerification=*/true);
  if (!result)
    return nullptr;
  std::unique_ptr<llvm::TargetMachine> machine = target.createTargetMachine();
  result->setTargetTriple(machine->getTargetTriple());
  result->setDataLayout(machine->createDataLayout());
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    bool isKernel = function->hasAttr(queryBlockAttrName);
    llvm::Function &code = *result->getFunction(function.getName());
    setTargetAttributes(code, target);
    if (!isKernel)
      continue;
    setKernelAttributes(code);
    addMetadata(*result, function.getName(),
                getKernelMetadata(function, getFacts(function, target)));
  }
  return result;
}

void attnc::emitHostCode(llvm::Module &module, const HostTarget &target, llvm::CodeGenFileType kind,
                         llvm::raw_pwrite_stream &os) {
  std::unique_ptr<llvm::TargetMachine> machine = target.createTargetMachine();
  llvm::legacy::PassManager passes;
  [[maybe_unused]] bool unsupported =
      machine->addPassesToEmitFile(passes, os, /*DwoOut=*/nullptr, kind);
  assert(!unsupported && "every CPU has objects and assembly");
  passes.run(module);
}

llvm::Error attnc::checkSelfContained(llvm::MemoryBufferRef buffer) {
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
      llvm::object::ObjectFile::createObjectFile(buffer);
  if (!object)
    return object.takeError();
  SmallVector<std::string> undefined;
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined) ||
        (*flags & llvm::object::SymbolRef::SF_FormatSpecific))
      continue;
    llvm::Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    undefined.push_back(name->str());
  }
  if (undefined.empty())
    return llvm::Error::success();
  return llvm::createStringError("internal error, please report: the code needs " +
                                 llvm::join(undefined, ", ") + " from a library");
}
