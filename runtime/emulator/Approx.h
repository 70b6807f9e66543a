//===- Approx.h - Functions whose results PTX only bounds -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_APPROX_H
#define RUNTIME_EMULATOR_APPROX_H

#include <cstdint>

namespace attnc::emu {

enum class Approximation : uint8_t {
  Ex2,
  Lg2,
  Rcp,
  Rsqrt,
  Sqrt,
  Sin,
  Cos,
  Tanh,
  DivideApprox,
  DivideFull,
};

/// The documented error bound at a result: |computed - exact| is at most this.
double getErrorBound(Approximation function, double input, double exact);

/// The function of `a` (and `b`) as f32. With a `perturbation` seed other than 0 the result is any
/// value inside the bound, the same for equal inputs.
float approximate(Approximation function, float a, float b, bool flush, uint64_t perturbation);

/// ex2 of all lanes without perturbation.
void approximateExp2(const uint32_t *in, uint32_t *out, bool flush);

/// f16 and bf16 forms of ex2 and tanh, on bits.
uint16_t approximateHalf(Approximation function, uint16_t bits, bool isBrain,
                         uint64_t perturbation);

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_APPROX_H
