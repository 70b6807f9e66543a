//===- Report.h - Faults found while a kernel runs --------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_REPORT_H
#define RUNTIME_EMULATOR_REPORT_H

#include "runtime/emulator/Types.h"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace attnc::emu {

using Dim3 = std::array<uint32_t, 3>;

enum class FaultKind : uint8_t {
  OutOfBounds,
  UseAfterFree,
  Misaligned,
  WrongSpace,
  UninitializedRegister,
  UninitializedMemory,
  Race,
  AsyncNotWaited,
  AsyncNeverWaited, // warning
  BarrierDivergence,
  BarrierMisuse,
  Deadlock,
  Convergence,
  InactiveLane,
  ReadOnlyWritten,
  InvalidOperand,
  DivisionByZero,    // strict
  InvalidConversion, // strict
  OverwideShift,     // strict
  Trap,
  StackOverflow,
  StepBudget,
  Launch,
};

/// The name used in reports: `out of bounds`, `race`...
std::string_view getFaultName(FaultKind kind);
/// True for kinds that do not fail a launch unless it is strict.
bool isWarning(FaultKind kind);

/// One fault; equal ones (kind, PTX lines, allocation) are merged and counted.
struct Fault {
  FaultKind kind = FaultKind::Launch;
  std::string message; // one line, without the place
  std::string kernel;
  uint32_t line = 0; // of the PTX text
  std::string text;  // the instruction
  std::string sourceFile;
  uint32_t sourceLine = 0;
  Dim3 block{};
  Dim3 thread{};
  int warp = -1;
  int lane = -1;
  bool hasAddress = false;
  uint64_t address = 0;
  uint32_t size = 0;
  std::string space;
  std::string allocation;
  uint32_t otherLine = 0;           // the other access of a race
  std::vector<std::string> details; // further lines
  std::string schedule;
  uint64_t count = 1;
};

/// Text of one fault for people, several lines.
std::string formatFault(const Fault &fault);
/// A JSON array for tools.
std::string formatFaultsAsJson(const std::vector<Fault> &faults);
/// `text` as a JSON string with its quotes.
std::string quoteJson(std::string_view text);

/// Collects faults in the order found and merges equal ones.
class FaultLog {
public:
  void add(Fault fault);
  void merge(const FaultLog &other);
  bool contains(FaultKind kind, uint32_t line, uint32_t otherLine,
                const std::string &allocation) const {
    return index.count({kind, line, otherLine, allocation}) != 0;
  }
  const std::vector<Fault> &getFaults() const { return faults; }
  bool empty() const { return faults.empty(); }

private:
  std::vector<Fault> faults;
  std::map<std::tuple<FaultKind, uint32_t, uint32_t, std::string>, size_t> index;
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_REPORT_H
