//===- Phases.cpp - The forms a program takes -------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Pipelines/Phases.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace attnc;

static constexpr PhaseInfo phases[] = {
#define ATTNC_PHASE(ID, NAME, FORM, TARGETS, DESCRIPTION)                                          \
  {Phase::ID, NAME, PhaseForm::FORM, PhaseTargets::TARGETS, DESCRIPTION},
#include "compiler/Pipelines/Phases.def"
};

llvm::ArrayRef<PhaseInfo> attnc::getPhases() { return phases; }

const PhaseInfo &attnc::getInfo(Phase phase) { return phases[static_cast<unsigned>(phase)]; }

std::optional<Phase> attnc::parsePhase(llvm::StringRef name) {
  for (const PhaseInfo &info : phases)
    if (info.name == name)
      return info.phase;
  return std::nullopt;
}

std::optional<Phase> attnc::getPhaseOfFile(llvm::StringRef fileName) {
  return llvm::StringSwitch<std::optional<Phase>>(llvm::sys::path::extension(fileName))
      .Case(".mlir", Phase::Attn)
      .Case(".ll", Phase::LlvmIr)
      .Case(".s", Phase::Asm)
      .Case(".o", Phase::Obj)
      .Case(".so", Phase::Image)
      .Case(".ptx", Phase::Ptx)
      .Case(".cubin", Phase::Cubin)
      .Default(std::nullopt);
}
