//===- InstructionsAtomic.cpp - atom and red ------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Block.h"
#include "runtime/emulator/Float.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/ProgramBuilder.h"
#include "runtime/emulator/Windows.h"

#include <algorithm>

namespace attnc::emu {
namespace {

enum class AtomicOperation : uint8_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exchange,
  CompareExchange,
  Increment,
  Decrement
};

uint64_t readWord(const uint8_t *pointer, unsigned size) {
  uint64_t word = 0;
  std::memcpy(&word, pointer, size);
  return word;
}

template <class T> T combineInteger(AtomicOperation operation, T old, T b) {
  using U = std::make_unsigned_t<T>;
  switch (operation) {
  case AtomicOperation::Add:
    return static_cast<T>(U(old) + U(b));
  case AtomicOperation::Min:
    return std::min(old, b);
  case AtomicOperation::Max:
    return std::max(old, b);
  case AtomicOperation::And:
    return old & b;
  case AtomicOperation::Or:
    return old | b;
  case AtomicOperation::Xor:
    return old ^ b;
  case AtomicOperation::Increment:
    return U(old) >= U(b) ? T(0) : static_cast<T>(U(old) + 1);
  case AtomicOperation::Decrement:
    return old == 0 || U(old) > U(b) ? b : static_cast<T>(U(old) - 1);
  default:
    return b;
  }
}

/// f16 and bf16 sums keep subnormals.
uint16_t addHalves(uint16_t a, uint16_t b, bool isBrain) {
  return isBrain ? roundToBrain(double(brainToFloat(a)) + brainToFloat(b))
                 : roundToHalf(double(halfToFloat(a)) + halfToFloat(b));
}

uint64_t combine(AtomicOperation operation, Type type, uint64_t old, uint64_t b, bool isShared) {
  switch (type) {
  case Type::S32:
    return static_cast<uint32_t>(
        combineInteger<int32_t>(operation, static_cast<int32_t>(old), static_cast<int32_t>(b)));
  case Type::S64:
    return static_cast<uint64_t>(
        combineInteger<int64_t>(operation, static_cast<int64_t>(old), static_cast<int64_t>(b)));
  case Type::U64:
  case Type::B64:
    return combineInteger<uint64_t>(operation, old, b);
  case Type::F32: {
    float x = std::bit_cast<float>(static_cast<uint32_t>(old));
    float y = std::bit_cast<float>(static_cast<uint32_t>(b));
    if (operation == AtomicOperation::Exchange)
      return b;
    // Global memory flushes subnormals, shared memory keeps them.
    if (!isShared) {
      x = flushSubnormal(x);
      y = flushSubnormal(y);
    }
    float sum = x + y;
    return std::bit_cast<uint32_t>(canonicalNan(isShared ? sum : flushSubnormal(sum)));
  }
  case Type::F64:
    return std::bit_cast<uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  case Type::F16:
  case Type::BF16:
    return addHalves(static_cast<uint16_t>(old), static_cast<uint16_t>(b), type == Type::BF16);
  case Type::F16x2:
  case Type::BF16x2: {
    bool isBrain = type == Type::BF16x2;
    uint32_t low = addHalves(static_cast<uint16_t>(old), static_cast<uint16_t>(b), isBrain);
    uint32_t high =
        addHalves(static_cast<uint16_t>(old >> 16), static_cast<uint16_t>(b >> 16), isBrain);
    return low | high << 16;
  }
  case Type::B16:
    return static_cast<uint16_t>(b);
  default:
    return combineInteger<uint32_t>(operation, static_cast<uint32_t>(old),
                                    static_cast<uint32_t>(b));
  }
}

/// Lanes go one after the other, in an order that the schedule chooses.
void runAtomic(Warp &warp, const Instruction &instruction, uint32_t active) {
  LanePointers lanes;
  uint32_t good = warp.resolve(instruction, active, instruction.a, instruction.offset,
                               instruction.size, instruction.space, AccessKind::Atomic, lanes);
  auto operation = static_cast<AtomicOperation>(instruction.mode);
  auto type = static_cast<Type>(instruction.immediate);
  uint64_t scratchB[32], scratchC[32];
  const uint64_t *b = warp.read64(instruction.b, scratchB);
  const uint64_t *c = instruction.c.isPresent() ? warp.read64(instruction.c, scratchC) : nullptr;
  uint64_t out[32] = {};
  uint8_t order[32];
  for (unsigned i = 0; i < 32; ++i)
    order[i] = static_cast<uint8_t>(i);
  if (warp.launch.options.schedule.order != WarpOrder::RoundRobin)
    for (unsigned i = 32; i > 1; --i)
      std::swap(order[i - 1], order[warp.block.random.below(i)]);
  uint64_t mask = instruction.size == 8 ? ~uint64_t(0) : (uint64_t(1) << 8 * instruction.size) - 1;
  for (uint8_t lane : order) {
    if (!(good >> lane & 1))
      continue;
    uint64_t old = readWord(lanes.pointer[lane], instruction.size);
    uint64_t operand = b[lane] & mask;
    bool isShared = instruction.space == Space::Shared ||
                    (instruction.space == Space::Generic && lanes.address[lane] < windowSize);
    uint64_t next;
    if (operation == AtomicOperation::CompareExchange)
      next = old == operand ? c[lane] & mask : old;
    else
      next = combine(operation, type, old, operand, isShared);
    warp.block.progress += next != old;
    std::memcpy(lanes.pointer[lane], &next, instruction.size);
    out[lane] = old;
  }
  warp.block.strongAccess(warp, good, lanes.address, instruction.ordering, true, true);
  if (!instruction.d.isPresent())
    return;
  if (instruction.d.width == 8)
    return warp.write64(instruction.d, out, active);
  uint32_t words[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    words[lane] = static_cast<uint32_t>(out[lane]);
  warp.write32(instruction.d, words, active);
}

void decodeAtomic(Decoder &decoder) {
  Instruction &out = decoder.out;
  bool returns = decoder.name() == "atom";
  if (decoder.has("shared::cluster") || decoder.has("async"))
    decoder.refuse("clusters");
  if (decoder.has("v2") || decoder.has("v4") || decoder.has("v8"))
    decoder.refuse("vector atomics need sm_90");
  out.ordering = decoder.takeOrdering();
  if (out.ordering == Ordering::Weak)
    out.ordering = Ordering::Relaxed;
  out.space = decoder.takeSpace();
  int operation =
      decoder.takeOneOf({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  bool keepsSubnormals = decoder.take("noftz");
  decoder.takeCacheHints();
  Type type = decoder.expectType();
  if (operation < 0)
    decoder.failUnknown();
  if (type == Type::B128)
    decoder.refuse("128-bit atomics need sm_90");
  auto kind = static_cast<AtomicOperation>(operation);
  bool isHalf =
      type == Type::F16 || type == Type::BF16 || type == Type::F16x2 || type == Type::BF16x2;
  bool isFloat = type == Type::F32 || type == Type::F64 || isHalf;
  if (isHalf != keepsSubnormals || (isFloat && kind != AtomicOperation::Add) ||
      (!isFloat && !isInteger(type)) || (getTypeSize(type) < 4 && !isHalf && type != Type::B16) ||
      (type == Type::B16 && kind != AtomicOperation::CompareExchange))
    decoder.failUnknown();
  bool isCas = kind == AtomicOperation::CompareExchange;
  if (isCas && !returns)
    decoder.failUnknown();
  size_t operands = (returns ? 1u : 0u) + 2u + (isCas ? 1u : 0u);
  decoder.expectOperands(operands, operands + 1);
  size_t at = 0;
  Type registerType = isHalf && getTypeSize(type) == 4 ? Type::B32 : type;
  if (returns)
    out.d = decoder.result(at++, registerType);
  decoder.address(at++, out.space);
  out.b = decoder.value(at++, registerType);
  if (isCas)
    out.c = decoder.value(at++, registerType);
  if (decoder.operandCount() > operands)
    decoder.value(at, Type::B64);
  out.size = static_cast<uint8_t>(getTypeSize(type));
  out.mode = static_cast<uint8_t>(kind);
  out.immediate = static_cast<uint64_t>(type);
  out.kind = InstructionClass::Atomic;
  out.handler = &runAtomic;
  if (out.space != Space::Shared) {
    decoder.builder.getProgram().communicates = true;
    // A loop around an atomic that returns a value may wait for another block.
    decoder.builder.getProgram().mayWaitForBlocks |= returns;
  }
}

} // namespace

void registerAtomic(InstructionTable &table) {
  table["atom"] = decodeAtomic;
  table["red"] = decodeAtomic;
}

} // namespace attnc::emu
