//===- Phases.h - The forms a program takes -----------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_PIPELINES_PHASES_H
#define COMPILER_PIPELINES_PHASES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace attnc {

/// The forms a program takes on its way, in order. Everything that lists phases (`--emit`, its
/// help, docs/pipeline.md, the tests) reads them from Phases.def.
enum class Phase {
#define ATTNC_PHASE(ID, NAME, FORM, DESCRIPTION) ID,
#include "compiler/Pipelines/Phases.def"
};

enum class PhaseForm { Text, Mlir, Binary };

struct PhaseInfo {
  Phase phase;
  llvm::StringLiteral name;
  PhaseForm form;
  llvm::StringLiteral description;
};

llvm::ArrayRef<PhaseInfo> getPhases();
const PhaseInfo &getInfo(Phase phase);

/// The phase that `--emit=` calls `name`.
std::optional<Phase> parsePhase(llvm::StringRef name);

/// The phase that a file of this name holds by its suffix (`.o`, `.s`, `.ll`, `.mlir`).
std::optional<Phase> getPhaseOfFile(llvm::StringRef fileName);

} // namespace attnc

#endif // COMPILER_PIPELINES_PHASES_H
