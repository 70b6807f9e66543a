//===- WarpBarrier.cpp - A warp at a named barrier ------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Block.h"
#include "runtime/emulator/Warp.h"

#include <algorithm>

namespace attnc::emu {

/// Returns false if the group has to wait. Operands: a = barrier, b = thread count, c = predicate.
bool Warp::executeBarrier(const Instruction &instruction, uint32_t active) {
  // A barrier counts whole warps: lanes come together first.
  bool isPartial = present & ~exited & ~active;
  bool waits = instruction.mode != 1;
  bool isPerThread = isPartial && !instruction.isAligned && instruction.mode == 0;
  if (isPerThread && active != current->mask)
    splitGuarded(active);
  if (isPartial && !isPerThread && !awaitWarp(instruction, active, FaultKind::BarrierDivergence))
    return false;
  uint32_t scratch[32];
  auto first = static_cast<unsigned>(std::countr_zero(active));
  auto uniform = [&](const Operand &operand, const char *what) {
    const uint32_t *row = read32(operand, scratch);
    for (uint32_t lanes = active; lanes; lanes &= lanes - 1)
      if (row[std::countr_zero(lanes)] != row[first]) {
        report(FaultKind::BarrierMisuse, std::string(what) + " differs between the lanes",
               static_cast<int>(first));
        break;
      }
    return row[first];
  };
  uint32_t number = uniform(instruction.a, "the barrier number");
  uint32_t expected = instruction.b.isPresent() ? uniform(instruction.b, "the thread count") : 0;
  if (waits)
    current->state = Group::State::AtBarrier;
  current->barrier = static_cast<uint8_t>(number);
  if (isPerThread && number < Block::barrierCount) {
    current->expected = expected;
    current->awaitsLanes = true;
    arriveTogether(number);
    return false;
  }
  bool passes = block.arrive(*this, instruction, active, number, expected, waits);
  if (!waits)
    return true;
  if (passes && current->state == Group::State::AtBarrier && number >= Block::barrierCount)
    current->state = Group::State::Runnable, ++current->pc;
  // releaseBarrier moves groups on, also this one.
  return false;
}

/// Threads that come to `barrier.sync` one by one, at one or several instructions: the warp arrives
/// when all its lanes are there. Returns false if some are not.
bool Warp::arriveTogether(unsigned number) {
  uint32_t lanes = 0;
  Group *last = nullptr;
  for (Group &group : groups) {
    if (group.state != Group::State::AtBarrier || !group.awaitsLanes || group.barrier != number)
      continue;
    lanes |= group.mask;
    last = &group;
  }
  if (lanes != (present & ~exited))
    return false;
  for (Group &group : groups)
    group.awaitsLanes = false;
  current = last;
  block.arrive(*this, program.instructions[last->pc], lanes, number, last->expected, true);
  return true;
}

/// The barrier completed: the groups that wait at it go on.
void Warp::releaseBarrier(unsigned barrier, const uint32_t *reduced) {
  for (Group &group : groups) {
    if (group.state != Group::State::AtBarrier || group.barrier != barrier)
      continue;
    const Instruction &instruction = program.instructions[group.pc];
    group.state = Group::State::Runnable;
    ++group.pc;
    const uint32_t *numbers = program.registerLists.data() + instruction.firstWrite;
    for (unsigned i = 0; i < instruction.writes; ++i)
      defined[group.registers + numbers[i]] |= group.mask;
    if (!reduced)
      continue;
    Group *previous = current;
    current = &group;
    uint32_t values[32];
    std::fill_n(values, 32, *reduced);
    if (instruction.d.width == 0)
      writePredicate(instruction.d, *reduced ? ~0u : 0, group.mask);
    else
      write32(instruction.d, values, group.mask);
    current = previous;
  }
}

const Instruction &Warp::firstWaiting() const { return program.instructions[groups.front().pc]; }

} // namespace attnc::emu
