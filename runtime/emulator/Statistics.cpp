//===- Statistics.cpp - Counters of one launch ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Statistics.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace attnc::emu {

void Statistics::add(const Statistics &other) {
  for (size_t i = 0; i < classes; ++i) {
    warpInstructions[i] += other.warpInstructions[i];
    laneInstructions[i] += other.laneInstructions[i];
  }
  steps += other.steps;
  sharedAccesses += other.sharedAccesses;
  sharedWavefronts += other.sharedWavefronts;
  sharedConflicts += other.sharedConflicts;
  globalAccesses += other.globalAccesses;
  globalSectors += other.globalSectors;
  globalBytes += other.globalBytes;
  divergentBranches += other.divergentBranches;
  branches += other.branches;
}

std::string formatStatistics(const Statistics &statistics) {
  std::string text;
  char line[128];
  uint64_t warps = 0;
  uint64_t lanes = 0;
  for (size_t i = 0; i < Statistics::classes; ++i) {
    if (!statistics.warpInstructions[i])
      continue;
    std::snprintf(line, sizeof line, "%-18s %12llu warp %14llu lane\n",
                  std::string(getClassName(static_cast<InstructionClass>(i))).c_str(),
                  static_cast<unsigned long long>(statistics.warpInstructions[i]),
                  static_cast<unsigned long long>(statistics.laneInstructions[i]));
    text += line;
    warps += statistics.warpInstructions[i];
    lanes += statistics.laneInstructions[i];
  }
  auto add = [&](const char *name, uint64_t value) {
    std::snprintf(line, sizeof line, "%-18s %12llu\n", name,
                  static_cast<unsigned long long>(value));
    text += line;
  };
  std::snprintf(line, sizeof line, "%-18s %12llu warp %14llu lane\n", "all instructions",
                static_cast<unsigned long long>(warps), static_cast<unsigned long long>(lanes));
  text += line;
  std::snprintf(line, sizeof line, "%-18s %12.2f\n", "active lanes",
                warps ? static_cast<double>(lanes) / static_cast<double>(warps) : 0.0);
  text += line;
  add("branches", statistics.branches);
  add("divergent branches", statistics.divergentBranches);
  add("shared accesses", statistics.sharedAccesses);
  add("shared wavefronts", statistics.sharedWavefronts);
  add("shared conflicts", statistics.sharedConflicts);
  add("global accesses", statistics.globalAccesses);
  add("global sectors", statistics.globalSectors);
  add("global bytes", statistics.globalBytes);
  return text;
}

Wavefronts countWavefronts(const uint64_t *addresses, uint32_t mask, unsigned size) {
  // Accesses of 8 and 16 bytes go in halves and quarters of the warp.
  unsigned lanesPerPass = size <= 4 ? 32 : size == 8 ? 16 : 8;
  unsigned words = std::max(size / 4, 1u);
  Wavefronts wavefronts;
  for (unsigned first = 0; first < 32; first += lanesPerPass) {
    std::vector<uint64_t> banks[32];
    unsigned most = 0;
    for (unsigned lane = first; lane < first + lanesPerPass; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      for (unsigned word = 0; word < words; ++word) {
        uint64_t address = addresses[lane] / 4 + word;
        std::vector<uint64_t> &bank = banks[address % 32];
        if (std::find(bank.begin(), bank.end(), address) == bank.end())
          bank.push_back(address);
        most = std::max(most, static_cast<unsigned>(bank.size()));
      }
    }
    wavefronts.count += most;
    wavefronts.conflicts += most > 1 ? most - 1 : 0;
  }
  return wavefronts;
}

unsigned countSectors(const uint64_t *addresses, uint32_t mask, unsigned size) {
  std::vector<uint64_t> sectors;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    for (uint64_t at = addresses[lane] / 32; at <= (addresses[lane] + size - 1) / 32; ++at)
      sectors.push_back(at);
  }
  std::sort(sectors.begin(), sectors.end());
  return static_cast<unsigned>(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
}

} // namespace attnc::emu
