//===- RaceShadow.cpp - Last writer and readers of each byte --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Checks/RaceShadow.h"

#include <bit>

namespace attnc::emu {

void RaceShadow::freeReaders(Cell &cell) {
  while (cell.more) {
    uint32_t next = entries[cell.more].next;
    entries[cell.more].next = freeEntry;
    freeEntry = cell.more;
    cell.more = next;
  }
  cell.readEpoch = 0;
}

void RaceShadow::recordRead(Cell &cell, const Clocks &clocks, const ShadowAccess &access) {
  uint32_t epoch = clocks.epoch(access.warp);
  uint32_t mask = access.isCollective ? ~0u : 1u << access.lane;
  uint8_t flags = access.isStrong ? strongFlag : 0;
  if (cell.readEpoch != 0) {
    if (cell.readWarp == access.warp && cell.readEpoch == epoch && cell.readFlags == flags) {
      cell.readMask |= mask;
      cell.readPc = access.pc;
      return;
    }
    bool isCovered = isOrdered(clocks, access, cell.readWarp, cell.readMask, cell.readEpoch) &&
                     (cell.readFlags & strongFlag) >= (flags & strongFlag);
    if (!isCovered) {
      // Keep the old reader beside the new one, unless the list already has its warp and epoch.
      for (uint32_t at = cell.more; at; at = entries[at].next) {
        ReadEntry &entry = entries[at];
        if (entry.warp == access.warp && entry.epoch == epoch && entry.flags == flags) {
          entry.mask |= mask;
          entry.pc = access.pc;
          return;
        }
      }
      ReadEntry old{cell.readEpoch, cell.readMask, cell.readPc,
                    cell.more,      cell.readWarp, cell.readFlags};
      if (freeEntry) {
        uint32_t slot = freeEntry;
        freeEntry = entries[slot].next;
        entries[slot] = old;
        cell.more = slot;
      } else {
        cell.more = static_cast<uint32_t>(entries.size());
        entries.push_back(old);
      }
    }
  }
  cell.readEpoch = epoch;
  cell.readMask = mask;
  cell.readPc = access.pc;
  cell.readWarp = access.warp;
  cell.readFlags = flags;
}

RaceConflict RaceShadow::accessCell(Cell &cell, const Clocks &clocks, const ShadowAccess &access) {
  RaceConflict conflict;
  bool isWrite = access.kind != AccessKind::Read;
  if (cell.writeEpoch != 0) {
    bool bothStrong = access.isStrong && (cell.writeFlags & strongFlag);
    bool isPending = cell.writeFlags & pendingFlag;
    if (isPending || (!bothStrong && !isOrdered(clocks, access, cell.writeWarp,
                                                1u << cell.writeLane, cell.writeEpoch))) {
      conflict.kind = isPending ? RaceConflict::Kind::AsyncPending
                      : isWrite ? RaceConflict::Kind::WriteAfterWrite
                                : RaceConflict::Kind::ReadAfterWrite;
      conflict.warp = cell.writeWarp;
      conflict.lane = cell.writeLane;
      conflict.pc = cell.writePc;
      conflict.isAsync = cell.writeFlags & asyncFlag;
    }
  }
  if (!isWrite) {
    recordRead(cell, clocks, access);
    return conflict;
  }
  if (cell.readEpoch != 0) {
    auto check = [&](unsigned warp, uint32_t mask, uint32_t epoch, uint32_t pc, uint8_t flags) {
      if (conflict.kind != RaceConflict::Kind::None || (access.isStrong && (flags & strongFlag)) ||
          isOrdered(clocks, access, warp, mask, epoch))
        return;
      conflict.kind = RaceConflict::Kind::WriteAfterRead;
      conflict.warp = static_cast<uint8_t>(warp);
      uint32_t others =
          warp == access.warp && !access.isCollective ? mask & ~(1u << access.lane) : mask;
      conflict.lane = static_cast<uint8_t>(std::countr_zero(others ? others : mask));
      conflict.pc = pc;
    };
    check(cell.readWarp, cell.readMask, cell.readEpoch, cell.readPc, cell.readFlags);
    for (uint32_t at = cell.more; at; at = entries[at].next)
      check(entries[at].warp, entries[at].mask, entries[at].epoch, entries[at].pc,
            entries[at].flags);
    freeReaders(cell);
  }
  cell.writeEpoch = clocks.epoch(access.warp);
  cell.writePc = access.pc;
  cell.writeWarp = access.warp;
  cell.writeLane = access.lane;
  cell.writeFlags =
      static_cast<uint8_t>((access.isStrong ? strongFlag : 0) |
                           (access.kind == AccessKind::AsyncWrite ? asyncFlag | pendingFlag : 0));
  return conflict;
}

RaceConflict RaceShadow::access(const Clocks &clocks, uint64_t offset, unsigned size,
                                const ShadowAccess &access) {
  Granule &granule = granules[offset / 16];
  RaceConflict conflict;
  if (size == 16 && granule.split == 0) {
    conflict = accessCell(granule.cell, clocks, access);
    conflict.offset = offset;
    return conflict;
  }
  if (granule.split == 0) {
    // Readers beyond the first are repeated for each byte.
    granule.split = static_cast<uint32_t>(cells.size());
    Cell whole = granule.cell;
    uint32_t more = whole.more;
    whole.more = 0;
    for (unsigned i = 0; i < 16; ++i) {
      Cell copy = whole;
      for (uint32_t at = more; at; at = entries[at].next) {
        ReadEntry entry = entries[at];
        entry.next = copy.more;
        copy.more = static_cast<uint32_t>(entries.size());
        entries.push_back(entry);
      }
      cells.push_back(copy);
    }
    freeReaders(granule.cell);
  }
  for (unsigned i = 0; i < size; ++i) {
    RaceConflict found = accessCell(cells[granule.split + (offset & 15) + i], clocks, access);
    if (conflict.kind == RaceConflict::Kind::None && found.kind != RaceConflict::Kind::None) {
      conflict = found;
      conflict.offset = offset + i;
    }
  }
  return conflict;
}

void RaceShadow::land(const Clocks &clocks, uint64_t offset, unsigned size, unsigned warp,
                      unsigned lane) {
  Granule &granule = granules[offset / 16];
  auto landCell = [&](Cell &cell) {
    if (!(cell.writeFlags & pendingFlag) || cell.writeWarp != warp || cell.writeLane != lane)
      return;
    cell.writeFlags &= static_cast<uint8_t>(~pendingFlag);
    cell.writeEpoch = clocks.epoch(warp);
  };
  if (granule.split == 0) {
    landCell(granule.cell);
    return;
  }
  for (unsigned i = 0; i < size; ++i)
    landCell(cells[granule.split + (offset & 15) + i]);
}

} // namespace attnc::emu
