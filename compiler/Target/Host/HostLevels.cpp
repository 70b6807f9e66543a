//===- HostLevels.cpp - Kernels for several levels of CPUs ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Host/HostLevels.h"
#include "attnc/KernelMetadata.h"
#include "compiler/Target/KernelInfo/KernelMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/Linker/Linker.h"

using namespace attnc;
using llvm::StringRef;

/// The metadata that `variable` holds, or nothing if it is something else.
static std::optional<llvm::json::Object> readMetadata(const llvm::GlobalVariable &variable) {
  if (!isMetadataName(variable.getName()) || !variable.hasInitializer())
    return std::nullopt;
  auto *bytes = llvm::dyn_cast<llvm::ConstantDataSequential>(variable.getInitializer());
  if (!bytes || !bytes->isCString())
    return std::nullopt;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(bytes->getAsCString());
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  llvm::json::Object *object = value->getAsObject();
  if (!object)
    return std::nullopt;
  StringRef name = variable.getName();
  name.consume_back(metadataSuffix);
  object->try_emplace("name", name);
  return std::move(*object);
}

std::vector<llvm::json::Object> attnc::getMetadataOf(const llvm::Module &module) {
  std::vector<llvm::json::Object> all;
  for (const llvm::GlobalVariable &variable : module.globals())
    if (std::optional<llvm::json::Object> metadata = readMetadata(variable))
      all.push_back(std::move(*metadata));
  return all;
}

void attnc::linkInto(llvm::Module &into, std::unique_ptr<llvm::Module> from) {
  [[maybe_unused]] bool failed = llvm::Linker::linkModules(into, std::move(from));
  assert(!failed && "names of modules that are joined are different");
}

/// Ends the names that others see with `suffix`.
static void addSuffix(llvm::Module &module, StringRef suffix) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasExternalLinkage())
      function.setName(function.getName() + suffix);
  std::vector<llvm::GlobalVariable *> old;
  for (llvm::GlobalVariable &variable : module.globals())
    if (readMetadata(variable))
      old.push_back(&variable);
  for (llvm::GlobalVariable *variable : old) {
    llvm::json::Object metadata = *readMetadata(*variable);
    std::string name = metadata.getString("name").value_or("").str();
    variable->eraseFromParent();
    metadata["symbol_suffix"] = suffix;
    addMetadata(module, name + suffix.str(), std::move(metadata));
  }
}

std::unique_ptr<llvm::Module> attnc::joinLevels(std::vector<HostLevel> levels) {
  std::unique_ptr<llvm::Module> all = std::move(levels.front().module);
  for (HostLevel &level : llvm::MutableArrayRef(levels).drop_front()) {
    std::string name = level.target.getName();
    llvm::replace(name, '-', '_');
    addSuffix(*level.module, StringRef(name).drop_front(StringRef("x86_64").size()));
    linkInto(*all, std::move(level.module));
  }
  return all;
}
