//===- ScoreScale.cpp - Factors that may wait for the exponent --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/ScoreScale.h"

using namespace attnc;

static constexpr float smallestScale = 0x1p-20f, largestScale = 0x1p20f;

bool attn::canScaleDifferences(float scale) {
  return scale >= smallestScale && scale <= largestScale;
}

std::optional<float> attn::getDeferredScale(KernelOp kernel) {
  std::optional<float> scale = kernel.getStaticScale();
  if (kernel.getScore() || !scale || !canScaleDifferences(*scale))
    return std::nullopt;
  return scale;
}
