//===- Decoder.h - Decoding of one instruction ------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_DECODER_H
#define RUNTIME_EMULATOR_DECODER_H

#include "runtime/emulator/Half.h"
#include "runtime/emulator/Program.h"

#include <functional>
#include <string_view>
#include <unordered_map>

namespace attnc::emu {

/// Thrown while an instruction is decoded; becomes a Diagnostic.
struct DecodeError {
  Location location;
  std::string message;
  /// Errors with the same key are reported once.
  std::string key;
};

/// Layout of one program while its functions are decoded.
class ProgramBuilder;

/// What an instruction's decoder works with: modifiers to take, operands to turn into rows, and the
/// instruction to fill. Modifiers left over at the end are an error.
class Decoder {
public:
  Decoder(ProgramBuilder &builder, const AstInstruction &source, Instruction &out);

  std::string_view name() const { return parts[0]; }
  Instruction &out;
  const AstInstruction &source;

  // Modifiers.
  bool take(std::string_view modifier);
  /// Takes the first of `choices` present; returns its index or -1.
  int takeOneOf(std::initializer_list<std::string_view> choices);
  bool has(std::string_view modifier) const;
  Type takeType();
  Type expectType();
  Type expectTypeOf(std::initializer_list<Type> types);
  Space takeSpace();
  RoundingMode takeRounding(bool &isGiven);
  void takeCacheHints();
  Ordering takeOrdering();
  void finishModifiers();

  // Operands.
  size_t operandCount() const { return source.operands.size(); }
  void expectOperands(size_t minimum, size_t maximum);
  Operand result(const AstOperand &operand, Type type);
  Operand result(size_t index, Type type) { return result(at(index), type); }
  Operand value(const AstOperand &operand, Type type);
  Operand value(size_t index, Type type) { return value(at(index), type); }
  Operand predicateResult(const AstOperand &operand);
  Operand predicate(const AstOperand &operand);
  /// `d|p`: the value in `out.d`, the predicate in `out.e`.
  void resultWithPredicate(size_t index, Type type);
  /// Fills out.a and out.offset with the address `[...]`.
  void address(size_t index, Space space) { address(at(index), space, out.a, out.offset); }
  void address(const AstOperand &operand, Space space, Operand &base, int64_t &offset);
  uint64_t immediate(size_t index, std::string_view what);
  uint32_t label(const AstOperand &operand);
  /// Appends to Program::operands; the first sets out.firstOperand.
  void appendVector(const AstOperand &operand, Type type, bool isResult, size_t expected);
  Operand constant(uint64_t value, unsigned width);
  const AstOperand &at(size_t index) const;
  Type registerType(const AstOperand &operand) const;

  [[noreturn]] void fail(std::string message, std::string key = "") const;
  [[noreturn]] void failUnknown() const;
  /// A feature of a later stage.
  [[noreturn]] void refuse(std::string_view reason) const;

  ProgramBuilder &builder;

private:
  void noteRead(const Operand &operand);
  void noteWrite(const Operand &operand);

  std::vector<std::string_view> parts;
  std::vector<bool> taken;
};

using DecodeFunction = void (*)(Decoder &);
using InstructionTable = std::unordered_map<std::string_view, DecodeFunction>;

// One registration per family of instructions.
void registerInteger(InstructionTable &table);
void registerBits(InstructionTable &table);
void registerFloat(InstructionTable &table);
void registerApproximate(InstructionTable &table);
void registerConvert(InstructionTable &table);
void registerCompare(InstructionTable &table);
void registerMove(InstructionTable &table);
void registerMemory(InstructionTable &table);
void registerAtomic(InstructionTable &table);
void registerAsync(InstructionTable &table);
void registerMatrix(InstructionTable &table);
void registerExchange(InstructionTable &table);
void registerControl(InstructionTable &table);
void registerRefused(InstructionTable &table);

/// add, sub, mul, fma, div, min, max, abs, neg... of a floating-point type.
void decodeFloating(Decoder &decoder);
void decodeHalf(Decoder &decoder);
/// The instructions whose results PTX only bounds: ex2, lg2, rcp, rsqrt, div.full...
void decodeApproximate(Decoder &decoder);

const InstructionTable &getInstructionTable();

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_DECODER_H
