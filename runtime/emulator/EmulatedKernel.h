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

class DeviceTensors;

/// How the launch of a kernel is run.
struct EmulationOptions {
  /// At least one; the kernel runs under each of them.
  std::vector<Schedule> schedules = {Schedule()};
  /// Draws approximate results inside their documented bounds, others under each schedule.
  bool perturbApproximations = false;
  /// Of the GPU that launches are planned for.
  int64_t multiprocessors = 1;
  /// The splits of launches, 0 for the entry of long grids; without, they are chosen.
  std::optional<int64_t> splits;
  /// Threads that run blocks; 0 takes one per core.
  unsigned workers = 0;
  /// Counts what all entries do under the first schedule, for getStatistics.
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
  /// Launches one entry, which takes `slots`, and `workspaceSlots` if those are not empty.
  std::optional<EmulationError> launchGrid(const GpuGrid &grid, const std::vector<int64_t> &slots,
                                           const std::vector<int64_t> &workspaceSlots,
                                           const LaunchOptions &options);
  /// Runs what `plan` says on `tensors`.
  std::optional<EmulationError> launchGrids(const GpuLaunch &plan, const DeviceTensors &tensors,
                                            const LaunchOptions &options);

  GpuKernel kernel;
  Device device;
  std::unique_ptr<Module> module;
  std::vector<GpuEntry> entries;
  std::vector<const Program *> programs; ///< of the entries
  Statistics statistics;
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_EMULATEDKERNEL_H
