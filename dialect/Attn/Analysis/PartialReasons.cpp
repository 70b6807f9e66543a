//===- PartialReasons.cpp - Why blocks of pairs are partial -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/PartialReasons.h"
#include "dialect/Attn/Analysis/MaskText.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attnc::attn;

/// `condition` and what it is computed from, each value before those that use it.
static SmallVector<Value> collectValues(Value condition) {
  llvm::SmallSetVector<Value, 16> seen;
  seen.insert(condition);
  for (size_t i = 0; i < seen.size(); ++i)
    if (Operation *op = seen[i].getDefiningOp())
      seen.insert_range(op->getOperands());
  SmallVector<Value> values = seen.takeVector();
  // Arguments of the body first, then results in the order of their ops.
  llvm::sort(values, [](Value a, Value b) {
    auto x = dyn_cast<OpResult>(a), y = dyn_cast<OpResult>(b);
    if (!x || !y)
      return x ? false
               : y || cast<BlockArgument>(a).getArgNumber() < cast<BlockArgument>(b).getArgNumber();
    if (x.getOwner() == y.getOwner())
      return x.getResultNumber() < y.getResultNumber();
    return x.getOwner()->isBeforeInBlock(y.getOwner());
  });
  return values;
}

static std::string quote(MaskOp mask, Value value) { return "`" + getMaskText(mask, value) + "`"; }

PartialReason attnc::attn::getPartialReason(const MaskAnalysis &analysis,
                                            const Conjunct &conjunct) {
  const MaskValues &values = analysis.getValues();
  MaskOp mask = analysis.getMask();
  Value condition = conjunct.condition;
  if (values.get(condition).stage == Stage::Head)
    return {condition, "none, as it is the same for all pairs of a head"};
  SmallVector<Value> parts = collectValues(condition);
  // What is computed from something of which nothing is known is not to blame itself.
  auto *unknown = llvm::find_if(parts, [&](Value value) { return !values.get(value).bounded; });
  switch (conjunct.kind) {
  case ConjunctClass::ClosedForm:
    return {condition, "those that its boundary crosses"};
  case ConjunctClass::PerPair: {
    Value cause = unknown == parts.end() ? condition : *unknown;
    return {cause, "all, as nothing is known of " + quote(mask, cause) + " over a block"};
  }
  case ConjunctClass::Tables: {
    std::string names;
    Value cause = condition;
    for (Value value : parts) {
      const MaskValue &known = values.get(value);
      bool isLoad = value.getDefiningOp<LoadOp>() || value.getDefiningOp<ToIntOp>();
      if (!known.tabulated || !isLoad)
        continue;
      if (names.empty())
        cause = value;
      names += (names.empty() ? "" : " and ") + quote(mask, value);
    }
    if (names.empty())
      names = "its values";
    return {cause, "those over which the smallest and largest of " + names + " leave it open"};
  }
  case ConjunctClass::Intervals: {
    if (unknown != parts.end())
      return {*unknown, "those that depend on " + quote(mask, *unknown) +
                            ", of which nothing is known over a block"};
    auto comparison = condition.getDefiningOp<arith::CmpIOp>();
    if (!comparison)
      return {condition, "those over which its conditions leave it open"};
    return {condition, "those over which the ranges of " + quote(mask, comparison.getLhs()) +
                           " and " + quote(mask, comparison.getRhs()) + " leave it open"};
  }
  }
  llvm_unreachable("all classes are handled");
}
