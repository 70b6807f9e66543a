//===- InstructionsCompare.cpp - setp, set, selp, slct and testp ----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Float.h"
#include "runtime/emulator/Lanes.h"

namespace attnc::emu {
namespace {

enum class Compare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

/// On NaN the plain comparisons are false, `ne` too, and those ending in u are true.
template <class T> bool compare(T a, T b, Compare operation) {
  bool isNan = (a != a) | (b != b);
  switch (operation) {
  case Compare::Eq:
    return a == b;
  case Compare::Ne:
    return !isNan && a != b;
  case Compare::Lt:
    return a < b;
  case Compare::Le:
    return a <= b;
  case Compare::Gt:
    return a > b;
  case Compare::Ge:
    return a >= b;
  case Compare::Equ:
    return isNan || a == b;
  case Compare::Neu:
    return a != b;
  case Compare::Ltu:
    return isNan || a < b;
  case Compare::Leu:
    return isNan || a <= b;
  case Compare::Gtu:
    return isNan || a > b;
  case Compare::Geu:
    return isNan || a >= b;
  case Compare::Num:
    return !isNan;
  case Compare::Nan:
    return isNan;
  }
  return false;
}

/// Instruction::immediate of setp and set.
constexpr uint64_t flushFlag = 1, combineAnd = 2, combineOr = 4, combineXor = 8, floatResult = 16,
                   highHalf = 32;

template <class T> auto loadComparable(uint64_t word, bool flush, unsigned half) {
  if constexpr (std::is_same_v<T, Half>) {
    auto bits = static_cast<uint16_t>(word >> (16 * half));
    bool isSubnormal = (bits & 0x7C00) == 0;
    return halfToFloat(flush && isSubnormal ? uint16_t(0) : bits);
  } else if constexpr (std::is_same_v<T, Brain>)
    return brainToFloat(static_cast<uint16_t>(word >> (16 * half)));
  else {
    T value = fromStored<T>(static_cast<Stored<T>>(word));
    if constexpr (std::is_same_v<T, float>)
      return flush ? flushSubnormal(value) : value;
    else
      return value;
  }
}

template <class T>
uint32_t compareLanes(Warp &warp, const Instruction &instruction, unsigned half) {
  Stored<T> scratchA[32], scratchB[32];
  const Stored<T> *a = readRow<T>(warp, instruction.a, scratchA);
  const Stored<T> *b = readRow<T>(warp, instruction.b, scratchB);
  auto operation = static_cast<Compare>(instruction.mode);
  bool flush = instruction.immediate & flushFlag;
  uint32_t result = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    result |= uint32_t(compare(loadComparable<T>(a[lane], flush, half),
                               loadComparable<T>(b[lane], flush, half), operation))
              << lane;
  return result;
}

uint32_t combine(uint64_t flags, uint32_t t, uint32_t c) {
  if (flags & combineAnd)
    return t & c;
  if (flags & combineOr)
    return t | c;
  if (flags & combineXor)
    return t ^ c;
  return t;
}

template <class T>
void runSetPredicate(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t t = compareLanes<T>(warp, instruction, 0);
  uint32_t second = instruction.immediate & highHalf ? compareLanes<T>(warp, instruction, 1) : ~t;
  uint32_t c = instruction.c.isPresent() ? warp.readPredicate(instruction.c) : 0;
  warp.writePredicate(instruction.d, combine(instruction.immediate, t, c), active);
  warp.writePredicate(instruction.e, combine(instruction.immediate, second, c), active);
}

template <class T> void runSet(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t t = compareLanes<T>(warp, instruction, 0);
  uint32_t c = instruction.c.isPresent() ? warp.readPredicate(instruction.c) : 0;
  t = combine(instruction.immediate, t, c);
  uint32_t out[32];
  if (instruction.immediate & highHalf) {
    // A pair of halves: 1.0 or all ones in each.
    uint32_t high = combine(instruction.immediate, compareLanes<T>(warp, instruction, 1), c);
    uint32_t one = instruction.immediate & floatResult
                       ? (std::is_same_v<T, Brain> ? 0x3F80u : 0x3C00u)
                       : 0xFFFFu;
    for (unsigned lane = 0; lane < 32; ++lane)
      out[lane] = (t >> lane & 1 ? one : 0) | (high >> lane & 1 ? one << 16 : 0);
  } else {
    uint32_t one = instruction.immediate & floatResult ? 0x3F800000u : 0xFFFFFFFFu;
    if (instruction.d.isNarrow)
      one = instruction.immediate & floatResult ? (std::is_same_v<T, Brain> ? 0x3F80u : 0x3C00u)
                                                : 0xFFFFu;
    for (unsigned lane = 0; lane < 32; ++lane)
      out[lane] = t >> lane & 1 ? one : 0;
  }
  warp.write32(instruction.d, out, active);
}

template <bool IsSet> Handler selectCompare(Type type) {
  auto pick = []<class T>() -> Handler {
    return IsSet ? static_cast<Handler>(&runSet<T>) : static_cast<Handler>(&runSetPredicate<T>);
  };
  switch (type) {
  case Type::F32:
    return pick.template operator()<float>();
  case Type::F64:
    return pick.template operator()<double>();
  case Type::F16:
  case Type::F16x2:
    return pick.template operator()<Half>();
  case Type::BF16:
  case Type::BF16x2:
    return pick.template operator()<Brain>();
  default:
    return forInteger(type, pick);
  }
}

template <bool IsSet> void decodeSet(Decoder &decoder) {
  Instruction &out = decoder.out;
  out.kind = InstructionClass::Predicate;
  int operation = decoder.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu",
                                     "gtu", "geu", "num", "nan", "lo", "ls", "hi", "hs"});
  if (operation < 0)
    decoder.failUnknown();
  if (operation >= 14)
    operation = static_cast<int>(operation == 14   ? Compare::Lt
                                 : operation == 15 ? Compare::Le
                                 : operation == 16 ? Compare::Gt
                                                   : Compare::Ge);
  int combination = decoder.takeOneOf({"and", "or", "xor"});
  if (decoder.take("ftz"))
    out.immediate |= flushFlag;
  if (combination >= 0)
    out.immediate |= combineAnd << combination;
  Type resultType = IsSet ? decoder.expectType() : Type::None;
  Type type = decoder.expectType();
  bool isPacked = type == Type::F16x2 || type == Type::BF16x2;
  bool isFloat =
      type == Type::F32 || type == Type::F64 || type == Type::F16 || type == Type::BF16 || isPacked;
  if (!isFloat && (operation > static_cast<int>(Compare::Ge) || (out.immediate & flushFlag)))
    decoder.failUnknown();
  if (isPacked)
    out.immediate |= highHalf;
  size_t operands = combination >= 0 ? 4 : 3;
  decoder.expectOperands(operands, operands);
  Type operandType = isPacked ? Type::B32 : type;
  if constexpr (IsSet) {
    switch (resultType) {
    case Type::F32:
    case Type::F16:
    case Type::BF16:
    case Type::F16x2:
    case Type::BF16x2:
      out.immediate |= floatResult;
      break;
    case Type::U32:
    case Type::S32:
    case Type::U16:
    case Type::S16:
      break;
    default:
      decoder.failUnknown();
    }
    out.d = decoder.result(0, getTypeSize(resultType) == 4 ? Type::B32 : resultType);
  } else {
    const AstOperand &target = decoder.at(0);
    if (target.kind == AstOperand::Kind::Pair) {
      out.d = decoder.predicateResult(target.parts[0]);
      out.e = decoder.predicateResult(target.parts[1]);
    } else {
      out.d = decoder.predicateResult(target);
    }
  }
  out.a = decoder.value(1, operandType);
  out.b = decoder.value(2, operandType);
  if (combination >= 0)
    out.c = decoder.predicate(decoder.at(3));
  out.mode = static_cast<uint8_t>(operation);
  out.handler = selectCompare<IsSet>(type);
  if (!out.handler)
    decoder.failUnknown();
}

template <class T> void runSelect(Warp &warp, const Instruction &instruction, uint32_t active) {
  Stored<T> scratchA[32], scratchB[32], out[32];
  const Stored<T> *a = readRow<T>(warp, instruction.a, scratchA);
  const Stored<T> *b = readRow<T>(warp, instruction.b, scratchB);
  uint32_t p = warp.readPredicate(instruction.c);
  for (unsigned lane = 0; lane < 32; ++lane)
    out[lane] = p >> lane & 1 ? a[lane] : b[lane];
  writeRow<T>(warp, instruction.d, out, active);
}

void decodeSelect(Decoder &decoder) {
  Type type = decoder.expectType();
  if (!isInteger(type) && type != Type::F32 && type != Type::F64 && type != Type::F16 &&
      type != Type::BF16)
    decoder.failUnknown();
  decoder.expectOperands(4, 4);
  decoder.out.kind = InstructionClass::Move;
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  decoder.out.b = decoder.value(2, type);
  decoder.out.c = decoder.predicate(decoder.at(3));
  decoder.out.handler = getTypeSize(type) == 8 ? &runSelect<uint64_t> : &runSelect<uint32_t>;
}

template <class T, class C> Handler selectSlct(bool flush) {
  if constexpr (std::is_same_v<C, float>)
    if (flush)
      return ternary<T, T, T, C>([](T a, T b, C c) { return flushSubnormal(c) >= 0 ? a : b; });
  return ternary<T, T, T, C>([](T a, T b, C c) { return c >= 0 ? a : b; });
}

void decodeSlct(Decoder &decoder) {
  bool flush = decoder.take("ftz");
  Type type = decoder.expectType();
  Type selector = decoder.expectTypeOf({Type::S32, Type::F32});
  if (!isInteger(type) && type != Type::F32 && type != Type::F64)
    decoder.failUnknown();
  decoder.expectOperands(4, 4);
  decoder.out.kind = InstructionClass::Move;
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  decoder.out.b = decoder.value(2, type);
  decoder.out.c = decoder.value(3, selector);
  if (getTypeSize(type) == 8)
    decoder.out.handler = selector == Type::S32 ? selectSlct<uint64_t, int32_t>(false)
                                                : selectSlct<uint64_t, float>(flush);
  else
    decoder.out.handler = selector == Type::S32 ? selectSlct<uint32_t, int32_t>(false)
                                                : selectSlct<uint32_t, float>(flush);
}

template <class T> void runTest(Warp &warp, const Instruction &instruction, uint32_t active) {
  Stored<T> scratch[32];
  const Stored<T> *a = readRow<T>(warp, instruction.a, scratch);
  uint32_t result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    T value = fromStored<T>(a[lane]);
    int kind = std::fpclassify(value);
    bool holds = false;
    switch (instruction.mode) {
    case 0:
      holds = std::isfinite(value);
      break;
    case 1:
      holds = kind == FP_INFINITE;
      break;
    case 2:
      holds = kind != FP_NAN;
      break;
    case 3:
      holds = kind == FP_NAN;
      break;
    case 4:
      holds = kind == FP_NORMAL || kind == FP_ZERO;
      break;
    default:
      holds = kind == FP_SUBNORMAL;
      break;
    }
    result |= uint32_t(holds) << lane;
  }
  warp.writePredicate(instruction.d, result, active);
}

void decodeTest(Decoder &decoder) {
  int mode =
      decoder.takeOneOf({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Type type = decoder.expectTypeOf({Type::F32, Type::F64});
  if (mode < 0)
    decoder.failUnknown();
  decoder.expectOperands(2, 2);
  decoder.out.kind = InstructionClass::Predicate;
  decoder.out.d = decoder.predicateResult(decoder.at(0));
  decoder.out.a = decoder.value(1, type);
  decoder.out.mode = static_cast<uint8_t>(mode);
  decoder.out.handler = type == Type::F32 ? &runTest<float> : &runTest<double>;
}

} // namespace

void registerCompare(InstructionTable &table) {
  table["setp"] = decodeSet<false>;
  table["set"] = decodeSet<true>;
  table["selp"] = decodeSelect;
  table["slct"] = decodeSlct;
  table["testp"] = decodeTest;
}

} // namespace attnc::emu
