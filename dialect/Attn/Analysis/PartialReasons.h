//===- PartialReasons.h - Why blocks of pairs are partial ---------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_PARTIALREASONS_H
#define DIALECT_ATTN_ANALYSIS_PARTIALREASONS_H

#include "dialect/Attn/Analysis/MaskAnalysis.h"

namespace attnc::attn {

/// Which blocks are neither empty nor full because of a conjunct, and the value that is to blame.
struct PartialReason {
  mlir::Value cause;
  std::string text;
};

PartialReason getPartialReason(const MaskAnalysis &analysis, const Conjunct &conjunct);

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_PARTIALREASONS_H
