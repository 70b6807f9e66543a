//===- ExprGraph.h - What a program computes at run time ----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// The evaluator turns a program into a graph of scalar operations: shared, typed, pure, in the
// order of creation. What is not reached from the result of score_mod or mask_mod costs nothing,
// and a launch-time value such as `n: i32 = KV // 2` belongs to both.
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_EXPRGRAPH_H
#define COMPILER_FRONTEND_EXPRGRAPH_H

#include "compiler/Frontend/SourceFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <vector>

namespace attnc {

/// The types of values at a pair: 64-bit integers, f32, booleans.
enum class ScalarKind : uint8_t { Int, Float, Bool };

enum class ExprOp : uint8_t {
  // Leaves.
  IntConstant,
  FloatConstant,
  BoolConstant,
  Argument,
  Dimension,
  Scalar,
  /// An element of a captured tensor or table; operands are the indices.
  Load,
  // Integers, wrapping; division rounds towards minus infinity and gives 0 for a divisor 0.
  AddInt,
  SubInt,
  MulInt,
  FloorDivInt,
  FloorModInt,
  AndInt,
  OrInt,
  XorInt,
  /// The amount is in 0...63.
  ShiftLeft,
  ShiftRight,
  MinInt,
  MaxInt,
  // Floats; min and max propagate NaN.
  AddFloat,
  SubFloat,
  MulFloat,
  DivFloat,
  /// The remainder of the truncated quotient.
  Fmod,
  MinFloat,
  MaxFloat,
  Pow,
  Negate,
  Abs,
  Exp,
  Exp2,
  Expm1,
  Log,
  Log1p,
  Log2,
  Sqrt,
  Rsqrt,
  Tanh,
  Sin,
  Cos,
  Erf,
  Floor,
  Ceil,
  RoundEven,
  Trunc,
  // Booleans.
  And,
  Or,
  Xor,
  // Comparisons; the operands have one type. On floats all are false for NaN but Ne.
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  /// Less, as unsigned integers.
  LtUnsigned,
  // Others.
  Select,
  IntToFloat,
  /// Truncates and saturates; NaN gives 0.
  FloatToInt,
  BoolToInt,
  BoolToFloat,
  RoundToF16,
  RoundToBF16,
};

/// What a score_mod or mask_mod is given.
enum class PairArgument : uint8_t { Score, Batch, Head, Query, Key };

using ExprId = uint32_t;

struct ExprNode : llvm::FoldingSetNode {
  ExprOp op;
  ScalarKind kind;
  /// Whether the hardware's approximation may replace the operation.
  bool approximate = false;
  ExprId id = 0;
  /// The constant (floats as the bits of the f32), or the PairArgument.
  uint64_t payload = 0;
  /// Of the dimension, scalar, captured tensor or table.
  llvm::StringRef name;
  llvm::ArrayRef<ExprId> operands;
  /// The expression of the user that asks for it.
  SourceRange range;

  void Profile(llvm::FoldingSetNodeID &id) const;
};

class ExprGraph {
public:
  ExprId getInt(int64_t value, SourceRange range);
  ExprId getFloat(double value, SourceRange range);
  ExprId getBool(bool value, SourceRange range);
  ExprId getArgument(PairArgument argument, SourceRange range);
  ExprId getDimension(llvm::StringRef name, SourceRange range);
  ExprId getScalar(llvm::StringRef name, ScalarKind kind, SourceRange range);
  ExprId getLoad(llvm::StringRef source, ScalarKind kind, llvm::ArrayRef<ExprId> indices,
                 SourceRange range);
  /// An operation of fixed arity; its type follows from `op` and the operands.
  ExprId get(ExprOp op, llvm::ArrayRef<ExprId> operands, SourceRange range,
             bool approximate = false);
  /// Boolean and, or, not and select see through constants and equal operands.
  ExprId getAnd(ExprId lhs, ExprId rhs, SourceRange range);
  ExprId getOr(ExprId lhs, ExprId rhs, SourceRange range);
  ExprId getNot(ExprId operand, SourceRange range);
  ExprId getSelect(ExprId condition, ExprId trueValue, ExprId falseValue, SourceRange range);

  const ExprNode &operator[](ExprId id) const { return *nodes[id]; }
  size_t size() const { return nodes.size(); }

  /// Stops sharing with what exists, so that what follows gets locations of its own.
  void startRegion() { unique.clear(); }

  /// The nodes that `root` needs, operands before users.
  std::vector<ExprId> getReachable(ExprId root) const;

private:
  ExprId insert(ExprNode prototype);
  bool isBool(ExprId id, bool value) const;

  llvm::BumpPtrAllocator allocator;
  llvm::FoldingSet<ExprNode> unique;
  std::vector<ExprNode *> nodes;
};

} // namespace attnc

#endif // COMPILER_FRONTEND_EXPRGRAPH_H
