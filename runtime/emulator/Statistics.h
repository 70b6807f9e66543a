//===- Statistics.h - Counters of one launch --------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_STATISTICS_H
#define RUNTIME_EMULATOR_STATISTICS_H

#include "runtime/emulator/Program.h"

#include <array>
#include <cstdint>
#include <string>

namespace attnc::emu {

struct Statistics {
  static constexpr size_t classes = static_cast<size_t>(InstructionClass::Count);
  std::array<uint64_t, classes> warpInstructions{};
  std::array<uint64_t, classes> laneInstructions{};
  uint64_t steps = 0;            // warp instructions, counted always
  uint64_t sharedAccesses = 0;   // warp accesses to shared memory
  uint64_t sharedWavefronts = 0; // passes they need
  uint64_t sharedConflicts = 0;  // passes that they would not need without bank conflicts
  uint64_t globalAccesses = 0;
  uint64_t globalSectors = 0; // of 32 bytes
  uint64_t globalBytes = 0;   // asked for by the lanes
  uint64_t divergentBranches = 0;
  uint64_t branches = 0;

  void add(const Statistics &other);
};

std::string formatStatistics(const Statistics &statistics);

/// Passes over shared memory; `conflicts` of them are more than the access needs at best.
struct Wavefronts {
  unsigned count = 0;
  unsigned conflicts = 0;
};

/// What shared memory (32 banks of 4 bytes) needs for the lanes of `mask`, `size` bytes each.
Wavefronts countWavefronts(const uint64_t *addresses, uint32_t mask, unsigned size);
/// Distinct 32-byte sectors the lanes touch.
unsigned countSectors(const uint64_t *addresses, uint32_t mask, unsigned size);

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_STATISTICS_H
