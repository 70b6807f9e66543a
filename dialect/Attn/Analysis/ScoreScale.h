//===- ScoreScale.h - Factors that may wait for the exponent ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_SCORESCALE_H
#define DIALECT_ATTN_ANALYSIS_SCORESCALE_H

#include "dialect/Attn/IR/AttnOps.h"
#include <optional>

namespace attnc::attn {

/// Whether scores may be kept without the constant factor `scale`, which is then applied to their
/// differences: it keeps their order, and where such a difference overflows the weight is 0 in any
/// case.
bool canScaleDifferences(float scale);

/// The scale of `kernel` if its products may be kept without it, else nothing: it is an argument,
/// or a score body takes scaled scores.
std::optional<float> getDeferredScale(KernelOp kernel);

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_SCORESCALE_H
