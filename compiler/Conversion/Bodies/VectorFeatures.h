//===- VectorFeatures.h - What the target's vector unit can do ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_BODIES_VECTORFEATURES_H
#define COMPILER_CONVERSION_BODIES_VECTORFEATURES_H

namespace attnc {
namespace tile {
class ScheduleAttr;
}

/// Instructions that LLVM replaces by calls into the C library where the target lacks them. A
/// kernel may call nothing, so other code is emitted where a feature is off. All off is right on
/// every target.
struct VectorFeatures {
  /// Fused multiply-add of f32 (x86: FMA).
  bool fma = false;
  /// floor, ceil, trunc and roundeven of f32 (x86: SSE4.1).
  bool rounding = false;
  /// f16 from and to f32 (x86: F16C).
  bool f16 = false;
  /// f32 to bf16 (PTX). That of x86 (AVX512_BF16) flushes denormals to 0.
  bool bf16 = false;
};

/// The features that a schedule for the host names.
VectorFeatures getVectorFeatures(tile::ScheduleAttr schedule);

} // namespace attnc

#endif // COMPILER_CONVERSION_BODIES_VECTORFEATURES_H
