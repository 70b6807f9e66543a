//===- Float.cpp - IEEE arithmetic of PTX on single values ----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Float.h"

#include <cfenv>

namespace attnc::emu {
namespace {

/// Sets the rounding direction for a scope. The operands go through volatile objects, so that the
/// compiler cannot move the operation out of it.
class RoundingScope {
public:
  explicit RoundingScope(RoundingMode mode) : previous(std::fegetround()) {
    switch (mode) {
    case RoundingMode::Zero:
      std::fesetround(FE_TOWARDZERO);
      break;
    case RoundingMode::Down:
      std::fesetround(FE_DOWNWARD);
      break;
    case RoundingMode::Up:
      std::fesetround(FE_UPWARD);
      break;
    default:
      std::fesetround(FE_TONEAREST);
      break;
    }
  }
  ~RoundingScope() { std::fesetround(previous); }

private:
  int previous;
};

template <class T>
T compute(FloatOperation operation, T left, T right, T third, RoundingMode mode) {
  volatile T a = left, b = right, c = third;
  volatile T result = 0;
  RoundingScope scope(mode);
  switch (operation) {
  case FloatOperation::Add:
    result = a + b;
    break;
  case FloatOperation::Subtract:
    result = a - b;
    break;
  case FloatOperation::Multiply:
    result = a * b;
    break;
  case FloatOperation::Fma:
    result = std::fma(a, b, c);
    break;
  case FloatOperation::Divide:
    result = a / b;
    break;
  case FloatOperation::SquareRoot:
    result = std::sqrt(a);
    break;
  }
  return result;
}

} // namespace

float computeRounded(FloatOperation operation, float a, float b, float c, RoundingMode mode) {
  return compute<float>(operation, a, b, c, mode);
}

double computeRounded(FloatOperation operation, double a, double b, double c, RoundingMode mode) {
  return compute<double>(operation, a, b, c, mode);
}

} // namespace attnc::emu
