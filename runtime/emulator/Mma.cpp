//===- Mma.cpp - Matrix products of one warp ------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

//
// A fragment register of 16-bit elements is an 8x8 matrix, row by row: lane l holds row l/4,
// columns 2(l%4) and 2(l%4)+1. Registers 0..3 of A are its quadrants (rows, then columns);
// registers of B are 8x8 blocks of the transposed B. tf32 registers hold 8x4 elements in the same
// way.

#include "runtime/emulator/Mma.h"
#include "runtime/emulator/Half.h"
#include "runtime/emulator/Vectors.h"

#include <cstring>

namespace attnc::emu {
namespace {

// Vectors of any machine; narrower ones are made of several registers.
using Words = uint32_t __attribute__((vector_size(32)));
using Floats = float __attribute__((vector_size(32)));
using Doubles = double __attribute__((vector_size(64)));
using Halves = uint16_t __attribute__((vector_size(16)));

template <class To, class From>
[[gnu::always_inline]] inline void recast(const From &from, To &to) {
  static_assert(sizeof(To) == sizeof(From));
  std::memcpy(&to, &from, sizeof to);
}

/// The values of eight 16-bit floats, each in the low half of its word.
template <MatrixType Type>
[[gnu::always_inline]] inline void widen(const Words &bits, Doubles &values) {
  Floats floats;
  if constexpr (Type == MatrixType::F16) {
    // The exponent is moved by multiplication, which makes subnormals right; infinities and NaNs
    // get theirs by hand.
    Words magnitude = (bits & 0x7FFF) << 13;
    recast(magnitude, floats);
    floats *= 0x1p112f;
    Words result;
    recast(floats, result);
    result |= (bits & 0x8000) << 16;
    result |= Words(magnitude >= 0x0F800000u) & 0x7F800000u;
    recast(result, floats);
  } else {
    Words word = bits << 16;
    recast(word, floats);
  }
  values = __builtin_convertvector(floats, Doubles);
}

/// Row `row` of a register of 8 x 8 values.
template <MatrixType Type>
[[gnu::always_inline]] inline void loadRow(const uint32_t *lanes, unsigned row, Doubles &values) {
  Halves halves;
  std::memcpy(&halves, lanes + row * 4, sizeof halves);
  widen<Type>(__builtin_convertvector(halves, Words), values);
}

/// The word of lane 4 n + q, for n = 0..7.
[[gnu::always_inline]] inline void loadColumn(const uint32_t *lanes, unsigned q, Words &column) {
  for (unsigned n = 0; n < 8; ++n)
    column[n] = lanes[4 * n + q];
}

[[gnu::always_inline]] inline void readTf32(const Words &bits, Doubles &values) {
  Words word = bits & 0xFFFFE000u;
  Floats floats;
  recast(word, floats);
  values = __builtin_convertvector(floats, Doubles);
}

template <MatrixType Type, unsigned Depth>
[[gnu::always_inline]] inline void multiply(bool isHalfResult, const uint32_t *const *a,
                                            const uint32_t *const *b, const uint32_t *const *c,
                                            uint32_t (*d)[32]) {
  alignas(64) double left[16][Depth];
  Doubles right[Depth];
  Doubles sums[16];
  if constexpr (Type == MatrixType::TF32) {
    for (unsigned part = 0; part < Depth / 4; ++part)
      for (unsigned i = 0; i < 2; ++i)
        for (unsigned lane = 0; lane < 32; ++lane)
          left[lane / 4 + 8 * i][4 * part + lane % 4] =
              std::bit_cast<float>(a[2 * part + i][lane] & 0xFFFFE000u);
    for (unsigned k = 0; k < Depth; ++k) {
      Words column;
      loadColumn(b[k / 4], k % 4, column);
      readTf32(column, right[k]);
    }
  } else {
    for (unsigned part = 0; part < Depth / 8; ++part)
      for (unsigned row = 0; row < 16; ++row) {
        Doubles values;
        loadRow<Type>(a[2 * part + row / 8], row % 8, values);
        std::memcpy(&left[row][8 * part], &values, sizeof values);
      }
    for (unsigned k = 0; k < Depth; k += 2) {
      Words column;
      loadColumn(b[k / 8], k % 8 / 2, column);
      widen<Type>(column & 0xFFFF, right[k]);
      widen<Type>(column >> 16, right[k + 1]);
    }
  }
  for (unsigned row = 0; row < 16; ++row) {
    if (isHalfResult) {
      loadRow<MatrixType::F16>(c[row / 8], row % 8, sums[row]);
      continue;
    }
    const uint32_t *even = c[row / 8 * 2] + row % 8 * 4, *odd = c[row / 8 * 2 + 1] + row % 8 * 4;
    Words word = {even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]};
    Floats floats;
    recast(word, floats);
    sums[row] = __builtin_convertvector(floats, Doubles);
  }
  // Four rows at a time: their sums stay in registers.
  for (unsigned row = 0; row < 16; row += 4) {
    Doubles s0 = sums[row], s1 = sums[row + 1], s2 = sums[row + 2], s3 = sums[row + 3];
    for (unsigned k = 0; k < Depth; ++k) {
      s0 += left[row][k] * right[k];
      s1 += left[row + 1][k] * right[k];
      s2 += left[row + 2][k] * right[k];
      s3 += left[row + 3][k] * right[k];
    }
    sums[row] = s0, sums[row + 1] = s1, sums[row + 2] = s2, sums[row + 3] = s3;
  }
  for (unsigned row = 0; row < 16; ++row) {
    if (isHalfResult) {
      for (unsigned q = 0; q < 4; ++q)
        d[row / 8][row % 8 * 4 + q] =
            roundToHalf(sums[row][2 * q]) | uint32_t(roundToHalf(sums[row][2 * q + 1])) << 16;
      continue;
    }
    Floats floats = __builtin_convertvector(sums[row], Floats);
    Words word;
    recast(floats, word);
    word |= Words(floats != floats) & 0x7FFFFFFFu;
    word &= ~(Words(floats != floats) & 0x80000000u);
    for (unsigned q = 0; q < 4; ++q) {
      d[row / 8 * 2][row % 8 * 4 + q] = word[2 * q];
      d[row / 8 * 2 + 1][row % 8 * 4 + q] = word[2 * q + 1];
    }
  }
}

[[gnu::always_inline]] inline void multiplyAny(MatrixType type, unsigned depth, bool isHalfResult,
                                               const uint32_t *const *a, const uint32_t *const *b,
                                               const uint32_t *const *c, uint32_t (*d)[32]) {
  switch (type) {
  case MatrixType::F16:
    return depth == 16 ? multiply<MatrixType::F16, 16>(isHalfResult, a, b, c, d)
                       : multiply<MatrixType::F16, 8>(isHalfResult, a, b, c, d);
  case MatrixType::BF16:
    return depth == 16 ? multiply<MatrixType::BF16, 16>(isHalfResult, a, b, c, d)
                       : multiply<MatrixType::BF16, 8>(isHalfResult, a, b, c, d);
  case MatrixType::TF32:
    return depth == 8 ? multiply<MatrixType::TF32, 8>(isHalfResult, a, b, c, d)
                      : multiply<MatrixType::TF32, 4>(isHalfResult, a, b, c, d);
  }
}

void multiplyPlain(MatrixType type, unsigned depth, bool isHalfResult, const uint32_t *const *a,
                   const uint32_t *const *b, const uint32_t *const *c, uint32_t (*d)[32]) {
  multiplyAny(type, depth, isHalfResult, a, b, c, d);
}

// Products are exact in double, so that a fused multiply-add gives the same bits.
ATTNC_EMU_WIDE void multiplyWide(MatrixType type, unsigned depth, bool isHalfResult,
                                 const uint32_t *const *a, const uint32_t *const *b,
                                 const uint32_t *const *c, uint32_t (*d)[32]) {
  multiplyAny(type, depth, isHalfResult, a, b, c, d);
}

ATTNC_EMU_WIDEST void multiplyWidest(MatrixType type, unsigned depth, bool isHalfResult,
                                     const uint32_t *const *a, const uint32_t *const *b,
                                     const uint32_t *const *c, uint32_t (*d)[32]) {
  multiplyAny(type, depth, isHalfResult, a, b, c, d);
}

} // namespace

void multiplyMatrices(MatrixType type, unsigned depth, bool isHalfResult, const uint32_t *const *a,
                      const uint32_t *const *b, const uint32_t *const *c, uint32_t (*d)[32]) {
  auto multiply = hasWidestVectors ? multiplyWidest : hasWideVectors ? multiplyWide : multiplyPlain;
  multiply(type, depth, isHalfResult, a, b, c, d);
}

} // namespace attnc::emu
