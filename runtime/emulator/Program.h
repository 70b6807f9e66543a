//===- Program.h - A kernel decoded for execution ---------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_PROGRAM_H
#define RUNTIME_EMULATOR_PROGRAM_H

#include "runtime/emulator/Ast.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attnc::emu {

class Warp;
struct Instruction;

/// Executes one instruction for the lanes in `active`.
using Handler = void (*)(Warp &warp, const Instruction &instruction, uint32_t active);

/// Where the row of an operand lies.
enum class Base : uint8_t { Frame, Constant, Special, None };

/// A row of 32 values: a register, an immediate (a constant row) or a special register.
struct Operand {
  Base base = Base::None;
  uint8_t width = 4;      // bytes of one lane in the row: 4, 8, 16; 0 for a predicate (one mask)
  bool isNarrow = false;  // a 16-bit or 8-bit register in a 32-bit row, kept zero-extended
  bool isNegated = false; // of a predicate
  uint32_t offset = 0;    // bytes from the base
  uint32_t number = 0;    // register number
  bool isPresent() const { return base != Base::None; }
};

/// What the warp does around the handler.
enum class Control : uint8_t {
  Next, // run the handler, go on
  Branch,
  BranchIndexed,
  Call,
  Return,
  Exit,
  Trap,
  Aligned, // every lane of the warp must take part, then like Next
  Member,  // .sync with a member mask in operand `m`: lanes wait for each other
  Barrier,
  Yield,
};

/// Classes counted by the statistics.
enum class InstructionClass : uint8_t {
  Integer,
  Float,
  Half,
  Double,
  Special,
  Convert,
  Move,
  Predicate,
  Control,
  LoadGlobal,
  StoreGlobal,
  LoadShared,
  StoreShared,
  LoadLocal,
  StoreLocal,
  LoadParam,
  Atomic,
  AsyncCopy,
  Matrix,
  Exchange,
  Barrier,
  Fence,
  Count,
};

std::string_view getClassName(InstructionClass kind);

/// Memory ordering strength of an access.
enum class Ordering : uint8_t { Weak, Relaxed, Acquire, Release, AcquireRelease };

struct Instruction {
  Handler handler = nullptr;
  Control control = Control::Next;
  InstructionClass kind = InstructionClass::Integer;
  bool isGuarded = false;
  bool guardNegated = false;
  bool refreshSpecials = false;
  uint8_t size = 0;  // bytes of one element in memory, or of one copy
  uint8_t count = 1; // vector length
  uint8_t mode = 0;  // meaning depends on the handler
  Space space = Space::Generic;
  Ordering ordering = Ordering::Weak;
  bool isReadOnly = false; // ld.global.nc
  bool isStore = false;
  bool isAligned = false;       // needs the whole warp
  bool isCollective = false;    // all lanes of the warp read together
  bool paramIsLocal = false;    // a .param variable of a function, not of the entry
  bool localIsRelative = false; // the address counts from the frame
  uint32_t guard = 0;           // frame offset of the predicate
  uint32_t guardNumber = 0;
  uint32_t target = 0; // of a branch; of an aligned instruction, its entry in Program::bypasses
  Operand d, e;        // results
  Operand a, b, c, m;  // sources
  int64_t offset = 0;  // of an address
  uint64_t immediate = 0;
  uint32_t firstOperand = 0; // in Program::operands
  uint32_t firstRead = 0;    // in Program::registerLists
  uint32_t firstWrite = 0;
  uint16_t reads = 0;
  uint16_t writes = 0;
  uint32_t extra = 0; // index of a table, depends on the handler
  uint32_t line = 0;
  uint32_t function = 0;
  uint32_t sourceFile = 0;
  uint32_t sourceLine = 0;
};

/// A function as laid out in a frame.
struct FunctionInfo {
  std::string name;
  uint32_t entry = 0;
  uint32_t frameBytes = 0;
  uint32_t registers = 0;
  uint32_t localBytes = 0; // local and .param variables of one lane
  std::vector<Register> registerNames;
  std::vector<uint32_t> registerOffsets;
  std::vector<Variable> locals; // with `offsets`
  std::vector<uint32_t> localOffsets;
};

/// One value passed by a call: bytes copied between per-lane frames.
struct CallCopy {
  uint32_t from;
  uint32_t to;
  uint32_t size;
};

struct CallInfo {
  uint32_t function;
  std::vector<CallCopy> arguments;
  std::vector<CallCopy> results; // from the callee's frame to the caller's
};

/// A variable with a place in a window shared by a block or the whole launch.
struct PlacedVariable {
  std::string name;
  uint64_t offset;
  uint64_t size; // 0: to the end (dynamic shared memory)
};

struct SpecialRegister {
  std::string name;
  uint8_t width;
};

/// An entry with all functions it calls.
struct Program {
  std::string name;
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<uint32_t> registerLists;
  std::vector<FunctionInfo> functions; // 0 is the entry
  std::vector<CallInfo> calls;
  std::vector<std::vector<uint32_t>> branchTables;
  /// For aligned instructions: where lanes come out that went round it. The first entry is empty.
  std::vector<std::vector<uint32_t>> bypasses{{}};
  std::vector<uint64_t> constants; // rows of 32 words each
  std::vector<SpecialRegister> specials;
  std::vector<PlacedVariable> parameters;
  uint64_t parameterBytes = 0;
  std::vector<PlacedVariable> shared;
  uint64_t staticShared = 0;
  uint64_t dynamicSharedOffset = 0;
  bool usesDynamicShared = false;
  bool communicates = false; // may exchange data between blocks: atomics, fences, volatile accesses
  bool mayWaitForBlocks = false;
  std::array<uint64_t, 3> requiredThreads{0, 0, 0};
  std::array<uint64_t, 3> maximumThreads{0, 0, 0};
  std::array<uint64_t, 3> requiredCluster{0, 0, 0};
  std::shared_ptr<const ModuleAst> module;
};

/// Finds the bypasses of the aligned instructions of a function whose instructions are the last of
/// the program.
void findBypasses(Program &program, uint32_t function);

/// Addresses of module-scope `.global` and `.const` variables.
using GlobalAddresses = std::map<std::string, uint64_t, std::less<>>;

/// Decodes every entry of `module`. What is unknown or refused is reported once per name.
bool decodeModule(const std::shared_ptr<const ModuleAst> &module, const GlobalAddresses &globals,
                  std::vector<std::unique_ptr<Program>> &programs,
                  std::vector<Diagnostic> &diagnostics);

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_PROGRAM_H
