//===- Predicates.h - Predicates of comparisons -------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_PREDICATES_H
#define DIALECT_ATTN_ANALYSIS_PREDICATES_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace attnc::attn {

/// The predicate that holds for (b, a) where `predicate` holds for (a, b).
mlir::arith::CmpIPredicate swapOperands(mlir::arith::CmpIPredicate predicate);

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_PREDICATES_H
