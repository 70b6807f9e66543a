//===- Ast.h - PTX text as parsed, before decoding --------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_AST_H
#define RUNTIME_EMULATOR_AST_H

#include "runtime/emulator/Types.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace attnc::emu {

/// The address of a variable placed in an initialiser.
struct Relocation {
  uint64_t offset;
  std::string symbol;
  int64_t addend;
};

/// A variable of any space, or a parameter.
struct Variable {
  std::string name;
  Space space = Space::Generic;
  Type type = Type::None;
  uint64_t size = 0; // bytes
  uint32_t alignment = 1;
  bool isExternal = false; // size known only at launch
  std::vector<uint8_t> initializer;
  std::vector<Relocation> relocations;
  Location location;
};

/// A declared register.
struct Register {
  std::string name;
  Type type;
};

/// One operand as written. Names of registers are resolved by the parser, labels and variables
/// later.
struct AstOperand {
  enum class Kind : uint8_t {
    Register,
    Special, // %tid.x and the like, in `name`
    Symbol,  // label, variable or function, with an optional offset
    Integer,
    Float32,
    Float64,
    Sink,    // _
    Vector,  // { parts }
    Address, // [ parts[0] + offset, parts[1]... ]
    Pair,    // parts[0] | parts[1]
    List,    // ( parts ), of a call
  };
  Kind kind = Kind::Sink;
  bool negated = false; // !%p
  uint32_t index = 0;   // register number in the function
  uint32_t scope = 0;   // scope the name was written in
  uint64_t value = 0;
  int64_t offset = 0;
  std::string name;
  std::vector<AstOperand> parts;
  Location location;
};

struct AstInstruction {
  Location location;
  std::string opcode;
  std::vector<AstOperand> operands;
  bool guarded = false;
  bool guardNegated = false;
  uint32_t guard = 0; // register number
  uint32_t scope = 0;
  uint32_t sourceFile = 0; // of the last .loc, 0 if none
  uint32_t sourceLine = 0;
};

/// A `{ }` scope: names of registers, labels and variables.
struct Scope {
  uint32_t parent = 0;
  std::map<std::string, uint32_t, std::less<>> registers;                    // exact names
  std::map<std::string, std::pair<uint32_t, uint32_t>, std::less<>> ranges;  // %r<N>: first, count
  std::map<std::string, uint32_t, std::less<>> labels;                       // instruction number
  std::map<std::string, std::vector<AstOperand>, std::less<>> branchTargets; // .branchtargets
  std::map<std::string, uint32_t, std::less<>> variables; // index in the function
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool hasBody = false;
  Location location;
  std::vector<Variable> parameters;
  std::vector<Variable> results;
  std::vector<Register> registers;
  std::vector<Variable> variables;
  std::vector<Scope> scopes; // scopes[0] is the body
  std::vector<AstInstruction> body;
  std::array<uint64_t, 3> requiredThreads{0, 0, 0}; // .reqntid, 0 = none
  std::array<uint64_t, 3> maximumThreads{0, 0, 0};  // .maxntid
  std::array<uint64_t, 3> requiredCluster{0, 0, 0}; // .reqnctapercluster
};

/// A whole PTX file.
struct ModuleAst {
  std::string version;
  std::string target;
  unsigned addressSize = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::map<uint32_t, std::string> sourceFiles; // .file
  std::vector<std::string> lines;              // the text, for reports
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_AST_H
