//===- Types.h - Scalar types, spaces and locations of PTX ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_TYPES_H
#define RUNTIME_EMULATOR_TYPES_H

#include <cstdint>
#include <string>
#include <string_view>

namespace attnc::emu {

/// A place in PTX text, both counted from 1. Line 0 means "no place".
struct Location {
  uint32_t line = 0;
  uint32_t column = 0;
};

/// An error found in PTX text or in a launch.
struct Diagnostic {
  Location location;
  std::string message;
};

/// The fundamental types an instruction or a variable can name.
enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
  U16x2,
  S16x2,
  F32x2,
  B1,
  B4,
  S4,
  U4,
};

/// The type named `name` (without its dot), or Type::None.
Type parseType(std::string_view name);
std::string_view getTypeName(Type type);
/// Bytes of one value in memory; 0 for predicates and types below a byte.
unsigned getTypeSize(Type type);
bool isSigned(Type type);
bool isUnsignedOrBits(Type type);
bool isInteger(Type type);

/// State spaces. Generic also stands for "not named".
enum class Space : uint8_t { Generic, Register, Global, Shared, Local, Param, Const };

std::string_view getSpaceName(Space space);

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_TYPES_H
