//===- ProgramBuilder.h - Lays out an entry and the functions it calls ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_PROGRAMBUILDER_H
#define RUNTIME_EMULATOR_PROGRAMBUILDER_H

#include "runtime/emulator/Decoder.h"

#include <set>

namespace attnc::emu {

/// A resolved symbol operand.
struct Symbol {
  enum class Kind : uint8_t { Shared, Local, EntryParameter, FunctionParameter, Global };
  Kind kind;
  uint64_t address;
};

class ProgramBuilder {
public:
  ProgramBuilder(std::shared_ptr<const ModuleAst> module, const GlobalAddresses &globals,
                 Program &program, std::vector<Diagnostic> &diagnostics,
                 std::set<std::string> &reported);

  /// Decodes `entry` and everything it calls.
  bool build(const Function &entry);

  // For Decoder.
  const Function &currentFunction() const { return *current; }
  uint32_t currentIndex() const { return currentNumber; }
  Program &getProgram() { return program; }
  uint32_t constantRow(uint64_t low, unsigned width);
  uint32_t specialRow(std::string_view name, uint8_t &width, bool &isDynamic);
  bool findSymbol(std::string_view name, uint32_t scope, Symbol &symbol);
  bool findLabel(std::string_view name, uint32_t scope, uint32_t &target) const;
  const std::vector<AstOperand> *findBranchTargets(std::string_view name, uint32_t scope) const;
  /// The index of a device function to call, laying it out on the first use. -1 when unknown.
  int functionNumber(std::string_view name);
  const Function &functionAt(uint32_t number) const { return *functions[number]; }
  bool parameterOffset(uint32_t function, std::string_view name, uint32_t &offset) const;
  bool localOffset(uint32_t function, std::string_view name, uint32_t scope, uint32_t &offset,
                   uint32_t &size) const;

private:
  void layOutFrame(uint32_t number);
  void layOutShared();
  void placeShared(const Variable &variable, const std::string &key);
  void decodeFunction(uint32_t number);
  void report(const DecodeError &error);

  std::shared_ptr<const ModuleAst> module;
  const GlobalAddresses &globals;
  Program &program;
  std::vector<Diagnostic> &diagnostics;
  std::set<std::string> &reported;
  std::vector<const Function *> functions;
  const Function *current = nullptr;
  uint32_t currentNumber = 0;
  std::map<std::pair<uint64_t, unsigned>, uint32_t> constantRows;
  std::map<std::string, uint32_t, std::less<>> specialRows;
  std::map<std::string, uint64_t, std::less<>> sharedOffsets;
  std::vector<std::map<std::string, uint32_t, std::less<>>> frameOffsets;
  bool failed = false;
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_PROGRAMBUILDER_H
