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

/// A scalar, or a buffer and its contents before the launch: one `--arg` or a member of one.
struct Argument {
  std::string name;
  std::string type;
  bool isBuffer = false;
  bool isUninitialized = false;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
  uint64_t address = 0;  // of the buffer on the device
  size_t parameter = 0;  // of the kernel
  bool isMember = false; // of a structure passed by value

  /// What the kernel gets.
  std::vector<uint8_t> getValue() const;
};

/// Reads `NAME=VALUE` or `NAME={NAME=VALUE;...}` and appends what it holds. Returns an error or
/// nothing.
std::optional<std::string> parseArgument(const std::string &text, size_t parameter,
                                         std::vector<Argument> &arguments);

/// The parameters of `program`; members of a structure lie at multiples of their sizes. Returns an
/// error or nothing.
std::optional<std::string> packArguments(const Program &program,
                                         const std::vector<Argument> &arguments,
                                         std::vector<uint8_t> &parameters);

/// Writes the buffers among `arguments` to a .safetensors file. Returns an error or nothing.
std::optional<std::string> writeBuffers(const std::string &path,
                                        const std::vector<Argument> &arguments);

} // namespace attnc::emu

#endif // RUNTIME_TOOLS_ATTN_EMU_ARGUMENTS_H
