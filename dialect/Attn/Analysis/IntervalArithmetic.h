//===- IntervalArithmetic.h - Emits arithmetic on intervals -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_INTERVALARITHMETIC_H
#define DIALECT_ATTN_ANALYSIS_INTERVALARITHMETIC_H

#include "dialect/Attn/Analysis/ScalarEmitter.h"
#include "dialect/Attn/IR/AttnOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <limits>

namespace attnc::attn {

/// An interval of integers whose ends (i64, inclusive) the emitted code computes.
struct Interval {
  mlir::Value lo, hi;
  /// What is known of the ends when the code is emitted: min <= lo and hi <= max.
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();

  bool isPoint() const { return lo == hi; }
};

/// The values a condition may have; both i1.
struct Possible {
  mlir::Value canBeTrue, canBeFalse;
};

/// Emits arithmetic on intervals, and on conditions in three-valued logic. Every result holds all
/// results of the 64-bit operation, which wraps around, on elements of its operands: where an
/// element might wrap, the result is all of i64.
class IntervalArithmetic {
public:
  IntervalArithmetic(mlir::OpBuilder &builder, mlir::Location loc, ScalarEmitter &emitter)
      : builder(builder), loc(loc), emitter(emitter) {}

  mlir::Value constant(int64_t value);
  mlir::Value constant(bool value);
  Interval point(int64_t value);
  /// The interval of one known value.
  Interval point(mlir::Value value, int64_t min, int64_t max) { return {value, value, min, max}; }
  Interval all();
  /// `interval` where `known` is true, all integers elsewhere.
  Interval allUnless(mlir::Value known, Interval interval);

  Interval add(Interval lhs, Interval rhs);
  Interval subtract(Interval lhs, Interval rhs);
  Interval multiply(Interval lhs, int64_t factor);
  Interval multiply(Interval lhs, Interval rhs);
  Interval square(Interval value);
  /// Division by one value: `rhs` is a point.
  Interval floorDiv(Interval lhs, Interval rhs);
  Interval floorMod(Interval lhs, Interval rhs);
  /// Bitwise operations: the bits above the highest in which the ends of an operand differ are
  /// known.
  Interval bitwiseAnd(Interval lhs, Interval rhs);
  Interval bitwiseOr(Interval lhs, Interval rhs);
  Interval bitwiseXor(Interval lhs, Interval rhs);
  Interval shiftRight(Interval lhs, unsigned amount);
  Interval minimum(Interval lhs, Interval rhs);
  Interval maximum(Interval lhs, Interval rhs);
  Interval absolute(Interval value);
  Interval select(Possible condition, Interval lhs, Interval rhs);

  Possible compare(mlir::arith::CmpIPredicate predicate, Interval lhs, Interval rhs);
  /// The integers of `values` that are `residue` modulo `step`, where 0 <= residue < step; null is
  /// 0.
  struct Residues {
    Interval values;
    int64_t step = 1;
    mlir::Value residue = nullptr;
  };
  /// `dividend` modulo `divisor`, a constant above 0 and a multiple of the dividend's step,
  /// compared with `bound`. Exact where the dividend takes all its integers and the bound is a
  /// point.
  Possible compareRemainder(mlir::arith::CmpIPredicate predicate, Residues dividend,
                            int64_t divisor, Interval bound);
  Possible unknown();
  Possible known(mlir::Value condition);
  Possible both(Possible lhs, Possible rhs);
  Possible either(Possible lhs, Possible rhs);
  Possible differ(Possible lhs, Possible rhs);
  Possible negate(Possible value) { return {value.canBeFalse, value.canBeTrue}; }
  Possible select(Possible condition, Possible lhs, Possible rhs);

  /// Emits one op; the ends of intervals are its operands.
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value subtract(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value lhs, int64_t factor);
  mlir::Value minimum(mlir::Value lhs, mlir::Value rhs);
  mlir::Value maximum(mlir::Value lhs, mlir::Value rhs);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs, mlir::Value rhs);
  mlir::Value logicalAnd(mlir::Value lhs, mlir::Value rhs);
  mlir::Value logicalOr(mlir::Value lhs, mlir::Value rhs);
  mlir::Value logicalNot(mlir::Value value);
  mlir::Value choose(mlir::Value condition, mlir::Value lhs, mlir::Value rhs);
  mlir::Value floorDiv(mlir::Value lhs, int64_t divisor);
  /// What `load` reads at `indices`, as an i64 or a condition.
  mlir::Value load(LoadOp load, mlir::ValueRange indices);

private:
  /// What is known of the bits of integers of an interval.
  struct Bits {
    mlir::Value unknown; ///< ones where the bits may differ: 2^n - 1, or all
    mlir::Value known;   ///< the others, with zeros in place of these
  };
  Bits getBits(Interval value);
  /// The interval from `lo` to `hi` where no sign is among the `unknown` bits.
  Interval fromBits(mlir::Value unknown, mlir::Value lo, mlir::Value hi);
  mlir::Value and64(mlir::Value lhs, mlir::Value rhs);
  mlir::Value or64(mlir::Value lhs, mlir::Value rhs);
  mlir::Value xor64(mlir::Value lhs, mlir::Value rhs);
  /// Whether an integer of `dividend` is in [first, last], inside [0, divisor), modulo `divisor`.
  mlir::Value hitsRemainder(Residues dividend, int64_t divisor, mlir::Value first,
                            mlir::Value last);
  mlir::Value overflowsInSum(mlir::Value lhs, mlir::Value rhs, mlir::Value sum);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  ScalarEmitter &emitter;
};

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_INTERVALARITHMETIC_H
