//===- ScalarSlot.cpp - Scalar launch arguments as slots ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/ScalarSlot.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace attnc;

int64_t attnc::getFloatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

std::optional<std::string> attnc::convertScalar(ElementType type, const ScalarValue &value,
                                                int64_t &slot) {
  if (type == ElementType::Bool) {
    if (!std::holds_alternative<bool>(value))
      return "a bool, got a number";
    slot = std::get<bool>(value);
    return std::nullopt;
  }
  if (std::holds_alternative<bool>(value))
    return "a number of type " + getName(type) + ", got a bool";
  if (isInteger(type)) {
    const int64_t *integer = std::get_if<int64_t>(&value);
    if (!integer)
      return "an integer of type " + getName(type) + ", got " +
             std::to_string(std::get<double>(value));
    bool isSigned = type != ElementType::U8;
    int bits = static_cast<int>(8 * getSize(type));
    int64_t max = bits == 64 ? std::numeric_limits<int64_t>::max()
                             : (int64_t(1) << (isSigned ? bits - 1 : bits)) - 1;
    int64_t min = isSigned ? -max - 1 : 0;
    if (*integer < min || *integer > max)
      return "an integer from " + std::to_string(min) + " to " + std::to_string(max) + ", got " +
             std::to_string(*integer);
    slot = *integer;
    return std::nullopt;
  }
  double exact = std::holds_alternative<double>(value)
                     ? std::get<double>(value)
                     : static_cast<double>(std::get<int64_t>(value));
  float rounded = static_cast<float>(exact);
  if (type == ElementType::F16)
    rounded = convertF16ToFloat(convertFloatToF16(rounded));
  else if (type == ElementType::BF16)
    rounded = convertBF16ToFloat(convertFloatToBF16(rounded));
  if (std::isinf(rounded) && !std::isinf(exact))
    return "a value in the range of " + getName(type) + ", got " + std::to_string(exact);
  slot = getFloatBits(rounded);
  return std::nullopt;
}
