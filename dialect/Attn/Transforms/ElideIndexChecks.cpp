//===- ElideIndexChecks.cpp - Indices that are inside anyway ----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/IntegerRanges.h"
#include "dialect/Attn/Transforms/Passes.h"

namespace attnc::attn {
#define GEN_PASS_DEF_ELIDEINDEXCHECKSPASS
#include "dialect/Attn/Transforms/Passes.h.inc"
} // namespace attnc::attn

using namespace mlir;
using namespace attnc::attn;

/// What remains to be done to index `i` of `load`.
static IndexCheck getNeededCheck(LoadOp load, unsigned i, const IntegerRanges &ranges) {
  Value index = load.getIndices()[i];
  if (load.getCheck(i) == IndexCheck::Inside ||
      (load.getCheck(i) == IndexCheck::Wrap && !ranges.get(index).isNonNegative()))
    return load.getCheck(i);
  bool isInside = ranges.get(index).isNonNegative() && ranges.isBelowSize(index, load, i);
  return isInside ? IndexCheck::Inside : IndexCheck::Clamp;
}

namespace {
struct ElideIndexChecksPass : attnc::attn::impl::ElideIndexChecksPassBase<ElideIndexChecksPass> {
  void runOnOperation() override {
    for (Operation &op : getOperation().getBody().front())
      if (isa<ScoreOp, MaskOp>(op))
        elideIn(&op);
  }

private:
  static void elideIn(Operation *scoreOrMask) {
    IntegerRanges ranges(scoreOrMask);
    for (auto load : scoreOrMask->getRegion(0).getOps<LoadOp>()) {
      SmallVector<int32_t> checks;
      for (unsigned i = 0; i < load.getIndices().size(); ++i)
        checks.push_back(static_cast<int32_t>(getNeededCheck(load, i, ranges)));
      load.setChecks(checks);
    }
  }
};
} // namespace
