//===- InstructionsConvert.cpp - cvt between integers and floats of all sizes ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Float.h"
#include "runtime/emulator/Lanes.h"

#include <algorithm>
#include <cstring>

namespace attnc::emu {
namespace {

/// Everything a conversion needs, in Instruction::immediate.
struct Conversion {
  Type to, from;
  uint8_t rounding;        // RoundingMode, for floats
  uint8_t integerRounding; // 0 none, 1 rni, 2 rzi, 3 rmi, 4 rpi
  bool flush, saturates, relu, satFinite;
};

uint64_t pack(const Conversion &conversion) {
  uint64_t word = 0;
  static_assert(sizeof conversion == 8);
  std::memcpy(&word, &conversion, 8);
  return word;
}

Conversion unpack(uint64_t word) {
  Conversion conversion;
  std::memcpy(&conversion, &word, 8);
  return conversion;
}

bool isFloatType(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F32 || type == Type::F64 ||
         type == Type::TF32;
}

unsigned bitsOf(Type type) { return 8 * getTypeSize(type); }

__int128 minimumOf(Type type) {
  return isSigned(type) ? -(__int128(1) << (bitsOf(type) - 1)) : __int128(0);
}
__int128 maximumOf(Type type) {
  return (__int128(1) << (bitsOf(type) - (isSigned(type) ? 1 : 0))) - 1;
}

__int128 readInteger(uint64_t word, Type type) {
  unsigned bits = bitsOf(type);
  uint64_t value = bits == 64 ? word : word & ((uint64_t(1) << bits) - 1);
  if (!isSigned(type))
    return value;
  return bits == 64 ? static_cast<int64_t>(value)
                    : static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

double readFloat(uint64_t word, Type type) {
  switch (type) {
  case Type::F16:
    return halfToFloat(static_cast<uint16_t>(word));
  case Type::BF16:
    return brainToFloat(static_cast<uint16_t>(word));
  case Type::F64:
    return std::bit_cast<double>(word);
  default:
    return std::bit_cast<float>(static_cast<uint32_t>(word));
  }
}

double roundToInteger(double value, unsigned mode) {
  switch (mode) {
  case 1:
    return std::nearbyint(value); // the environment is at nearest even
  case 3:
    return std::floor(value);
  case 4:
    return std::ceil(value);
  default:
    return std::trunc(value);
  }
}

uint64_t convertFloatToInteger(double value, const Conversion &conversion) {
  Type to = conversion.to;
  if (value != value) {
    bool isWide = conversion.from == Type::F64 || bitsOf(to) == 64;
    return isWide ? uint64_t(1) << (bitsOf(to) - 1) : 0;
  }
  double rounded = roundToInteger(value, conversion.integerRounding);
  if (rounded <= static_cast<double>(minimumOf(to)))
    return static_cast<uint64_t>(minimumOf(to));
  if (rounded >= static_cast<double>(maximumOf(to)))
    return static_cast<uint64_t>(maximumOf(to));
  return static_cast<uint64_t>(static_cast<__int128>(rounded));
}

/// A double from which `value` can be rounded to f32 and smaller formats as if directly.
double oddDouble(__int128 value) {
  unsigned __int128 magnitude =
      value < 0 ? static_cast<unsigned __int128>(-value) : static_cast<unsigned __int128>(value);
  int shift = 0;
  while (magnitude >> 53) { // the last bit is sticky
    magnitude = magnitude >> 1 | (magnitude & 1);
    ++shift;
  }
  double result = std::ldexp(static_cast<double>(static_cast<uint64_t>(magnitude)), shift);
  return value < 0 ? -result : result;
}

uint64_t convertIntegerToDouble(__int128 value, RoundingMode mode) {
  // 64-bit integers need at most 64 bits: round to 53 by hand.
  unsigned __int128 magnitude =
      value < 0 ? static_cast<unsigned __int128>(-value) : static_cast<unsigned __int128>(value);
  int shift = 0;
  while (magnitude >> (53 + shift))
    ++shift;
  auto whole = static_cast<uint64_t>(magnitude >> shift);
  unsigned __int128 rest = magnitude - (static_cast<unsigned __int128>(whole) << shift);
  unsigned __int128 half = shift ? static_cast<unsigned __int128>(1) << (shift - 1) : 0;
  bool goesUp = false;
  if (rest != 0) {
    if (mode == RoundingMode::NearestEven)
      goesUp = rest > half || (rest == half && (whole & 1));
    else if (mode == RoundingMode::Up)
      goesUp = value > 0;
    else if (mode == RoundingMode::Down)
      goesUp = value < 0;
  }
  double result = std::ldexp(static_cast<double>(whole + goesUp), shift);
  return std::bit_cast<uint64_t>(value < 0 ? -result : result);
}

uint64_t writeFloat(double value, const Conversion &conversion) {
  auto mode = static_cast<RoundingMode>(conversion.rounding);
  switch (conversion.to) {
  case Type::F16: {
    uint16_t bits = roundToHalf(value, mode);
    if (conversion.satFinite && (bits & 0x7FFF) == 0x7C00)
      bits = static_cast<uint16_t>((bits & 0x8000) | 0x7BFF);
    return bits;
  }
  case Type::BF16: {
    uint16_t bits = roundToBrain(value, mode);
    if (conversion.satFinite && (bits & 0x7FFF) == 0x7F80)
      bits = static_cast<uint16_t>((bits & 0x8000) | 0x7F7F);
    return bits;
  }
  case Type::TF32: {
    if (value != value)
      return 0x7FFFFFFF;
    return std::bit_cast<uint32_t>(static_cast<float>(roundToFormat(value, 11, -126, 127, mode)));
  }
  case Type::F64:
    return std::bit_cast<uint64_t>(value);
  default:
    return std::bit_cast<uint32_t>(roundToFloat(value, mode));
  }
}

uint64_t convertOne(uint64_t word, const Conversion &conversion) {
  bool fromFloat = isFloatType(conversion.from), toFloat = isFloatType(conversion.to);
  if (!fromFloat && !toFloat) {
    __int128 value = readInteger(word, conversion.from);
    if (conversion.saturates)
      value = std::clamp(value, minimumOf(conversion.to), maximumOf(conversion.to));
    return static_cast<uint64_t>(value);
  }
  if (!fromFloat) {
    __int128 value = readInteger(word, conversion.from);
    auto mode = static_cast<RoundingMode>(conversion.rounding);
    if (conversion.to == Type::F64)
      return convertIntegerToDouble(value, mode);
    double odd = oddDouble(value);
    if (conversion.saturates)
      odd = saturate(odd);
    return writeFloat(odd, conversion);
  }
  double value = readFloat(word, conversion.from);
  if (conversion.flush && conversion.from == Type::F32)
    value = flushSubnormal(static_cast<float>(value));
  if (!toFloat)
    return convertFloatToInteger(value, conversion);
  if (conversion.from == Type::F64 && conversion.to == Type::F64 && value != value)
    return word;
  if (conversion.integerRounding)
    value = roundToInteger(value, conversion.integerRounding);
  if (conversion.saturates)
    value = saturate(value);
  if (conversion.relu && (value < 0 || (value == 0 && std::signbit(value))))
    value = 0;
  uint64_t result = writeFloat(value, conversion);
  if (conversion.flush && conversion.to == Type::F32)
    result = std::bit_cast<uint32_t>(
        flushSubnormal(std::bit_cast<float>(static_cast<uint32_t>(result))));
  return result;
}

void runConvert(Warp &warp, const Instruction &instruction, uint32_t active) {
  Conversion conversion = unpack(instruction.immediate);
  uint64_t scratch[32], out[32];
  uint32_t narrowScratch[32];
  bool isWide = getTypeSize(conversion.from) == 8;
  const uint64_t *wide = isWide ? warp.read64(instruction.a, scratch) : nullptr;
  const uint32_t *narrow = isWide ? nullptr : warp.read32(instruction.a, narrowScratch);
  bool checksNan =
      warp.launch.options.strict && isFloatType(conversion.from) && !isFloatType(conversion.to);
  unsigned bits = bitsOf(conversion.to);
  bool extends = !isFloatType(conversion.to) && bits < 64;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(active >> lane & 1)) {
      out[lane] = 0;
      continue;
    }
    uint64_t word = isWide ? wide[lane] : narrow[lane];
    if (checksNan && std::isnan(readFloat(word, conversion.from)))
      warp.report(FaultKind::InvalidConversion, "NaN to an integer", static_cast<int>(lane));
    out[lane] = convertOne(word, conversion);
    // A wider register is sign-extended for signed types, zero-extended for others.
    if (extends)
      out[lane] = static_cast<uint64_t>(readInteger(out[lane], conversion.to));
  }
  if (instruction.d.isNarrow)
    for (uint64_t &value : out)
      value &= 0xFFFF;
  if (instruction.d.width == 8) {
    warp.write64(instruction.d, out, active);
    return;
  }
  uint32_t words[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    words[lane] = static_cast<uint32_t>(out[lane]);
  warp.write32(instruction.d, words, active);
}

/// d = {cvt(a), cvt(b)}: a in the high half.
template <bool IsBrain> void runPack(Warp &warp, const Instruction &instruction, uint32_t active) {
  Conversion conversion = unpack(instruction.immediate);
  uint32_t scratchA[32], scratchB[32], out[32];
  const uint32_t *a = warp.read32(instruction.a, scratchA);
  const uint32_t *b = warp.read32(instruction.b, scratchB);
  bool isPlain = conversion.rounding == 0 && !conversion.relu && !conversion.satFinite;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (isPlain) {
      float high = std::bit_cast<float>(a[lane]), low = std::bit_cast<float>(b[lane]);
      out[lane] = IsBrain ? uint32_t(floatToBrain(high)) << 16 | floatToBrain(low)
                          : uint32_t(floatToHalf(high)) << 16 | floatToHalf(low);
    } else {
      out[lane] = static_cast<uint32_t>(convertOne(a[lane], conversion) << 16 |
                                        convertOne(b[lane], conversion));
    }
  }
  warp.write32(instruction.d, out, active);
}

/// Pairs of 8-bit floats: from two f32 (the first in the high byte), from and to f16x2. mode bit 0:
/// e5m2, bit 1: the source is f16x2, bit 2: the result is f16x2.
void runSmall(Warp &warp, const Instruction &instruction, uint32_t active) {
  Conversion conversion = unpack(instruction.immediate);
  uint32_t scratchA[32], scratchB[32], out[32];
  const uint32_t *a = warp.read32(instruction.a, scratchA);
  const uint32_t *b = instruction.b.isPresent() ? warp.read32(instruction.b, scratchB) : a;
  bool isE5M2 = instruction.mode & 1;
  auto clamp = [&](double value) { return conversion.relu && value <= 0 ? 0.0 : value; };
  auto narrow = [&](double value) {
    return uint32_t(isE5M2 ? roundToE5M2(clamp(value)) : roundToE4M3(clamp(value)));
  };
  auto widen = [&](uint32_t bits) {
    auto byte = static_cast<uint8_t>(bits);
    return uint32_t(roundToHalf(clamp(isE5M2 ? e5m2ToFloat(byte) : e4m3ToFloat(byte))));
  };
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (instruction.mode & 4)
      out[lane] = widen(a[lane]) | widen(a[lane] >> 8) << 16;
    else if (instruction.mode & 2)
      out[lane] = narrow(halfToFloat(static_cast<uint16_t>(a[lane]))) |
                  narrow(halfToFloat(static_cast<uint16_t>(a[lane] >> 16))) << 8;
    else
      out[lane] =
          narrow(std::bit_cast<float>(a[lane])) << 8 | narrow(std::bit_cast<float>(b[lane]));
  }
  warp.write32(instruction.d, out, active);
}

void decodeSmall(Decoder &decoder, const Conversion &conversion, Type to, Type from, bool isGiven) {
  bool widens = to == Type::F16x2;
  Type small = widens ? from : to;
  bool isFromFloats = from == Type::F32;
  if (!isGiven || conversion.rounding != 0 || conversion.satFinite == widens ||
      (!widens && !isFromFloats && from != Type::F16x2))
    decoder.failUnknown();
  decoder.expectOperands(isFromFloats ? 3 : 2, isFromFloats ? 3 : 2);
  decoder.out.d = decoder.result(0, widens ? Type::B32 : Type::B16);
  decoder.out.a = decoder.value(1, isFromFloats ? Type::F32 : widens ? Type::B16 : Type::B32);
  if (isFromFloats)
    decoder.out.b = decoder.value(2, Type::F32);
  decoder.out.mode =
      static_cast<uint8_t>((small == Type::E5M2x2) | (isFromFloats ? 0 : 2) | (widens ? 4 : 0));
  decoder.out.immediate = pack(conversion);
  decoder.out.handler = &runSmall;
}

void decodeConvert(Decoder &decoder) {
  if (decoder.has("pack"))
    decoder.failUnknown();
  Conversion conversion{};
  bool isGiven = false;
  conversion.rounding = static_cast<uint8_t>(decoder.takeRounding(isGiven));
  conversion.integerRounding =
      static_cast<uint8_t>(decoder.takeOneOf({"rni", "rzi", "rmi", "rpi"}) + 1);
  conversion.flush = decoder.take("ftz");
  conversion.saturates = decoder.take("sat");
  conversion.relu = decoder.take("relu");
  conversion.satFinite = decoder.take("satfinite");
  Type to = decoder.expectType();
  Type from = decoder.expectType();
  decoder.out.kind = InstructionClass::Convert;
  for (Type type : {to, from})
    if (type == Type::E4M3x2 || type == Type::E5M2x2)
      return decodeSmall(decoder, conversion, to, from, isGiven);
  if (to == Type::F16x2 || to == Type::BF16x2) {
    if (from != Type::F32 || !isGiven || conversion.rounding > 1)
      decoder.failUnknown();
    bool isBrain = to == Type::BF16x2;
    conversion.to = isBrain ? Type::BF16 : Type::F16;
    conversion.from = Type::F32;
    decoder.expectOperands(3, 3);
    decoder.out.d = decoder.result(0, Type::B32);
    decoder.out.a = decoder.value(1, Type::F32);
    decoder.out.b = decoder.value(2, Type::F32);
    decoder.out.immediate = pack(conversion);
    decoder.out.handler = isBrain ? &runPack<true> : &runPack<false>;
    return;
  }
  bool toFloat = isFloatType(to), fromFloat = isFloatType(from);
  if ((!toFloat && !isInteger(to)) || (!fromFloat && !isInteger(from)) || from == Type::TF32)
    decoder.failUnknown();
  // Narrowing floats need a rounding mode; widening ones must not have any.
  if (to == Type::TF32 && (from != Type::F32 || !isGiven))
    decoder.failUnknown();
  if (!toFloat && fromFloat && (conversion.integerRounding == 0 || isGiven))
    decoder.failUnknown();
  if (toFloat && !fromFloat && !isGiven)
    decoder.failUnknown();
  if (!toFloat && !fromFloat && (isGiven || conversion.integerRounding))
    decoder.failUnknown();
  conversion.to = to;
  conversion.from = from;
  decoder.expectOperands(2, 2);
  decoder.out.d = decoder.result(0, to == Type::TF32 ? Type::B32 : to);
  decoder.out.a = decoder.value(1, from);
  decoder.out.immediate = pack(conversion);
  decoder.out.handler = &runConvert;
  // The conversions of address arithmetic.
  if (!conversion.saturates && decoder.out.d.width == 8 && decoder.out.a.width == 4) {
    if ((to == Type::U64 || to == Type::S64) && from == Type::U32)
      decoder.out.handler = unary<uint64_t, uint32_t>([](uint32_t a) { return uint64_t(a); });
    if ((to == Type::U64 || to == Type::S64) && from == Type::S32)
      decoder.out.handler =
          unary<uint64_t, int32_t>([](int32_t a) { return static_cast<uint64_t>(int64_t(a)); });
  }
}

} // namespace

void registerConvert(InstructionTable &table) { table["cvt"] = decodeConvert; }

} // namespace attnc::emu
