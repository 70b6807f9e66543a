//===- ReadablePtx.h - PTX for people -----------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_PTX_READABLEPTX_H
#define COMPILER_TARGET_PTX_READABLEPTX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace attnc {

/// A parameter of a function in PTX.
struct PtxParameter {
  std::string name; ///< what it is to be called
  /// What every 8 bytes of it are, if that is worth a comment where they are loaded.
  std::vector<std::string> slots;
};

/// What turns the PTX of LLVM into one for people; the instructions stay what they are.
struct ReadableForm {
  /// Of the locations that encodeLocations gave, by number.
  std::vector<std::string> phases;
  /// By the name that LLVM gives: `FUNCTION_param_0`.
  llvm::StringMap<PtxParameter> parameters;
  /// Whether `.loc` lines stay, for profilers and debuggers, with the columns of the program.
  bool lineInfo = false;
};

/// Writes what LLVM has made of parts of a program, with encoded locations, as one file: a comment
/// where a phase begins, or several that take turns every few instructions, and names of
/// parameters. What stands before the functions of several parts is written once.
void writeReadablePtx(llvm::ArrayRef<std::string> parts, const ReadableForm &form,
                      llvm::raw_ostream &os);

} // namespace attnc

#endif // COMPILER_TARGET_PTX_READABLEPTX_H
