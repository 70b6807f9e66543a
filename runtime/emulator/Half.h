//===- Half.h - f16, bf16 and tf32 as bits ----------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_HALF_H
#define RUNTIME_EMULATOR_HALF_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace attnc::emu {

/// f16 bits to float, exact. Written without branches so that loops over it vectorise.
inline float halfToFloat(uint16_t bits) {
  uint32_t magnitude = (bits & 0x7FFFu) << 13;
  // 2^112 moves the exponent bias from 15 to 127 and makes subnormals normal.
  float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  uint32_t result = std::bit_cast<uint32_t>(scaled);
  uint32_t isSpecial = magnitude >= 0x0F800000u ? 0xFFFFFFFFu : 0u;
  result = (result & ~isSpecial) | ((magnitude | 0x7F800000u) & isSpecial);
  return std::bit_cast<float>(result | (bits & 0x8000u) << 16);
}

inline float brainToFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

/// IEEE rounding directions, and ties away from zero.
enum class RoundingMode : uint8_t { NearestEven, Zero, Down, Up, NearestAway };

/// Rounds a finite or infinite double to a binary format given by its precision (with the hidden
/// bit), its smallest normal exponent and its largest exponent, and returns the value as a double.
double roundToFormat(double value, int precision, int minimumExponent, int maximumExponent,
                     RoundingMode mode);

/// Nearest even; NaN becomes 0x7FFF.
uint16_t roundToHalf(double value, RoundingMode mode = RoundingMode::NearestEven);
uint16_t roundToBrain(double value, RoundingMode mode = RoundingMode::NearestEven);
float roundToFloat(double value, RoundingMode mode);

/// 8-bit floats. Rounding is to nearest even, what is too large becomes the largest value.
uint8_t roundToE4M3(double value);
uint8_t roundToE5M2(double value);
float e4m3ToFloat(uint8_t bits);
float e5m2ToFloat(uint8_t bits);

/// Nearest-even float to bf16, for the hot path; NaN becomes 0x7FFF.
inline uint16_t floatToBrain(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  return static_cast<uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFu : rounded);
}

/// Nearest-even float to f16, without branches.
inline uint16_t floatToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7FFFFFFFu;
  // Normal results: round at bit 13 and move the exponent bias.
  uint32_t normal = (magnitude + 0xFFFu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  // Subnormal results: adding 0.5 makes the hardware round at the right bit.
  float shifted = std::bit_cast<float>(magnitude) + 0.5f;
  uint32_t subnormal = std::bit_cast<uint32_t>(shifted) - 0x3F000000u;
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x477FF000u ? 0x7C00u : result;
  result = magnitude > 0x7F800000u ? 0x7FFFu : result | sign;
  return static_cast<uint16_t>(result);
}

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_HALF_H
