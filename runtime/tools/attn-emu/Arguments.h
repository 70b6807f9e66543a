//===- Arguments.h - Kernel arguments given as text -------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_TOOLS_ATTN_EMU_ARGUMENTS_H
#define RUNTIME_TOOLS_ATTN_EMU_ARGUMENTS_H

#include "runtime/emulator/Device.h"

#include <optional>
#include <string>
#include <vector>

namespace attnc::emu {

/// One `--arg`: a scalar, or a buffer and its contents before the launch.
struct Argument {
  std::string name;
  std::string type;
  bool isBuffer = false;
  bool isUninitialized = false;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
  uint64_t address = 0; // of the buffer on the device
};

/// Reads `NAME=VALUE`. Returns an error or nothing.
std::optional<std::string> parseArgument(const std::string &text, Argument &argument);

/// Writes the buffers among `arguments` to a .safetensors file. Returns an error or nothing.
std::optional<std::string> writeBuffers(const std::string &path,
                                        const std::vector<Argument> &arguments);

} // namespace attnc::emu

#endif // RUNTIME_TOOLS_ATTN_EMU_ARGUMENTS_H
