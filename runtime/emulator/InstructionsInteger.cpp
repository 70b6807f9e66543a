//===- InstructionsInteger.cpp - Integer arithmetic -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Lanes.h"

#include <algorithm>
#include <limits>

namespace attnc::emu {
namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;

void setOperands(Decoder &decoder, Type type, size_t sources) {
  decoder.expectOperands(sources + 1, sources + 1);
  decoder.out.kind = InstructionClass::Integer;
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  if (sources > 1)
    decoder.out.b = decoder.value(2, type);
  if (sources > 2)
    decoder.out.c = decoder.value(3, type);
}

void requireHandler(Decoder &decoder) {
  if (!decoder.out.handler)
    decoder.failUnknown();
}

/// Adds with the carry flag of each lane: mode bit 0 reads it, bit 1 writes it, bit 2 subtracts.
template <class T> void runCarry(Warp &warp, const Instruction &instruction, uint32_t active) {
  Stored<T> scratchA[32], scratchB[32], out[32];
  const Stored<T> *a = readRow<T>(warp, instruction.a, scratchA);
  const Stored<T> *b = readRow<T>(warp, instruction.b, scratchB);
  uint32_t carries = 0;
  bool isSubtraction = instruction.mode & 4;
  for (unsigned lane = 0; lane < 32; ++lane) {
    T in = instruction.mode & 1 ? (warp.carry >> lane & 1) : 0;
    unsigned __int128 sum = isSubtraction ? (unsigned __int128)(a[lane]) - b[lane] - in
                                          : (unsigned __int128)(a[lane]) + b[lane] + in;
    out[lane] = static_cast<T>(sum);
    carries |= static_cast<uint32_t>(sum >> (8 * sizeof(T)) & 1) << lane;
  }
  if (instruction.mode & 2)
    warp.carry = (warp.carry & ~active) | (carries & active);
  writeRow<T>(warp, instruction.d, out, active);
}

/// mad with carry: mode as above, bit 3 takes the high half, bit 4 is signed.
template <class T> void runMadCarry(Warp &warp, const Instruction &instruction, uint32_t active) {
  Stored<T> scratchA[32], scratchB[32], scratchC[32], out[32];
  const Stored<T> *a = readRow<T>(warp, instruction.a, scratchA);
  const Stored<T> *b = readRow<T>(warp, instruction.b, scratchB);
  const Stored<T> *c = readRow<T>(warp, instruction.c, scratchC);
  using S = std::make_signed_t<T>;
  uint32_t carries = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    Wide<T> product = static_cast<Wide<T>>(T(a[lane])) * T(b[lane]);
    if (instruction.mode & 16)
      product = static_cast<Wide<T>>(static_cast<Wide<S>>(static_cast<S>(a[lane])) *
                                     static_cast<S>(b[lane]));
    T part = static_cast<T>(instruction.mode & 8 ? product >> (8 * sizeof(T)) : product);
    T in = instruction.mode & 1 ? (warp.carry >> lane & 1) : 0;
    unsigned __int128 sum = (unsigned __int128)(part) + T(c[lane]) + in;
    out[lane] = static_cast<T>(sum);
    carries |= static_cast<uint32_t>(sum >> (8 * sizeof(T)) & 1) << lane;
  }
  if (instruction.mode & 2)
    warp.carry = (warp.carry & ~active) | (carries & active);
  writeRow<T>(warp, instruction.d, out, active);
}

void decodeCarry(Decoder &decoder) {
  std::string_view name = decoder.name();
  bool reads = name == "addc" || name == "subc";
  bool writes = decoder.take("cc");
  Type type =
      decoder.expectTypeOf({Type::U32, Type::S32, Type::U64, Type::S64, Type::B32, Type::B64});
  setOperands(decoder, type, 2);
  decoder.out.mode = static_cast<uint8_t>(reads | writes << 1 | (name[0] == 's' ? 4 : 0));
  decoder.out.handler = getTypeSize(type) == 4 ? &runCarry<uint32_t> : &runCarry<uint64_t>;
}

void decodeAddSub(Decoder &decoder) {
  bool isAdd = decoder.name() == "add";
  Type type = decoder.takeType();
  if (decoder.has("cc")) {
    decoder.take("cc");
    setOperands(decoder, type, 2);
    decoder.out.mode = isAdd ? 2 : 6;
    if (!isInteger(type) || getTypeSize(type) < 4)
      decoder.failUnknown();
    decoder.out.handler = getTypeSize(type) == 4 ? &runCarry<uint32_t> : &runCarry<uint64_t>;
    return;
  }
  if (type == Type::U16x2 || type == Type::S16x2) {
    setOperands(decoder, Type::B32, 2);
    decoder.out.handler =
        isAdd ? binaryOf<uint32_t>([](uint32_t a, uint32_t b) {
          return uint32_t(static_cast<uint16_t>(a + b)) | ((a >> 16) + (b >> 16)) << 16;
        })
              : binaryOf<uint32_t>([](uint32_t a, uint32_t b) {
                  return uint32_t(static_cast<uint16_t>(a - b)) | ((a >> 16) - (b >> 16)) << 16;
                });
    return;
  }
  setOperands(decoder, type, 2);
  if (decoder.take("sat")) {
    if (type != Type::S32)
      decoder.failUnknown();
    decoder.out.handler = isAdd ? binaryOf<int32_t>([](int32_t a, int32_t b) {
      return static_cast<int32_t>(std::clamp<int64_t>(int64_t(a) + b, INT32_MIN, INT32_MAX));
    })
                                : binaryOf<int32_t>([](int32_t a, int32_t b) {
                                    return static_cast<int32_t>(
                                        std::clamp<int64_t>(int64_t(a) - b, INT32_MIN, INT32_MAX));
                                  });
    return;
  }
  decoder.out.handler = forInteger(type, [&]<class T>() {
    using U = Unsigned<T>;
    return isAdd ? binaryOf<U>([](U a, U b) { return static_cast<U>(a + b); })
                 : binaryOf<U>([](U a, U b) { return static_cast<U>(a - b); });
  });
  requireHandler(decoder);
}

/// mul.wide: the result has twice the width.
Type getWideType(Decoder &decoder, Type type) {
  switch (type) {
  case Type::U16:
  case Type::B16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
  case Type::B32:
    return Type::U64;
  case Type::S32:
    return Type::S64;
  default:
    decoder.failUnknown();
  }
}

void decodeMultiply(Decoder &decoder) {
  bool isMad = decoder.name() == "mad" || decoder.name() == "madc";
  int part = decoder.takeOneOf({"lo", "hi", "wide"});
  bool writesCarry = decoder.take("cc");
  bool readsCarry = decoder.name() == "madc";
  bool saturates = decoder.take("sat");
  Type type = decoder.expectType();
  if (part < 0 || !isInteger(type))
    decoder.failUnknown();
  size_t sources = isMad ? 3 : 2;
  decoder.expectOperands(sources + 1, sources + 1);
  Type resultType = part == 2 ? getWideType(decoder, type) : type;
  decoder.out.d = decoder.result(0, resultType);
  decoder.out.a = decoder.value(1, type);
  decoder.out.b = decoder.value(2, type);
  if (isMad)
    decoder.out.c = decoder.value(3, resultType);
  if (writesCarry || readsCarry) {
    if (part == 2 || getTypeSize(type) < 4)
      decoder.failUnknown();
    decoder.out.mode = static_cast<uint8_t>(readsCarry | writesCarry << 1 | (part == 1 ? 8 : 0) |
                                            (isSigned(type) ? 16 : 0));
    decoder.out.handler = getTypeSize(type) == 4 ? &runMadCarry<uint32_t> : &runMadCarry<uint64_t>;
    return;
  }
  if (saturates) {
    if (!isMad || part != 1 || type != Type::S32)
      decoder.failUnknown();
    decoder.out.handler = ternaryOf<int32_t>([](int32_t a, int32_t b, int32_t c) {
      return static_cast<int32_t>(
          std::clamp<int64_t>((int64_t(a) * b >> 32) + c, INT32_MIN, INT32_MAX));
    });
    return;
  }
  decoder.out.handler = forInteger(type, [&]<class T>() -> Handler {
    using W = Wide<T>;
    if (part == 0)
      return isMad ? ternaryOf<T>([](T a, T b, T c) {
        return static_cast<T>(
            Unsigned<T>(Unsigned<T>(1u * Unsigned<T>(a) * Unsigned<T>(b)) + Unsigned<T>(c)));
      })
                   : binaryOf<T>([](T a, T b) {
                       return static_cast<T>(Unsigned<T>(1u * Unsigned<T>(a) * Unsigned<T>(b)));
                     });
    if (part == 1)
      return isMad ? ternaryOf<T>([](T a, T b, T c) {
        return static_cast<T>(static_cast<Unsigned<T>>(W(a) * W(b) >> (8 * sizeof(T))) +
                              Unsigned<T>(c));
      })
                   : binaryOf<T>(
                         [](T a, T b) { return static_cast<T>(W(a) * W(b) >> (8 * sizeof(T))); });
    if constexpr (sizeof(T) <= 4) {
      using UW = Unsigned<W>;
      return isMad ? ternary<W, T, T, W>(
                         [](T a, T b, W c) { return static_cast<W>(UW(W(a) * W(b)) + UW(c)); })
                   : binary<W, T, T>([](T a, T b) { return static_cast<W>(W(a) * W(b)); });
    }
    return nullptr;
  });
  requireHandler(decoder);
}

void decodeMul24(Decoder &decoder) {
  bool isMad = decoder.name() == "mad24";
  int part = decoder.takeOneOf({"lo", "hi"});
  Type type = decoder.expectTypeOf({Type::U32, Type::S32});
  if (part < 0)
    decoder.failUnknown();
  setOperands(decoder, type, isMad ? 3 : 2);
  if (!isMad)
    decoder.out.c = decoder.constant(0, 4);
  bool isHigh = part == 1;
  if (type == Type::U32)
    decoder.out.handler = isHigh ? ternaryOf<uint32_t>([](uint32_t a, uint32_t b, uint32_t c) {
      return static_cast<uint32_t>(uint64_t(a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16) + c;
    })
                                 : ternaryOf<uint32_t>([](uint32_t a, uint32_t b, uint32_t c) {
                                     return (a & 0xFFFFFF) * (b & 0xFFFFFF) + c;
                                   });
  else
    decoder.out.handler = isHigh ? ternaryOf<int32_t>([](int32_t a, int32_t b, int32_t c) {
      int64_t product = int64_t(int32_t(uint32_t(a) << 8) >> 8) * (int32_t(uint32_t(b) << 8) >> 8);
      return static_cast<int32_t>(uint32_t(product >> 16) + uint32_t(c));
    })
                                 : ternaryOf<int32_t>([](int32_t a, int32_t b, int32_t c) {
                                     int64_t product = int64_t(int32_t(uint32_t(a) << 8) >> 8) *
                                                       (int32_t(uint32_t(b) << 8) >> 8);
                                     return static_cast<int32_t>(uint32_t(product) + uint32_t(c));
                                   });
}

/// Division by zero: all ones and the dividend; a fault in strict mode.
template <class T, bool IsRemainder>
void runDivide(Warp &warp, const Instruction &instruction, uint32_t active) {
  Stored<T> scratchA[32], scratchB[32], out[32];
  const Stored<T> *a = readRow<T>(warp, instruction.a, scratchA);
  const Stored<T> *b = readRow<T>(warp, instruction.b, scratchB);
  for (unsigned lane = 0; lane < 32; ++lane) {
    T dividend = fromStored<T>(a[lane]);
    T divisor = fromStored<T>(b[lane]);
    T result;
    if (divisor == 0) {
      result = IsRemainder ? dividend : static_cast<T>(~T(0));
      if (warp.launch.options.strict && (active >> lane & 1))
        warp.report(FaultKind::DivisionByZero, "the result is unspecified", static_cast<int>(lane));
    } else if (std::is_signed_v<T> && divisor == static_cast<T>(-1)) {
      result = IsRemainder ? T(0) : static_cast<T>(0 - Unsigned<T>(dividend));
    } else {
      result = static_cast<T>(IsRemainder ? dividend % divisor : dividend / divisor);
    }
    out[lane] = toStored<T>(result);
  }
  writeRow<T>(warp, instruction.d, out, active);
}

void decodeDivide(Decoder &decoder) {
  bool isRemainder = decoder.name() == "rem";
  Type type = decoder.expectType();
  setOperands(decoder, type, 2);
  decoder.out.handler = forInteger(type, [&]<class T>() -> Handler {
    return isRemainder ? &runDivide<T, true> : &runDivide<T, false>;
  });
  requireHandler(decoder);
}

void decodeMinMax(Decoder &decoder) {
  bool isMin = decoder.name() == "min";
  bool isRelu = decoder.take("relu");
  Type type = decoder.takeType();
  if (type == Type::U16x2 || type == Type::S16x2) {
    setOperands(decoder, Type::B32, 2);
    if (isRelu)
      decoder.failUnknown();
    auto make = [&]<class T>() -> Handler {
      return isMin ? binaryOf<uint32_t>([](uint32_t a, uint32_t b) {
        return uint32_t(uint16_t(std::min(T(a), T(b)))) |
               uint32_t(uint16_t(std::min(T(a >> 16), T(b >> 16)))) << 16;
      })
                   : binaryOf<uint32_t>([](uint32_t a, uint32_t b) {
                       return uint32_t(uint16_t(std::max(T(a), T(b)))) |
                              uint32_t(uint16_t(std::max(T(a >> 16), T(b >> 16)))) << 16;
                     });
    };
    decoder.out.handler =
        type == Type::U16x2 ? make.operator()<uint16_t>() : make.operator()<int16_t>();
    return;
  }
  setOperands(decoder, type, 2);
  if (isRelu) {
    if (type != Type::S32)
      decoder.failUnknown();
    decoder.out.handler =
        isMin ? binaryOf<int32_t>([](int32_t a, int32_t b) { return std::max(std::min(a, b), 0); })
              : binaryOf<int32_t>([](int32_t a, int32_t b) { return std::max(std::max(a, b), 0); });
    return;
  }
  decoder.out.handler = forInteger(type, [&]<class T>() {
    return isMin ? binaryOf<T>([](T a, T b) { return std::min(a, b); })
                 : binaryOf<T>([](T a, T b) { return std::max(a, b); });
  });
  requireHandler(decoder);
}

void decodeAbsNeg(Decoder &decoder) {
  bool isAbs = decoder.name() == "abs";
  Type type = decoder.expectTypeOf({Type::S16, Type::S32, Type::S64});
  setOperands(decoder, type, 1);
  decoder.out.handler = forInteger(type, [&]<class T>() {
    using U = Unsigned<T>;
    return isAbs ? unaryOf<T>([](T a) { return static_cast<T>(a < 0 ? U(0) - U(a) : U(a)); })
                 : unaryOf<T>([](T a) { return static_cast<T>(U(0) - U(a)); });
  });
}

void decodeSad(Decoder &decoder) {
  Type type = decoder.expectType();
  setOperands(decoder, type, 3);
  decoder.out.handler = forInteger(type, [&]<class T>() {
    using U = Unsigned<T>;
    return ternaryOf<T>([](T a, T b, T c) {
      U difference = a < b ? U(b) - U(a) : U(a) - U(b);
      return static_cast<T>(U(c) + difference);
    });
  });
  requireHandler(decoder);
}

/// Dot products of bytes (dp4a) or of a 16-bit pair with two bytes (dp2a). mode: bit 0 a signed,
/// bit 1 b signed, bit 2 dp2a.hi, bit 3 dp2a.
void runDotProduct(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t scratchA[32], scratchB[32], scratchC[32], out[32];
  const uint32_t *a = warp.read32(instruction.a, scratchA);
  const uint32_t *b = warp.read32(instruction.b, scratchB);
  const uint32_t *c = warp.read32(instruction.c, scratchC);
  auto byteAt = [](uint32_t word, unsigned at, bool isSignedByte) {
    uint8_t byte = static_cast<uint8_t>(word >> (8 * at));
    return isSignedByte ? int32_t(static_cast<int8_t>(byte)) : int32_t(byte);
  };
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t sum = c[lane];
    bool signedA = instruction.mode & 1, signedB = instruction.mode & 2;
    if (instruction.mode & 8) {
      for (unsigned i = 0; i < 2; ++i) {
        uint16_t word = static_cast<uint16_t>(a[lane] >> (16 * i));
        int32_t left = signedA ? int32_t(static_cast<int16_t>(word)) : int32_t(word);
        sum += static_cast<uint32_t>(left *
                                     byteAt(b[lane], i + (instruction.mode & 4 ? 2 : 0), signedB));
      }
    } else {
      for (unsigned i = 0; i < 4; ++i)
        sum += static_cast<uint32_t>(byteAt(a[lane], i, signedA) * byteAt(b[lane], i, signedB));
    }
    out[lane] = sum;
  }
  warp.write32(instruction.d, out, active);
}

void decodeDotProduct(Decoder &decoder) {
  bool isPair = decoder.name() == "dp2a";
  int half = isPair ? decoder.takeOneOf({"lo", "hi"}) : 0;
  Type typeA = decoder.expectTypeOf({Type::U32, Type::S32});
  Type typeB = decoder.expectTypeOf({Type::U32, Type::S32});
  if (half < 0)
    decoder.failUnknown();
  setOperands(decoder, Type::B32, 3);
  decoder.out.mode = static_cast<uint8_t>((typeA == Type::S32) | (typeB == Type::S32) << 1 |
                                          (half == 1 ? 4 : 0) | (isPair ? 8 : 0));
  decoder.out.handler = &runDotProduct;
}

bool isFloatingType(Decoder &decoder) {
  for (std::string_view name : {"f32", "f64", "f16", "f16x2", "bf16", "bf16x2", "f32x2"})
    if (decoder.has(name))
      return true;
  return false;
}

/// `add`, `mul`, `min`... exist for integers and floats; the type decides.
template <DecodeFunction Integer> void dispatch(Decoder &decoder) {
  if (isFloatingType(decoder))
    decodeFloating(decoder);
  else
    Integer(decoder);
}

} // namespace

void registerInteger(InstructionTable &table) {
  table["add"] = dispatch<decodeAddSub>;
  table["sub"] = dispatch<decodeAddSub>;
  table["addc"] = decodeCarry;
  table["subc"] = decodeCarry;
  table["mul"] = dispatch<decodeMultiply>;
  table["mad"] = dispatch<decodeMultiply>;
  table["madc"] = decodeMultiply;
  table["mul24"] = decodeMul24;
  table["mad24"] = decodeMul24;
  table["div"] = dispatch<decodeDivide>;
  table["rem"] = decodeDivide;
  table["min"] = dispatch<decodeMinMax>;
  table["max"] = dispatch<decodeMinMax>;
  table["abs"] = dispatch<decodeAbsNeg>;
  table["neg"] = dispatch<decodeAbsNeg>;
  table["sad"] = decodeSad;
  table["dp4a"] = decodeDotProduct;
  table["dp2a"] = decodeDotProduct;
}

} // namespace attnc::emu
