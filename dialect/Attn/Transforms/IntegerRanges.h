//===- IntegerRanges.h - What integers of a score or mask can be --*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_TRANSFORMS_INTEGERRANGES_H
#define DIALECT_ATTN_TRANSFORMS_INTEGERRANGES_H

#include "dialect/Attn/IR/AttnOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <array>

namespace attnc::attn {

/// A sum of multiples of b, h, q, kv and of the sizes they stay below, B, Hq, Q and KV, plus a
/// constant, in unbounded integers.
struct LinearForm {
  /// Wide enough for a small form times a 64-bit number.
  using Wide = __int128;

  std::array<Wide, 4> positions = {};
  std::array<Wide, 4> sizes = {};
  Wide constant = 0;

  LinearForm() = default;
  LinearForm(Wide constant) : constant(constant) {}

  LinearForm operator+(const LinearForm &other) const;
  LinearForm operator*(Wide factor) const;
  LinearForm operator-(const LinearForm &other) const { return *this + other * -1; }

  /// The least and greatest value over all pairs inside tensors, whose sizes are at most 2^31 - 1.
  Wide getMin() const;
  Wide getMax() const { return -(*this * -1).getMin(); }
  /// True if every coefficient is below 2^62 in size; others are not computed with.
  bool isSmall() const;
};

/// What is known of an integer at every pair inside the tensors.
struct IntegerRange {
  int64_t min;
  int64_t max;
  /// Forms that are never above, and never below, the value.
  llvm::SmallVector<LinearForm, 2> lower;
  llvm::SmallVector<LinearForm, 2> upper;

  bool isNonNegative() const { return min >= 0; }
  bool fits(unsigned bits) const {
    return min >= -(int64_t(1) << (bits - 1)) && max < (int64_t(1) << (bits - 1));
  }
};

/// The ranges of all integers in the body of an attn.score or attn.mask. Integers that wrap around
/// are anything of their type.
class IntegerRanges {
public:
  explicit IntegerRanges(mlir::Operation *scoreOrMask);

  const IntegerRange &get(mlir::Value value) const { return ranges.find(value)->second; }

  /// True if `value` is below the size of dimension `dim` of the tensor or table that `load` reads.
  bool isBelowSize(mlir::Value value, LoadOp load, unsigned dim) const;

private:
  IntegerRange compute(mlir::Operation *op);

  KernelOp kernel;
  llvm::DenseMap<mlir::Value, IntegerRange> ranges;
};

} // namespace attnc::attn

#endif // DIALECT_ATTN_TRANSFORMS_INTEGERRANGES_H
