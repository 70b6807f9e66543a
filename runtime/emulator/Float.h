//===- Float.h - IEEE arithmetic of PTX on single values --------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_FLOAT_H
#define RUNTIME_EMULATOR_FLOAT_H

#include "runtime/emulator/Half.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace attnc::emu {

/// Subnormals become zero of the same sign.
inline float flushSubnormal(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<float>((bits & 0x7F800000u) == 0 ? bits & 0x80000000u : bits);
}

/// f32 results have one NaN.
inline float canonicalNan(float value) {
  // Tested on the bits: a compiler may take a root for NaN only where its argument is.
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<float>((bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFFFFFu : bits);
}

/// Clamps to [0, 1]; NaN gives +0.
inline float saturate(float value) { return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f; }
inline double saturate(double value) { return value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0; }

/// The double next to the exact a * b + c that has an odd last bit if the sum is inexact, for exact
/// a * b. Rounding it to a format of at most 51 bits is the same as rounding the exact value.
inline double addOdd(double product, double c) {
  double sum = product + c;
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  bool isInexact = (error < 0) | (error > 0);
  bool isAway = (error > 0) == (sum > 0);
  uint64_t moved = isAway ? bits + 1 : bits - 1;
  return std::bit_cast<double>((isInexact & !(bits & 1)) ? moved : bits);
}

/// fma with one rounding, without the need of hardware fma.
inline float fusedMultiplyAdd(float a, float b, float c) {
  return static_cast<float>(addOdd(static_cast<double>(a) * b, c));
}

/// Operations in any rounding mode, computed in the floating-point environment of the thread.
enum class FloatOperation : uint8_t { Add, Subtract, Multiply, Fma, Divide, SquareRoot };
float computeRounded(FloatOperation operation, float a, float b, float c, RoundingMode mode);
double computeRounded(FloatOperation operation, double a, double b, double c, RoundingMode mode);

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_FLOAT_H
