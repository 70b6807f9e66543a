//===- Approx.cpp - Functions whose results PTX only bounds ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Approx.h"
#include "runtime/emulator/Float.h"
#include "runtime/emulator/Vectors.h"

#include <algorithm>

namespace attnc::emu {
namespace {

/// A value in [-1, 1] that depends on the seed and the inputs only; now and then one of the ends.
double draw(uint64_t seed, uint64_t function, uint64_t inputs) {
  uint64_t z = seed * 0x9E3779B97F4A7C15u ^ inputs * 0xD1B54A32D192ED03u ^ function << 56;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  if ((z & 15) == 0)
    return z & 16 ? 1.0 : -1.0;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1.0;
}

/// One unit in the last place of f32 at `value`.
double unitOf(double value) {
  double magnitude = std::max(std::fabs(value), 0x1p-126);
  return std::ldexp(1.0, std::ilogb(magnitude) - 23);
}

double computeExactly(Approximation function, double a, double b) {
  switch (function) {
  case Approximation::Ex2:
    return std::exp2(a);
  case Approximation::Lg2:
    return std::log2(a);
  case Approximation::Rcp:
    return 1.0 / a;
  case Approximation::Rsqrt:
    return a == 0 ? std::copysign(INFINITY, a) : 1.0 / std::sqrt(a);
  case Approximation::Sqrt:
    return std::sqrt(a);
  case Approximation::Sin:
    return std::sin(a);
  case Approximation::Cos:
    return std::cos(a);
  case Approximation::Tanh:
    return std::tanh(a);
  case Approximation::DivideApprox:
  case Approximation::DivideFull:
    return a / b;
  }
  return 0;
}

} // namespace

double getErrorBound(Approximation function, double input, double exact) {
  switch (function) {
  case Approximation::Ex2:
  case Approximation::DivideApprox:
  case Approximation::DivideFull:
    return 2 * unitOf(exact);
  case Approximation::Rcp:
    return unitOf(exact);
  case Approximation::Lg2:
    return input > 0.5 && input < 2 ? 0x1p-22 : std::fabs(exact) * 0x1p-22;
  case Approximation::Rsqrt:
    return std::fabs(exact) * std::exp2(-22.9);
  case Approximation::Sqrt:
    return std::fabs(exact) * 0x1p-23;
  case Approximation::Sin:
  case Approximation::Cos:
    return std::fabs(input) <= 2 * M_PI ? std::exp2(-20.5) : std::exp2(-14.7);
  case Approximation::Tanh:
    return std::fabs(exact) * 0x1p-11;
  }
  return 0;
}

float approximate(Approximation function, float a, float b, bool flush, uint64_t perturbation) {
  if (flush) {
    a = flushSubnormal(a);
    b = flushSubnormal(b);
  }
  if (function == Approximation::DivideApprox && std::fabs(b) > 0x1p126f && !std::isinf(b) &&
      b == b) {
    // a * (1/b) with the reciprocal flushed to zero.
    if (a != a || std::isinf(a))
      return std::bit_cast<float>(0x7FFFFFFFu);
    return std::signbit(a) != std::signbit(b) ? -0.0f : 0.0f;
  }
  double exact = computeExactly(function, a, b);
  bool isSpecial = !std::isfinite(exact) || exact == 0 || !std::isfinite(a);
  // Identities that hold exactly: ex2(0) = 1, lg2(1) = 0, tanh keeps subnormals.
  if (function == Approximation::Ex2 && a == 0)
    isSpecial = true;
  if (function == Approximation::Tanh && std::fabs(a) < 0x1p-126f)
    isSpecial = true;
  double value = exact;
  if (perturbation && !isSpecial) {
    uint64_t inputs = uint64_t(std::bit_cast<uint32_t>(b)) << 32 | std::bit_cast<uint32_t>(a);
    double bound = getErrorBound(function, a, exact);
    // The bound holds for the rounded result: leave half a unit for the last rounding.
    bound = std::max(bound - 0.5 * unitOf(exact), 0.0);
    value = exact + bound * draw(perturbation, static_cast<uint64_t>(function), inputs);
    if (function == Approximation::Sin || function == Approximation::Cos ||
        function == Approximation::Tanh)
      value = std::clamp(value, -1.0, 1.0);
    if (function == Approximation::Ex2)
      value = std::max(value, 0.0);
  }
  auto result = static_cast<float>(value);
  if (flush)
    result = flushSubnormal(result);
  return canonicalNan(result);
}

[[gnu::always_inline]] static inline void computeExp2(const uint32_t *in, uint32_t *out,
                                                      bool flush) {
  // 2^x = 2^n * 2^f with |f| <= 1/2; the Taylor series of 2^f to f^10 is good to 1e-12.
  constexpr double coefficients[] = {1.0,
                                     0.69314718055994530942,
                                     0.24022650695910071233,
                                     0.055504108664821579953,
                                     0.0096181291076284771620,
                                     0.0013333558146428443423,
                                     0.00015403530393381609954,
                                     0.000015252733804059840280,
                                     0.0000013215486790144309488,
                                     1.0178086009239699728e-7,
                                     7.0549116208011233299e-9};
  for (unsigned lane = 0; lane < 32; ++lane) {
    float value = std::bit_cast<float>(in[lane]);
    value = flush ? flushSubnormal(value) : value;
    double x = value > -200.0f ? value : -200.0f;
    x = x < 200.0 ? x : 200.0;
    // Adding 1.5 * 2^52 rounds to an integer, kept in the low bits.
    double shifted = x + 0x1.8p52;
    double f = x - (shifted - 0x1.8p52);
    double power = coefficients[10];
    for (int i = 9; i >= 0; --i)
      power = power * f + coefficients[i];
    uint64_t exponent = std::bit_cast<uint64_t>(shifted) << 52;
    auto result =
        static_cast<float>(std::bit_cast<double>(std::bit_cast<uint64_t>(power) + exponent));
    result = flush ? flushSubnormal(result) : result;
    out[lane] = value != value ? 0x7FFFFFFFu : std::bit_cast<uint32_t>(result);
  }
}

static void exp2Plain(const uint32_t *in, uint32_t *out, bool flush) {
  computeExp2(in, out, flush);
}
ATTNC_EMU_WIDE static void exp2Wide(const uint32_t *in, uint32_t *out, bool flush) {
  computeExp2(in, out, flush);
}
ATTNC_EMU_WIDEST static void exp2Widest(const uint32_t *in, uint32_t *out, bool flush) {
  computeExp2(in, out, flush);
}

void approximateExp2(const uint32_t *in, uint32_t *out, bool flush) {
  (hasWidestVectors ? exp2Widest : hasWideVectors ? exp2Wide : exp2Plain)(in, out, flush);
}

uint16_t approximateHalf(Approximation function, uint16_t bits, bool isBrain,
                         uint64_t perturbation) {
  double input = isBrain ? brainToFloat(bits) : halfToFloat(bits);
  if (isBrain && (bits & 0x7F80) == 0 && function == Approximation::Ex2)
    input = std::copysign(0.0, input); // ex2.approx.ftz.bf16
  double exact = computeExactly(function, input, 0);
  double value = exact;
  if (perturbation && std::isfinite(exact) && std::isfinite(input) && exact != 0 && input != 0) {
    double bound = 0;
    if (function == Approximation::Ex2)
      bound = std::fabs(exact) * (isBrain ? 0x1p-7 : std::exp2(-9.9));
    else
      bound = isBrain ? 0x1p-8 : std::exp2(-10.987);
    double unit = isBrain ? std::ldexp(1.0, std::ilogb(exact) - 7)
                          : std::ldexp(1.0, std::max(std::ilogb(exact), -14) - 10);
    value += std::max(bound - 0.5 * unit, 0.0) *
             draw(perturbation, static_cast<uint64_t>(function) + 32, bits);
    if (function == Approximation::Tanh)
      value = std::clamp(value, -1.0, 1.0);
  }
  return isBrain ? roundToBrain(value) : roundToHalf(value);
}

} // namespace attnc::emu
