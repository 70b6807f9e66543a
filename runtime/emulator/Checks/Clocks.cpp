//===- Clocks.cpp - Happens-before between the threads of a block ---------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Checks/Clocks.h"

#include <algorithm>
#include <bit>

namespace attnc::emu {

Clocks::Clocks(unsigned warps)
    : warps(warps), epochs(warps, 1), converged(warps, 0), leastKnown(warps * warps, 0),
      known(size_t(warps) * warps * 32, 0), laneKnown(size_t(warps) * 32 * 32, 0) {}

uint32_t Clocks::knownBy(unsigned warp, unsigned lane, unsigned otherWarp,
                         unsigned otherLane) const {
  uint32_t result = otherWarp == warp ? laneKnown[(warp * 32 + lane) * 32 + otherLane]
                                      : known[(warp * warps + otherWarp) * 32 + otherLane];
  auto found = extra.find(warp * 32 + lane);
  if (found != extra.end())
    result = std::max(result, found->second[otherWarp * 32 + otherLane]);
  return result;
}

bool Clocks::isOrderedSlowly(unsigned warp, unsigned lane, unsigned otherWarp, uint32_t mask,
                             uint32_t otherEpoch) const {
  for (; mask; mask &= mask - 1)
    if (knownBy(warp, lane, otherWarp, static_cast<unsigned>(std::countr_zero(mask))) < otherEpoch)
      return false;
  return true;
}

bool Clocks::isOrderedInWarp(unsigned warp, unsigned lane, uint32_t mask,
                             uint32_t otherEpoch) const {
  return isOrderedSlowly(warp, lane, warp, mask & ~(1u << lane), otherEpoch);
}

bool Clocks::isOrderedForAll(unsigned warp, unsigned otherWarp, uint32_t mask,
                             uint32_t otherEpoch) const {
  if (otherWarp == warp && otherEpoch <= converged[warp])
    return true;
  if (otherWarp != warp && otherEpoch <= leastKnown[warp * warps + otherWarp])
    return true;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (!isOrdered(warp, lane, otherWarp, mask, otherEpoch))
      return false;
  return true;
}

void Clocks::joinWarps(uint32_t warpMask) {
  std::vector<uint32_t> joined(warps * 32, 0);
  for (unsigned warp = 0; warp < warps; ++warp) {
    if (!(warpMask >> warp & 1))
      continue;
    for (unsigned other = 0; other < warps; ++other) {
      uint32_t *target = &joined[other * 32];
      if (other == warp) {
        std::fill(target, target + 32, epochs[warp]);
        continue;
      }
      const uint32_t *source = &known[(warp * warps + other) * 32];
      for (unsigned lane = 0; lane < 32; ++lane)
        target[lane] = std::max(target[lane], source[lane]);
    }
    for (unsigned lane = 0; lane < 32 && !extra.empty(); ++lane) {
      auto found = extra.find(warp * 32 + lane);
      if (found == extra.end())
        continue;
      for (size_t i = 0; i < joined.size(); ++i)
        joined[i] = std::max(joined[i], found->second[i]);
      extra.erase(found);
    }
  }
  for (unsigned warp = 0; warp < warps; ++warp) {
    if (!(warpMask >> warp & 1))
      continue;
    for (unsigned other = 0; other < warps; ++other) {
      const uint32_t *source = &joined[other * 32];
      if (other == warp)
        continue;
      std::copy(source, source + 32, &known[(warp * warps + other) * 32]);
      leastKnown[warp * warps + other] = *std::min_element(source, source + 32);
    }
    std::fill_n(&laneKnown[size_t(warp) * 1024], 1024, epochs[warp]);
    converged[warp] = epochs[warp];
  }
  for (unsigned warp = 0; warp < warps; ++warp)
    if (warpMask >> warp & 1)
      ++epochs[warp];
}

void Clocks::joinLanes(unsigned warp, uint32_t lanes) {
  uint32_t joined[32] = {};
  Snapshot learned;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    const uint32_t *row = &laneKnown[(warp * 32 + lane) * 32];
    for (unsigned other = 0; other < 32; ++other)
      joined[other] = std::max(joined[other], row[other]);
    auto found = extra.find(warp * 32 + lane);
    if (found == extra.end())
      continue;
    learned.resize(warps * 32);
    for (size_t i = 0; i < learned.size(); ++i)
      learned[i] = std::max(learned[i], found->second[i]);
  }
  for (unsigned lane = 0; lane < 32; ++lane)
    if (lanes >> lane & 1)
      joined[lane] = epochs[warp];
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    std::copy(joined, joined + 32, &laneKnown[(warp * 32 + lane) * 32]);
    if (!learned.empty())
      extra[warp * 32 + lane] = learned;
  }
  if (lanes == ~0u)
    converged[warp] = epochs[warp];
  ++epochs[warp];
}

Clocks::Snapshot Clocks::release(unsigned warp, unsigned lane) {
  Snapshot snapshot(warps * 32);
  for (unsigned other = 0; other < warps; ++other)
    for (unsigned otherLane = 0; otherLane < 32; ++otherLane)
      snapshot[other * 32 + otherLane] = knownBy(warp, lane, other, otherLane);
  snapshot[warp * 32 + lane] = epochs[warp];
  ++epochs[warp];
  return snapshot;
}

void Clocks::acquire(unsigned warp, unsigned lane, const Snapshot &snapshot) {
  Snapshot &mine = extra[warp * 32 + lane];
  mine.resize(warps * 32);
  for (size_t i = 0; i < snapshot.size() && i < mine.size(); ++i)
    mine[i] = std::max(mine[i], snapshot[i]);
}

Clocks::Snapshot Clocks::releaseWarp(unsigned warp) {
  Snapshot snapshot(warps * 32);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned other = 0; other < warps * 32; ++other)
      snapshot[other] = std::max(snapshot[other], knownBy(warp, lane, other / 32, other % 32));
  std::fill_n(&snapshot[warp * 32], 32, epochs[warp]);
  ++epochs[warp];
  return snapshot;
}

void Clocks::acquireWarp(unsigned warp, const Snapshot &snapshot) {
  for (unsigned other = 0; other < warps; ++other) {
    if (other == warp)
      continue;
    uint32_t *row = &known[(warp * warps + other) * 32];
    for (unsigned lane = 0; lane < 32; ++lane)
      row[lane] = std::max(row[lane], snapshot[other * 32 + lane]);
    leastKnown[warp * warps + other] = *std::min_element(row, row + 32);
  }
}

} // namespace attnc::emu
