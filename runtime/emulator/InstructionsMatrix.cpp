//===- InstructionsMatrix.cpp - mma.sync, ldmatrix and movmatrix ----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Block.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Mma.h"
#include "runtime/emulator/ProgramBuilder.h"

#include <algorithm>

namespace attnc::emu {
namespace {

/// Operands in Program::operands: D, A, B, C. mode: type, bit 2 = f16 result; count = K.
void runMma(Warp &warp, const Instruction &instruction, uint32_t active) {
  bool isHalfResult = instruction.mode & 4;
  auto type = static_cast<MatrixType>(instruction.mode & 3);
  unsigned columns = type == MatrixType::TF32 ? 4 : 8;
  unsigned countA = 2 * instruction.count / columns, countB = instruction.count / columns;
  unsigned countC = isHalfResult ? 2 : 4;
  const Operand *operands = &warp.program.operands[instruction.firstOperand];
  uint32_t scratch[10][32];
  const uint32_t *rows[10];
  unsigned sources = countA + countB + countC;
  for (unsigned i = 0; i < sources; ++i)
    rows[i] = warp.read32(operands[countC + i], scratch[i]);
  uint32_t d[4][32];
  multiplyMatrices(type, instruction.count, isHalfResult, rows, rows + countA,
                   rows + countA + countB, d);
  for (unsigned i = 0; i < countC; ++i)
    warp.write32(operands[i], d[i], active);
}

void decodeMma(Decoder &decoder) {
  Instruction &out = decoder.out;
  for (std::string_view later : {"sp", "sp::ordered_metadata", "block_scale", "kind::f8f6f4"})
    if (decoder.has(later))
      decoder.refuse("sparse and block-scaled products are out of scope");
  if (!decoder.take("sync") || !decoder.take("aligned"))
    decoder.failUnknown();
  int shape = decoder.takeOneOf({"m16n8k16", "m16n8k8", "m16n8k4"});
  if (shape < 0) {
    for (std::string_view later : {"m16n8k32", "m16n8k64", "m8n8k4", "m8n8k16", "m8n8k32",
                                   "m8n8k128", "m16n8k128", "m16n8k256"})
      if (decoder.has(later))
        decoder.refuse("only the f16, bf16 and tf32 shapes of m16n8 are modelled");
    decoder.failUnknown();
  }
  if (!decoder.take("row") || !decoder.take("col"))
    decoder.failUnknown();
  Type typeD = decoder.expectType(), typeA = decoder.expectType(), typeB = decoder.expectType(),
       typeC = decoder.expectType();
  if (typeA == Type::S8 || typeA == Type::U8 || typeA == Type::F64 || typeA == Type::E4M3)
    decoder.refuse("only the f16, bf16 and tf32 shapes of m16n8 are modelled");
  MatrixType type;
  if (typeA == Type::F16)
    type = MatrixType::F16;
  else if (typeA == Type::BF16)
    type = MatrixType::BF16;
  else if (typeA == Type::TF32)
    type = MatrixType::TF32;
  else
    decoder.failUnknown();
  bool isHalfResult = typeD == Type::F16;
  bool isShapeRight = type == MatrixType::TF32 ? shape >= 1 : shape <= 1;
  if (typeA != typeB || typeC != typeD || (!isHalfResult && typeD != Type::F32) ||
      (isHalfResult && type != MatrixType::F16) || !isShapeRight)
    decoder.failUnknown();
  unsigned depth = 16u >> shape;
  unsigned columns = type == MatrixType::TF32 ? 4 : 8;
  decoder.expectOperands(4, 4);
  out.firstOperand = static_cast<uint32_t>(decoder.builder.getProgram().operands.size());
  size_t countC = isHalfResult ? 2 : 4;
  decoder.appendVector(decoder.at(0), Type::B32, true, countC);
  decoder.appendVector(decoder.at(1), Type::B32, false, 2 * depth / columns);
  decoder.appendVector(decoder.at(2), Type::B32, false, depth / columns);
  decoder.appendVector(decoder.at(3), Type::B32, false, countC);
  out.count = static_cast<uint8_t>(depth);
  out.mode = static_cast<uint8_t>(static_cast<uint8_t>(type) | (isHalfResult ? 4 : 0));
  out.control = Control::Aligned;
  out.isAligned = true;
  out.kind = InstructionClass::Matrix;
  out.handler = &runMma;
}

/// Lane 8m + j gives the address of row j of matrix m.
void runLoadMatrix(Warp &warp, const Instruction &instruction, uint32_t active) {
  LanePointers lanes;
  uint32_t used = instruction.count == 4 ? ~0u : (1u << (8 * instruction.count)) - 1;
  uint32_t good = warp.resolve(instruction, used & active, instruction.a, instruction.offset, 16,
                               instruction.space, AccessKind::Read, lanes);
  const Operand *results = &warp.program.operands[instruction.firstOperand];
  for (unsigned matrix = 0; matrix < instruction.count; ++matrix) {
    alignas(64) uint16_t rows[8][8];
    for (unsigned row = 0; row < 8; ++row) {
      unsigned lane = matrix * 8 + row;
      if (good >> lane & 1)
        std::memcpy(rows[row], lanes.pointer[lane], 16);
      else
        std::memset(rows[row], 0xFF, 16);
    }
    uint32_t out[32];
    if (instruction.mode) {
      for (unsigned lane = 0; lane < 32; ++lane)
        out[lane] = rows[2 * (lane % 4)][lane / 4] | uint32_t(rows[2 * (lane % 4) + 1][lane / 4])
                                                         << 16;
    } else {
      std::memcpy(out, rows, 128);
    }
    warp.write32(results[matrix], out, active);
  }
}

void decodeLoadMatrix(Decoder &decoder) {
  Instruction &out = decoder.out;
  if (!decoder.take("sync") || !decoder.take("aligned"))
    decoder.failUnknown();
  if (decoder.has("m16n16") || decoder.has("m8n16"))
    decoder.refuse("only m8n8 is modelled");
  if (!decoder.take("m8n8"))
    decoder.failUnknown();
  int count = decoder.takeOneOf({"x1", "x2", "x4"});
  out.mode = decoder.take("trans");
  out.space = decoder.takeSpace();
  if (count < 0 || (out.space != Space::Shared && out.space != Space::Generic))
    decoder.failUnknown();
  decoder.expectTypeOf({Type::B16});
  decoder.expectOperands(2, 2);
  out.count = static_cast<uint8_t>(1u << count);
  decoder.address(1, out.space);
  out.firstOperand = static_cast<uint32_t>(decoder.builder.getProgram().operands.size());
  decoder.appendVector(decoder.at(0), Type::B32, true, out.count);
  out.control = Control::Aligned;
  out.isAligned = true;
  out.isCollective = true;
  out.kind = InstructionClass::LoadShared;
  out.handler = &runLoadMatrix;
}

void runMoveMatrix(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t scratch[32], out[32];
  const uint32_t *a = warp.read32(instruction.a, scratch);
  uint16_t rows[8][8];
  std::memcpy(rows, a, 128);
  for (unsigned lane = 0; lane < 32; ++lane)
    out[lane] = rows[2 * (lane % 4)][lane / 4] | uint32_t(rows[2 * (lane % 4) + 1][lane / 4]) << 16;
  warp.write32(instruction.d, out, active);
}

void decodeMoveMatrix(Decoder &decoder) {
  if (!decoder.take("sync") || !decoder.take("aligned") || !decoder.take("m8n8") ||
      !decoder.take("trans"))
    decoder.failUnknown();
  decoder.expectTypeOf({Type::B16});
  decoder.expectOperands(2, 2);
  decoder.out.d = decoder.result(0, Type::B32);
  decoder.out.a = decoder.value(1, Type::B32);
  decoder.out.control = Control::Aligned;
  decoder.out.isAligned = true;
  decoder.out.kind = InstructionClass::Exchange;
  decoder.out.handler = &runMoveMatrix;
}

} // namespace

void registerMatrix(InstructionTable &table) {
  table["mma"] = decodeMma;
  table["ldmatrix"] = decodeLoadMatrix;
  table["movmatrix"] = decodeMoveMatrix;
}

} // namespace attnc::emu
