//===- LinearScore.h - Bodies that add a multiple of a distance ---*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_LINEARSCORE_H
#define DIALECT_ATTN_ANALYSIS_LINEARSCORE_H

#include "dialect/Attn/IR/AttnOps.h"
#include <optional>

namespace attnc::attn {

/// A score body that adds sign * slope * distance to the score.
struct LinearScore {
  /// 1 or -1.
  float sign;
  /// An f32 of the body that is known with the head.
  mlir::Value slope;
  /// An f32 of the body, step * kv and what depends on the query alone; `step` is 1 or -1.
  mlir::Value distance;
  float step;
  /// What products are multiplied by to give scores, without the body.
  float scale;
};

/// The body of `kernel` as such a one, if it is one and the scale a constant of ordinary size.
std::optional<LinearScore> matchLinearScore(KernelOp kernel);

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_LINEARSCORE_H
