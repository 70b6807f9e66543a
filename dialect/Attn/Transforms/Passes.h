//===- Passes.h - Passes over the attn dialect --------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_TRANSFORMS_PASSES_H
#define DIALECT_ATTN_TRANSFORMS_PASSES_H

#include "dialect/Attn/IR/AttnOps.h"
#include "mlir/Pass/Pass.h"

namespace attnc::attn {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dialect/Attn/Transforms/Passes.h.inc"
} // namespace attnc::attn

#endif // DIALECT_ATTN_TRANSFORMS_PASSES_H
