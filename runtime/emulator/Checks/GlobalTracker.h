//===- GlobalTracker.h - Accesses of one block to global memory, and conflicts between blocks ----*-
// C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_CHECKS_GLOBALTRACKER_H
#define RUNTIME_EMULATOR_CHECKS_GLOBALTRACKER_H

#include "runtime/emulator/Checks/RaceShadow.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

namespace attnc::emu {

/// What one block did to a page of 4 KiB.
struct TrackedPage {
  static constexpr unsigned granules = 256;
  RaceShadow shadow{granules * 16};
  // One bit per byte of a granule.
  uint16_t read[granules] = {};
  uint16_t written[granules] = {};
  uint16_t weak[granules] = {}; // touched by others than atomics and volatile accesses
  uint16_t readOnly[granules] = {};
  uint32_t readPc[granules] = {};
  uint32_t writePc[granules] = {};
};

/// The accesses of one block.
class GlobalTracker {
public:
  static constexpr uint64_t pageBytes = 4096;

  RaceConflict access(const Clocks &clocks, uint64_t address, unsigned size,
                      const ShadowAccess &access, bool isReadOnly);
  const std::unordered_map<uint64_t, std::unique_ptr<TrackedPage>> &getPages() const {
    return pages;
  }
  /// Set when a thread of the block acquired what another block may have released.
  bool hasAcquired = false;

private:
  std::unordered_map<uint64_t, std::unique_ptr<TrackedPage>> pages;
  uint64_t lastNumber = ~uint64_t(0);
  TrackedPage *lastPage = nullptr;
};

/// A conflict between blocks.
struct BlockConflict {
  enum class Kind : uint8_t { WriteWrite, ReadWrite, ReadOnlyWritten };
  Kind kind;
  uint64_t address;
  uint64_t block, otherBlock;
  uint32_t pc, otherPc;
};

/// Collects the accesses of all blocks of a launch, block after block, and finds conflicts. Blocks
/// without acquire operations are never ordered, whatever order they ran in.
class LaunchTracker {
public:
  void merge(uint64_t block, const GlobalTracker &tracker,
             const std::function<void(const BlockConflict &)> &report);

private:
  struct Cell {
    uint16_t read = 0, written = 0, weakRead = 0, weakWritten = 0, readOnly = 0;
    uint32_t readPc = 0, writePc = 0;
    uint64_t reader = 0, writer = 0;
  };
  struct Page {
    Cell cells[TrackedPage::granules];
  };
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_CHECKS_GLOBALTRACKER_H
