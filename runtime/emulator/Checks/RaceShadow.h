//===- RaceShadow.h - Last writer and readers of each byte ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_CHECKS_RACESHADOW_H
#define RUNTIME_EMULATOR_CHECKS_RACESHADOW_H

#include "runtime/emulator/Checks/Clocks.h"

#include <cstdint>
#include <vector>

namespace attnc::emu {

enum class AccessKind : uint8_t { Read, Write, Atomic, AsyncWrite };

/// One access by a thread, or by all lanes of a warp together (ldmatrix).
struct ShadowAccess {
  uint8_t warp = 0;
  uint8_t lane = 0;
  bool isCollective = false;
  bool isStrong = false; // volatile, relaxed and atomic accesses do not race with each other
  AccessKind kind = AccessKind::Read;
  uint32_t pc = 0;
};

/// What an access collides with.
struct RaceConflict {
  enum class Kind : uint8_t { None, ReadAfterWrite, WriteAfterRead, WriteAfterWrite, AsyncPending };
  Kind kind = Kind::None;
  uint8_t warp = 0;
  uint8_t lane = 0;
  bool isAsync = false; // the other side is a cp.async
  uint32_t pc = 0;
  uint64_t offset = 0;
};

/// The shadow of a stretch of memory in granules of 16 bytes. A granule touched only as a whole has
/// one cell; the first smaller access gives it one cell per byte.
class RaceShadow {
public:
  explicit RaceShadow(uint64_t bytes) : granules((bytes + 15) / 16), cells(1), entries(1) {}

  /// Records an access and returns the first conflict. `size` is at most 16 and does not cross a
  /// granule.
  RaceConflict access(const Clocks &clocks, uint64_t offset, unsigned size,
                      const ShadowAccess &access);
  /// The copies of thread (warp, lane) that `offset` holds have landed.
  void land(const Clocks &clocks, uint64_t offset, unsigned size, unsigned warp, unsigned lane);

private:
  static constexpr uint8_t strongFlag = 1, asyncFlag = 2, pendingFlag = 4, collectiveFlag = 8;

  struct Cell {
    uint32_t writeEpoch = 0; // 0: never written
    uint32_t writePc = 0;
    uint8_t writeWarp = 0;
    uint8_t writeLane = 0;
    uint8_t writeFlags = 0;
    uint8_t readWarp = 0;
    uint32_t readEpoch = 0; // 0: not read since the write
    uint32_t readMask = 0;
    uint32_t readPc = 0;
    uint32_t more = 0; // further readers, in `entries`
    uint8_t readFlags = 0;
  };
  struct ReadEntry {
    uint32_t epoch, mask, pc, next;
    uint8_t warp, flags;
  };
  struct Granule {
    Cell cell;
    uint32_t split = 0; // first of 16 cells in `cells`
  };

  RaceConflict accessCell(Cell &cell, const Clocks &clocks, const ShadowAccess &access);
  void recordRead(Cell &cell, const Clocks &clocks, const ShadowAccess &access);
  void freeReaders(Cell &cell);
  static bool isOrdered(const Clocks &clocks, const ShadowAccess &access, unsigned warp,
                        uint32_t mask, uint32_t epoch) {
    if (access.isCollective)
      return clocks.isOrderedForAll(access.warp, warp, mask, epoch);
    return clocks.isOrdered(access.warp, access.lane, warp, mask, epoch);
  }

  std::vector<Granule> granules;
  std::vector<Cell> cells;
  std::vector<ReadEntry> entries;
  uint32_t freeEntry = 0;
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_CHECKS_RACESHADOW_H
