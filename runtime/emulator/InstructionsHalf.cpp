//===- InstructionsHalf.cpp - f16 and bf16 arithmetic, single and packed ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Float.h"
#include "runtime/emulator/Lanes.h"

#include <algorithm>

namespace attnc::emu {
namespace {

inline float widen(Half value) { return halfToFloat(value.bits); }
inline float widen(Brain value) { return brainToFloat(value.bits); }

template <class T> T narrow(double value) {
  if constexpr (std::is_same_v<T, Half>)
    return {roundToHalf(value)};
  else
    return {roundToBrain(value)};
}

constexpr uint8_t flushBit = 1, saturateBit = 2, reluBit = 4, nanBit = 8, xorSignBit = 16;

enum class HalfOperation : uint8_t {
  Add,
  Subtract,
  Multiply,
  Fma,
  Minimum,
  Maximum,
  Negate,
  Absolute
};

template <class T> T flushHalf(T value) {
  constexpr uint16_t exponent = std::is_same_v<T, Half> ? 0x7C00 : 0x7F80;
  return (value.bits & exponent) == 0 ? T{static_cast<uint16_t>(value.bits & 0x8000)} : value;
}

template <class T> T extreme(T a, T b, bool isMin, uint8_t flags) {
  uint16_t sign = static_cast<uint16_t>((a.bits ^ b.bits) & 0x8000);
  if (flags & xorSignBit) {
    a.bits &= 0x7FFF;
    b.bits &= 0x7FFF;
  }
  float x = widen(a), y = widen(b);
  bool isNan = flags & nanBit ? x != x || y != y : x != x && y != y;
  if (isNan)
    return {0x7FFF};
  bool aNegative = a.bits & 0x8000;
  bool takesA = isMin ? x < y || (x == y && aNegative) : x > y || (x == y && !aNegative);
  T result = takesA || y != y ? a : b;
  if (flags & xorSignBit)
    result.bits = static_cast<uint16_t>((result.bits & 0x7FFF) | sign);
  return result;
}

template <class T> T computeHalf(HalfOperation operation, T a, T b, T c, uint8_t flags) {
  if (flags & flushBit) {
    a = flushHalf(a);
    b = flushHalf(b);
    c = flushHalf(c);
  }
  T result{0};
  // Sums and products of two values are exact in double; fma rounds once from an odd double.
  switch (operation) {
  case HalfOperation::Add:
    result = narrow<T>(double(widen(a)) + widen(b));
    break;
  case HalfOperation::Subtract:
    result = narrow<T>(double(widen(a)) - widen(b));
    break;
  case HalfOperation::Multiply:
    result = narrow<T>(double(widen(a)) * widen(b));
    break;
  case HalfOperation::Fma:
    result = narrow<T>(addOdd(double(widen(a)) * widen(b), widen(c)));
    break;
  case HalfOperation::Minimum:
  case HalfOperation::Maximum:
    result = extreme(a, b, operation == HalfOperation::Minimum, flags);
    break;
  case HalfOperation::Negate:
    return {static_cast<uint16_t>(a.bits ^ 0x8000)};
  case HalfOperation::Absolute:
    return {static_cast<uint16_t>(a.bits & 0x7FFF)};
  }
  float value = widen(result);
  if (flags & saturateBit)
    result = narrow<T>(saturate(value));
  if (flags & reluBit && !(value != value) && (result.bits & 0x8000))
    result = {0};
  if (flags & flushBit)
    result = flushHalf(result);
  return result;
}

/// One or two values per register. `immediate` holds the flags, `mode` the operation.
template <class T, bool IsPacked>
void runHalf(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t scratchA[32], scratchB[32], scratchC[32], out[32];
  const uint32_t *a = warp.read32(instruction.a, scratchA);
  const uint32_t *b = instruction.b.isPresent() ? warp.read32(instruction.b, scratchB) : a;
  const uint32_t *c = instruction.c.isPresent() ? warp.read32(instruction.c, scratchC) : a;
  auto operation = static_cast<HalfOperation>(instruction.mode);
  auto flags = static_cast<uint8_t>(instruction.immediate);
  auto part = [](uint32_t word, unsigned at) {
    return T{static_cast<uint16_t>(word >> (16 * at))};
  };
  for (unsigned lane = 0; lane < 32; ++lane) {
    out[lane] =
        computeHalf(operation, part(a[lane], 0), part(b[lane], 0), part(c[lane], 0), flags).bits;
    if (IsPacked)
      out[lane] |= uint32_t(computeHalf(operation, part(a[lane], 1), part(b[lane], 1),
                                        part(c[lane], 1), flags)
                                .bits)
                   << 16;
  }
  warp.write32(instruction.d, out, active);
}

} // namespace

void decodeHalf(Decoder &decoder) {
  std::string_view name = decoder.name();
  bool isGiven = false;
  RoundingMode rounding = decoder.takeRounding(isGiven);
  uint8_t flags = 0;
  if (decoder.take("ftz"))
    flags |= flushBit;
  if (decoder.take("sat"))
    flags |= saturateBit;
  if (decoder.take("relu"))
    flags |= reluBit;
  if (decoder.take("NaN"))
    flags |= nanBit;
  if (decoder.take("xorsign")) {
    flags |= xorSignBit;
    if (!decoder.take("abs"))
      decoder.failUnknown();
  }
  Type type = decoder.expectTypeOf({Type::F16, Type::F16x2, Type::BF16, Type::BF16x2});
  if (rounding != RoundingMode::NearestEven)
    decoder.failUnknown();
  HalfOperation operation;
  size_t sources = 2;
  if (name == "add")
    operation = HalfOperation::Add;
  else if (name == "sub")
    operation = HalfOperation::Subtract;
  else if (name == "mul")
    operation = HalfOperation::Multiply;
  else if (name == "fma") {
    operation = HalfOperation::Fma;
    sources = 3;
  } else if (name == "min")
    operation = HalfOperation::Minimum;
  else if (name == "max")
    operation = HalfOperation::Maximum;
  else if (name == "neg") {
    operation = HalfOperation::Negate;
    sources = 1;
  } else if (name == "abs") {
    operation = HalfOperation::Absolute;
    sources = 1;
  } else
    decoder.failUnknown();
  if (operation == HalfOperation::Fma && !isGiven)
    decoder.failUnknown();
  bool isPacked = type == Type::F16x2 || type == Type::BF16x2;
  Type operandType = isPacked ? Type::B32 : type;
  decoder.expectOperands(sources + 1, sources + 1);
  decoder.out.kind = InstructionClass::Half;
  decoder.out.d = decoder.result(0, operandType);
  decoder.out.a = decoder.value(1, operandType);
  if (sources > 1)
    decoder.out.b = decoder.value(2, operandType);
  if (sources > 2)
    decoder.out.c = decoder.value(3, operandType);
  decoder.out.mode = static_cast<uint8_t>(operation);
  decoder.out.immediate = flags;
  bool isHalf = type == Type::F16 || type == Type::F16x2;
  decoder.out.handler = isHalf ? (isPacked ? &runHalf<Half, true> : &runHalf<Half, false>)
                               : (isPacked ? &runHalf<Brain, true> : &runHalf<Brain, false>);
}

} // namespace attnc::emu
