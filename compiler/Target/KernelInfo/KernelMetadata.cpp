//===- KernelMetadata.cpp - What code says of its kernels -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/KernelInfo/KernelMetadata.h"
#include "attnc/KernelMetadata.h"
#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace attnc;

llvm::json::Object attnc::getKernelMetadata(LLVM::LLVMFuncOp function, llvm::json::Object facts) {
  auto module = function->getParentOfType<ModuleOp>();
  llvm::json::Object object;
  if (auto infos = module->getAttrOfType<DictionaryAttr>(kernelsAttrName))
    if (auto info = infos.getAs<StringAttr>(function.getName())) {
      if (llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(info.getValue())) {
        if (llvm::json::Object *fields = parsed->getAsObject())
          object = std::move(*fields);
      } else {
        llvm::consumeError(parsed.takeError());
      }
    }
  for (auto &[name, value] : facts)
    object[name] = std::move(value);
  return object;
}

void attnc::addMetadata(llvm::Module &module, StringRef name, llvm::json::Object metadata,
                        unsigned addressSpace) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(metadata));
  llvm::Constant *bytes = llvm::ConstantDataArray::getString(module.getContext(), text);
  auto *constant = new llvm::GlobalVariable(module, bytes->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::ExternalLinkage, bytes,
                                            name + metadataSuffix, /*InsertBefore=*/nullptr,
                                            llvm::GlobalValue::NotThreadLocal, addressSpace);
  constant->setAlignment(llvm::Align(1));
}
