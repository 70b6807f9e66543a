//===- MaskAnalysis.cpp - What a mask lets through --------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "dialect/Attn/Analysis/MaskText.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attnc::attn;

StringRef attnc::attn::stringifyConjunctClass(ConjunctClass value) {
  switch (value) {
  case ConjunctClass::ClosedForm:
    return "closed form";
  case ConjunctClass::Intervals:
    return "intervals";
  case ConjunctClass::Tables:
    return "table ranges";
  case ConjunctClass::PerPair:
    return "per pair";
  }
  llvm_unreachable("all classes are handled");
}

/// The operands of the conjunction that `condition` is, from left to right, each once.
static SmallVector<Value> splitConjunction(Value condition) {
  llvm::SmallSetVector<Value, 4> result;
  SmallVector<Value> pending = {condition};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    auto conjunction = value.getDefiningOp<arith::AndIOp>();
    if (!conjunction) {
      result.insert(value);
      continue;
    }
    pending.push_back(conjunction.getRhs());
    pending.push_back(conjunction.getLhs());
  }
  return result.takeVector();
}

/// True if `condition` depends on a value that is tabulated over a block.
static bool readsTables(const MaskValues &values, Value condition) {
  llvm::SmallSetVector<Value, 8> seen;
  seen.insert(condition);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (values.get(seen[i]).tabulated)
      return true;
    if (Operation *op = seen[i].getDefiningOp())
      seen.insert_range(op->getOperands());
  }
  return false;
}

static ConjunctClass classify(const MaskValues &values, Value condition) {
  if (readsTables(values, condition) && values.get(condition).bounded)
    return ConjunctClass::Tables;
  if (values.hasClosedForm(condition))
    return ConjunctClass::ClosedForm;
  return values.get(condition).bounded ? ConjunctClass::Intervals : ConjunctClass::PerPair;
}

MaskAnalysis::MaskAnalysis(MaskOp mask)
    : values(mask), runs(getRunShapes(values, mask.getYielded(), /*atBlocks=*/true)) {
  for (Value condition : splitConjunction(mask.getYielded())) {
    conjuncts.push_back(
        {condition, condition.getLoc(), classify(values, condition), getMaskText(mask, condition)});
    auto shapes = getRunShapes(values, condition, /*atBlocks=*/false);
    bool isRange = shapes && shapes->size() == 1;
    (isRange ? rangeConditions : pairConditions).push_back(condition);
    if (isRange)
      haveBegins |= shapes->front() == RunShape::End || shapes->front() == RunShape::Inner;
  }
}

void MaskAnalysis::print(llvm::raw_ostream &os) const {
  for (const Conjunct &conjunct : conjuncts)
    os << stringifyConjunctClass(conjunct.kind) << ": " << conjunct.text << "\n";
}
