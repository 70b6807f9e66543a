//===- Stages.cpp - What the values of a body depend on ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/Stages.h"

using namespace mlir;
using namespace attnc::attn;

Stage attnc::attn::joinStages(Stage a, Stage b) {
  if ((a == Stage::Query && b == Stage::Key) || (a == Stage::Key && b == Stage::Query))
    return Stage::Pair;
  return std::max(a, b);
}

Stages::Stages(ScoreOp score) {
  stages = {{score.getScoreArgument(), Stage::Score},
            {score.getBatch(), Stage::Head},
            {score.getHead(), Stage::Head},
            {score.getQuery(), Stage::Query},
            {score.getKey(), Stage::Key}};
  visitBody(score.getBody().front());
}

Stages::Stages(MaskOp mask) {
  stages = {{mask.getBatch(), Stage::Head},
            {mask.getHead(), Stage::Head},
            {mask.getQuery(), Stage::Query},
            {mask.getKey(), Stage::Key}};
  visitBody(mask.getBody().front());
}

void Stages::visitBody(Block &body) {
  for (Operation &op : body.without_terminator()) {
    Stage stage = Stage::Head;
    for (Value operand : op.getOperands())
      stage = joinStages(stage, stages.lookup(operand));
    for (Value result : op.getResults())
      stages[result] = stage;
  }
}
