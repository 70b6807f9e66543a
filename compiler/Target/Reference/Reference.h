//===- Reference.h - The reference device -------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_REFERENCE_REFERENCE_H
#define COMPILER_TARGET_REFERENCE_REFERENCE_H

#include "attnc/Launch.h"
#include "dialect/Attn/IR/AttnOps.h"

namespace attnc::reference {

/// How exact a run is.
enum class Precision {
  /// Everything in double, the outputs rounded once: the oracle.
  Exact,
  /// The same with score and mask computed in f32. After attn-expand-math their meaning rests on
  /// its rounding: they work on bits, and add and take away large numbers to round.
  F32Bodies,
  /// What a plain program without fusion computes: f32 throughout, weights and outputs rounded to
  /// the element type of q. Its error is the yardstick that results are judged by.
  Unfused
};

/// Where results go. Null pointers are not written.
struct Outputs {
  const TensorView *o = nullptr;       ///< [B, Hq, Q, Dv], of any float type
  const TensorView *lse = nullptr;     ///< [B, Hq, Q], f32
  const TensorView *weights = nullptr; ///< [B, Hq, Q, KV], f32
};

/// A load at a pair that takes part whose index was clamped.
struct ClampedIndex {
  int64_t b, h, q, kv;
  mlir::Location loc;
  int64_t dim, index, size;
};

struct Summary {
  /// Pairs that take part.
  int64_t pairs = 0;
  /// The largest finite |score|, before or after score_mod, among pairs whose weight is over 2^-24
  /// of their row's largest.
  double largestScore = 0;
  /// The first such load in the order of b, h, q, kv.
  std::optional<ClampedIndex> clamped;
};

/// Computes `kernel` pair by pair, in time O(B * Hq * Q * KV), on `threads` threads (0: all).
/// `bound` is what bindArguments() made of `arguments`; `arguments.o` and `arguments.lse` are not
/// written. Fails, with a diagnostic, when a body holds an op without a meaning or an index leaves
/// the bounds that its load promises.
mlir::FailureOr<Summary> run(attn::KernelOp kernel, const KernelInfo &info,
                             const LaunchArguments &arguments, const BoundArguments &bound,
                             const Outputs &outputs, Precision precision = Precision::Exact,
                             unsigned threads = 0);

} // namespace attnc::reference

#endif // COMPILER_TARGET_REFERENCE_REFERENCE_H
