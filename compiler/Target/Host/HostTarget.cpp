//===- HostTarget.cpp - CPUs that code is made for --------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Host/HostTarget.h"
#include "attnc/CpuFeatures.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <mutex>

using namespace attnc;
using llvm::SmallVector;
using llvm::StringRef;

/// Of levels of x86-64 with AVX512_BF16, which LLVM has no name for.
static constexpr llvm::StringLiteral bf16Suffix = "-bf16";

llvm::ArrayRef<StringRef> HostTarget::getNames() {
  static const StringRef names[] = {"native", "x86-64-v4-bf16", "x86-64-v4", "x86-64-v3", "x86-64"};
  return names;
}

/// The features that are on, as LLVM takes them.
static std::string joinFeatures(const llvm::StringMap<bool> &features) {
  SmallVector<std::string> names;
  for (const auto &feature : features)
    if (feature.second)
      names.push_back(("+" + feature.first()).str());
  llvm::sort(names);
  return llvm::join(names, ",");
}

/// The features of a named CPU, with those that they imply.
static llvm::StringMap<bool> getFeaturesOf(StringRef cpu) {
  // LLVM takes SSE2 for granted in 64-bit code and does not name it.
  SmallVector<StringRef> named = {"sse2"};
  llvm::X86::getFeaturesForCPU(cpu, named);
  llvm::StringMap<bool> features;
  for (StringRef feature : named) {
    features[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, features);
  }
  return features;
}

llvm::Expected<HostTarget> HostTarget::get(StringRef name) {
  if (name == "native")
    return HostTarget{llvm::sys::getHostCPUName().str(),
                      joinFeatures(llvm::sys::getHostCPUFeatures())};
  if (!llvm::is_contained(getNames(), name))
    return llvm::createStringError("expected a CPU of " + llvm::join(getNames(), ", ") + ", got `" +
                                   name + "`");
  bool hasBf16Dot = name.consume_back(bf16Suffix);
  llvm::StringMap<bool> features = getFeaturesOf(name);
  if (hasBf16Dot)
    features["avx512bf16"] = true;
  return HostTarget{name.str(), joinFeatures(features)};
}

llvm::ArrayRef<StringRef> HostTarget::getTriples() {
  static const StringRef triples[] = {"x86_64-linux-gnu", "aarch64-linux-gnu"};
  return triples;
}

HostTarget HostTarget::getForTriple(StringRef triple) {
  if (triple == "aarch64-linux-gnu")
    return HostTarget{"generic", "+fp-armv8,+neon", triple.str()};
  return llvm::cantFail(get("x86-64"));
}

std::string HostTarget::getName() const {
  if (!isX86())
    return "aarch64";
  bool isLevel = StringRef(cpu).starts_with("x86-64");
  return isLevel && hasFeature("avx512bf16") ? cpu + bf16Suffix.str() : cpu;
}

std::vector<HostTarget> HostTarget::getLevels(bool hasBf16) {
  std::vector<HostTarget> levels;
  for (StringRef name : {"x86-64", "x86-64-v3", "x86-64-v4", "x86-64-v4-bf16"})
    levels.push_back(llvm::cantFail(get(name)));
  if (!hasBf16)
    levels.pop_back();
  return levels;
}

std::vector<std::string> HostTarget::getNeeds() const {
  std::vector<std::string> needs;
  for (std::string_view feature : getCpuFeatures())
    if (hasFeature(feature))
      needs.emplace_back(feature);
  return needs;
}

bool HostTarget::hasFeature(StringRef feature) const {
  return llvm::is_contained(llvm::split(features, ','), ("+" + feature).str());
}

llvm::Error HostTarget::checkRunsHere() const {
  llvm::StringMap<bool> native = llvm::sys::getHostCPUFeatures();
  // Every CPU has an FPU; it is not detected.
  native["x87"] = true;
  SmallVector<StringRef> missing;
  for (StringRef feature : llvm::split(features, ','))
    if (feature.consume_front("+") && !native.lookup(feature))
      missing.push_back(feature);
  if (missing.empty())
    return llvm::Error::success();
  return llvm::createStringError("this machine cannot run code for the CPU `" + cpu +
                                 "`: it lacks " + llvm::join(missing, ", "));
}

std::unique_ptr<llvm::TargetMachine> HostTarget::createTargetMachine() const {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmParser(); // for inline assembly
    LLVMInitializeX86AsmPrinter();
  });
  static std::once_flag armInitialized;
  if (!isX86())
    std::call_once(armInitialized, [] {
      LLVMInitializeAArch64TargetInfo();
      LLVMInitializeAArch64Target();
      LLVMInitializeAArch64TargetMC();
      LLVMInitializeAArch64AsmPrinter();
    });
  llvm::Triple normal(llvm::Triple::normalize(triple));
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(normal, error);
  assert(target && "the targets are linked in");
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(normal, cpu, features, options, llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOptLevel::Less));
}
