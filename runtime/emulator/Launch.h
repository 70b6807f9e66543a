//===- Launch.h - Options and state of one launch ---------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_LAUNCH_H
#define RUNTIME_EMULATOR_LAUNCH_H

#include "runtime/emulator/Memory.h"
#include "runtime/emulator/Program.h"
#include "runtime/emulator/Report.h"
#include "runtime/emulator/Statistics.h"

#include <array>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace attnc::emu {

/// Which warp runs next.
enum class WarpOrder : uint8_t { RoundRobin, Random, Adversarial };
/// When the bytes of an asynchronous copy arrive.
enum class Landing : uint8_t { Latest, Earliest, Random };

struct Schedule {
  WarpOrder order = WarpOrder::RoundRobin;
  Landing landing = Landing::Latest;
  uint64_t seed = 1;
};

std::string formatSchedule(const Schedule &schedule);
/// The five schedules that continuous integration runs.
std::array<Schedule, 5> getCiSchedules(uint64_t seed = 1);
/// `count` schedules: the five of getCiSchedules, then random and adversarial ones in turn.
std::vector<Schedule> getSchedules(size_t count, uint64_t seed = 1);

/// What a debugger wants to see; output goes to `stream`.
struct Observation {
  std::ostream *stream = nullptr;
  std::optional<std::pair<uint32_t, uint32_t>> trace; // block (linear), warp
  std::vector<uint32_t> breakLines;
  std::vector<uint64_t> watches;      // generic addresses, shared ones as offset below 4 GiB
  std::vector<std::string> registers; // printed at a break or trace step
};

struct LaunchOptions {
  /// Initialisation, race and convergence checks. Bounds and alignment are always checked.
  bool checks = true;
  bool strict = false;
  bool perturbApproximations = false;
  bool statistics = false;
  Schedule schedule;
  /// Warp instructions of one block before it counts as hanging.
  uint64_t stepBudget = uint64_t(1) << 28;
  /// Threads that run blocks; 0 takes one per core. The result does not depend on it.
  unsigned workers = 0;
  const Observation *observation = nullptr;
};

/// Limits of the device that is mimicked.
struct DeviceProperties {
  std::string name = "emulator (sm_80)";
  unsigned warpSize = 32;
  unsigned multiprocessors = 108;
  uint32_t threadsPerBlock = 1024;
  Dim3 maximumBlock{1024, 1024, 64};
  Dim3 maximumGrid{2147483647, 65535, 65535};
  uint64_t sharedPerBlock = 227 * 1024; // the target of a file may allow less
  uint64_t parameterBytes = 4096;
};

/// What all blocks of a launch share.
struct LaunchState {
  const Program &program;
  GlobalMemory &memory;
  const DeviceProperties &properties;
  const LaunchOptions &options;
  Dim3 grid;
  Dim3 block;
  uint64_t dynamicShared;
  uint64_t sharedBytes; // static and dynamic
  const std::vector<uint8_t> &parameters;

  uint32_t threadsPerBlock() const { return block[0] * block[1] * block[2]; }
  uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
  Dim3 blockIndex(uint64_t linear) const {
    return {static_cast<uint32_t>(linear % grid[0]),
            static_cast<uint32_t>(linear / grid[0] % grid[1]),
            static_cast<uint32_t>(linear / grid[0] / grid[1])};
  }
};

/// A small generator with good bits; the same on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15u + 0x1234567) {}
  uint64_t next() {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>((next() >> 32) * bound >> 32); }

private:
  uint64_t state;
};

/// The result of running all blocks.
struct LaunchOutcome {
  FaultLog faults;
  Statistics statistics;
};

/// Runs every block; the checks of the launch itself are done before (Device).
LaunchOutcome runLaunch(const LaunchState &state);

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_LAUNCH_H
