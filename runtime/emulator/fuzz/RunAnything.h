//===- RunAnything.h - Loads any text and runs its first kernel for a moment ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_FUZZ_RUNANYTHING_H
#define RUNTIME_EMULATOR_FUZZ_RUNANYTHING_H

#include "runtime/emulator/Device.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace attnc::emu {

/// What came of a text: rejected with messages, or loaded and run.
enum class Outcome : uint8_t { Rejected, RejectedWithoutMessage, Loaded };

inline Outcome runAnything(std::string_view text) {
  Device device;
  std::vector<Diagnostic> diagnostics;
  std::unique_ptr<Module> module = device.loadModule(text, diagnostics);
  if (!module)
    return diagnostics.empty() ? Outcome::RejectedWithoutMessage : Outcome::Rejected;
  if (module->getKernelNames().empty())
    return Outcome::Loaded;
  const Program &program = *module->findKernel(module->getKernelNames()[0]);
  LaunchConfig config;
  for (size_t i = 0; i < 3; ++i)
    config.block[i] = static_cast<uint32_t>(program.requiredThreads[0]
                                                ? std::min<uint64_t>(program.requiredThreads[i], 64)
                                                : (i == 0 ? 64 : 1));
  config.dynamicShared = 1024;
  // Every parameter is the address of a small buffer.
  uint64_t buffer = device.allocate(4096, "buffer");
  device.fill(buffer, 1, 4096);
  std::vector<uint8_t> parameters(program.parameterBytes);
  for (const PlacedVariable &parameter : program.parameters)
    if (parameter.size == 8)
      std::memcpy(&parameters[parameter.offset], &buffer, 8);
  LaunchOptions options;
  options.stepBudget = 1000;
  options.workers = 1;
  options.schedule.order = WarpOrder::Random;
  device.launch(program, config, parameters, options);
  return Outcome::Loaded;
}

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_FUZZ_RUNANYTHING_H
