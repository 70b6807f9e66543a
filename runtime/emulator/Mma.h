//===- Mma.h - Matrix products of one warp ----------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_MMA_H
#define RUNTIME_EMULATOR_MMA_H

#include <cstdint>

namespace attnc::emu {

enum class MatrixType : uint8_t { F16, BF16, TF32 };

/// D = A * B + C for mma.sync m16n8kK, on register rows of 32 lanes. Products are exact, sums are
/// in double, the result is rounded once to f32 or f16. a: 2 or 4 rows, b: 1 or 2 rows, c and d: 4
/// rows of f32 or 2 of packed f16.
void multiplyMatrices(MatrixType type, unsigned depth, bool isHalfResult, const uint32_t *const *a,
                      const uint32_t *const *b, const uint32_t *const *c, uint32_t (*d)[32]);

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_MMA_H
