//===- Async.cpp - cp.async: copies on their way to shared memory ---------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Block.h"
#include "runtime/emulator/Warp.h"

#include <algorithm>

namespace attnc::emu {

void Warp::issueCopies(const Instruction &instruction, uint32_t active, const LanePointers &source,
                       const uint64_t *destination, const uint8_t *sourceSize) {
  copies.emplace_back();
  AsyncCopy &copy = copies.back();
  copy.pc = current->pc;
  copy.mask = active;
  copy.size = instruction.size;
  for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    copy.destination[lane] = static_cast<uint32_t>(destination[lane]);
    copy.source[lane] = source.pointer[lane];
    copy.sourceSize[lane] = sourceSize[lane];
    copy.groupNumber[lane] = openGroup[lane];
  }
  copy.hasLanded = block.landsEarly();
  if (copy.hasLanded)
    writeCopy(copy, active);
}

/// Moves the bytes of the lanes; bytes beyond the source are zero.
void Warp::writeCopy(const AsyncCopy &copy, uint32_t lanes) {
  for (; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    uint8_t *target = block.shared.data() + copy.destination[lane];
    unsigned bytes = copy.sourceSize[lane];
    unsigned at = 0;
    for (; at + 4 <= bytes; at += 4)
      loadRelaxed<uint32_t>(target + at, copy.source[lane] + at);
    for (; at < bytes; ++at)
      loadRelaxed<uint8_t>(target + at, copy.source[lane] + at);
    std::memset(target + bytes, 0, copy.size - bytes);
  }
}

void Warp::commitCopies(uint32_t active) {
  for (unsigned lane = 0; lane < 32; ++lane)
    openGroup[lane] += active >> lane & 1;
}

/// Lands the copies of all groups but the `newest` ones of each lane.
void Warp::waitCopies(uint32_t active, uint32_t newest) {
  size_t kept = 0;
  for (size_t i = 0; i < copies.size(); ++i) {
    AsyncCopy &copy = copies[i];
    uint32_t lanes = 0;
    for (uint32_t rest = copy.mask & active; rest; rest &= rest - 1) {
      auto lane = static_cast<unsigned>(std::countr_zero(rest));
      // Open groups are not waited for: only the committed ones count.
      if (copy.groupNumber[lane] < openGroup[lane] &&
          openGroup[lane] - copy.groupNumber[lane] > newest)
        lanes |= 1u << lane;
    }
    if (lanes) {
      if (!copy.hasLanded)
        writeCopy(copy, lanes);
      if (checks)
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
          auto lane = static_cast<unsigned>(std::countr_zero(rest));
          block.sharedShadow->land(*block.clocks, copy.destination[lane], copy.size, index, lane);
        }
      copy.mask &= ~lanes;
    }
    if (copy.mask) {
      if (kept != i)
        copies[kept] = copy;
      ++kept;
    }
  }
  copies.resize(kept);
}

} // namespace attnc::emu
