//===- Block.h - One thread block: warps, shared memory, barriers ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_BLOCK_H
#define RUNTIME_EMULATOR_BLOCK_H

#include "runtime/emulator/Checks/Clocks.h"
#include "runtime/emulator/Checks/GlobalTracker.h"
#include "runtime/emulator/Checks/RaceShadow.h"
#include "runtime/emulator/Warp.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace attnc::emu {

/// A named barrier.
struct Barrier {
  uint32_t arrivedWarps = 0;
  uint32_t waitingWarps = 0;
  uint32_t expected = 0; // threads; 0: all of the block
  uint32_t arrivals = 0; // threads
  bool isReduction = false;
  uint8_t operation = 0;
  uint32_t count = 0; // lanes whose predicate held
  uint32_t lanes = 0; // lanes that took part
  uint64_t phase = 0;
  Clocks::Snapshot released; // by warps that arrived without waiting
};

class Block {
public:
  Block(const LaunchState &launch, uint64_t linear);

  static constexpr unsigned barrierCount = 16;

  enum class State : uint8_t { Running, Finished };
  /// Runs warps until `steps` warp instructions were executed or the block is finished or stuck.
  State run(uint64_t steps);
  bool isFinished() const { return state == State::Finished; }
  /// Ends a block that spins, with a fault.
  void giveUp(std::string message);

  // For warps.
  /// Warp `warp` arrives at a barrier; returns true if it need not wait.
  bool arrive(Warp &warp, const Instruction &instruction, uint32_t active, unsigned number,
              uint32_t expected, bool waits);
  /// A warp has no lanes left: barriers that waited for it may complete.
  void warpExited();
  /// Whether the next asynchronous copy lands when it is issued.
  bool landsEarly();
  void reportRace(Warp &warp, const Instruction &instruction, unsigned lane,
                  const RaceConflict &conflict, uint64_t address, unsigned size, const char *space,
                  std::string allocation);

  // Ordering by fences and strong accesses.
  void fence(Warp &warp, uint32_t lanes);
  void strongAccess(Warp &warp, uint32_t lanes, const uint64_t *addresses, Ordering ordering,
                    bool reads, bool writes);

  const LaunchState &launch;
  const uint64_t linear;
  const Dim3 index;
  std::vector<uint8_t> shared;
  std::vector<uint64_t> sharedWritten;
  std::unique_ptr<Clocks> clocks; // with checks on
  std::unique_ptr<RaceShadow> sharedShadow;
  std::unique_ptr<GlobalTracker> globalTracker;
  /// What fences and strong writes of the block released, by address.
  std::unordered_map<uint64_t, Clocks::Snapshot> released;
  std::unordered_map<uint32_t, Clocks::Snapshot> fenced;   // by thread: state at its last fence
  std::unordered_map<uint32_t, Clocks::Snapshot> observed; // by thread: read, not fenced yet
  FaultLog faults;
  Statistics statistics;
  /// Counts what others may wait for: writes, atomics that change something, barriers, ends.
  uint64_t progress = 0;
  Random random;
  const std::string scheduleText;

private:
  Warp *pickWarp();
  bool completeBarrier(unsigned number);
  void reportDeadlock();

  std::vector<std::unique_ptr<Warp>> warps;
  std::array<Barrier, barrierCount> barriers;
  std::vector<unsigned> priority; // adversarial order
  unsigned cursor = 0;
  const Warp *running = nullptr; // the last that was picked
  uint64_t picks = 0;
  State state = State::Running;
  bool stuck = false;
  bool hasObservedGlobal = false; // a strong read happened
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_BLOCK_H
