//===- AttncOptions.h - What attnc is asked to do -----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_ATTNCOPTIONS_H
#define COMPILER_DRIVER_ATTNCOPTIONS_H

#include "compiler/Driver/CompileOptions.h"
#include "compiler/Pipelines/Phases.h"
#include <optional>

namespace attnc::driver {

/// The command line of attnc.
struct AttncOptions {
  std::string program;
  std::string output;
  std::optional<Phase> emit;
  std::string arch = "host";
  std::string cpu = "native";
  CompileOptions compile;
  /// Whether the options say how to compile an .attn program.
  bool hasDtype = false, hasHeadDim = false;
  bool explain = false, timePasses = false;
  bool jsonDiagnostics = false;
  bool help = false, version = false;
};

/// Reads the command line; returns an error that names the option, or nothing.
std::optional<std::string> parseAttncOptions(const std::vector<std::string> &words,
                                             AttncOptions &options);

std::string getAttncHelp();

} // namespace attnc::driver

#endif // COMPILER_DRIVER_ATTNCOPTIONS_H
