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
#include "compiler/Driver/Tf32Flags.h"
#include <optional>

namespace attnc::driver {

/// The command line of attnc.
struct AttncOptions {
  /// One; or several, which become a package.
  std::vector<std::string> programs;
  std::string output;
  std::string header;
  std::string inspect; ///< a file of kernels; then there is no program
  std::optional<Phase> emit;
  /// `host`, or some of PtxTarget; both for a package alone; empty if not given.
  std::vector<std::string> archs;
  std::string cpu;  ///< empty if not given
  std::string tile; ///< empty if not given
  Tf32Flags tf32;
  std::string triple; ///< of the host that code is for; empty if not given
  CompileOptions compile;
  /// Whether the options say how to compile an .attn program.
  bool hasDtype = false, hasHeadDim = false;
  bool explain = false, lineInfo = false, timePasses = false;
  bool jsonDiagnostics = false;
  bool cacheInfo = false, cacheClear = false; ///< then there is no program
  bool help = false, version = false;

  /// Whether one file with all programs and targets is to be written. `emit` is then the form of
  /// code for GPUs.
  bool isPackage() const { return llvm::StringRef(output).ends_with(".attnpkg"); }
};

/// Reads the command line; returns an error that names the option, or nothing.
std::optional<std::string> parseAttncOptions(const std::vector<std::string> &words,
                                             AttncOptions &options);

/// The targets that the options choose, for a program whose ops are for `kind` or for any target.
/// Several of them are GPUs, or for a package GPUs and CPUs; one CPU, if the program has been made
/// for it.
llvm::Expected<std::vector<Target>> chooseTargets(const AttncOptions &options,
                                                  std::optional<TargetKind> kind, bool isForOneCpu);

/// The file that `-o` names for `arch`: of several, each has its architecture before the suffix,
/// `kernel.sm_80.ptx`.
std::string getOutputPath(const AttncOptions &options, llvm::StringRef arch);

std::string getAttncHelp();

} // namespace attnc::driver

#endif // COMPILER_DRIVER_ATTNCOPTIONS_H
