//===- WarpControl.cpp - The instruction loop of a warp: groups, branches, calls ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Block.h"
#include "runtime/emulator/Warp.h"

#include <algorithm>

namespace attnc::emu {
namespace {

constexpr uint32_t maximumDepth = 256;
/// Bytes of all frames of a warp, and of the local memory of one lane.
constexpr uint64_t maximumRegisterFile = 1 << 26;
constexpr uint64_t maximumLocal = 1 << 19;
/// Backward branches of one group before others get a turn.
constexpr uint32_t spinLimit = 1024;

} // namespace

/// Picks the runnable group in the deepest call with the smallest pc. Returns false if there is
/// none.
bool Warp::selectGroup() {
  Group *best = nullptr;
  bool isSpinning = avoidSteps > 0;
  if (isSpinning)
    --avoidSteps;
  for (Group &group : groups) {
    if (group.state != Group::State::Runnable)
      continue;
    if (!best) {
      best = &group;
      continue;
    }
    bool isEarlier = group.depth != best->depth ? group.depth > best->depth : group.pc < best->pc;
    if (isEarlier != isSpinning)
      best = &group;
  }
  if (!best)
    return false;
  current = best;
  bases[static_cast<size_t>(Base::Frame)] = registerFile + current->frame;
  definedNow = defined.data() + current->registers;
  return true;
}

/// Joins groups that are at the same place.
void Warp::mergeGroups() {
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].state == Group::State::AtBarrier)
      continue;
    for (size_t j = groups.size() - 1; j > i; --j) {
      if (groups[j].pc != groups[i].pc || groups[j].frame != groups[i].frame ||
          groups[j].depth != groups[i].depth || groups[j].local != groups[i].local ||
          groups[j].state == Group::State::AtBarrier)
        continue;
      groups[i].mask |= groups[j].mask;
      groups[i].state = Group::State::Runnable;
      groups[i].forced = false;
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

/// Splits `lanes` off the current group into a new one at the same place; the current group keeps
/// the rest.
void Warp::split(uint32_t lanes) {
  size_t at = static_cast<size_t>(current - groups.data());
  Group other = *current;
  other.mask = lanes;
  groups.push_back(other);
  current = &groups[at];
  current->mask &= ~lanes;
}

void Warp::removeCurrent() {
  groups.erase(groups.begin() + (current - groups.data()));
  current = groups.empty() ? nullptr : groups.data();
}

bool Warp::checkRegisters(const Instruction &instruction, uint32_t active) {
  const uint32_t *numbers = program.registerLists.data() + instruction.firstRead;
  uint32_t missing = 0;
  for (unsigned i = 0; i < instruction.reads; ++i)
    missing |= active & ~definedNow[numbers[i]];
  if (!missing) [[likely]]
    return true;
  for (unsigned i = 0; i < instruction.reads; ++i) {
    uint32_t lanes = active & ~definedNow[numbers[i]];
    if (lanes)
      reportUndefined(instruction, numbers[i], lanes);
  }
  return false;
}

/// Makes `active` the current group; the lanes whose guard is false go on.
void Warp::splitGuarded(uint32_t active) {
  size_t at = static_cast<size_t>(current - groups.data());
  split(active);
  ++groups[at].pc;
  current = &groups.back();
}

/// Lets groups go on that wait at an aligned instruction for the lanes of the current group, which
/// have come out behind it.
void Warp::forceBypassed() {
  for (Group &group : groups) {
    const Instruction &instruction = program.instructions[group.pc];
    if (group.state != Group::State::AtMember || !instruction.isAligned ||
        group.frame != current->frame || group.depth != current->depth)
      continue;
    const std::vector<uint32_t> &places = program.bypasses[instruction.target];
    if (!std::binary_search(places.begin(), places.end(), current->pc))
      continue;
    group.state = Group::State::Runnable;
    group.forced = true;
  }
}

/// An instruction for the whole warp, with lanes missing: the lanes that are here wait for those
/// that can still come. Returns false to wait; if the others went round the instruction or cannot
/// move, reports a fault and goes on with the lanes there are.
bool Warp::awaitWarp(const Instruction &instruction, uint32_t active, FaultKind kind) {
  bool isSkipped = active != current->mask;
  if (isSkipped)
    splitGuarded(active);
  if (groups.size() > 1 && !current->forced && !(isSkipped && instruction.isAligned)) {
    current->state = Group::State::AtMember;
    return false;
  }
  current->forced = false;
  char mask[16];
  std::snprintf(mask, sizeof mask, "%08x", present & ~exited & ~active);
  if (checks)
    report(makeFault(kind, instruction,
                     std::string("lanes ") + mask + " of the warp do not come here"),
           std::countr_zero(active));
  return true;
}

bool Warp::branch(const Instruction &instruction, uint32_t active) {
  ++block.statistics.branches;
  uint32_t pc = current->pc;
  if (active == current->mask) {
    current->pc = instruction.target;
  } else if (active == 0) {
    ++current->pc;
    return false;
  } else {
    ++block.statistics.divergentBranches;
    split(active);
    groups.back().pc = instruction.target;
    ++current->pc;
  }
  if (instruction.target <= pc && groups.size() > 1 && ++spins >= spinLimit) {
    spins = 0;
    avoidSteps = 256;
  }
  return instruction.target <= pc;
}

void Warp::branchIndexed(const Instruction &instruction, uint32_t active) {
  const std::vector<uint32_t> &table = program.branchTables[instruction.extra];
  uint32_t scratch[32];
  const uint32_t *index = read32(instruction.a, scratch);
  ++block.statistics.branches;
  if (active != current->mask) {
    split(active);
    ++current->pc;
    current = &groups.back();
  }
  uint32_t targets[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    targets[lane] = current->pc + 1;
    if (!(active >> lane & 1))
      continue;
    if (index[lane] < table.size())
      targets[lane] = table[index[lane]];
    else
      report(FaultKind::InvalidOperand,
             "branch index " + std::to_string(index[lane]) + " is beyond the " +
                 std::to_string(table.size()) + " targets",
             static_cast<int>(lane));
  }
  uint32_t rest = active;
  while (rest) {
    uint32_t target = targets[std::countr_zero(rest)];
    uint32_t same = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (rest >> lane & 1 && targets[lane] == target)
        same |= 1u << lane;
    rest &= ~same;
    if (!rest) {
      current->pc = target;
      break;
    }
    size_t at = static_cast<size_t>(current - groups.data());
    split(same);
    groups.back().pc = target;
    current = &groups[at];
  }
}

void Warp::call(const Instruction &instruction, uint32_t active) {
  const CallInfo &info = program.calls[instruction.extra];
  if (active != current->mask)
    splitGuarded(active);
  const FunctionInfo &caller = program.functions[current->function];
  const FunctionInfo &callee = program.functions[info.function];
  bool isTooDeep =
      current->depth >= maximumDepth ||
      uint64_t(current->frame) + caller.frameBytes + callee.frameBytes > maximumRegisterFile ||
      uint64_t(current->local) + caller.localBytes + callee.localBytes > maximumLocal;
  if (isTooDeep) {
    report(FaultKind::StackOverflow, "calls are nested too deeply", std::countr_zero(active));
    exitLanes(active);
    return;
  }
  ReturnRecord record{current->pc + 1, current->frame,    current->registers, current->local,
                      current->depth,  current->function, instruction.extra};
  for (unsigned lane = 0; lane < 32; ++lane)
    if (active >> lane & 1)
      returns[lane].push_back(record);
  uint32_t callerLocal = current->local;
  current->frame += caller.frameBytes;
  current->registers += caller.registers;
  current->local += caller.localBytes;
  current->function = info.function;
  ++current->depth;
  current->pc = callee.entry;
  growLocal(current->local + callee.localBytes);
  enterFrame();
  for (uint32_t i = 0; i < callee.registers; ++i)
    definedNow[i] &= ~active;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(active >> lane & 1))
      continue;
    size_t base = size_t(lane) * localCapacity;
    std::fill_n(localWritten.data() + base + current->local, callee.localBytes, uint8_t(0));
    for (const CallCopy &copy : info.arguments) {
      std::memcpy(&localMemory[base + current->local + copy.to],
                  &localMemory[base + callerLocal + copy.from], copy.size);
      std::memcpy(&localWritten[base + current->local + copy.to],
                  &localWritten[base + callerLocal + copy.from], copy.size);
    }
  }
}

void Warp::returnLanes(const Instruction &instruction, uint32_t active) {
  if (active != current->mask)
    splitGuarded(active);
  if (current->depth == 0) {
    exitLanes(active);
    return;
  }
  uint32_t calleeLocal = current->local;
  uint32_t rest = active;
  size_t at = static_cast<size_t>(current - groups.data());
  while (rest) {
    ReturnRecord record = returns[std::countr_zero(rest)].back();
    uint32_t same = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!(rest >> lane & 1))
        continue;
      const ReturnRecord &other = returns[lane].back();
      if (other.pc != record.pc || other.frame != record.frame || other.call != record.call)
        continue;
      same |= 1u << lane;
      returns[lane].pop_back();
      size_t base = size_t(lane) * localCapacity;
      for (const CallCopy &copy : program.calls[record.call].results) {
        std::memcpy(&localMemory[base + record.local + copy.to],
                    &localMemory[base + calleeLocal + copy.from], copy.size);
        std::memcpy(&localWritten[base + record.local + copy.to],
                    &localWritten[base + calleeLocal + copy.from], copy.size);
      }
    }
    rest &= ~same;
    Group *target = &groups[at];
    if (rest) {
      current = target;
      split(same);
      target = &groups.back();
    }
    target->pc = record.pc;
    target->frame = record.frame;
    target->registers = record.registers;
    target->local = record.local;
    target->depth = record.depth;
    target->function = record.function;
  }
  current = &groups[at];
  enterFrame();
}

void Warp::exitLanes(uint32_t lanes) {
  exited |= lanes;
  for (const AsyncCopy &copy : copies) {
    if (!(copy.mask & lanes))
      continue;
    if (checks)
      report(makeFault(FaultKind::AsyncNeverWaited, program.instructions[copy.pc],
                       "the thread ended before it waited"),
             std::countr_zero(copy.mask & lanes));
  }
  current->mask &= ~lanes;
  if (current->mask == 0)
    removeCurrent();
  else
    ++current->pc;
  if (groups.empty())
    return block.warpExited();
  // Lanes that came to a barrier one by one may have waited for these.
  for (size_t i = 0; i < groups.size(); ++i)
    if (groups[i].state == Group::State::AtBarrier && groups[i].awaitsLanes)
      arriveTogether(groups[i].barrier);
}

/// A .sync instruction with a member mask: runs for each set of lanes that is complete. Returns
/// false if the group has to wait.
bool Warp::executeMember(const Instruction &instruction, uint32_t active) {
  uint32_t scratch[32];
  const uint32_t *masks = read32(instruction.m, scratch);
  uint32_t rest = active;
  uint32_t missing = 0;
  for (uint32_t lanes = active; lanes; lanes &= lanes - 1)
    missing |= masks[std::countr_zero(lanes)] & present & ~exited & ~active;
  if (missing && !current->forced && groups.size() > 1) {
    current->state = Group::State::AtMember;
    return false;
  }
  if (missing && checks) {
    char text[16];
    std::snprintf(text, sizeof text, "%08x", missing);
    report(FaultKind::Convergence,
           std::string("lanes ") + text + " of the member mask are not at this instruction",
           std::countr_zero(active));
  }
  current->forced = false;
  while (rest) {
    unsigned first = static_cast<unsigned>(std::countr_zero(rest));
    uint32_t mask = masks[first];
    uint32_t same = 0;
    for (unsigned lane = first; lane < 32; ++lane)
      if (rest >> lane & 1 && masks[lane] == mask)
        same |= 1u << lane;
    rest &= ~same;
    if (uint32_t without = same & ~mask; without && checks)
      report(FaultKind::Convergence, "the member mask does not hold the lane itself",
             std::countr_zero(without));
    instruction.handler(*this, instruction, same);
  }
  return true;
}

/// Lets the first group that waits for lanes go on without them. Returns false if no group waits
/// so.
bool Warp::forceMembers() {
  for (Group &group : groups) {
    if (group.state != Group::State::AtMember)
      continue;
    group.state = Group::State::Runnable;
    group.forced = true;
    return true;
  }
  return false;
}

Warp::Stop Warp::run(uint64_t budget, uint64_t &steps) {
  if (launch.options.observation || launch.options.statistics)
    return checks ? runLoop<true, true>(budget, steps) : runLoop<false, true>(budget, steps);
  return checks ? runLoop<true, false>(budget, steps) : runLoop<false, false>(budget, steps);
}

template <bool Checked, bool Observed> Warp::Stop Warp::runLoop(uint64_t budget, uint64_t &steps) {
  const Instruction *instructions = program.instructions.data();
  uint64_t start = clock;
  auto stop = [&](Stop reason) {
    steps += clock - start;
    return reason;
  };
  if (groups.empty())
    return Stop::Finished;
  if (!selectGroup())
    return stop(Stop::Blocked);
  for (uint64_t step = 0; step < budget; ++step) {
    if (groups.size() > 1) {
      mergeGroups();
      if (!selectGroup()) {
        // Nobody can move: lanes wait for lanes that are at a barrier or will never come.
        bool hasBarrier = std::any_of(groups.begin(), groups.end(), [](const Group &group) {
          return group.state == Group::State::AtBarrier;
        });
        if (hasBarrier || !forceMembers())
          return stop(Stop::Blocked);
        continue;
      }
      forceBypassed();
    }
    Group &group = *current;
    const Instruction &instruction = instructions[group.pc];
    ++clock;
    uint32_t active = group.mask;
    if (instruction.isGuarded) {
      uint32_t predicate;
      std::memcpy(&predicate, bases[0] + instruction.guard, 4);
      if (Checked && (active & ~definedNow[instruction.guardNumber]))
        reportUndefined(instruction, instruction.guardNumber,
                        active & ~definedNow[instruction.guardNumber]);
      active &= instruction.guardNegated ? ~predicate : predicate;
    }
    if (Checked && active)
      checkRegisters(instruction, active);
    if (Observed)
      observe(instruction, active, true);
    if (instruction.refreshSpecials)
      refreshSpecials();
    switch (instruction.control) {
    case Control::Next:
      if (active)
        instruction.handler(*this, instruction, active);
      break;
    case Control::Aligned:
      if (active) {
        if ((present & ~exited & ~active) &&
            !awaitWarp(instruction, active, FaultKind::Convergence))
          continue;
        instruction.handler(*this, instruction, active);
      }
      break;
    case Control::Member:
      if (active) {
        if (active != group.mask) {
          // The lanes that do not take part go on.
          splitGuarded(active);
          if (!executeMember(instruction, active))
            continue;
        } else if (!executeMember(instruction, active)) {
          continue;
        }
      }
      break;
    case Control::Branch:
      branch(instruction, active);
      continue;
    case Control::BranchIndexed:
      if (active)
        branchIndexed(instruction, active);
      else
        ++current->pc;
      continue;
    case Control::Call:
      if (active)
        call(instruction, active);
      else
        ++current->pc;
      // A call that is nested too deeply ends its lanes.
      if (groups.empty())
        return stop(Stop::Finished);
      if (!selectGroup())
        return stop(Stop::Blocked);
      continue;
    case Control::Return:
      if (active)
        returnLanes(instruction, active);
      else
        ++current->pc;
      if (groups.empty())
        return stop(Stop::Finished);
      if (!selectGroup())
        return stop(Stop::Blocked);
      continue;
    case Control::Trap:
      if (active)
        report(FaultKind::Trap, "", std::countr_zero(active));
      [[fallthrough]];
    case Control::Exit:
      if (active)
        exitLanes(active);
      else
        ++current->pc;
      if (groups.empty())
        return stop(Stop::Finished);
      if (!selectGroup())
        return stop(Stop::Blocked);
      continue;
    case Control::Barrier:
      if (active && !executeBarrier(instruction, active)) {
        if (!selectGroup())
          return stop(Stop::Blocked);
        continue;
      }
      break;
    case Control::Yield:
      ++current->pc;
      return stop(Stop::Yielded);
    }
    if (Checked) {
      const uint32_t *numbers = program.registerLists.data() + instruction.firstWrite;
      for (unsigned i = 0; i < instruction.writes; ++i)
        definedNow[numbers[i]] |= active;
    }
    if (Observed)
      observe(instruction, active, false);
    ++current->pc;
  }
  return stop(Stop::Budget);
}

} // namespace attnc::emu
