//===- Clocks.h - Happens-before between the threads of a block ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_CHECKS_CLOCKS_H
#define RUNTIME_EMULATOR_CHECKS_CLOCKS_H

#include <cstdint>
#include <map>
#include <vector>

namespace attnc::emu {

/// Vector clocks of the threads of one block. Time is counted in epochs of a warp: each release by
/// a warp (a barrier, a fence, a warp synchronisation) ends its epoch. What threads know of other
/// warps is kept per warp and lane; all lanes of a warp share it, except for what single lanes
/// learned by acquire operations.
class Clocks {
public:
  explicit Clocks(unsigned warps);

  uint32_t epoch(unsigned warp) const { return epochs[warp]; }

  /// True if thread (warp, lane) is ordered after everything that the lanes `mask` of `otherWarp`
  /// did up to `otherEpoch`.
  bool isOrdered(unsigned warp, unsigned lane, unsigned otherWarp, uint32_t mask,
                 uint32_t otherEpoch) const {
    if (otherWarp != warp) {
      if (otherEpoch <= leastKnown[warp * warps + otherWarp])
        return true;
      return isOrderedSlowly(warp, lane, otherWarp, mask, otherEpoch);
    }
    if (otherEpoch <= converged[warp] || mask == (1u << lane))
      return true;
    return isOrderedInWarp(warp, lane, mask, otherEpoch);
  }
  /// The same for an access by all lanes of a warp together.
  bool isOrderedForAll(unsigned warp, unsigned otherWarp, uint32_t mask, uint32_t otherEpoch) const;

  /// A barrier that all lanes of `warpMask` passed.
  void joinWarps(uint32_t warpMask);
  /// A warp synchronisation of `lanes`.
  void joinLanes(unsigned warp, uint32_t lanes);

  /// What one thread knows at a moment: one epoch for each thread of the block.
  using Snapshot = std::vector<uint32_t>;
  Snapshot release(unsigned warp, unsigned lane);
  void acquire(unsigned warp, unsigned lane, const Snapshot &snapshot);
  /// The same for all lanes of a warp together (bar.arrive and the barrier it completes).
  Snapshot releaseWarp(unsigned warp);
  void acquireWarp(unsigned warp, const Snapshot &snapshot);

private:
  bool isOrderedSlowly(unsigned warp, unsigned lane, unsigned otherWarp, uint32_t mask,
                       uint32_t otherEpoch) const;
  bool isOrderedInWarp(unsigned warp, unsigned lane, uint32_t mask, uint32_t otherEpoch) const;
  uint32_t knownBy(unsigned warp, unsigned lane, unsigned otherWarp, unsigned otherLane) const;

  unsigned warps;
  std::vector<uint32_t> epochs;
  std::vector<uint32_t> converged;    // [warp]: all its lanes know each other up to here
  std::vector<uint32_t> leastKnown;   // [warp][other]: minimum over the other's lanes
  std::vector<uint32_t> known;        // [warp][other][lane of other]
  std::vector<uint32_t> laneKnown;    // [warp][lane][lane]
  std::map<unsigned, Snapshot> extra; // by thread: learned by acquire
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_CHECKS_CLOCKS_H
