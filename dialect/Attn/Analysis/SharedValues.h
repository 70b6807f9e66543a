//===- SharedValues.h - What bodies compute for many pairs ---------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_SHAREDVALUES_H
#define DIALECT_ATTN_ANALYSIS_SHAREDVALUES_H

#include "dialect/Attn/IR/AttnOps.h"
#include "llvm/ADT/SmallVector.h"

namespace attnc::attn {

/// What the bodies of a kernel compute of a key alone, `doc[b, kv]`, or of a query alone: the same
/// for all pairs of it in a head, so that one thread can compute it for others.
struct SharedValues {
  explicit SharedValues(KernelOp kernel);

  /// Values of the score body and of the pair conditions, of at most 32 bits, from which pairs are
  /// computed. None of score bodies that are linear.
  struct OfBodies {
    llvm::SmallVector<mlir::Value> score, mask;

    size_t size() const { return score.size() + mask.size(); }
  };
  /// Not sums of the key and what is known with the head: keys of a thread have distances that are
  /// constants.
  OfBodies keys;
  OfBodies queries;
  /// MaskAnalysis::getPairConditions() in two parts: those that depend on no query, and the others.
  llvm::SmallVector<mlir::Value> keyConditions, pairConditions;
};

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_SHAREDVALUES_H
