//===- PtxTarget.cpp - GPU architectures that code is made for --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Ptx/PtxTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include <mutex>

using namespace attnc;
using llvm::StringRef;

namespace {
struct Architecture {
  llvm::StringLiteral name;
  unsigned ptxVersion;
  int64_t sharedKilobytes;
};
} // namespace

static constexpr Architecture architectures[] = {
    {"sm_80", 80, 163}, {"sm_86", 80, 99},   {"sm_87", 80, 163},  {"sm_89", 80, 99},
    {"sm_90", 80, 227}, {"sm_90a", 80, 227}, {"sm_100", 86, 227}, {"sm_120", 87, 99},
};

std::vector<std::string> PtxTarget::getNames() {
  std::vector<std::string> names;
  for (const Architecture &architecture : architectures)
    names.push_back(architecture.name.str());
  return names;
}

llvm::Expected<PtxTarget> PtxTarget::get(StringRef name) {
  for (const Architecture &architecture : architectures)
    if (architecture.name == name)
      return PtxTarget{name.str(), architecture.ptxVersion, architecture.sharedKilobytes * 1024};
  return llvm::createStringError("expected an architecture of " + llvm::join(getNames(), ", ") +
                                 ", got `" + name + "`");
}

int PtxTarget::getCapability() const {
  StringRef digits(arch);
  int capability = 0;
  digits.consume_front("sm_");
  digits.consumeInteger(10, capability);
  return capability;
}

llvm::Expected<PtxTarget> PtxTarget::getForGpu(int major, int minor) {
  std::optional<PtxTarget> best;
  for (const std::string &name : getNames()) {
    PtxTarget target = llvm::cantFail(get(name));
    int capability = target.getCapability(), gpu = 10 * major + minor;
    // Newer GPUs run what is made for older ones, but for features of one architecture.
    if (target.isSpecific() ? capability == gpu : capability <= gpu)
      best = target;
  }
  if (best)
    return *best;
  return llvm::createStringError(
      llvm::formatv("expected a GPU of compute capability 8.0 or later, got {0}.{1}", major, minor)
          .str());
}

std::string PtxTarget::describeGpus() const {
  return arch + (isSpecific() ? " only" : " and later");
}

static void initializeNvptx() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  // LLVM has no other way to choose the width of pointers to shared memory.
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup("nvptx-short-ptr");
  assert(option && "NVPTX registers the option");
  static_cast<llvm::cl::opt<bool> *>(option)->setValue(true);
}

std::unique_ptr<llvm::TargetMachine> PtxTarget::createTargetMachine() const {
  static std::once_flag initialized;
  std::call_once(initialized, initializeNvptx);
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  assert(target && "the NVPTX target is linked in");
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, arch, "+ptx" + std::to_string(ptxVersion), options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Less));
}
