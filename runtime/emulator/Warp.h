//===- Warp.h - One warp: registers, groups of converged lanes, lane memory ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_WARP_H
#define RUNTIME_EMULATOR_WARP_H

#include "runtime/emulator/Checks/RaceShadow.h"
#include "runtime/emulator/Launch.h"
#include "runtime/emulator/Program.h"

#include <bit>
#include <cstring>
#include <memory>
#include <vector>

namespace attnc::emu {

class Block;

/// Addresses of one access and where the lanes find their bytes.
struct LanePointers {
  uint64_t address[32]; // offset in the window for shared, local and param
  uint8_t *pointer[32];
};

/// Reads a value that a block on another thread may write: what is a race in the emulated program
/// must be none here.
template <class T> inline void loadRelaxed(void *target, const uint8_t *source) {
  T value = __atomic_load_n(reinterpret_cast<const T *>(source), __ATOMIC_RELAXED);
  std::memcpy(target, &value, sizeof(T));
}

/// Lanes of a warp at the same place.
struct Group {
  enum class State : uint8_t { Runnable, AtBarrier, AtMember };
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t frame = 0;     // bytes from the start of the register file
  uint32_t registers = 0; // first entry in the defined masks
  uint32_t local = 0;     // bytes from the start of a lane's memory
  uint32_t depth = 0;
  uint32_t function = 0;
  State state = State::Runnable;
  uint8_t barrier = 0;
  uint32_t expected = 0;    // threads at that barrier, 0 for all
  bool awaitsLanes = false; // at a barrier that its warp has not arrived at yet
  bool forced = false;      // a member wait that can never end was reported
};

/// One cp.async of a warp, not landed yet for the lanes in `mask`.
struct AsyncCopy {
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint8_t size = 0;
  bool hasLanded = false;
  uint32_t destination[32];
  uint8_t *source[32];
  uint8_t sourceSize[32];
  uint32_t groupNumber[32];
};

class Warp {
public:
  Warp(Block &block, unsigned index, uint32_t lanes);

  enum class Stop : uint8_t { Budget, Blocked, Yielded, Finished };
  /// Runs up to `budget` instructions.
  Stop run(uint64_t budget, uint64_t &steps);

  bool isFinished() const { return groups.empty(); }
  bool isRunnable() const;

  // For handlers.
  const uint8_t *rowAt(const Operand &operand) const {
    return bases[static_cast<size_t>(operand.base)] + operand.offset;
  }
  /// A row of 32-bit words; wider registers are narrowed into `scratch`.
  const uint32_t *read32(const Operand &operand, uint32_t *scratch) const {
    const uint8_t *row = rowAt(operand);
    if (operand.width == 4) [[likely]]
      return reinterpret_cast<const uint32_t *>(row);
    for (unsigned lane = 0; lane < 32; ++lane)
      std::memcpy(&scratch[lane], row + size_t(lane) * operand.width, 4);
    return scratch;
  }
  const uint64_t *read64(const Operand &operand, uint64_t *scratch) const {
    const uint8_t *row = rowAt(operand);
    if (operand.width == 8) [[likely]]
      return reinterpret_cast<const uint64_t *>(row);
    for (unsigned lane = 0; lane < 32; ++lane) {
      scratch[lane] = 0;
      std::memcpy(&scratch[lane], row + size_t(lane) * operand.width, operand.width < 8 ? 4 : 8);
    }
    return scratch;
  }
  uint32_t readPredicate(const Operand &operand) const {
    uint32_t value;
    std::memcpy(&value, rowAt(operand), 4);
    return operand.isNegated ? ~value : value;
  }
  void writePredicate(const Operand &operand, uint32_t value, uint32_t active) {
    if (!operand.isPresent())
      return;
    uint8_t *target = frame() + operand.offset;
    uint32_t old;
    std::memcpy(&old, target, 4);
    old = (old & ~active) | (value & active);
    std::memcpy(target, &old, 4);
  }
  void write32(const Operand &operand, const uint32_t *values, uint32_t active) {
    if (operand.width == 4 && operand.isPresent() && active == ~0u) [[likely]]
      std::memcpy(frame() + operand.offset, values, 128);
    else
      write32Slowly(operand, values, active);
  }
  void write64(const Operand &operand, const uint64_t *values, uint32_t active);
  uint8_t *frame() { return registerFile + current->frame; }

  // Memory, in Access.cpp.
  void computeAddresses(const Operand &base, int64_t offset, uint64_t *out) const;
  /// Finds the bytes of an access and checks it. Returns the lanes whose access is sound.
  uint32_t resolve(const Instruction &instruction, uint32_t active, const Operand &base,
                   int64_t offset, unsigned size, Space space, AccessKind kind, LanePointers &out);
  /// A read of global memory of any size by one lane.
  bool resolveBytes(const Instruction &instruction, unsigned lane, const Operand &base,
                    int64_t offset, unsigned size, unsigned alignment, LanePointers &out);
  /// Initialisation and race check of one lane's access to shared memory.
  void checkShared(const Instruction &instruction, unsigned lane, uint64_t offset, unsigned size,
                   AccessKind kind);
  bool hasChecks() const { return checks; }

  // cp.async, in Async.cpp.
  void issueCopies(const Instruction &instruction, uint32_t active, const LanePointers &source,
                   const uint64_t *destination, const uint8_t *sourceSize);
  void commitCopies(uint32_t active);
  void waitCopies(uint32_t active, uint32_t newest);

  /// Reports a fault of the instruction at the current place.
  void report(FaultKind kind, std::string message, int lane);
  void report(Fault fault, int lane);
  Fault makeFault(FaultKind kind, const Instruction &instruction, std::string message) const;
  void describeThread(Fault &fault, int lane) const;
  const Instruction &currentInstruction() const { return program.instructions[current->pc]; }
  std::string describeWaits() const;
  std::string formatRegister(const std::string &name, uint32_t active) const;
  Dim3 threadIndex(unsigned lane) const;

  void releaseBarrier(unsigned barrier, const uint32_t *reduced);
  bool forceMembers();
  const Instruction &firstWaiting() const;

  Block &block;
  const LaunchState &launch;
  const Program &program;
  const unsigned index;
  const uint32_t present; // lanes that hold a thread
  uint32_t exited = 0;
  Group *current = nullptr;
  uint64_t clock = 0;
  uint32_t carry = 0; // the carry flag of each lane

private:
  void write32Slowly(const Operand &operand, const uint32_t *values, uint32_t active);
  template <bool Checked, bool Observed> Stop runLoop(uint64_t budget, uint64_t &steps);
  bool selectGroup();
  void mergeGroups();
  void enterFrame();
  bool checkRegisters(const Instruction &instruction, uint32_t active);
  void reportUndefined(const Instruction &instruction, uint32_t number, uint32_t lanes);
  bool branch(const Instruction &instruction, uint32_t active);
  void branchIndexed(const Instruction &instruction, uint32_t active);
  void call(const Instruction &instruction, uint32_t active);
  void returnLanes(const Instruction &instruction, uint32_t active);
  void exitLanes(uint32_t lanes);
  bool executeMember(const Instruction &instruction, uint32_t active);
  bool executeBarrier(const Instruction &instruction, uint32_t active);
  void splitGuarded(uint32_t active);
  void forceBypassed();
  bool arriveTogether(unsigned number);
  bool awaitWarp(const Instruction &instruction, uint32_t active, FaultKind kind);
  void removeCurrent();
  void split(uint32_t lanes);
  void refreshSpecials();
  void observe(const Instruction &instruction, uint32_t active, bool before);
  void writeCopy(const AsyncCopy &copy, uint32_t lanes);
  void observeAccess(const Instruction &instruction, uint32_t active, const uint64_t *addresses,
                     unsigned size, bool isWrite, Space space);
  bool isSameStore(const Instruction &instruction, unsigned lane,
                   const RaceConflict &conflict) const;
  bool resolveSharedTogether(const Instruction &instruction, uint32_t active, unsigned size,
                             AccessKind kind, LanePointers &out);
  bool resolveGlobalTogether(const Instruction &instruction, uint32_t active, unsigned size,
                             AccessKind kind, LanePointers &out);
  uint8_t *resolveLane(const Instruction &instruction, unsigned lane, unsigned size, Space space,
                       AccessKind kind, LanePointers &out);
  void checkGlobal(const Instruction &instruction, uint32_t active, const uint64_t *addresses,
                   unsigned size, AccessKind kind, Allocation &allocation);
  uint8_t *resolveLocal(const Instruction &instruction, unsigned lane, uint64_t address,
                        unsigned size, bool isWrite, Space space);
  void countGlobal(uint32_t active, const uint64_t *addresses, unsigned size);
  void growLocal(uint32_t bytes);
  void fillSpecials();

  struct ReturnRecord {
    uint32_t pc, frame, registers, local, depth, function, call;
  };

  bool checks;
  std::vector<Group> groups;
  std::unique_ptr<uint8_t[]> registerStorage;
  uint8_t *registerFile = nullptr;
  size_t registerCapacity = 0;
  std::vector<uint32_t> defined;
  uint32_t *definedNow = nullptr;
  std::vector<uint64_t> specialRows;
  const uint8_t *bases[4] = {};
  std::vector<ReturnRecord> returns[32];
  uint32_t spins = 0;
  uint32_t avoidSteps = 0;

public:
  // Lane memory: local variables and call parameters, `localCapacity` bytes for each lane.
  std::vector<uint8_t> localMemory;
  std::vector<uint8_t> localWritten;
  uint32_t localCapacity = 0;

private:
  std::vector<AsyncCopy> copies;
  uint32_t openGroup[32] = {};
  // The allocation of the last global access.
  Allocation *lastAllocation = nullptr;
  // Of the access being checked.
  const uint64_t *accessAddresses = nullptr;
  uint32_t accessLanes = 0;
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_WARP_H
