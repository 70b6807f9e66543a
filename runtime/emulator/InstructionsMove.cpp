//===- InstructionsMove.cpp - mov, cvta and isspacep ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/ProgramBuilder.h"
#include "runtime/emulator/Windows.h"

namespace attnc::emu {
namespace {

void runMovePredicate(Warp &warp, const Instruction &instruction, uint32_t active) {
  warp.writePredicate(instruction.d, warp.readPredicate(instruction.a), active);
}

void runMove128(Warp &warp, const Instruction &instruction, uint32_t active) {
  const uint8_t *source = warp.rowAt(instruction.a);
  uint8_t *target = warp.frame() + instruction.d.offset;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (active >> lane & 1)
      std::memmove(target + lane * 16, source + lane * 16, 16);
}

/// The address of a local variable of this frame: immediate is its offset.
void runMoveLocal(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint64_t out[32];
  for (uint64_t &value : out)
    value = warp.current->local + instruction.immediate;
  if (instruction.d.width == 8)
    return warp.write64(instruction.d, out, active);
  uint32_t words[32];
  for (uint32_t &value : words)
    value = static_cast<uint32_t>(out[0]);
  warp.write32(instruction.d, words, active);
}

uint8_t elementBytes(const Operand &operand) { return operand.isNarrow ? 2 : operand.width; }

/// d = {a, b...}: the first element goes to the lowest bits. `size` is the bytes of one element.
void runJoin(Warp &warp, const Instruction &instruction, uint32_t active) {
  const Operand *parts = &warp.program.operands[instruction.firstOperand];
  uint8_t rows[32][16] = {};
  for (unsigned i = 0; i < instruction.count; ++i) {
    const uint8_t *source = warp.rowAt(parts[i]);
    for (unsigned lane = 0; lane < 32; ++lane)
      std::memcpy(&rows[lane][i * instruction.size], source + size_t(lane) * parts[i].width,
                  instruction.size);
  }
  uint8_t *target = warp.frame() + instruction.d.offset;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (active >> lane & 1)
      std::memcpy(target + size_t(lane) * instruction.d.width, rows[lane], instruction.d.width);
}

/// {d, e...} = a.
void runSplit(Warp &warp, const Instruction &instruction, uint32_t active) {
  const Operand *parts = &warp.program.operands[instruction.firstOperand];
  uint8_t rows[32][16] = {};
  const uint8_t *source = warp.rowAt(instruction.a);
  for (unsigned lane = 0; lane < 32; ++lane)
    std::memcpy(rows[lane], source + size_t(lane) * instruction.a.width, instruction.a.width);
  for (unsigned i = 0; i < instruction.count; ++i) {
    if (!parts[i].isPresent())
      continue;
    uint8_t *target = warp.frame() + parts[i].offset;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!(active >> lane & 1))
        continue;
      std::memset(target + size_t(lane) * parts[i].width, 0, parts[i].width);
      std::memcpy(target + size_t(lane) * parts[i].width, &rows[lane][i * instruction.size],
                  instruction.size);
    }
  }
}

Type typeOfSize(unsigned size) {
  return size == 1 ? Type::B8 : size == 2 ? Type::B16 : size == 4 ? Type::B32 : Type::B64;
}

void decodeMoveVector(Decoder &decoder, Type type) {
  unsigned size = getTypeSize(type);
  bool isJoin = decoder.at(1).kind == AstOperand::Kind::Vector;
  const AstOperand &vector = decoder.at(isJoin ? 1 : 0);
  size_t count = vector.parts.size();
  if (count < 2 || size % count != 0)
    decoder.fail("a vector of " + std::to_string(count) + " elements does not fit `" +
                 decoder.source.opcode + "`");
  auto elementSize = static_cast<unsigned>(size / count);
  decoder.out.count = static_cast<uint8_t>(count);
  decoder.out.size = static_cast<uint8_t>(elementSize);
  if (isJoin) {
    decoder.out.firstOperand = static_cast<uint32_t>(decoder.builder.getProgram().operands.size());
    decoder.appendVector(vector, typeOfSize(elementSize), false, count);
    decoder.out.d = decoder.result(0, type);
    decoder.out.handler = &runJoin;
  } else {
    decoder.out.a = decoder.value(1, type);
    decoder.out.firstOperand = static_cast<uint32_t>(decoder.builder.getProgram().operands.size());
    decoder.appendVector(vector, typeOfSize(elementSize), true, count);
    decoder.out.handler = &runSplit;
  }
  if (decoder.out.d.isPresent() && elementBytes(decoder.out.d) < size)
    decoder.failUnknown();
}

void decodeMove(Decoder &decoder) {
  Type type = decoder.expectType();
  decoder.expectOperands(2, 2);
  decoder.out.kind = InstructionClass::Move;
  if (type == Type::Pred) {
    decoder.out.d = decoder.predicateResult(decoder.at(0));
    decoder.out.a = decoder.predicate(decoder.at(1));
    decoder.out.handler = &runMovePredicate;
    return;
  }
  const AstOperand &source = decoder.at(1);
  if (decoder.at(0).kind == AstOperand::Kind::Vector || source.kind == AstOperand::Kind::Vector)
    return decodeMoveVector(decoder, type);
  if (!isInteger(type) && type != Type::F32 && type != Type::F64 && type != Type::F16 &&
      type != Type::BF16 && type != Type::B128)
    decoder.failUnknown();
  Symbol symbol;
  if (source.kind == AstOperand::Kind::Symbol &&
      decoder.builder.findSymbol(source.name, source.scope, symbol) &&
      (symbol.kind == Symbol::Kind::Local || symbol.kind == Symbol::Kind::FunctionParameter)) {
    decoder.out.d = decoder.result(0, type);
    decoder.out.immediate = symbol.address + static_cast<uint64_t>(source.offset);
    decoder.out.handler = &runMoveLocal;
    return;
  }
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  unsigned size = getTypeSize(type);
  if (size == 16)
    decoder.out.handler = &runMove128;
  else if (size == 8)
    decoder.out.handler = unaryOf<uint64_t>([](uint64_t a) { return a; });
  else if (size == 2)
    decoder.out.handler = unaryOf<uint16_t>([](uint16_t a) { return a; });
  else
    decoder.out.handler = unaryOf<uint32_t>([](uint32_t a) { return a; });
}

/// Between a window and generic addresses; mode 1 goes to the window.
void runConvertAddress(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint64_t scratch[32], out[32];
  const uint64_t *a = warp.read64(instruction.a, scratch);
  for (unsigned lane = 0; lane < 32; ++lane)
    out[lane] =
        instruction.mode ? a[lane] - instruction.immediate : a[lane] + instruction.immediate;
  if (instruction.d.width == 8)
    return warp.write64(instruction.d, out, active);
  uint32_t words[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    words[lane] = static_cast<uint32_t>(out[lane]);
  warp.write32(instruction.d, words, active);
}

uint64_t windowOf(Space space) {
  switch (space) {
  case Space::Shared:
    return sharedWindow;
  case Space::Local:
    return localWindow;
  case Space::Param:
    return parameterWindow;
  default:
    return 0;
  }
}

void decodeConvertAddress(Decoder &decoder) {
  bool toSpace = decoder.take("to");
  if (decoder.has("shared::cluster"))
    decoder.refuse("clusters");
  Space space = decoder.takeSpace();
  Type type = decoder.expectTypeOf({Type::U32, Type::U64});
  if (space == Space::Generic)
    decoder.failUnknown();
  if (type == Type::U32)
    decoder.refuse("32-bit generic addresses");
  decoder.expectOperands(2, 2);
  decoder.out.kind = InstructionClass::Move;
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  decoder.out.mode = toSpace;
  decoder.out.immediate = windowOf(space);
  decoder.out.handler = &runConvertAddress;
}

void runIsSpace(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint64_t scratch[32];
  const uint64_t *a = warp.read64(instruction.a, scratch);
  uint32_t result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint64_t window = a[lane] >= sharedWindow      ? sharedWindow
                      : a[lane] >= localWindow     ? localWindow
                      : a[lane] >= parameterWindow ? parameterWindow
                                                   : 0;
    bool holds = window == instruction.immediate ||
                 (instruction.immediate == 0 && window == parameterWindow);
    result |= uint32_t(holds) << lane;
  }
  warp.writePredicate(instruction.d, result, active);
}

void decodeIsSpace(Decoder &decoder) {
  if (decoder.has("shared::cluster"))
    decoder.refuse("clusters");
  Space space = decoder.takeSpace();
  if (space == Space::Generic)
    decoder.failUnknown();
  decoder.expectOperands(2, 2);
  decoder.out.kind = InstructionClass::Predicate;
  decoder.out.d = decoder.predicateResult(decoder.at(0));
  decoder.out.a = decoder.value(1, Type::U64);
  decoder.out.immediate = windowOf(space);
  decoder.out.handler = &runIsSpace;
}

} // namespace

void registerMove(InstructionTable &table) {
  table["mov"] = decodeMove;
  table["cvta"] = decodeConvertAddress;
  table["isspacep"] = decodeIsSpace;
}

} // namespace attnc::emu
