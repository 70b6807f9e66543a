//===- Options.h - The command line of attn-emu -----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_TOOLS_ATTN_EMU_OPTIONS_H
#define RUNTIME_TOOLS_ATTN_EMU_OPTIONS_H

#include "runtime/emulator/Device.h"

#include <optional>
#include <string>
#include <vector>

namespace attnc::emu {

struct Options {
  std::string file;
  std::string entry;
  LaunchConfig config;
  std::vector<std::string> arguments; // NAME=VALUE in parameter order
  std::string outFile;
  std::vector<Schedule> schedules;
  LaunchOptions launch;
  Observation observation;
  bool isJson = false;
  bool listsKernels = false;
  size_t maximumReports = 20;
};

enum class ParseResult { Run, Help, Error };

/// Reads the command line; `error` says what is wrong with it.
ParseResult parseOptions(int argc, char **argv, Options &options, std::string &error);
const char *getUsage();

/// `8`, `8x2` or `8,2,1`.
std::optional<Dim3> parseDim(std::string_view text);
std::optional<uint64_t> parseNumber(std::string_view text);

} // namespace attnc::emu

#endif // RUNTIME_TOOLS_ATTN_EMU_OPTIONS_H
