//===- VectorFeatures.cpp - What the target's vector unit can do ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/Bodies/VectorFeatures.h"
#include "dialect/Tile/IR/TileOps.h"

using namespace attnc;

VectorFeatures attnc::getVectorFeatures(tile::ScheduleAttr schedule) {
  VectorFeatures features;
  features.fma = schedule.has(tile::Features::Fma);
  features.rounding = schedule.has(tile::Features::Rounding);
  features.f16 = schedule.has(tile::Features::F16Convert);
  return features;
}
