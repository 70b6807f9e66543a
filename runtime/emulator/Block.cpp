//===- Block.cpp - Scheduling of the warps of a block, barriers, deadlocks ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Block.h"

#include <algorithm>
#include <bit>

namespace attnc::emu {

Block::Block(const LaunchState &launch, uint64_t linear)
    : launch(launch), linear(linear), index(launch.blockIndex(linear)),
      random(launch.options.schedule.seed * 0x10001 + linear),
      scheduleText(formatSchedule(launch.options.schedule)) {
  uint32_t threads = launch.threadsPerBlock();
  unsigned count = (threads + 31) / 32;
  shared.assign(launch.sharedBytes + 16, launch.options.schedule.seed & 1 ? 0xFF : 0x7F);
  if (launch.options.checks) {
    sharedWritten.assign(launch.sharedBytes / 64 + 1, 0);
    clocks = std::make_unique<Clocks>(count);
    sharedShadow = std::make_unique<RaceShadow>(launch.sharedBytes + 16);
    globalTracker = std::make_unique<GlobalTracker>();
  }
  for (unsigned warp = 0; warp < count; ++warp) {
    uint32_t lanes = std::min(threads - warp * 32, 32u);
    warps.push_back(std::make_unique<Warp>(*this, warp, lanes == 32 ? ~0u : (1u << lanes) - 1));
    priority.push_back(warp);
  }
}

bool Block::landsEarly() {
  switch (launch.options.schedule.landing) {
  case Landing::Earliest:
    return true;
  case Landing::Latest:
    return false;
  case Landing::Random:
    return random.below(2) == 0;
  }
  return false;
}

Warp *Block::pickWarp() {
  auto count = static_cast<unsigned>(warps.size());
  switch (launch.options.schedule.order) {
  case WarpOrder::RoundRobin:
    for (unsigned i = 0; i < count; ++i) {
      Warp &warp = *warps[(cursor + i) % count];
      if (!warp.isRunnable())
        continue;
      cursor = (cursor + i + 1) % count;
      return &warp;
    }
    return nullptr;
  case WarpOrder::Random: {
    unsigned start = random.below(count);
    for (unsigned i = 0; i < count; ++i)
      if (warps[(start + i) % count]->isRunnable())
        return warps[(start + i) % count].get();
    return nullptr;
  }
  case WarpOrder::Adversarial:
    // One warp runs as far as it goes; the order changes from time to time.
    if (picks++ % 16 == 0)
      for (unsigned i = count; i > 1; --i)
        std::swap(priority[i - 1], priority[random.below(i)]);
    for (unsigned warp : priority)
      if (warps[warp]->isRunnable())
        return warps[warp].get();
    return nullptr;
  }
  return nullptr;
}

Block::State Block::run(uint64_t limit) {
  uint64_t executed = 0;
  while (executed < limit && state == State::Running) {
    Warp *warp = pickWarp();
    running = warp;
    if (!warp) {
      bool isDone = std::all_of(warps.begin(), warps.end(),
                                [](const auto &entry) { return entry->isFinished(); });
      if (isDone || stuck) {
        state = State::Finished;
        break;
      }
      // Lanes that wait for lanes of their warp can be let go, with a fault; else nobody can move.
      bool isForced = false;
      for (const auto &entry : warps)
        isForced |= entry->forceMembers();
      if (!isForced) {
        reportDeadlock();
        state = State::Finished;
      }
      continue;
    }
    uint64_t quantum = 64;
    if (launch.options.schedule.order == WarpOrder::Random)
      quantum = 1 + random.below(48);
    else if (launch.options.schedule.order == WarpOrder::Adversarial)
      quantum = 1 << 16;
    uint64_t steps = 0;
    Warp::Stop stop = warp->run(std::min(quantum, limit - executed), steps);
    executed += std::max<uint64_t>(steps, 1);
    statistics.steps += steps;
    if (stop == Warp::Stop::Yielded && launch.options.schedule.order == WarpOrder::Adversarial)
      picks = 0;
    if (statistics.steps > launch.options.stepBudget)
      giveUp("the block ran " + std::to_string(launch.options.stepBudget) +
             " warp instructions and has not ended");
  }
  return state;
}

void Block::giveUp(std::string message) {
  state = State::Finished;
  const Warp *spinning = running && !running->isFinished() ? running : nullptr;
  for (const auto &warp : warps)
    if (!spinning && !warp->isFinished())
      spinning = warp.get();
  if (spinning)
    faults.add(spinning->makeFault(FaultKind::StepBudget, spinning->currentInstruction(),
                                   std::move(message)));
}

void Block::warpExited() {
  ++progress;
  for (unsigned number = 0; number < barriers.size(); ++number)
    if (barriers[number].arrivals > 0 && barriers[number].expected == 0)
      completeBarrier(number);
}

bool Block::arrive(Warp &warp, const Instruction &instruction, uint32_t active, unsigned number,
                   uint32_t expected, bool waits) {
  auto misuse = [&](std::string message) {
    warp.report(FaultKind::BarrierMisuse, std::move(message), std::countr_zero(active));
  };
  if (number >= barriers.size()) {
    misuse("barrier " + std::to_string(number) + " does not exist");
    return true;
  }
  if (expected % 32 != 0) {
    misuse("thread count " + std::to_string(expected) + " is not a multiple of 32");
    expected = (expected + 31) / 32 * 32;
  }
  if (expected > warps.size() * 32) {
    misuse("thread count " + std::to_string(expected) + " is more than the block has");
    expected = static_cast<uint32_t>(warps.size() * 32);
  }
  Barrier &barrier = barriers[number];
  uint32_t bit = 1u << warp.index;
  bool isReduction = instruction.mode >= 2;
  if (barrier.arrivals > 0) {
    if (barrier.expected != expected)
      misuse("barrier " + std::to_string(number) + " is used with " + std::to_string(expected) +
             " threads while " + std::to_string(barrier.expected) + " are expected");
    if (barrier.arrivedWarps & bit)
      misuse("the warp arrives twice at barrier " + std::to_string(number) +
             " before it completes");
    if (barrier.isReduction != isReduction)
      misuse("barrier " + std::to_string(number) + " mixes bar.red with other forms");
  } else {
    barrier.expected = expected;
    barrier.isReduction = isReduction;
    barrier.operation = instruction.mode;
  }
  if (isReduction) {
    barrier.count +=
        static_cast<uint32_t>(std::popcount(warp.readPredicate(instruction.c) & active));
    barrier.lanes += static_cast<uint32_t>(std::popcount(active));
  }
  barrier.arrivedWarps |= bit;
  barrier.arrivals += 32;
  if (waits)
    barrier.waitingWarps |= bit;
  else if (clocks) {
    Clocks::Snapshot snapshot = clocks->releaseWarp(warp.index);
    barrier.released.resize(snapshot.size());
    for (size_t i = 0; i < snapshot.size(); ++i)
      barrier.released[i] = std::max(barrier.released[i], snapshot[i]);
  }
  return completeBarrier(number) || !waits;
}

/// Releases a barrier if everybody has arrived.
bool Block::completeBarrier(unsigned number) {
  Barrier &barrier = barriers[number];
  if (barrier.expected != 0) {
    if (barrier.arrivals < barrier.expected)
      return false;
  } else {
    for (const auto &warp : warps)
      if (!warp->isFinished() && !(barrier.arrivedWarps >> warp->index & 1))
        return false;
  }
  ++progress;
  Barrier done = std::move(barrier);
  barrier = Barrier();
  barrier.phase = done.phase + 1;
  if (clocks) {
    clocks->joinWarps(done.waitingWarps);
    if (!done.released.empty())
      for (const auto &warp : warps)
        if (done.waitingWarps >> warp->index & 1)
          clocks->acquireWarp(warp->index, done.released);
  }
  uint32_t reduced = done.operation == 3   ? done.count == done.lanes
                     : done.operation == 4 ? done.count != 0
                                           : done.count;
  for (const auto &warp : warps)
    if (done.waitingWarps >> warp->index & 1)
      warp->releaseBarrier(number, done.isReduction ? &reduced : nullptr);
  return true;
}

void Block::reportDeadlock() {
  stuck = true;
  Fault fault;
  bool isFirst = true;
  for (const auto &warp : warps) {
    if (warp->isFinished())
      continue;
    if (isFirst) {
      fault = warp->makeFault(FaultKind::Deadlock, warp->firstWaiting(),
                              "no warp of the block can go on");
      isFirst = false;
    }
    fault.details.push_back("warp " + std::to_string(warp->index) + ": " + warp->describeWaits());
  }
  for (unsigned number = 0; number < barriers.size(); ++number) {
    const Barrier &barrier = barriers[number];
    if (barrier.arrivals == 0)
      continue;
    fault.details.push_back("barrier " + std::to_string(number) + " phase " +
                            std::to_string(barrier.phase) + ": " +
                            std::to_string(barrier.arrivals) + " of " +
                            (barrier.expected ? std::to_string(barrier.expected)
                                              : std::to_string(warps.size() * 32) + " (all)") +
                            " threads arrived");
  }
  faults.add(std::move(fault));
}

void Block::reportRace(Warp &warp, const Instruction &instruction, unsigned lane,
                       const RaceConflict &conflict, uint64_t address, unsigned size,
                       const char *space, std::string allocation) {
  const Instruction &other = launch.program.instructions[conflict.pc];
  using Kind = RaceConflict::Kind;
  FaultKind kind =
      conflict.kind == Kind::AsyncPending ? FaultKind::AsyncNotWaited : FaultKind::Race;
  const char *what = conflict.kind == Kind::ReadAfterWrite    ? "read after write"
                     : conflict.kind == Kind::WriteAfterRead  ? "write after read"
                     : conflict.kind == Kind::WriteAfterWrite ? "write after write"
                                                              : "the copy may still be on its way";
  std::string message = std::string(space) + ", " + what;
  if (kind == FaultKind::Race)
    message += conflict.warp == warp.index ? ", no synchronisation between the lanes"
                                           : ", no barrier between";
  Fault fault = warp.makeFault(kind, instruction, std::move(message));
  fault.hasAddress = true;
  fault.address = address;
  fault.size = size;
  fault.space = space;
  fault.allocation = std::move(allocation);
  fault.otherLine = other.line;
  Fault second = warp.makeFault(kind, other, "");
  Warp &otherWarp = *warps[conflict.warp];
  Dim3 thread = otherWarp.threadIndex(conflict.lane);
  fault.details.push_back(std::string(conflict.kind == Kind::WriteAfterRead ? "read" : "written") +
                          " by ptx " + std::to_string(other.line) + ": " + second.text +
                          "  thread (" + std::to_string(thread[0]) + "," +
                          std::to_string(thread[1]) + "," + std::to_string(thread[2]) + ") warp " +
                          std::to_string(conflict.warp) + " lane " + std::to_string(conflict.lane));
  warp.report(std::move(fault), static_cast<int>(lane));
}

void Block::fence(Warp &warp, uint32_t lanes) {
  if (!clocks)
    return;
  for (; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    uint32_t thread = warp.index * 32 + lane;
    auto seen = observed.find(thread);
    if (seen != observed.end()) {
      clocks->acquire(warp.index, lane, seen->second);
      observed.erase(seen);
    }
    fenced[thread] = clocks->release(warp.index, lane);
    globalTracker->hasAcquired |= hasObservedGlobal;
  }
}

void Block::strongAccess(Warp &warp, uint32_t lanes, const uint64_t *addresses, Ordering ordering,
                         bool reads, bool writes) {
  if (!clocks)
    return;
  hasObservedGlobal |= reads;
  bool acquires = ordering == Ordering::Acquire || ordering == Ordering::AcquireRelease;
  bool releases = ordering == Ordering::Release || ordering == Ordering::AcquireRelease;
  globalTracker->hasAcquired |= reads && acquires;
  for (; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    uint32_t thread = warp.index * 32 + lane;
    auto merge = [](Clocks::Snapshot &into, const Clocks::Snapshot &from) {
      into.resize(from.size());
      for (size_t i = 0; i < from.size(); ++i)
        into[i] = std::max(into[i], from[i]);
    };
    auto found = released.find(addresses[lane]);
    if (reads && found != released.end()) {
      if (acquires)
        clocks->acquire(warp.index, lane, found->second);
      else
        merge(observed[thread], found->second);
    }
    if (!writes)
      continue;
    if (releases)
      merge(released[addresses[lane]], clocks->release(warp.index, lane));
    auto fence = fenced.find(thread);
    if (fence != fenced.end())
      merge(released[addresses[lane]], fence->second);
  }
}

} // namespace attnc::emu
