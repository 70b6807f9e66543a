//===- ScalarOps.h - Arithmetic of the language -------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// The meaning of each operation, in one place: folded where the operands are known (integers in
// 64 bits, floats in double), otherwise a node of the graph. The operands have been checked.
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_SCALAROPS_H
#define COMPILER_FRONTEND_SCALAROPS_H

#include "compiler/Frontend/Value.h"

namespace attnc {

class ScalarOps {
public:
  explicit ScalarOps(ExprGraph &graph) : graph(graph) {}

  /// The node of a scalar.
  ExprId getNode(Value value, SourceRange range);

  // Conversions of any scalar.
  Value toFloat(Value value, SourceRange range);
  /// Truncates and saturates; NaN gives 0.
  Value toInt(Value value, SourceRange range);
  Value toBool(Value value, SourceRange range);
  /// A float rounded to a float type.
  Value round(Value value, ElementType type, SourceRange range);

  /// `+ - * / // % **` of numbers. A constant divisor of `//` and `%` is not 0.
  Value arithmetic(ast::BinaryOp op, Value lhs, Value rhs, SourceRange range,
                   bool approximate = false);
  /// `<< >>` of ints. A constant amount is in 0...63.
  Value shift(ast::BinaryOp op, Value lhs, Value rhs, SourceRange range);
  /// `& | ^` of two ints or two bools.
  Value bitwise(ast::BinaryOp op, Value lhs, Value rhs, SourceRange range);
  /// `== != < <= > >=` of two numbers or two bools.
  Value compare(ast::CompareOp op, Value lhs, Value rhs, SourceRange range);
  Value logicalNot(Value value, SourceRange range);
  Value negate(Value value, SourceRange range);
  /// `~` of an int or a bool.
  Value invert(Value value, SourceRange range);

  /// The arms are two numbers or two bools; an int beside a float is converted.
  Value select(Value condition, Value trueValue, Value falseValue, SourceRange range);

  /// One of the operations of floats with one operand, from Negate to Trunc; converts an int.
  Value unary(ExprOp op, Value value, SourceRange range, bool approximate = false);
  Value abs(Value value, SourceRange range);
  /// What is left of a division by the truncated quotient, with the sign of `lhs`; of ints, 0 where
  /// `rhs` is 0.
  Value fmod(Value lhs, Value rhs, SourceRange range);
  Value sign(Value value, SourceRange range);
  /// Of two numbers.
  Value min(Value lhs, Value rhs, SourceRange range);
  Value max(Value lhs, Value rhs, SourceRange range);

private:
  Value runtime(ExprId expr) { return Value::runtime(graph[expr].kind, expr); }
  Value node(ExprOp op, Value value, SourceRange range, bool approximate = false);
  Value node(ExprOp op, Value lhs, Value rhs, SourceRange range, bool approximate = false);
  Value floatArithmetic(ast::BinaryOp op, Value lhs, Value rhs, SourceRange range,
                        bool approximate);
  struct WithConstant {
    Value value;
    int64_t constant;
  };
  std::optional<WithConstant> splitConstant(Value value, bool isProduct) const;
  std::optional<Value> joinConstants(ast::BinaryOp op, Value lhs, Value rhs, SourceRange range);
  Value intArithmetic(ast::BinaryOp op, Value lhs, Value rhs, SourceRange range);
  Value addWhereSignsDiffer(Value rest, Value sign, Value added, SourceRange range);
  Value intPower(Value base, uint64_t exponent, SourceRange range);
  Value extremum(Value lhs, Value rhs, bool isMax, SourceRange range);

  ExprGraph &graph;
};

} // namespace attnc

#endif // COMPILER_FRONTEND_SCALAROPS_H
