//===- BlockLoads.h - Loads that blocks of pairs share ------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_BLOCKLOADS_H
#define DIALECT_ATTN_ANALYSIS_BLOCKLOADS_H

#include "dialect/Attn/Analysis/MaskValues.h"

namespace attnc::attn {

/// True if all pairs of a block may read the same element: a load of an integer or bool that
/// depends on query and key, none of whose indices moves with them one by one, as in `blocks[q //
/// 64, kv // 64]`.
bool isBlockLoad(const MaskValues &values, LoadOp load);

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_BLOCKLOADS_H
