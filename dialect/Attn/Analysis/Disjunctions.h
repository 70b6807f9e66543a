//===- Disjunctions.h - A condition as cases ----------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_DISJUNCTIONS_H
#define DIALECT_ATTN_ANALYSIS_DISJUNCTIONS_H

#include "dialect/Attn/Analysis/MaskValues.h"
#include <optional>

namespace attnc::attn {

/// A condition that is no and, or, not or select of others, or its negation.
struct Literal {
  mlir::Value condition;
  bool negated = false;
};

/// The predicate of a literal that is a comparison of integers.
std::optional<mlir::arith::CmpIPredicate> getPredicate(const Literal &literal);

/// Literals that hold together.
using Case = llvm::SmallVector<Literal, 4>;

/// A condition, or its negation, as cases: it holds where all literals of one of them do.
struct Disjunction {
  llvm::SmallVector<Case> cases;
  /// True if cases were left out because two of their literals contradict each other.
  bool leavesOut = false;
};

/// The cases of `condition`, or nothing if there are more than a few.
std::optional<Disjunction> getDisjunction(mlir::Value condition, bool negated);

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_DISJUNCTIONS_H
