//===- Access.cpp - Addresses to bytes, with the checks of every access ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Block.h"
#include "runtime/emulator/Warp.h"
#include "runtime/emulator/Windows.h"

#include <algorithm>
#include <ostream>

namespace attnc::emu {
namespace {

/// What generic and param addresses turn out to be.
enum class Place : uint8_t { Global, Shared, Local, Parameter };

/// `start + offset`, also for the wild offsets of lanes that take no part.
uint8_t *pointerAt(uint8_t *start, uint64_t offset) {
  return reinterpret_cast<uint8_t *>(reinterpret_cast<uintptr_t>(start) + offset);
}

std::string describeVariable(const Program &program, uint64_t offset) {
  for (const PlacedVariable &variable : program.shared)
    if (offset >= variable.offset &&
        (variable.size == 0 || offset < variable.offset + variable.size))
      return variable.name;
  return "";
}

/// Where an address lies; makes it count from the start of its window.
Place locate(Space space, bool isEntryParameter, uint64_t &address) {
  auto take = [&](uint64_t window) {
    bool isInside = address >= window && address - window < windowSize;
    if (isInside)
      address -= window;
    return isInside;
  };
  switch (space) {
  case Space::Shared:
    return Place::Shared;
  case Space::Local:
    return Place::Local;
  case Space::Param:
    return take(parameterWindow) || isEntryParameter ? Place::Parameter : Place::Local;
  case Space::Generic:
    if (take(sharedWindow))
      return Place::Shared;
    if (take(localWindow))
      return Place::Local;
    return take(parameterWindow) ? Place::Parameter : Place::Global;
  default:
    return Place::Global;
  }
}

/// `name f32[4,8]`, as far as known.
std::string describeAllocation(const Allocation &allocation) {
  return allocation.name + (allocation.description.empty() ? "" : " " + allocation.description);
}

} // namespace

void Warp::computeAddresses(const Operand &base, int64_t offset, uint64_t *out) const {
  if (base.width == 4) {
    const auto *row = reinterpret_cast<const uint32_t *>(rowAt(base));
    for (unsigned lane = 0; lane < 32; ++lane)
      out[lane] = static_cast<uint32_t>(row[lane] + static_cast<uint32_t>(offset));
  } else {
    const auto *row = reinterpret_cast<const uint64_t *>(rowAt(base));
    for (unsigned lane = 0; lane < 32; ++lane)
      out[lane] = row[lane] + static_cast<uint64_t>(offset);
  }
}

/// Lanes of one store that write equal values to one address do not race.
bool Warp::isSameStore(const Instruction &instruction, unsigned lane,
                       const RaceConflict &conflict) const {
  if (conflict.kind != RaceConflict::Kind::WriteAfterWrite || conflict.warp != index ||
      conflict.pc != current->pc || !instruction.isStore || !(accessLanes >> conflict.lane & 1) ||
      accessAddresses[conflict.lane] != accessAddresses[lane])
    return false;
  for (unsigned element = 0; element < instruction.count; ++element) {
    const Operand &value = program.operands[instruction.firstOperand + element];
    const uint8_t *row = rowAt(value);
    if (std::memcmp(row + size_t(lane) * value.width, row + size_t(conflict.lane) * value.width,
                    instruction.size) != 0)
      return false;
  }
  return true;
}

void Warp::checkShared(const Instruction &instruction, unsigned lane, uint64_t offset,
                       unsigned size, AccessKind kind) {
  uint64_t bits = ((uint64_t(1) << size) - 1) << (offset & 63);
  uint64_t &written = block.sharedWritten[offset / 64];
  if (kind == AccessKind::Read || kind == AccessKind::Atomic) {
    if ((written & bits) != bits) [[unlikely]] {
      Fault fault = makeFault(FaultKind::UninitializedMemory, instruction, "read before any write");
      fault.hasAddress = true;
      fault.address = offset;
      fault.size = size;
      fault.space = "shared";
      fault.allocation = describeVariable(program, offset);
      report(std::move(fault), static_cast<int>(lane));
    }
  }
  if (kind != AccessKind::Read)
    written |= bits;
  ShadowAccess access;
  access.warp = static_cast<uint8_t>(index);
  access.lane = static_cast<uint8_t>(lane);
  access.isCollective = instruction.isCollective;
  access.isStrong = instruction.ordering != Ordering::Weak || kind == AccessKind::Atomic;
  access.kind = kind;
  access.pc = current->pc;
  RaceConflict conflict = block.sharedShadow->access(*block.clocks, offset, size, access);
  if (conflict.kind != RaceConflict::Kind::None && !isSameStore(instruction, lane, conflict))
      [[unlikely]]
    block.reportRace(*this, instruction, lane, conflict, offset, size, "shared",
                     describeVariable(program, offset));
}

uint32_t Warp::resolve(const Instruction &instruction, uint32_t active, const Operand &base,
                       int64_t offset, unsigned size, Space space, AccessKind kind,
                       LanePointers &out) {
  computeAddresses(base, offset, out.address);
  block.progress += kind == AccessKind::Write || kind == AccessKind::AsyncWrite;
  accessAddresses = out.address;
  accessLanes = active;
  if (space == Space::Shared && resolveSharedTogether(instruction, active, size, kind, out))
    return active;
  if (space == Space::Global && active &&
      resolveGlobalTogether(instruction, active, size, kind, out))
    return active;
  uint32_t good = 0;
  for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    out.pointer[lane] = resolveLane(instruction, lane, size, space, kind, out);
    good |= uint32_t(out.pointer[lane] != nullptr) << lane;
  }
  return good;
}

/// All lanes in shared memory, without a test per lane. Returns false, and checks nothing, if one
/// is not.
bool Warp::resolveSharedTogether(const Instruction &instruction, uint32_t active, unsigned size,
                                 AccessKind kind, LanePointers &out) {
  uint64_t limit = launch.sharedBytes;
  uint64_t bad = limit < size;
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint64_t at = out.address[lane];
    uint64_t isBad = (at > limit - size) | ((at & (size - 1)) != 0);
    bad |= (active >> lane & 1) & isBad;
    out.pointer[lane] = pointerAt(block.shared.data(), at);
  }
  if (bad) [[unlikely]]
    return false;
  if (launch.options.statistics) {
    ++block.statistics.sharedAccesses;
    Wavefronts wavefronts = countWavefronts(out.address, active, size);
    block.statistics.sharedWavefronts += wavefronts.count;
    block.statistics.sharedConflicts += wavefronts.conflicts;
  }
  if (checks)
    for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
      auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      checkShared(instruction, lane, out.address[lane], size, kind);
    }
  if (launch.options.observation)
    observeAccess(instruction, active, out.address, size, kind != AccessKind::Read, Space::Shared);
  return true;
}

/// All lanes in one buffer of global memory, likewise.
bool Warp::resolveGlobalTogether(const Instruction &instruction, uint32_t active, unsigned size,
                                 AccessKind kind, LanePointers &out) {
  uint64_t first = out.address[std::countr_zero(active)];
  if (!lastAllocation || first - lastAllocation->base >= lastAllocation->size)
    lastAllocation = launch.memory.find(first);
  if (!lastAllocation || lastAllocation->isFreed || lastAllocation->size < size ||
      lastAllocation->isConstant)
    return false;
  Allocation &allocation = *lastAllocation;
  uint64_t limit = allocation.size - size;
  uint64_t bad = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint64_t at = out.address[lane] - allocation.base;
    uint64_t isBad = (at > limit) | ((out.address[lane] & (size - 1)) != 0);
    bad |= (active >> lane & 1) & isBad;
    out.pointer[lane] = pointerAt(allocation.data(), at);
  }
  if (bad) [[unlikely]]
    return false;
  checkGlobal(instruction, active, out.address, size, kind, allocation);
  return true;
}

/// One lane in any space; reports what is wrong and returns null.
uint8_t *Warp::resolveLane(const Instruction &instruction, unsigned lane, unsigned size,
                           Space space, AccessKind kind, LanePointers &out) {
  bool isEntryParameter = current->depth == 0 && !instruction.paramIsLocal;
  Place place = locate(space, isEntryParameter, out.address[lane]);
  uint64_t address = out.address[lane];
  auto fail = [&](FaultKind faultKind, std::string message, std::string allocation = "") {
    constexpr const char *names[] = {"global", "shared", "local", "param"};
    Fault fault = makeFault(faultKind, instruction, std::move(message));
    fault.hasAddress = true;
    fault.address = address;
    fault.size = size;
    fault.space = names[static_cast<size_t>(place)];
    fault.allocation = std::move(allocation);
    report(std::move(fault), static_cast<int>(lane));
    return nullptr;
  };
  bool isWrite = kind != AccessKind::Read;
  if (address & (size - 1))
    return fail(FaultKind::Misaligned, "expected a multiple of " + std::to_string(size));
  switch (place) {
  case Place::Shared:
    if (launch.sharedBytes < size || address > launch.sharedBytes - size)
      return fail(FaultKind::OutOfBounds, "the block has " + std::to_string(launch.sharedBytes) +
                                              " bytes of shared memory");
    if (checks)
      checkShared(instruction, lane, address, size, kind);
    if (launch.options.observation)
      observeAccess(instruction, 1u << lane, out.address, size, isWrite, Space::Shared);
    return block.shared.data() + address;
  case Place::Local: {
    uint8_t *pointer = resolveLocal(instruction, lane, address, size, isWrite, space);
    return pointer ? pointer : fail(FaultKind::OutOfBounds, "no local variable holds these bytes");
  }
  case Place::Parameter:
    if (isWrite)
      return fail(FaultKind::WrongSpace, "kernel parameters are read-only");
    if (launch.parameters.size() < size || address > launch.parameters.size() - size)
      return fail(FaultKind::OutOfBounds, "the kernel has " +
                                              std::to_string(launch.parameters.size()) +
                                              " bytes of parameters");
    return const_cast<uint8_t *>(launch.parameters.data()) + address;
  case Place::Global:
    break;
  }
  if (address >= parameterWindow)
    return fail(FaultKind::WrongSpace, "the address is not in global memory");
  Allocation *allocation = launch.memory.find(address);
  if (!allocation || allocation->size < size ||
      address - allocation->base > allocation->size - size) {
    const Allocation *near = allocation ? allocation : launch.memory.findNearest(address);
    if (!near)
      return fail(FaultKind::OutOfBounds, "no buffer holds these bytes");
    auto distance = static_cast<int64_t>(address - near->base);
    return fail(FaultKind::OutOfBounds,
                "byte " + std::to_string(distance) + " of buffer `" + near->name + "`, which has " +
                    std::to_string(near->size),
                describeAllocation(*near));
  }
  if (allocation->isFreed)
    return fail(FaultKind::UseAfterFree, "the buffer was freed", allocation->name);
  if (allocation->isConstant && isWrite)
    return fail(FaultKind::WrongSpace, "constant memory is read-only", allocation->name);
  if (allocation->isConstant && space == Space::Global)
    return fail(FaultKind::WrongSpace, "the address is in constant memory", allocation->name);
  if (!allocation->isConstant && space == Space::Const)
    return fail(FaultKind::WrongSpace, "the address is not in constant memory", allocation->name);
  checkGlobal(instruction, 1u << lane, out.address, size, kind, *allocation);
  return allocation->data() + (address - allocation->base);
}

bool Warp::resolveBytes(const Instruction &instruction, unsigned lane, const Operand &base,
                        int64_t offset, unsigned size, unsigned alignment, LanePointers &out) {
  uint8_t *first = nullptr;
  uint32_t mask = 1u << lane;
  computeAddresses(base, offset, out.address);
  if (out.address[lane] & (alignment - 1)) {
    Fault fault = makeFault(FaultKind::Misaligned, instruction,
                            "expected a multiple of " + std::to_string(alignment));
    fault.hasAddress = true;
    fault.address = out.address[lane];
    fault.size = size;
    fault.space = "global";
    report(std::move(fault), static_cast<int>(lane));
    return false;
  }
  for (unsigned i = 0; i < size; ++i) {
    if (!resolve(instruction, mask, base, offset + i, 1, Space::Global, AccessKind::Read, out))
      return false;
    if (i == 0)
      first = out.pointer[lane];
  }
  out.pointer[lane] = first;
  return true;
}

uint8_t *Warp::resolveLocal(const Instruction &instruction, unsigned lane, uint64_t address,
                            unsigned size, bool isWrite, Space space) {
  const FunctionInfo &function = program.functions[current->function];
  // An address of this frame is relative for named variables; taken addresses are absolute.
  uint64_t absolute = address + (instruction.localIsRelative ? current->local : 0);
  uint64_t top = uint64_t(current->local) + function.localBytes;
  if (absolute + size > top || absolute + size < absolute)
    return nullptr;
  if (instruction.localIsRelative || absolute >= current->local) {
    // In this frame: the bytes must belong to one variable.
    bool isHeld = false;
    for (size_t i = 0; i < function.locals.size() && !isHeld; ++i) {
      uint64_t start = uint64_t(current->local) + function.localOffsets[i];
      isHeld = absolute >= start && absolute + size <= start + function.locals[i].size;
    }
    if (!isHeld)
      return nullptr;
  }
  size_t at = size_t(lane) * localCapacity + absolute;
  if (isWrite) {
    std::fill_n(&localWritten[at], size, uint8_t(1));
  } else if (checks) {
    for (unsigned i = 0; i < size; ++i) {
      if (localWritten[at + i])
        continue;
      Fault fault = makeFault(FaultKind::UninitializedMemory, instruction, "read before any write");
      fault.hasAddress = true;
      fault.address = absolute;
      fault.size = size;
      fault.space = space == Space::Param ? "param" : "local";
      report(std::move(fault), static_cast<int>(lane));
      break;
    }
  }
  return &localMemory[at];
}

/// Statistics, watches and checks of accesses that lie in `allocation`.
void Warp::checkGlobal(const Instruction &instruction, uint32_t active, const uint64_t *addresses,
                       unsigned size, AccessKind kind, Allocation &allocation) {
  if (launch.options.statistics)
    countGlobal(active, addresses, size);
  if (launch.options.observation)
    observeAccess(instruction, active, addresses, size, kind != AccessKind::Read, Space::Global);
  if (!checks)
    return;
  bool isStrong = instruction.ordering != Ordering::Weak || kind == AccessKind::Atomic;
  bool reads = kind == AccessKind::Read || kind == AccessKind::Atomic;
  for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    uint64_t offset = addresses[lane] - allocation.base;
    if (reads && !allocation.isWritten(offset, size)) {
      Fault fault = makeFault(FaultKind::UninitializedMemory, instruction, "read before any write");
      fault.hasAddress = true;
      fault.address = addresses[lane];
      fault.size = size;
      fault.space = "global";
      fault.allocation = describeAllocation(allocation);
      if (allocation.elementSize)
        fault.details.push_back("element " + std::to_string(offset / allocation.elementSize) +
                                " of the buffer");
      report(std::move(fault), static_cast<int>(lane));
    }
    if (kind != AccessKind::Read)
      allocation.markWritten(offset, size);
    if (allocation.isConstant)
      continue;
    ShadowAccess access;
    access.warp = static_cast<uint8_t>(index);
    access.lane = static_cast<uint8_t>(lane);
    access.isStrong = isStrong;
    access.kind = kind;
    access.pc = current->pc;
    RaceConflict conflict = block.globalTracker->access(*block.clocks, addresses[lane], size,
                                                        access, instruction.isReadOnly);
    if (conflict.kind != RaceConflict::Kind::None && !isSameStore(instruction, lane, conflict))
      block.reportRace(*this, instruction, lane, conflict, addresses[lane], size, "global",
                       describeAllocation(allocation));
  }
}

void Warp::countGlobal(uint32_t active, const uint64_t *addresses, unsigned size) {
  ++block.statistics.globalAccesses;
  block.statistics.globalSectors += countSectors(addresses, active, size);
  block.statistics.globalBytes += uint64_t(size) * static_cast<unsigned>(std::popcount(active));
}

} // namespace attnc::emu
