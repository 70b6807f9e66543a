//===- MaskText.h - Mask values in the language -------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_MASKTEXT_H
#define DIALECT_ATTN_ANALYSIS_MASKTEXT_H

#include "dialect/Attn/IR/AttnOps.h"
#include <string>

namespace attnc::attn {

/// `value`, inside the mask body `mask`, as an expression of the language: `q_idx - kv_idx < 1024`.
/// What is nested very deeply is cut to `...`.
std::string getMaskText(MaskOp mask, mlir::Value value);

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_MASKTEXT_H
