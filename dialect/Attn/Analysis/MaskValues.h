//===- MaskValues.h - How the values of a mask can be known -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_MASKVALUES_H
#define DIALECT_ATTN_ANALYSIS_MASKVALUES_H

#include "dialect/Attn/Analysis/Stages.h"
#include "dialect/Attn/IR/AttnOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace attnc::attn {

/// An integer as queryFactor * q + keyFactor * kv + rest, up to multiples of 2^64. An integer that
/// is no such sum is its own rest.
struct LinearForm {
  int64_t queryFactor = 0;
  int64_t keyFactor = 0;
  /// What the rest depends on.
  Stage restStage = Stage::Head;

  bool hasFactor() const { return queryFactor != 0 || keyFactor != 0; }
};

/// How the rest of an integer follows from the rests of the operands of its op.
enum class RestRule {
  Own,        ///< not at all: the integer is its own rest
  Zero,       ///< q or kv itself
  Same,       ///< rest(operand)
  Sum,        ///< rest(0) + rest(1)
  Difference, ///< rest(0) - rest(1)
  Product,    ///< rest(operand) * factor
  Complement  ///< -1 - rest(operand)
};

/// What is known of a value of a mask before any code is emitted.
struct MaskValue {
  Stage stage = Stage::Head;
  LinearForm form;
  RestRule rule = RestRule::Own;
  unsigned operand = 0;
  int64_t factor = 1;
  /// The value depends on the query or on the key alone, but intervals do not give its range: it is
  /// computed for each query or key of a block.
  bool tabulated = false;
  /// Over a rectangle more is known of the value than its type.
  bool bounded = true;
};

/// A comparison as a condition on the key: `key` compared with `bound`, which does not depend on
/// the key.
struct KeyConstraint {
  enum class Kind {
    Linear,  ///< key - bound is linear in the key, and both may depend on the query
    Divided, ///< floor(key / divisor), where key is linear in the key
    Absolute ///< abs(key), where key is linear in the key
  };
  Kind kind = Kind::Linear;
  mlir::arith::CmpIPredicate predicate;
  mlir::Value key, bound;
  int64_t divisor = 1;
};

/// What is known of all values of a mask.
class MaskValues {
public:
  /// Factors of forms are at most this large in absolute value, and Q and KV are taken to be at
  /// most 2^48, so that the terms in q and kv together stay below 2^61.
  static constexpr int64_t maxFactor = int64_t(1) << 12;
  static constexpr int64_t maxSize = int64_t(1) << 48;
  /// A form whose rest is at most this large in absolute value is computed without wrapping around.
  static constexpr int64_t maxRest = int64_t(1) << 60;

  explicit MaskValues(MaskOp mask);

  const MaskValue &get(mlir::Value value) const { return values.find(value)->second; }
  MaskOp getMask() const { return mask; }
  const Stages &getStages() const { return stages; }

  /// The tabulated integers and conditions of `stage` (Query or Key) that a value of another stage,
  /// or the yield, uses.
  llvm::SmallVector<mlir::Value> getTabulated(Stage stage) const;

  /// Whether a formula gives the keys for which the condition holds, given the queries.
  bool hasClosedForm(mlir::Value condition) const;

  /// `comparison` as a condition on the key, if it is one with a closed form.
  std::optional<KeyConstraint> getKeyConstraint(mlir::arith::CmpIOp comparison) const;

private:
  MaskValue visit(mlir::Value result) const;
  /// Fills in form and rule of an integer.
  void setForm(mlir::Operation *op, MaskValue &value) const;

  MaskOp mask;
  Stages stages;
  llvm::DenseMap<mlir::Value, MaskValue> values;
  llvm::DenseSet<mlir::Value> closedForms;
};

/// The integer that `value` is known to be, if it is a constant.
std::optional<int64_t> getConstantInt(mlir::Value value);

/// True if `value` is a constant 2^n - 1, n from 1 to 62: `x & value` is then x modulo value + 1.
bool isMask(mlir::Value value);

/// `dividend` modulo `divisor`, from 1 to 2^60.
struct Remainder {
  mlir::Value dividend;
  int64_t divisor;
};

/// The remainder that `value` is, if it is one by a constant.
std::optional<Remainder> getRemainder(mlir::Value value);

/// The integer whose absolute value `value` is, if it is one, else null.
mlir::Value getAbsoluteOperand(mlir::Value value);

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_MASKVALUES_H
