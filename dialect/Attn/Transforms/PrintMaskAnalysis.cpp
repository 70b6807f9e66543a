//===- PrintMaskAnalysis.cpp - Says what is known of a mask -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "dialect/Attn/Transforms/Passes.h"

namespace attnc::attn {
#define GEN_PASS_DEF_PRINTMASKANALYSISPASS
#include "dialect/Attn/Transforms/Passes.h.inc"

namespace {
class PrintMaskAnalysisPass : public impl::PrintMaskAnalysisPassBase<PrintMaskAnalysisPass> {
  void runOnOperation() override {
    MaskOp mask = getOperation().getMask();
    if (!mask)
      return;
    MaskAnalysis analysis(mask);
    for (const Conjunct &conjunct : analysis.getConjuncts())
      mlir::emitRemark(conjunct.loc)
          << stringifyConjunctClass(conjunct.kind) << ": `" << conjunct.text << "`";
    markAllAnalysesPreserved();
  }
};
} // namespace
} // namespace attnc::attn
