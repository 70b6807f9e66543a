//===- AttncOptions.h - What attnc is asked to do -----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_ATTNCOPTIONS_H
#define COMPILER_DRIVER_ATTNCOPTIONS_H

#include "compiler/Driver/CompileOptions.h"
#include "compiler/Driver/Target.h"
#include <optional>

namespace attnc::driver {

/// The command line of attnc.
struct AttncOptions {
  std::string program;
  std::string output;
  std::string header;
  std::string inspect; ///< a file of kernels; then there is no program
  std::optional<Phase> emit;
  /// `host` alone, or some of PtxTarget; empty if not given.
  std::vector<std::string> archs;
  std::string cpu;  ///< empty if not given
  std::string tile; ///< empty if not given
  CompileOptions compile;
  /// Whether the options say how to compile an .attn program.
  bool hasDtype = false, hasHeadDim = false;
  bool explain = false, lineInfo = false, timePasses = false;
  bool jsonDiagnostics = false;
  bool cacheInfo = false, cacheClear = false; ///< then there is no program
  bool help = false, version = false;
};

/// Reads the command line; returns an error that names the option, or nothing.
std::optional<std::string> parseAttncOptions(const std::vector<std::string> &words,
                                             AttncOptions &options);

/// The targets that the options choose, for a program whose ops are for `kind` or for any target;
/// several of them are GPUs.
llvm::Expected<std::vector<Target>> chooseTargets(const AttncOptions &options,
                                                  std::optional<TargetKind> kind);

/// The file that `-o` names for `arch`: of several, each has its architecture before the suffix,
/// `kernel.sm_80.ptx`.
std::string getOutputPath(const AttncOptions &options, llvm::StringRef arch);

std::string getAttncHelp();

} // namespace attnc::driver

#endif // COMPILER_DRIVER_ATTNCOPTIONS_H
