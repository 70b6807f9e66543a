//===- Half.cpp - Rounding to small formats in every mode -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Half.h"

#include <algorithm>

namespace attnc::emu {

double roundToFormat(double value, int precision, int minimumExponent, int maximumExponent,
                     RoundingMode mode) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent = std::ilogb(value);
  // The unit in the last place at this magnitude; subnormals keep the smallest one.
  int unit = std::max(exponent, minimumExponent) - (precision - 1);
  double scaled = std::ldexp(std::fabs(value), -unit);
  double whole = std::floor(scaled);
  double fraction = scaled - whole;
  bool isNegative = std::signbit(value);
  bool goesUp = false;
  switch (mode) {
  case RoundingMode::NearestEven:
    goesUp = fraction > 0.5 || (fraction == 0.5 && std::fmod(whole, 2) != 0);
    break;
  case RoundingMode::NearestAway:
    goesUp = fraction >= 0.5;
    break;
  case RoundingMode::Zero:
    break;
  case RoundingMode::Down:
    goesUp = fraction > 0 && isNegative;
    break;
  case RoundingMode::Up:
    goesUp = fraction > 0 && !isNegative;
    break;
  }
  double result = std::ldexp(whole + (goesUp ? 1 : 0), unit);
  double largest = std::ldexp(2 - std::ldexp(1.0, 1 - precision), maximumExponent);
  if (result > largest) {
    bool staysFinite = mode == RoundingMode::Zero || (mode == RoundingMode::Down && !isNegative) ||
                       (mode == RoundingMode::Up && isNegative);
    result = staysFinite ? largest : INFINITY;
  }
  return isNegative ? -result : result;
}

uint16_t roundToHalf(double value, RoundingMode mode) {
  if (std::isnan(value))
    return 0x7FFF;
  double rounded = roundToFormat(value, 11, -14, 15, mode);
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  rounded = std::fabs(rounded);
  if (std::isinf(rounded))
    return sign | 0x7C00;
  if (rounded < 0x1p-14)
    return sign | static_cast<uint16_t>(rounded * 0x1p24);
  int exponent = std::ilogb(rounded);
  auto fraction = static_cast<uint16_t>(std::ldexp(rounded, 10 - exponent) - 1024);
  return static_cast<uint16_t>(sign | (exponent + 15) << 10 | fraction);
}

uint16_t roundToBrain(double value, RoundingMode mode) {
  if (std::isnan(value))
    return 0x7FFF;
  double rounded = roundToFormat(value, 8, -126, 127, mode);
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(rounded)) >> 16);
}

namespace {

/// Bits of a value of a small format, below its largest one.
uint8_t encodeSmall(double value, int fractionBits, int bias, double largest) {
  uint8_t sign = std::signbit(value) ? 0x80 : 0;
  double rounded =
      std::fabs(roundToFormat(value, fractionBits + 1, 1 - bias, 100, RoundingMode::NearestEven));
  rounded = std::min(rounded, largest);
  double smallestNormal = std::ldexp(1.0, 1 - bias);
  if (rounded < smallestNormal)
    return sign | static_cast<uint8_t>(std::ldexp(rounded, fractionBits + bias - 1));
  int exponent = std::ilogb(rounded);
  auto fraction =
      static_cast<int>(std::ldexp(rounded, fractionBits - exponent)) - (1 << fractionBits);
  return static_cast<uint8_t>(sign | (exponent + bias) << fractionBits | fraction);
}

} // namespace

uint8_t roundToE4M3(double value) {
  return std::isnan(value) ? 0x7F : encodeSmall(value, 3, 7, 448);
}

uint8_t roundToE5M2(double value) {
  return std::isnan(value) ? 0x7F : encodeSmall(value, 2, 15, 57344);
}

float e4m3ToFloat(uint8_t bits) {
  int exponent = bits >> 3 & 15;
  int fraction = bits & 7;
  if ((bits & 0x7F) == 0x7F)
    return NAN;
  float value = exponent ? std::ldexp(static_cast<float>(8 + fraction), exponent - 10)
                         : std::ldexp(static_cast<float>(fraction), -9);
  return bits & 0x80 ? -value : value;
}

float e5m2ToFloat(uint8_t bits) { return halfToFloat(static_cast<uint16_t>(bits << 8)); }

float roundToFloat(double value, RoundingMode mode) {
  if (std::isnan(value))
    return std::bit_cast<float>(0x7FFFFFFFu);
  return static_cast<float>(roundToFormat(value, 24, -126, 127, mode));
}

} // namespace attnc::emu
