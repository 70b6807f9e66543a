//===- InstructionsBits.cpp - Logic, shifts, bit fields and byte permutations ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Lanes.h"

#include <algorithm>

namespace attnc::emu {
namespace {

enum class Logic : uint8_t { And, Or, Xor, Not, Cnot };

/// Logic on predicates; mode holds the operation.
void runPredicateLogic(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t a = warp.readPredicate(instruction.a);
  uint32_t b = instruction.b.isPresent() ? warp.readPredicate(instruction.b) : 0;
  uint32_t result = 0;
  switch (static_cast<Logic>(instruction.mode)) {
  case Logic::And:
    result = a & b;
    break;
  case Logic::Or:
    result = a | b;
    break;
  case Logic::Xor:
    result = a ^ b;
    break;
  default:
    result = ~a;
    break;
  }
  warp.writePredicate(instruction.d, result, active);
}

template <class T> Handler selectLogic(Logic logic) {
  switch (logic) {
  case Logic::And:
    return binaryOf<T>([](T a, T b) { return static_cast<T>(a & b); });
  case Logic::Or:
    return binaryOf<T>([](T a, T b) { return static_cast<T>(a | b); });
  case Logic::Xor:
    return binaryOf<T>([](T a, T b) { return static_cast<T>(a ^ b); });
  case Logic::Not:
    return unaryOf<T>([](T a) { return static_cast<T>(~a); });
  case Logic::Cnot:
    return unaryOf<T>([](T a) { return static_cast<T>(a == 0); });
  }
  return nullptr;
}

template <Logic Operation> void decodeLogic(Decoder &decoder) {
  constexpr bool isUnary = Operation == Logic::Not || Operation == Logic::Cnot;
  decoder.expectOperands(isUnary ? 2 : 3, isUnary ? 2 : 3);
  Type type = decoder.expectTypeOf({Type::Pred, Type::B16, Type::B32, Type::B64});
  if (type == Type::Pred) {
    if (Operation == Logic::Cnot)
      decoder.failUnknown();
    decoder.out.kind = InstructionClass::Predicate;
    decoder.out.d = decoder.predicateResult(decoder.at(0));
    decoder.out.a = decoder.predicate(decoder.at(1));
    if (!isUnary)
      decoder.out.b = decoder.predicate(decoder.at(2));
    decoder.out.mode = static_cast<uint8_t>(Operation);
    decoder.out.handler = &runPredicateLogic;
    return;
  }
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  if (!isUnary)
    decoder.out.b = decoder.value(2, type);
  decoder.out.handler =
      forInteger(type, [&]<class T>() { return selectLogic<std::make_unsigned_t<T>>(Operation); });
}

/// lop3 with the table in `immediate`; mode 1 and 2 also compute (d != 0) or/and q.
void runLop3(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t scratchA[32], scratchB[32], scratchC[32], out[32];
  const uint32_t *a = warp.read32(instruction.a, scratchA);
  const uint32_t *b = warp.read32(instruction.b, scratchB);
  const uint32_t *c = warp.read32(instruction.c, scratchC);
  uint32_t terms[8];
  for (unsigned i = 0; i < 8; ++i)
    terms[i] = instruction.immediate >> i & 1 ? ~0u : 0;
  uint32_t nonZero = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t result = 0;
    for (unsigned i = 0; i < 8; ++i)
      result |= terms[i] & (i & 4 ? a[lane] : ~a[lane]) & (i & 2 ? b[lane] : ~b[lane]) &
                (i & 1 ? c[lane] : ~c[lane]);
    out[lane] = result;
    nonZero |= uint32_t(result != 0) << lane;
  }
  uint32_t q = instruction.mode ? warp.readPredicate(instruction.m) : 0;
  warp.write32(instruction.d, out, active);
  if (instruction.mode)
    warp.writePredicate(instruction.e, instruction.mode == 1 ? nonZero | q : nonZero & q, active);
}

void decodeLop3(Decoder &decoder) {
  int combine = decoder.takeOneOf({"or", "and"});
  decoder.expectTypeOf({Type::B32});
  decoder.expectOperands(combine < 0 ? 5 : 6, combine < 0 ? 5 : 6);
  if (combine >= 0)
    decoder.resultWithPredicate(0, Type::B32);
  else
    decoder.out.d = decoder.result(0, Type::B32);
  decoder.out.a = decoder.value(1, Type::B32);
  decoder.out.b = decoder.value(2, Type::B32);
  decoder.out.c = decoder.value(3, Type::B32);
  decoder.out.immediate = decoder.immediate(4, "the table") & 0xFF;
  decoder.out.mode = static_cast<uint8_t>(combine + 1);
  if (combine >= 0)
    decoder.out.m = decoder.predicate(decoder.at(5));
  decoder.out.handler = &runLop3;
}

template <class T> struct ShiftLeft {
  T operator()(T a, uint32_t b) const {
    return static_cast<T>(b < 8 * sizeof(T) ? uint64_t(a) << (b & 63) : 0);
  }
};
template <class T> struct ShiftRight {
  T operator()(T a, uint32_t b) const {
    constexpr uint32_t width = 8 * sizeof(T);
    return static_cast<T>(!std::is_signed_v<T> && b >= width ? T(0)
                                                             : T(a >> std::min(b, width - 1)));
  }
};

/// An amount of the width or more clamps; in strict mode it is a fault.
template <class T, class Shift>
void runShift(Warp &warp, const Instruction &instruction, uint32_t active) {
  constexpr uint32_t width = 8 * sizeof(T);
  if (warp.launch.options.strict) [[unlikely]] {
    uint32_t scratch[32];
    const uint32_t *amounts = warp.read32(instruction.b, scratch);
    for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
      auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      if (amounts[lane] >= width)
        warp.report(FaultKind::OverwideShift,
                    std::to_string(width) + " bits by " + std::to_string(amounts[lane]),
                    static_cast<int>(lane));
    }
  }
  runBinary<T, T, uint32_t, Shift>(warp, instruction, active);
}

/// Amounts are 32-bit.
void decodeShift(Decoder &decoder) {
  bool isLeft = decoder.name() == "shl";
  Type type = decoder.expectType();
  decoder.expectOperands(3, 3);
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  decoder.out.b = decoder.value(2, Type::U32);
  decoder.out.handler = forInteger(type, [&]<class T>() -> Handler {
    using U = std::make_unsigned_t<T>;
    return isLeft ? &runShift<U, ShiftLeft<U>> : &runShift<T, ShiftRight<T>>;
  });
  if (!decoder.out.handler)
    decoder.failUnknown();
}

void decodeFunnelShift(Decoder &decoder) {
  int direction = decoder.takeOneOf({"l", "r"});
  int mode = decoder.takeOneOf({"clamp", "wrap"});
  decoder.expectTypeOf({Type::B32});
  if (direction < 0 || mode < 0)
    decoder.failUnknown();
  decoder.expectOperands(4, 4);
  decoder.out.d = decoder.result(0, Type::B32);
  decoder.out.a = decoder.value(1, Type::B32);
  decoder.out.b = decoder.value(2, Type::B32);
  decoder.out.c = decoder.value(3, Type::U32);
  bool isLeft = direction == 0;
  if (mode == 0)
    decoder.out.handler =
        isLeft ? ternaryOf<uint32_t>([](uint32_t a, uint32_t b, uint32_t c) {
          return static_cast<uint32_t>(((uint64_t(b) << 32 | a) << std::min(c, 32u)) >> 32);
        })
               : ternaryOf<uint32_t>([](uint32_t a, uint32_t b, uint32_t c) {
                   return static_cast<uint32_t>((uint64_t(b) << 32 | a) >> std::min(c, 32u));
                 });
  else
    decoder.out.handler =
        isLeft ? ternaryOf<uint32_t>([](uint32_t a, uint32_t b, uint32_t c) {
          return static_cast<uint32_t>(((uint64_t(b) << 32 | a) << (c & 31)) >> 32);
        })
               : ternaryOf<uint32_t>([](uint32_t a, uint32_t b, uint32_t c) {
                   return static_cast<uint32_t>((uint64_t(b) << 32 | a) >> (c & 31));
                 });
}

/// prmt without a mode: nibble j of c picks byte j.
uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t c) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (unsigned j = 0; j < 4; ++j) {
    uint32_t selector = c >> (4 * j) & 15;
    uint32_t byte = static_cast<uint8_t>(bytes >> (8 * (selector & 7)));
    if (selector & 8)
      byte = byte & 0x80 ? 0xFF : 0;
    result |= byte << (8 * j);
  }
  return result;
}

/// Selectors of the prmt modes by c & 3.
constexpr uint16_t permuteModes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
    {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
    {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
    {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
    {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
    {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
};

void runPermuteMode(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t scratchA[32], scratchB[32], scratchC[32], out[32];
  const uint32_t *a = warp.read32(instruction.a, scratchA);
  const uint32_t *b = warp.read32(instruction.b, scratchB);
  const uint32_t *c = warp.read32(instruction.c, scratchC);
  for (unsigned lane = 0; lane < 32; ++lane)
    out[lane] = permuteBytes(a[lane], b[lane], permuteModes[instruction.mode][c[lane] & 3]);
  warp.write32(instruction.d, out, active);
}

void decodePermute(Decoder &decoder) {
  decoder.expectTypeOf({Type::B32});
  int mode = decoder.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  decoder.expectOperands(4, 4);
  decoder.out.d = decoder.result(0, Type::B32);
  decoder.out.a = decoder.value(1, Type::B32);
  decoder.out.b = decoder.value(2, Type::B32);
  decoder.out.c = decoder.value(3, Type::B32);
  decoder.out.mode = static_cast<uint8_t>(mode < 0 ? 0 : mode);
  decoder.out.handler = mode < 0 ? ternaryOf<uint32_t>([](uint32_t a, uint32_t b, uint32_t c) {
    return permuteBytes(a, b, c);
  })
                                 : &runPermuteMode;
}

template <class T> T extractField(T a, uint32_t b, uint32_t c) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t msb = 8 * sizeof(T) - 1;
  uint32_t position = b & 255, length = c & 255;
  bool sign = false;
  if (std::is_signed_v<T> && length > 0)
    sign = U(a) >> std::min(position + length - 1, msb) & 1;
  U field = position <= msb ? U(a) >> position : U(0);
  uint32_t kept = position <= msb ? std::min(length, msb + 1 - position) : 0;
  if (kept <= msb) {
    U mask = (U(1) << kept) - 1;
    field = (field & mask) | (sign ? ~mask : U(0));
  }
  return static_cast<T>(field);
}

void decodeExtract(Decoder &decoder) {
  Type type = decoder.expectTypeOf({Type::U32, Type::S32, Type::U64, Type::S64});
  decoder.expectOperands(4, 4);
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  decoder.out.b = decoder.value(2, Type::U32);
  decoder.out.c = decoder.value(3, Type::U32);
  decoder.out.handler = forInteger(type, [&]<class T>() {
    return ternary<T, T, uint32_t, uint32_t>(
        [](T a, uint32_t b, uint32_t c) { return extractField<T>(a, b, c); });
  });
}

template <class T> void runInsert(Warp &warp, const Instruction &instruction, uint32_t active) {
  Stored<T> scratchA[32], scratchB[32], out[32];
  uint32_t scratchC[32], scratchD[32];
  const Stored<T> *a = readRow<T>(warp, instruction.a, scratchA);
  const Stored<T> *b = readRow<T>(warp, instruction.b, scratchB);
  const uint32_t *c = warp.read32(instruction.c, scratchC);
  const uint32_t *d = warp.read32(instruction.m, scratchD);
  constexpr uint32_t bits = 8 * sizeof(T);
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t position = c[lane] & 255;
    uint32_t length = std::min(d[lane] & 255, bits);
    T mask = length == bits ? ~T(0) : (T(1) << length) - 1;
    out[lane] = position >= bits
                    ? T(b[lane])
                    : (T(b[lane]) & ~(mask << position)) | ((T(a[lane]) & mask) << position);
  }
  writeRow<T>(warp, instruction.d, out, active);
}

void decodeInsert(Decoder &decoder) {
  Type type = decoder.expectTypeOf({Type::B32, Type::B64});
  decoder.expectOperands(5, 5);
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  decoder.out.b = decoder.value(2, type);
  decoder.out.c = decoder.value(3, Type::U32);
  decoder.out.m = decoder.value(4, Type::U32);
  decoder.out.handler = type == Type::B32 ? &runInsert<uint32_t> : &runInsert<uint64_t>;
}

void decodeCount(Decoder &decoder) {
  bool isPopulation = decoder.name() == "popc";
  Type type = decoder.expectTypeOf({Type::B32, Type::B64});
  decoder.expectOperands(2, 2);
  decoder.out.d = decoder.result(0, Type::U32);
  decoder.out.a = decoder.value(1, type);
  auto make = [&]<class T>() {
    return isPopulation
               ? unary<uint32_t, T>([](T a) { return static_cast<uint32_t>(std::popcount(a)); })
               : unary<uint32_t, T>([](T a) { return static_cast<uint32_t>(std::countl_zero(a)); });
  };
  decoder.out.handler =
      type == Type::B32 ? make.operator()<uint32_t>() : make.operator()<uint64_t>();
}

/// Position of the highest bit that differs from the sign; 0xFFFFFFFF if there is none.
template <class T> uint32_t findBit(T a) {
  using U = std::make_unsigned_t<T>;
  U bits = std::is_signed_v<T> && a < 0 ? ~U(a) : U(a);
  return bits == 0 ? 0xFFFFFFFFu
                   : static_cast<uint32_t>(8 * sizeof(T) - 1) -
                         static_cast<uint32_t>(std::countl_zero(bits));
}

void decodeFind(Decoder &decoder) {
  bool isShift = decoder.take("shiftamt");
  Type type = decoder.expectTypeOf({Type::U32, Type::S32, Type::U64, Type::S64});
  decoder.expectOperands(2, 2);
  decoder.out.d = decoder.result(0, Type::U32);
  decoder.out.a = decoder.value(1, type);
  decoder.out.handler = forInteger(type, [&]<class T>() {
    return isShift ? unary<uint32_t, T>([](T a) {
      uint32_t found = findBit(a);
      return found == 0xFFFFFFFFu ? found : static_cast<uint32_t>(8 * sizeof(T) - 1) - found;
    })
                   : unary<uint32_t, T>([](T a) { return findBit(a); });
  });
}

template <class T> T reverseBits(T a) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i)
    result |= (a >> i & 1) << (8 * sizeof(T) - 1 - i);
  return result;
}

void decodeReverse(Decoder &decoder) {
  Type type = decoder.expectTypeOf({Type::B32, Type::B64});
  decoder.expectOperands(2, 2);
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  decoder.out.handler = type == Type::B32
                            ? unaryOf<uint32_t>([](uint32_t a) { return reverseBits(a); })
                            : unaryOf<uint64_t>([](uint64_t a) { return reverseBits(a); });
}

void decodeMask(Decoder &decoder) {
  int mode = decoder.takeOneOf({"clamp", "wrap"});
  decoder.expectTypeOf({Type::B32});
  if (mode < 0)
    decoder.failUnknown();
  decoder.expectOperands(3, 3);
  decoder.out.d = decoder.result(0, Type::B32);
  decoder.out.a = decoder.value(1, Type::U32);
  decoder.out.b = decoder.value(2, Type::U32);
  decoder.out.handler = mode == 0 ? binaryOf<uint32_t>([](uint32_t a, uint32_t b) {
    uint32_t position = std::min(a, 32u), length = std::min(b, 32u);
    uint64_t mask = ((uint64_t(1) << length) - 1) << position;
    return static_cast<uint32_t>(mask);
  })
                                  : binaryOf<uint32_t>([](uint32_t a, uint32_t b) {
                                      return ((1u << (b & 31)) - 1) << (a & 31);
                                    });
}

void decodeExtend(Decoder &decoder) {
  int mode = decoder.takeOneOf({"clamp", "wrap"});
  Type type = decoder.expectTypeOf({Type::U32, Type::S32});
  if (mode < 0)
    decoder.failUnknown();
  decoder.expectOperands(3, 3);
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  decoder.out.b = decoder.value(2, Type::U32);
  if (mode == 0)
    decoder.out.handler = type == Type::U32
                              ? binary<uint32_t, uint32_t, uint32_t>([](uint32_t a, uint32_t b) {
                                  return extractField<uint32_t>(a, 0, std::min(b, 32u));
                                })
                              : binary<int32_t, int32_t, uint32_t>([](int32_t a, uint32_t b) {
                                  return extractField<int32_t>(a, 0, std::min(b, 32u));
                                });
  else
    decoder.out.handler = type == Type::U32
                              ? binary<uint32_t, uint32_t, uint32_t>([](uint32_t a, uint32_t b) {
                                  return extractField<uint32_t>(a, 0, b & 31);
                                })
                              : binary<int32_t, int32_t, uint32_t>([](int32_t a, uint32_t b) {
                                  return extractField<int32_t>(a, 0, b & 31);
                                });
}

} // namespace

void registerBits(InstructionTable &table) {
  table["and"] = decodeLogic<Logic::And>;
  table["or"] = decodeLogic<Logic::Or>;
  table["xor"] = decodeLogic<Logic::Xor>;
  table["not"] = decodeLogic<Logic::Not>;
  table["cnot"] = decodeLogic<Logic::Cnot>;
  table["lop3"] = decodeLop3;
  table["shl"] = decodeShift;
  table["shr"] = decodeShift;
  table["shf"] = decodeFunnelShift;
  table["prmt"] = decodePermute;
  table["bfe"] = decodeExtract;
  table["bfi"] = decodeInsert;
  table["popc"] = decodeCount;
  table["clz"] = decodeCount;
  table["bfind"] = decodeFind;
  table["brev"] = decodeReverse;
  table["bmsk"] = decodeMask;
  table["szext"] = decodeExtend;
}

} // namespace attnc::emu
