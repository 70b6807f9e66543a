//===- Launch.cpp - Runs the blocks of a launch ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Launch.h"
#include "runtime/ThreadPool.h"
#include "runtime/emulator/Block.h"
#include "runtime/emulator/Checks/GlobalTracker.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

namespace attnc::emu {

std::string formatSchedule(const Schedule &schedule) {
  const char *orders[] = {"round-robin", "random", "adversarial"};
  const char *landings[] = {"latest", "earliest", "random"};
  return std::string(orders[static_cast<size_t>(schedule.order)]) + ", landing " +
         landings[static_cast<size_t>(schedule.landing)] + ", seed " +
         std::to_string(schedule.seed);
}

std::array<Schedule, 5> getCiSchedules(uint64_t seed) {
  return {Schedule{WarpOrder::RoundRobin, Landing::Latest, seed},
          Schedule{WarpOrder::RoundRobin, Landing::Earliest, seed},
          Schedule{WarpOrder::Random, Landing::Random, seed + 1},
          Schedule{WarpOrder::Random, Landing::Latest, seed + 2},
          Schedule{WarpOrder::Adversarial, Landing::Random, seed + 3}};
}

std::vector<Schedule> getSchedules(size_t count, uint64_t seed) {
  std::vector<Schedule> schedules;
  for (const Schedule &schedule : getCiSchedules(seed))
    schedules.push_back(schedule);
  while (schedules.size() < count)
    schedules.push_back({schedules.size() % 2 ? WarpOrder::Random : WarpOrder::Adversarial,
                         Landing::Random, seed + schedules.size()});
  schedules.resize(count);
  return schedules;
}

namespace {

/// Warp instructions of all blocks without progress, after which they are taken to wait for each
/// other for ever.
constexpr uint64_t stallLimit = uint64_t(1) << 26;

/// What is kept of a block that has ended.
struct BlockRecord {
  FaultLog faults;
  Statistics statistics;
  std::unique_ptr<GlobalTracker> tracker;
  bool hasEnded = true; // within its steps
};

/// The order in which blocks start: linear, reversed, or a permutation drawn from the seed.
class BlockOrder {
public:
  explicit BlockOrder(const LaunchState &state)
      : count(state.blocks()), order(state.options.schedule.order) {
    if (order != WarpOrder::Random)
      return;
    Random random(state.options.schedule.seed);
    offset = random.next() % count;
    // i -> factor * i + offset is a permutation if factor and count have no common divisor.
    do
      factor = random.next() % count + 1;
    while (std::gcd(factor, count) != 1);
  }

  uint64_t at(uint64_t i) const {
    if (order == WarpOrder::Adversarial)
      return count - 1 - i;
    if (order != WarpOrder::Random)
      return i;
    return static_cast<uint64_t>((static_cast<unsigned __int128>(factor) * i + offset) % count);
  }
  uint64_t size() const { return count; }

private:
  uint64_t count;
  WarpOrder order;
  uint64_t factor = 1;
  uint64_t offset = 0;
};

/// Blocks that are in turn at once: as many as the device has multiprocessors, and memory for.
size_t countResidents(const LaunchState &state) {
  if (!state.program.mayWaitForBlocks)
    return 1;
  uint64_t warps = (state.threadsPerBlock() + 31) / 32;
  uint64_t bytes =
      state.sharedBytes * 5 + warps * state.program.functions[0].frameBytes * 2 + 65536;
  return std::clamp<uint64_t>((uint64_t(2) << 30) / bytes, 2, state.properties.multiprocessors);
}

BlockRecord takeRecord(Block &block) {
  const std::vector<Fault> &faults = block.faults.getFaults();
  bool hasEnded = std::none_of(faults.begin(), faults.end(), [](const Fault &fault) {
    return fault.kind == FaultKind::StepBudget;
  });
  return {std::move(block.faults), block.statistics, std::move(block.globalTracker), hasEnded};
}

/// Adds block `number` to the outcome and reports its conflicts with the blocks merged before.
/// Returns false if the block did not end within its steps: the others are not run, as each may
/// take as long.
bool mergeBlock(const LaunchState &state, uint64_t number, BlockRecord record,
                LaunchTracker &tracker, LaunchOutcome &outcome) {
  outcome.faults.merge(record.faults);
  outcome.statistics.add(record.statistics);
  if (!record.tracker)
    return record.hasEnded;
  const Program &program = state.program;
  tracker.merge(number, *record.tracker, [&](const BlockConflict &conflict) {
    const Instruction &instruction = program.instructions[conflict.pc];
    const Instruction &other = program.instructions[conflict.otherPc];
    auto textOf = [&](const Instruction &at) {
      const std::string &line = program.module->lines[at.line - 1];
      size_t first = line.find_first_not_of(" \t");
      return first == std::string::npos ? std::string() : line.substr(first);
    };
    Fault fault;
    bool isReadOnly = conflict.kind == BlockConflict::Kind::ReadOnlyWritten;
    fault.kind = isReadOnly ? FaultKind::ReadOnlyWritten : FaultKind::Race;
    fault.message = isReadOnly ? "ld.global.nc and a write of the same bytes in one launch"
                    : conflict.kind == BlockConflict::Kind::WriteWrite
                        ? "global, two blocks write the same bytes"
                        : "global, one block reads what another writes";
    fault.kernel = program.name;
    fault.line = instruction.line;
    fault.text = textOf(instruction);
    fault.otherLine = other.line;
    fault.block = state.blockIndex(conflict.block);
    fault.warp = 0;
    fault.hasAddress = true;
    fault.address = conflict.address;
    fault.size = 1;
    fault.space = "global";
    if (const Allocation *allocation = state.memory.find(conflict.address))
      fault.allocation = allocation->name;
    Dim3 otherBlock = state.blockIndex(conflict.otherBlock);
    fault.details.push_back("other access: ptx " + std::to_string(other.line) + ": " +
                            textOf(other) + "  block (" + std::to_string(otherBlock[0]) + "," +
                            std::to_string(otherBlock[1]) + "," + std::to_string(otherBlock[2]) +
                            ")");
    fault.schedule = formatSchedule(state.options.schedule);
    outcome.faults.add(std::move(fault));
  });
  return record.hasEnded;
}

/// Blocks that exchange data run in turns on one thread, as many at once as the device has
/// multiprocessors.
LaunchOutcome runInTurns(const LaunchState &state) {
  LaunchOutcome outcome;
  LaunchTracker tracker;
  BlockOrder order(state);
  struct Resident {
    uint64_t number;
    std::unique_ptr<Block> block;
  };
  std::vector<Resident> residents;
  size_t started = 0;
  size_t cursor = 0;
  Random random(state.options.schedule.seed + 77);
  size_t limit = countResidents(state);
  uint64_t quantum = state.program.mayWaitForBlocks ? 4096 : ~uint64_t(0);
  uint64_t stalled = 0; // warp instructions since a block did what others may wait for
  while (started < order.size() || !residents.empty()) {
    while (started < order.size() && residents.size() < limit) {
      residents.push_back({order.at(started), std::make_unique<Block>(state, order.at(started))});
      ++started;
    }
    if (state.options.schedule.order == WarpOrder::Random)
      cursor = random.next();
    cursor %= residents.size();
    Resident &resident = residents[cursor];
    Block &block = *resident.block;
    uint64_t steps = block.statistics.steps, progress = block.progress;
    bool isFinished = block.run(quantum) == Block::State::Finished;
    stalled =
        isFinished || block.progress != progress ? 0 : stalled + (block.statistics.steps - steps);
    if (stalled > std::min(stallLimit, state.options.stepBudget)) {
      block.giveUp("the blocks have run " + std::to_string(stalled) +
                   " warp instructions, and none has written anything or ended");
      isFinished = true;
    }
    if (!isFinished) {
      ++cursor;
      continue;
    }
    if (!mergeBlock(state, resident.number, takeRecord(*resident.block), tracker, outcome))
      return outcome;
    residents.erase(residents.begin() + static_cast<std::ptrdiff_t>(cursor));
  }
  return outcome;
}

LaunchOutcome runInParallel(const LaunchState &state, unsigned workers) {
  LaunchOutcome outcome;
  LaunchTracker tracker;
  BlockOrder order(state);
  // In batches, so that the records of finished blocks do not pile up; merged in the order of the
  // batch.
  size_t batch = std::max<size_t>(workers * 16, 64);
  for (size_t first = 0; first < order.size(); first += batch) {
    size_t count = std::min(batch, order.size() - first);
    std::vector<BlockRecord> records(count);
    std::atomic<bool> isStuck{false};
    ThreadPool::get().run(static_cast<int64_t>(count), static_cast<int>(workers),
                          [&](int64_t i, int) {
                            if (isStuck)
                              return;
                            Block block(state, order.at(first + i));
                            block.run(~uint64_t(0));
                            records[i] = takeRecord(block);
                            if (!records[i].hasEnded)
                              isStuck = true;
                          });
    for (size_t i = 0; i < count; ++i)
      if (!mergeBlock(state, order.at(first + i), std::move(records[i]), tracker, outcome))
        return outcome;
  }
  return outcome;
}

} // namespace

LaunchOutcome runLaunch(const LaunchState &state) {
  if (state.program.communicates)
    return runInTurns(state);
  unsigned workers = state.options.workers ? state.options.workers
                                           : std::max(std::thread::hardware_concurrency(), 1u);
  if (state.options.observation)
    workers = 1;
  return runInParallel(state, workers);
}

} // namespace attnc::emu
