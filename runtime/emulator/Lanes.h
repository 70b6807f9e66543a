//===- Lanes.h - Element-wise loops over the lanes of a warp ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_LANES_H
#define RUNTIME_EMULATOR_LANES_H

#include "runtime/emulator/Decoder.h"
#include "runtime/emulator/Half.h"
#include "runtime/emulator/Vectors.h"
#include "runtime/emulator/Warp.h"

#include <bit>
#include <type_traits>

namespace attnc::emu {

/// f16 and bf16 values as bits.
struct Half {
  uint16_t bits;
};
struct Brain {
  uint16_t bits;
};
/// Two 16-bit values in one register, the first in the low half.
template <class T> struct Pair {
  T low, high;
};

/// The word a value of type T is kept in: 32 bits up to four bytes, else 64.
template <class T> using Stored = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T> inline T fromStored(Stored<T> word) {
  if constexpr (sizeof(T) == sizeof(Stored<T>))
    return std::bit_cast<T>(word);
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(static_cast<uint16_t>(word));
  else
    return std::bit_cast<T>(static_cast<uint8_t>(word));
}

/// Narrow results are zero-extended, so that a row of 16-bit registers is always clean.
template <class T> inline Stored<T> toStored(T value) {
  if constexpr (sizeof(T) == sizeof(Stored<T>))
    return std::bit_cast<Stored<T>>(value);
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<uint16_t>(value);
  else
    return std::bit_cast<uint8_t>(value);
}

template <class T>
inline const Stored<T> *readRow(const Warp &warp, const Operand &operand, Stored<T> *scratch) {
  if constexpr (sizeof(T) == 8)
    return warp.read64(operand, scratch);
  else
    return warp.read32(operand, scratch);
}

template <class T>
inline void writeRow(Warp &warp, const Operand &operand, const Stored<T> *values, uint32_t active) {
  if constexpr (sizeof(T) == 8)
    warp.write64(operand, values, active);
  else
    warp.write32(operand, values, active);
}

/// d = f(a) for all lanes; F is a stateless lambda.
template <class R, class A, class F>
[[gnu::always_inline]] inline void applyUnary(Warp &warp, const Instruction &instruction,
                                              uint32_t active) {
  alignas(64) Stored<A> scratch[32];
  alignas(64) Stored<R> out[32];
  const Stored<A> *a = readRow<A>(warp, instruction.a, scratch);
  for (unsigned lane = 0; lane < 32; ++lane)
    out[lane] = toStored<R>(F{}(fromStored<A>(a[lane])));
  writeRow<R>(warp, instruction.d, out, active);
}

template <class R, class A, class B, class F>
[[gnu::always_inline]] inline void applyBinary(Warp &warp, const Instruction &instruction,
                                               uint32_t active) {
  alignas(64) Stored<A> scratchA[32];
  alignas(64) Stored<B> scratchB[32];
  alignas(64) Stored<R> out[32];
  const Stored<A> *a = readRow<A>(warp, instruction.a, scratchA);
  const Stored<B> *b = readRow<B>(warp, instruction.b, scratchB);
  for (unsigned lane = 0; lane < 32; ++lane)
    out[lane] = toStored<R>(F{}(fromStored<A>(a[lane]), fromStored<B>(b[lane])));
  writeRow<R>(warp, instruction.d, out, active);
}

template <class R, class A, class B, class C, class F>
[[gnu::always_inline]] inline void applyTernary(Warp &warp, const Instruction &instruction,
                                                uint32_t active) {
  alignas(64) Stored<A> scratchA[32];
  alignas(64) Stored<B> scratchB[32];
  alignas(64) Stored<C> scratchC[32];
  alignas(64) Stored<R> out[32];
  const Stored<A> *a = readRow<A>(warp, instruction.a, scratchA);
  const Stored<B> *b = readRow<B>(warp, instruction.b, scratchB);
  const Stored<C> *c = readRow<C>(warp, instruction.c, scratchC);
  for (unsigned lane = 0; lane < 32; ++lane)
    out[lane] =
        toStored<R>(F{}(fromStored<A>(a[lane]), fromStored<B>(b[lane]), fromStored<C>(c[lane])));
  writeRow<R>(warp, instruction.d, out, active);
}

template <class R, class A, class F>
void runUnary(Warp &warp, const Instruction &instruction, uint32_t active) {
  applyUnary<R, A, F>(warp, instruction, active);
}
template <class R, class A, class B, class F>
void runBinary(Warp &warp, const Instruction &instruction, uint32_t active) {
  applyBinary<R, A, B, F>(warp, instruction, active);
}
template <class R, class A, class B, class C, class F>
void runTernary(Warp &warp, const Instruction &instruction, uint32_t active) {
  applyTernary<R, A, B, C, F>(warp, instruction, active);
}

// The same for machines with wider vectors. Contraction is off: the bits do not change.
template <class R, class A, class F>
ATTNC_EMU_WIDE void runUnaryWide(Warp &warp, const Instruction &instruction, uint32_t active) {
  applyUnary<R, A, F>(warp, instruction, active);
}
template <class R, class A, class B, class F>
ATTNC_EMU_WIDE void runBinaryWide(Warp &warp, const Instruction &instruction, uint32_t active) {
  applyBinary<R, A, B, F>(warp, instruction, active);
}
template <class R, class A, class B, class C, class F>
ATTNC_EMU_WIDE void runTernaryWide(Warp &warp, const Instruction &instruction, uint32_t active) {
  applyTernary<R, A, B, C, F>(warp, instruction, active);
}

template <class R, class A, class F> Handler unary(F) {
  return hasWideVectors ? &runUnaryWide<R, A, F> : &runUnary<R, A, F>;
}
template <class R, class A, class B, class F> Handler binary(F) {
  return hasWideVectors ? &runBinaryWide<R, A, B, F> : &runBinary<R, A, B, F>;
}
template <class R, class A, class B, class C, class F> Handler ternary(F) {
  return hasWideVectors ? &runTernaryWide<R, A, B, C, F> : &runTernary<R, A, B, C, F>;
}
/// All operands of one type.
template <class T, class F> Handler unaryOf(F f) { return unary<T, T>(f); }
template <class T, class F> Handler binaryOf(F f) { return binary<T, T, T>(f); }
template <class T, class F> Handler ternaryOf(F f) { return ternary<T, T, T, T>(f); }

/// Calls `f.template operator()<T>()` with the C++ type of an integer PTX type; null for others.
template <class F> Handler forInteger(Type type, F f) {
  switch (type) {
  case Type::U16:
  case Type::B16:
    return f.template operator()<uint16_t>();
  case Type::S16:
    return f.template operator()<int16_t>();
  case Type::U32:
  case Type::B32:
    return f.template operator()<uint32_t>();
  case Type::S32:
    return f.template operator()<int32_t>();
  case Type::U64:
  case Type::B64:
    return f.template operator()<uint64_t>();
  case Type::S64:
    return f.template operator()<int64_t>();
  default:
    return nullptr;
  }
}

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_LANES_H
