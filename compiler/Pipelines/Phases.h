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
#define ATTNC_PHASE(ID, NAME, FORM, TARGETS, DESCRIPTION) ID,
#include "compiler/Pipelines/Phases.def"
};

enum class PhaseForm { Text, Mlir, Binary };

/// What programs are compiled for: CPUs, or NVIDIA GPUs through PTX.
enum class TargetKind { Host, Ptx };
/// The kinds of targets whose programs take a phase.
enum class PhaseTargets { Every, Host, Ptx };

struct PhaseInfo {
  Phase phase;
  llvm::StringLiteral name;
  PhaseForm form;
  PhaseTargets targets;
  llvm::StringLiteral description;

  /// Whether programs for `kind` take the phase.
  bool isTakenBy(TargetKind kind) const {
    return targets == PhaseTargets::Every ||
           (targets == PhaseTargets::Host) == (kind == TargetKind::Host);
  }
};

llvm::ArrayRef<PhaseInfo> getPhases();
const PhaseInfo &getInfo(Phase phase);

/// The phase that `--emit=` calls `name`.
std::optional<Phase> parsePhase(llvm::StringRef name);

/// The phase that a file of this name holds by its suffix (`.o`, `.so`, `.s`, `.ll`, `.mlir`,
/// `.ptx`, `.cubin`).
std::optional<Phase> getPhaseOfFile(llvm::StringRef fileName);

} // namespace attnc

#endif // COMPILER_PIPELINES_PHASES_H
