//===- ElementType.h - Element types of tensors and scalars -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_ELEMENTTYPE_H
#define ATTNC_ELEMENTTYPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attnc {

/// How an element is stored. A Bool takes one byte, 0 or 1.
enum class ElementType { F32, F16, BF16, I8, U8, I16, I32, I64, Bool };

/// The bytes of one element.
int64_t getSize(ElementType type);

/// The name in the language: `f32`, `bf16`, `u8`, `bool`, ...
std::string getName(ElementType type);

/// The type of that name, or nothing.
std::optional<ElementType> parseElementType(std::string_view name);

bool isFloat(ElementType type);
/// True for I8 to I64 and U8.
bool isInteger(ElementType type);

/// Conversions round to nearest even; NaN stays NaN, and what is too large becomes infinite.
float convertF16ToFloat(uint16_t bits);
uint16_t convertFloatToF16(float value);
float convertBF16ToFloat(uint16_t bits);
uint16_t convertFloatToBF16(float value);

} // namespace attnc

#endif // ATTNC_ELEMENTTYPE_H
