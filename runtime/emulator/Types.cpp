//===- Types.cpp - Scalar types, spaces and locations of PTX --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Types.h"

namespace attnc::emu {
namespace {

struct TypeInfo {
  Type type;
  std::string_view name;
  unsigned size;
};

constexpr TypeInfo typeTable[] = {
    {Type::None, "", 0},         {Type::Pred, "pred", 0},     {Type::B8, "b8", 1},
    {Type::B16, "b16", 2},       {Type::B32, "b32", 4},       {Type::B64, "b64", 8},
    {Type::B128, "b128", 16},    {Type::U8, "u8", 1},         {Type::U16, "u16", 2},
    {Type::U32, "u32", 4},       {Type::U64, "u64", 8},       {Type::S8, "s8", 1},
    {Type::S16, "s16", 2},       {Type::S32, "s32", 4},       {Type::S64, "s64", 8},
    {Type::F16, "f16", 2},       {Type::F16x2, "f16x2", 4},   {Type::BF16, "bf16", 2},
    {Type::BF16x2, "bf16x2", 4}, {Type::TF32, "tf32", 4},     {Type::F32, "f32", 4},
    {Type::F64, "f64", 8},       {Type::E4M3, "e4m3", 1},     {Type::E5M2, "e5m2", 1},
    {Type::E4M3x2, "e4m3x2", 2}, {Type::E5M2x2, "e5m2x2", 2}, {Type::U16x2, "u16x2", 4},
    {Type::S16x2, "s16x2", 4},   {Type::F32x2, "f32x2", 8},   {Type::B1, "b1", 0},
    {Type::B4, "b4", 0},         {Type::S4, "s4", 0},         {Type::U4, "u4", 0},
};

} // namespace

Type parseType(std::string_view name) {
  if (name.empty())
    return Type::None;
  for (const TypeInfo &info : typeTable)
    if (info.name == name)
      return info.type;
  return Type::None;
}

std::string_view getTypeName(Type type) { return typeTable[static_cast<size_t>(type)].name; }

unsigned getTypeSize(Type type) { return typeTable[static_cast<size_t>(type)].size; }

bool isSigned(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 || type == Type::S64;
}

bool isUnsignedOrBits(Type type) {
  switch (type) {
  case Type::B8:
  case Type::B16:
  case Type::B32:
  case Type::B64:
  case Type::U8:
  case Type::U16:
  case Type::U32:
  case Type::U64:
    return true;
  default:
    return false;
  }
}

bool isInteger(Type type) { return isSigned(type) || isUnsignedOrBits(type); }

std::string_view getSpaceName(Space space) {
  constexpr std::string_view names[] = {"generic", "register", "global", "shared",
                                        "local",   "param",    "const"};
  return names[static_cast<size_t>(space)];
}

} // namespace attnc::emu
