//===- LinearScore.cpp - Bodies that add a multiple of a distance -----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/LinearScore.h"
#include "dialect/Attn/Analysis/ScoreScale.h"
#include "dialect/Attn/Analysis/Stages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::attn;

/// By how much `distance` grows with the key, 1 or -1, where that is known. Integers of 32 bits do
/// not wrap around.
static std::optional<float> getStep(Value distance, Value key, const Stages &stages) {
  if (!distance.getType().isInteger(32))
    return std::nullopt;
  auto isKey = [&](Value value) {
    auto narrowed = value.getDefiningOp<arith::TruncIOp>();
    return narrowed && narrowed.getIn() == key;
  };
  auto isOfRow = [&](Value value) {
    Stage stage = stages.get(value);
    return stage == Stage::Head || stage == Stage::Query;
  };
  if (auto difference = distance.getDefiningOp<arith::SubIOp>()) {
    if (isKey(difference.getLhs()) && isOfRow(difference.getRhs()))
      return 1;
    if (isKey(difference.getRhs()) && isOfRow(difference.getLhs()))
      return -1;
  }
  if (auto sum = distance.getDefiningOp<arith::AddIOp>())
    if ((isKey(sum.getLhs()) && isOfRow(sum.getRhs())) ||
        (isKey(sum.getRhs()) && isOfRow(sum.getLhs())))
      return 1;
  return std::nullopt;
}

std::optional<LinearScore> attn::matchLinearScore(KernelOp kernel) {
  ScoreOp score = kernel.getScore();
  std::optional<float> scale = kernel.getStaticScale();
  if (!score || !scale || !canScaleDifferences(*scale))
    return std::nullopt;
  Stages stages(score);
  Value bias, result = score.getYielded(), own = score.getScoreArgument();
  float sign = 1;
  if (auto sum = result.getDefiningOp<arith::AddFOp>()) {
    bias = sum.getLhs() == own ? sum.getRhs() : sum.getRhs() == own ? sum.getLhs() : Value();
  } else if (auto difference = result.getDefiningOp<arith::SubFOp>()) {
    bias = difference.getLhs() == own ? difference.getRhs() : Value();
    sign = -1;
  }
  auto product = bias ? bias.getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!product)
    return std::nullopt;
  for (auto [slope, factor] : {std::pair(product.getLhs(), product.getRhs()),
                               std::pair(product.getRhs(), product.getLhs())}) {
    auto distance = factor.getDefiningOp<arith::SIToFPOp>();
    if (!distance || stages.get(slope) != Stage::Head)
      continue;
    if (std::optional<float> step = getStep(distance.getIn(), score.getKey(), stages))
      return LinearScore{sign, slope, factor, *step, *scale};
  }
  return std::nullopt;
}
