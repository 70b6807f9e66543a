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

#include <cstring>

namespace attnc::emu {
namespace {

float elementOf(MatrixType type, uint16_t bits) {
  return type == MatrixType::F16 ? halfToFloat(bits) : brainToFloat(bits);
}

/// Row-major 8 x (8 or 4) values of one register row.
template <MatrixType Type>
[[gnu::always_inline]] inline void expand(const uint32_t *row, double *out, unsigned stride) {
  if constexpr (Type == MatrixType::TF32) {
    for (unsigned lane = 0; lane < 32; ++lane)
      out[lane / 4 * stride + lane % 4] = std::bit_cast<float>(row[lane] & 0xFFFFE000u);
  } else {
    alignas(64) uint16_t bits[64];
    std::memcpy(bits, row, sizeof bits);
    for (unsigned i = 0; i < 8; ++i)
      for (unsigned j = 0; j < 8; ++j)
        out[i * stride + j] = elementOf(Type, bits[i * 8 + j]);
  }
}

/// Four doubles at once, on any machine.
using Quad = double __attribute__((vector_size(32)));

/// sums[i][0..7] += a[i][k] * b[k][0..7], four rows at a time.
[[gnu::always_inline]] inline void accumulate(const double (*a)[16], const double (*b)[8],
                                              double (*sums)[8], unsigned depth) {
  for (unsigned i = 0; i < 16; i += 4) {
    Quad rows[4][2];
    std::memcpy(rows, sums[i], sizeof rows);
    for (unsigned k = 0; k < depth; ++k) {
      Quad right[2];
      std::memcpy(right, b[k], sizeof right);
      for (unsigned j = 0; j < 4; ++j) {
        rows[j][0] += a[i + j][k] * right[0];
        rows[j][1] += a[i + j][k] * right[1];
      }
    }
    std::memcpy(sums[i], rows, sizeof rows);
  }
}

template <MatrixType Type>
[[gnu::always_inline]] inline void multiply(unsigned depth, bool isHalfResult,
                                            const uint32_t *const *a, const uint32_t *const *b,
                                            const uint32_t *const *c, uint32_t (*d)[32]) {
  constexpr unsigned columns = Type == MatrixType::TF32 ? 4 : 8; // of a register
  alignas(64) double left[16][16];
  alignas(64) double right[8][16]; // transposed B
  alignas(64) double turned[16][8];
  alignas(64) double sums[16][8];
  for (unsigned part = 0; part < depth / columns; ++part) {
    expand<Type>(a[2 * part], &left[0][part * columns], 16);
    expand<Type>(a[2 * part + 1], &left[8][part * columns], 16);
    expand<Type>(b[part], &right[0][part * columns], 16);
  }
  for (unsigned k = 0; k < depth; ++k)
    for (unsigned n = 0; n < 8; ++n)
      turned[k][n] = right[n][k];
  if (isHalfResult) {
    expand<MatrixType::F16>(c[0], &sums[0][0], 8);
    expand<MatrixType::F16>(c[1], &sums[8][0], 8);
  } else {
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned lane = 0; lane < 32; ++lane)
        sums[lane / 4 + 8 * (i >> 1)][2 * (lane % 4) + (i & 1)] = std::bit_cast<float>(c[i][lane]);
  }
  accumulate(left, turned, sums, depth);
  if (isHalfResult) {
    for (unsigned i = 0; i < 2; ++i)
      for (unsigned lane = 0; lane < 32; ++lane) {
        const double *row = sums[lane / 4 + 8 * i] + 2 * (lane % 4);
        d[i][lane] = roundToHalf(row[0]) | uint32_t(roundToHalf(row[1])) << 16;
      }
    return;
  }
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned lane = 0; lane < 32; ++lane) {
      auto value = static_cast<float>(sums[lane / 4 + 8 * (i >> 1)][2 * (lane % 4) + (i & 1)]);
      d[i][lane] = value != value ? 0x7FFFFFFFu : std::bit_cast<uint32_t>(value);
    }
}

[[gnu::always_inline]] inline void multiplyAny(MatrixType type, unsigned depth, bool isHalfResult,
                                               const uint32_t *const *a, const uint32_t *const *b,
                                               const uint32_t *const *c, uint32_t (*d)[32]) {
  switch (type) {
  case MatrixType::F16:
    return multiply<MatrixType::F16>(depth, isHalfResult, a, b, c, d);
  case MatrixType::BF16:
    return multiply<MatrixType::BF16>(depth, isHalfResult, a, b, c, d);
  case MatrixType::TF32:
    return multiply<MatrixType::TF32>(depth, isHalfResult, a, b, c, d);
  }
}

using Multiply = void (*)(MatrixType, unsigned, bool, const uint32_t *const *,
                          const uint32_t *const *, const uint32_t *const *, uint32_t (*)[32]);

void multiplyPlain(MatrixType type, unsigned depth, bool isHalfResult, const uint32_t *const *a,
                   const uint32_t *const *b, const uint32_t *const *c, uint32_t (*d)[32]) {
  multiplyAny(type, depth, isHalfResult, a, b, c, d);
}

// Products are exact in double, so that a fused multiply-add gives the same bits.
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void multiplyAvx(MatrixType type, unsigned depth, bool isHalfResult,
                                             const uint32_t *const *a, const uint32_t *const *b,
                                             const uint32_t *const *c, uint32_t (*d)[32]) {
  multiplyAny(type, depth, isHalfResult, a, b, c, d);
}

Multiply selectMultiply() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? multiplyAvx
                                                                         : multiplyPlain;
}
#else
Multiply selectMultiply() { return multiplyPlain; }
#endif

const Multiply multiplyFast = selectMultiply();

} // namespace

void multiplyMatrices(MatrixType type, unsigned depth, bool isHalfResult, const uint32_t *const *a,
                      const uint32_t *const *b, const uint32_t *const *c, uint32_t (*d)[32]) {
  multiplyFast(type, depth, isHalfResult, a, b, c, d);
}

} // namespace attnc::emu
