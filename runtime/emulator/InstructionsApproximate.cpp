//===- InstructionsApproximate.cpp - ex2, lg2, rcp, rsqrt, sqrt, sin, cos, tanh and div with bounded
// error ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Approx.h"
#include "runtime/emulator/Lanes.h"

namespace attnc::emu {
namespace {

uint64_t perturbationOf(const Warp &warp) {
  return warp.launch.options.perturbApproximations ? warp.launch.options.schedule.seed + 1 : 0;
}

/// mode: bit 7 flushes, the rest names the function.
void runApproximate(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t scratchA[32], scratchB[32], out[32];
  const uint32_t *a = warp.read32(instruction.a, scratchA);
  const uint32_t *b = instruction.b.isPresent() ? warp.read32(instruction.b, scratchB) : a;
  auto function = static_cast<Approximation>(instruction.mode & 0x7F);
  bool flush = instruction.mode & 0x80;
  uint64_t perturbation = perturbationOf(warp);
  if (function == Approximation::Ex2 && !perturbation) {
    approximateExp2(a, out, flush);
    return warp.write32(instruction.d, out, active);
  }
  for (unsigned lane = 0; lane < 32; ++lane)
    out[lane] =
        std::bit_cast<uint32_t>(approximate(function, std::bit_cast<float>(a[lane]),
                                            std::bit_cast<float>(b[lane]), flush, perturbation));
  warp.write32(instruction.d, out, active);
}

/// mode: bit 7 bf16, bit 6 packed.
void runApproximateHalf(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t scratch[32], out[32];
  const uint32_t *a = warp.read32(instruction.a, scratch);
  auto function = static_cast<Approximation>(instruction.mode & 0x3F);
  bool isBrain = instruction.mode & 0x80;
  uint64_t perturbation = perturbationOf(warp);
  for (unsigned lane = 0; lane < 32; ++lane) {
    out[lane] = approximateHalf(function, static_cast<uint16_t>(a[lane]), isBrain, perturbation);
    if (instruction.mode & 0x40)
      out[lane] |= uint32_t(approximateHalf(function, static_cast<uint16_t>(a[lane] >> 16), isBrain,
                                            perturbation))
                   << 16;
  }
  warp.write32(instruction.d, out, active);
}

/// f64 forms: the reciprocals to 20 bits and more; rsqrt.approx.f64.
template <bool IsRoot> Handler selectDouble() {
  return unaryOf<double>([](double a) {
    return IsRoot ? (a == 0 ? std::copysign(INFINITY, a) : 1.0 / std::sqrt(a)) : 1.0 / a;
  });
}

} // namespace

void decodeApproximate(Decoder &decoder) {
  std::string_view name = decoder.name();
  int precision = decoder.takeOneOf({"approx", "full"});
  bool flush = decoder.take("ftz");
  Type type = decoder.expectType();
  if (precision < 0)
    decoder.failUnknown();
  Approximation function;
  size_t sources = 1;
  if (name == "ex2")
    function = Approximation::Ex2;
  else if (name == "lg2")
    function = Approximation::Lg2;
  else if (name == "rcp")
    function = Approximation::Rcp;
  else if (name == "rsqrt")
    function = Approximation::Rsqrt;
  else if (name == "sqrt")
    function = Approximation::Sqrt;
  else if (name == "sin")
    function = Approximation::Sin;
  else if (name == "cos")
    function = Approximation::Cos;
  else if (name == "tanh")
    function = Approximation::Tanh;
  else if (name == "div") {
    function = precision ? Approximation::DivideFull : Approximation::DivideApprox;
    sources = 2;
  } else
    decoder.failUnknown();
  if (precision == 1 && function != Approximation::DivideFull)
    decoder.failUnknown();
  decoder.expectOperands(sources + 1, sources + 1);
  decoder.out.kind = InstructionClass::Special;
  bool isHalf = type == Type::F16 || type == Type::F16x2;
  bool isBrain = type == Type::BF16 || type == Type::BF16x2;
  bool isPacked = type == Type::F16x2 || type == Type::BF16x2;
  if (isHalf || isBrain) {
    if (function != Approximation::Ex2 && function != Approximation::Tanh)
      decoder.failUnknown();
    Type operandType = isPacked ? Type::B32 : type;
    decoder.out.d = decoder.result(0, operandType);
    decoder.out.a = decoder.value(1, operandType);
    decoder.out.mode =
        static_cast<uint8_t>(static_cast<uint8_t>(function) | isBrain << 7 | isPacked << 6);
    decoder.out.handler = &runApproximateHalf;
    return;
  }
  if (type == Type::F64 && (function == Approximation::Rcp || function == Approximation::Rsqrt)) {
    decoder.out.d = decoder.result(0, type);
    decoder.out.a = decoder.value(1, type);
    decoder.out.handler =
        function == Approximation::Rsqrt ? selectDouble<true>() : selectDouble<false>();
    return;
  }
  if (type != Type::F32)
    decoder.failUnknown();
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  if (sources == 2)
    decoder.out.b = decoder.value(2, type);
  decoder.out.mode = static_cast<uint8_t>(static_cast<uint8_t>(function) | flush << 7);
  decoder.out.handler = &runApproximate;
}

void registerApproximate(InstructionTable &table) {
  for (std::string_view name : {"ex2", "lg2", "rsqrt", "sin", "cos", "tanh"})
    table[name] = decodeApproximate;
}

} // namespace attnc::emu
