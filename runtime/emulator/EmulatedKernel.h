//===- EmulatedKernel.h - GPU kernels of attnc in the emulator --*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_EMULATEDKERNEL_H
#define RUNTIME_EMULATOR_EMULATEDKERNEL_H

#include "attnc/GpuKernel.h"
#include "runtime/emulator/Device.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnc::emu {

/// How the launch of a kernel is run.
struct EmulationOptions {
  /// At least one; the kernel runs under each of them.
  std::vector<Schedule> schedules = {Schedule()};
  /// Draws approximate results inside their documented bounds, others under each schedule.
  bool perturbApproximations = false;
  /// Threads that run blocks; 0 takes one per core.
  unsigned workers = 0;
  /// Counts what the first schedule does, for getStatistics.
  bool countsStatistics = false;
};

/// Why a launch came to nothing.
struct EmulationError {
  /// True if the kernel is wrong: the emulator reports faults, or other results under another
  /// schedule. Else the launch could not be made.
  bool isFault = false;
  std::string message;
};

/// A kernel made by attnc, in PTX, on an emulated device.
class EmulatedKernel {
public:
  /// Loads `kernel` of a file of PTX. Returns what is wrong with the text, or nothing.
  std::optional<std::string> load(std::string_view ptx, const GpuKernel &kernel);

  /// Computes o, and lse if the kernel has it, of tensors in the memory of this process: each
  /// storage becomes a buffer of the device that has just the bytes from the first to the last
  /// element, of which only elements are written. The results of all schedules must be the same, to
  /// the bit, unless approximations are perturbed; those of the first are copied back.
  std::optional<EmulationError> launch(const BoundArguments &arguments,
                                       const EmulationOptions &options);

  /// What the last launch has counted.
  const Statistics &getStatistics() const { return statistics; }

private:
  GpuKernel kernel;
  Device device;
  std::unique_ptr<Module> module;
  const Program *program = nullptr;
  Statistics statistics;
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_EMULATEDKERNEL_H
