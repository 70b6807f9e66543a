//===- BlockLoads.cpp - Loads that blocks of pairs share --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/BlockLoads.h"

using namespace mlir;
using namespace attnc::attn;

bool attnc::attn::isBlockLoad(const MaskValues &values, LoadOp load) {
  return values.getStages().get(load) == Stage::Pair && isa<IntegerType>(load.getType()) &&
         llvm::all_of(load.getIndices(), [&](Value index) {
           const MaskValue &value = values.get(index);
           return value.bounded && !value.form.hasFactor();
         });
}
