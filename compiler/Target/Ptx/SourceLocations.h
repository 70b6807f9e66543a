//===- SourceLocations.h - Where PTX comes from -------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_PTX_SOURCELOCATIONS_H
#define COMPILER_TARGET_PTX_SOURCELOCATIONS_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace attnc {

/// A column of LLVM's locations holds a phase of the kernel beside the column in the program: code
/// generators keep the one exactly where they keep the other, and nothing else is looked at while
/// code is made.
struct PhaseColumn {
  static constexpr unsigned columnBits = 11, phaseBits = 5;

  /// Columns that are too large are taken for unknown ones, as LLVM does with its own limit.
  static unsigned encode(unsigned phase, unsigned column) {
    unsigned limit = 1U << columnBits;
    return phase << columnBits | (column < limit ? column : 0);
  }
  static unsigned getPhase(unsigned encoded) { return encoded >> columnBits; }
  static unsigned getColumn(unsigned encoded) { return encoded & ((1U << columnBits) - 1); }
};

/// Gives the functions of `module`, which is in the LLVM dialect, debug scopes, and its ops the
/// locations that LLVM IR is to have: the line of the program, and a PhaseColumn for the phase that
/// a NameLoc names. Returns the names of phases by number; 0 is for ops without one.
std::vector<std::string> encodeLocations(mlir::ModuleOp module);

} // namespace attnc

#endif // COMPILER_TARGET_PTX_SOURCELOCATIONS_H
