//===- InstructionsFloat.cpp - f32 and f64 arithmetic with exact rounding ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Float.h"
#include "runtime/emulator/Half.h"
#include "runtime/emulator/Lanes.h"

#include <algorithm>
#include <limits>

namespace attnc::emu {
namespace {

template <bool Flush> float in(float value) { return Flush ? flushSubnormal(value) : value; }
template <bool Flush, bool Saturate> float out(float value) {
  if constexpr (Saturate)
    value = saturate(value);
  if constexpr (Flush)
    value = flushSubnormal(value);
  return canonicalNan(value);
}

/// Nearest-even operations, one loop for each combination of ftz and sat.
template <bool Flush, bool Saturate> Handler selectNearest(FloatOperation operation) {
  switch (operation) {
  case FloatOperation::Add:
    return binaryOf<float>(
        [](float a, float b) { return out<Flush, Saturate>(in<Flush>(a) + in<Flush>(b)); });
  case FloatOperation::Subtract:
    return binaryOf<float>(
        [](float a, float b) { return out<Flush, Saturate>(in<Flush>(a) - in<Flush>(b)); });
  case FloatOperation::Multiply:
    return binaryOf<float>(
        [](float a, float b) { return out<Flush, Saturate>(in<Flush>(a) * in<Flush>(b)); });
  case FloatOperation::Fma:
    return ternaryOf<float>([](float a, float b, float c) {
      return out<Flush, Saturate>(fusedMultiplyAdd(in<Flush>(a), in<Flush>(b), in<Flush>(c)));
    });
  case FloatOperation::Divide:
    return binaryOf<float>(
        [](float a, float b) { return out<Flush, Saturate>(in<Flush>(a) / in<Flush>(b)); });
  case FloatOperation::SquareRoot:
    return unaryOf<float>([](float a) { return out<Flush, Saturate>(std::sqrt(in<Flush>(a))); });
  }
  return nullptr;
}

/// Any rounding: mode holds operation, direction, flush and sat.
uint8_t packMode(FloatOperation operation, RoundingMode rounding, bool flush, bool saturates) {
  return static_cast<uint8_t>(static_cast<uint8_t>(operation) |
                              static_cast<uint8_t>(rounding) << 3 | flush << 6 | saturates << 7);
}

template <class T> void runRounded(Warp &warp, const Instruction &instruction, uint32_t active) {
  Stored<T> scratchA[32], scratchB[32], scratchC[32], out[32];
  const Stored<T> *a = readRow<T>(warp, instruction.a, scratchA);
  const Stored<T> *b = instruction.b.isPresent() ? readRow<T>(warp, instruction.b, scratchB) : a;
  const Stored<T> *c = instruction.c.isPresent() ? readRow<T>(warp, instruction.c, scratchC) : a;
  auto operation = static_cast<FloatOperation>(instruction.mode & 7);
  auto rounding = static_cast<RoundingMode>(instruction.mode >> 3 & 7);
  bool flush = instruction.mode & 64, saturates = instruction.mode & 128;
  for (unsigned lane = 0; lane < 32; ++lane) {
    out[lane] = 0;
    if (!(active >> lane & 1))
      continue;
    T x = fromStored<T>(a[lane]), y = fromStored<T>(b[lane]), z = fromStored<T>(c[lane]);
    if constexpr (sizeof(T) == 4) {
      if (flush) {
        x = flushSubnormal(x);
        y = flushSubnormal(y);
        z = flushSubnormal(z);
      }
    }
    T result = computeRounded(operation, x, y, z, rounding);
    if (saturates)
      result = saturate(result);
    if constexpr (sizeof(T) == 4) {
      if (flush)
        result = flushSubnormal(result);
      result = canonicalNan(result);
    }
    out[lane] = toStored<T>(result);
  }
  writeRow<T>(warp, instruction.d, out, active);
}

void decodeArithmetic(Decoder &decoder, FloatOperation operation, size_t sources) {
  bool isGiven = false;
  RoundingMode rounding = decoder.takeRounding(isGiven);
  bool flush = decoder.take("ftz");
  bool saturates = decoder.take("sat");
  Type type = decoder.expectType();
  if (type == Type::F32x2)
    decoder.refuse("packed f32x2 needs sm_100");
  if ((type != Type::F32 && type != Type::F64) || rounding == RoundingMode::NearestAway ||
      (type == Type::F64 && (flush || saturates)))
    decoder.failUnknown();
  bool needsRounding = operation >= FloatOperation::Fma && decoder.name() != "mad";
  if (needsRounding && !isGiven)
    decoder.failUnknown();
  decoder.expectOperands(sources + 1, sources + 1);
  decoder.out.kind = type == Type::F64 ? InstructionClass::Double : InstructionClass::Float;
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  if (sources > 1)
    decoder.out.b = decoder.value(2, type);
  if (sources > 2)
    decoder.out.c = decoder.value(3, type);
  decoder.out.mode = packMode(operation, rounding, flush, saturates);
  if (type == Type::F64)
    decoder.out.handler = &runRounded<double>;
  else if (rounding != RoundingMode::NearestEven)
    decoder.out.handler = &runRounded<float>;
  else if (flush)
    decoder.out.handler =
        saturates ? selectNearest<true, true>(operation) : selectNearest<true, false>(operation);
  else
    decoder.out.handler =
        saturates ? selectNearest<false, true>(operation) : selectNearest<false, false>(operation);
}

/// min and max: one NaN gives the other operand (or NaN with `.NaN`), +0 is above -0. On integers
/// and without branches, so that loops over it vectorise.
template <class T, bool IsMin, bool KeepsNan, bool Flush, bool DropsSign> T extreme(T a, T b) {
  using U = Stored<T>;
  using S = std::make_signed_t<U>;
  constexpr unsigned last = 8 * sizeof(T) - 1;
  constexpr U signBit = U(1) << last, magnitudeBits = signBit - 1;
  constexpr U infinity = std::bit_cast<U>(std::numeric_limits<T>::infinity());
  if constexpr (Flush) {
    a = flushSubnormal(a);
    b = flushSubnormal(b);
  }
  U bitsA = std::bit_cast<U>(a), bitsB = std::bit_cast<U>(b);
  U sign = (bitsA ^ bitsB) & signBit;
  if constexpr (DropsSign) {
    bitsA &= magnitudeBits;
    bitsB &= magnitudeBits;
  }
  // Signed integers in the order of the values.
  auto keyOf = [](U bits) {
    return static_cast<S>(bits ^ (static_cast<U>(static_cast<S>(bits) >> last) & magnitudeBits));
  };
  bool isNanA = (bitsA & magnitudeBits) > infinity, isNanB = (bitsB & magnitudeBits) > infinity;
  U result = (keyOf(bitsA) < keyOf(bitsB)) == IsMin ? bitsA : bitsB;
  result = isNanA ? bitsB : result;
  result = isNanB ? bitsA : result;
  result = (KeepsNan ? isNanA | isNanB : isNanA & isNanB) ? magnitudeBits : result;
  if constexpr (DropsSign)
    result = (result & magnitudeBits) | sign;
  return std::bit_cast<T>(result);
}

template <bool IsMin, bool KeepsNan, bool Flush> Handler selectExtreme(bool dropsSign) {
  return dropsSign ? binaryOf<float>([](float a, float b) {
    return extreme<float, IsMin, KeepsNan, Flush, true>(a, b);
  })
                   : binaryOf<float>([](float a, float b) {
                       return extreme<float, IsMin, KeepsNan, Flush, false>(a, b);
                     });
}

void decodeExtreme(Decoder &decoder, bool isMin) {
  bool flush = decoder.take("ftz");
  bool keepsNan = decoder.take("NaN");
  bool dropsSign = decoder.take("xorsign");
  if (dropsSign && !decoder.take("abs"))
    decoder.failUnknown();
  Type type = decoder.expectTypeOf({Type::F32, Type::F64});
  if (decoder.operandCount() == 4)
    decoder.refuse("three-input min and max need sm_100");
  decoder.expectOperands(3, 3);
  decoder.out.kind = type == Type::F64 ? InstructionClass::Double : InstructionClass::Float;
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  decoder.out.b = decoder.value(2, type);
  if (type == Type::F64) {
    if (flush || keepsNan || dropsSign)
      decoder.failUnknown();
    decoder.out.handler = isMin ? binaryOf<double>([](double a, double b) {
      return extreme<double, true, false, false, false>(a, b);
    })
                                : binaryOf<double>([](double a, double b) {
                                    return extreme<double, false, false, false, false>(a, b);
                                  });
    return;
  }
  auto select = [&]<bool IsMin>() {
    if (flush)
      return keepsNan ? selectExtreme<IsMin, true, true>(dropsSign)
                      : selectExtreme<IsMin, false, true>(dropsSign);
    return keepsNan ? selectExtreme<IsMin, true, false>(dropsSign)
                    : selectExtreme<IsMin, false, false>(dropsSign);
  };
  decoder.out.handler = isMin ? select.operator()<true>() : select.operator()<false>();
}

void decodeSign(Decoder &decoder) {
  bool isAbs = decoder.name() == "abs";
  bool flush = decoder.take("ftz");
  Type type = decoder.expectTypeOf({Type::F32, Type::F64});
  decoder.expectOperands(2, 2);
  decoder.out.kind = type == Type::F64 ? InstructionClass::Double : InstructionClass::Float;
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  if (type == Type::F64) {
    decoder.out.handler =
        isAbs ? unaryOf<uint64_t>([](uint64_t a) { return a & ~(uint64_t(1) << 63); })
              : unaryOf<uint64_t>([](uint64_t a) { return a ^ uint64_t(1) << 63; });
    return;
  }
  // The sign of a NaN is changed as well.
  if (flush)
    decoder.out.handler = isAbs
                              ? unaryOf<float>([](float a) { return std::fabs(flushSubnormal(a)); })
                              : unaryOf<float>([](float a) { return -flushSubnormal(a); });
  else
    decoder.out.handler = isAbs ? unaryOf<uint32_t>([](uint32_t a) { return a & 0x7FFFFFFFu; })
                                : unaryOf<uint32_t>([](uint32_t a) { return a ^ 0x80000000u; });
}

void decodeReciprocal(Decoder &decoder) {
  bool isSquareRoot = decoder.name() == "sqrt";
  if (decoder.has("approx"))
    return decodeApproximate(decoder);
  if (isSquareRoot)
    return decodeArithmetic(decoder, FloatOperation::SquareRoot, 1);
  decodeArithmetic(decoder, FloatOperation::Divide, 1);
  // 1 / a: the division's operands are a constant and the source.
  bool isDouble = decoder.out.kind == InstructionClass::Double;
  decoder.out.b = decoder.out.a;
  decoder.out.a = isDouble ? decoder.constant(std::bit_cast<uint64_t>(1.0), 8)
                           : decoder.constant(std::bit_cast<uint32_t>(1.0f), 4);
}

void decodeCopySign(Decoder &decoder) {
  Type type = decoder.expectTypeOf({Type::F32, Type::F64});
  decoder.expectOperands(3, 3);
  decoder.out.kind = InstructionClass::Float;
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  decoder.out.b = decoder.value(2, type);
  // The sign of a, the magnitude of b.
  decoder.out.handler = type == Type::F32 ? binaryOf<uint32_t>([](uint32_t a, uint32_t b) {
    return (a & 0x80000000u) | (b & 0x7FFFFFFFu);
  })
                                          : binaryOf<uint64_t>([](uint64_t a, uint64_t b) {
                                              constexpr uint64_t sign = uint64_t(1) << 63;
                                              return (a & sign) | (b & ~sign);
                                            });
}

/// f32 arithmetic whose last source is f32, and the others are of 16 bits and converted, which is
/// exact (PTX ISA, "Mixed Precision Floating-Point Instructions"). Mode as in packMode.
template <float (*Widen)(uint16_t)>
void runMixed(Warp &warp, const Instruction &instruction, uint32_t active) {
  bool isFma = instruction.c.isPresent();
  Stored<uint16_t> scratchA[32], scratchB[32];
  Stored<float> scratchLast[32], out[32];
  const Stored<uint16_t> *a = readRow<uint16_t>(warp, instruction.a, scratchA);
  const Stored<uint16_t> *b = isFma ? readRow<uint16_t>(warp, instruction.b, scratchB) : a;
  const Stored<float> *last =
      readRow<float>(warp, isFma ? instruction.c : instruction.b, scratchLast);
  auto operation = static_cast<FloatOperation>(instruction.mode & 7);
  auto rounding = static_cast<RoundingMode>(instruction.mode >> 3 & 7);
  bool saturates = instruction.mode & 128;
  for (unsigned lane = 0; lane < 32; ++lane) {
    out[lane] = 0;
    if (!(active >> lane & 1))
      continue;
    float x = Widen(a[lane]), y = Widen(b[lane]), z = fromStored<float>(last[lane]);
    float result = computeRounded(operation, x, isFma ? y : z, z, rounding);
    out[lane] = toStored<float>(canonicalNan(saturates ? saturate(result) : result));
  }
  writeRow<float>(warp, instruction.d, out, active);
}

void decodeMixed(Decoder &decoder, FloatOperation operation, size_t sources) {
  bool isGiven = false;
  RoundingMode rounding = decoder.takeRounding(isGiven);
  bool saturates = decoder.take("sat");
  decoder.expectTypeOf({Type::F32});
  Type type = decoder.expectTypeOf({Type::F16, Type::BF16});
  if (rounding == RoundingMode::NearestAway || (operation == FloatOperation::Fma && !isGiven))
    decoder.failUnknown();
  decoder.expectOperands(sources + 1, sources + 1);
  decoder.out.kind = InstructionClass::Float;
  decoder.out.d = decoder.result(0, Type::F32);
  decoder.out.a = decoder.value(1, type);
  decoder.out.b = decoder.value(2, sources > 2 ? type : Type::F32);
  if (sources > 2)
    decoder.out.c = decoder.value(3, Type::F32);
  decoder.out.mode = packMode(operation, rounding, /*flush=*/false, saturates);
  decoder.out.handler = type == Type::F16 ? &runMixed<halfToFloat> : &runMixed<brainToFloat>;
}

void decodeFma(Decoder &decoder) { decodeFloating(decoder); }

} // namespace

void decodeFloating(Decoder &decoder) {
  std::string_view name = decoder.name();
  if (decoder.has("f32") && (decoder.has("f16") || decoder.has("bf16"))) {
    if (name == "add")
      return decodeMixed(decoder, FloatOperation::Add, 2);
    if (name == "sub")
      return decodeMixed(decoder, FloatOperation::Subtract, 2);
    if (name == "fma")
      return decodeMixed(decoder, FloatOperation::Fma, 3);
  }
  for (std::string_view type : {"f16", "f16x2", "bf16", "bf16x2"})
    if (decoder.has(type))
      return decodeHalf(decoder);
  if (name == "add")
    return decodeArithmetic(decoder, FloatOperation::Add, 2);
  if (name == "sub")
    return decodeArithmetic(decoder, FloatOperation::Subtract, 2);
  if (name == "mul")
    return decodeArithmetic(decoder, FloatOperation::Multiply, 2);
  if (name == "fma" || name == "mad")
    return decodeArithmetic(decoder, FloatOperation::Fma, 3);
  if (name == "min" || name == "max")
    return decodeExtreme(decoder, name == "min");
  if (name == "abs" || name == "neg")
    return decodeSign(decoder);
  if (name == "div") {
    if (decoder.has("approx") || decoder.has("full"))
      return decodeApproximate(decoder);
    return decodeArithmetic(decoder, FloatOperation::Divide, 2);
  }
  decoder.failUnknown();
}

void registerFloat(InstructionTable &table) {
  table["fma"] = decodeFma;
  table["rcp"] = decodeReciprocal;
  table["sqrt"] = decodeReciprocal;
  table["copysign"] = decodeCopySign;
}

} // namespace attnc::emu
