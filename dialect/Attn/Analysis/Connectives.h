//===- Connectives.h - Conditions made of conditions --------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_CONNECTIVES_H
#define DIALECT_ATTN_ANALYSIS_CONNECTIVES_H

#include "dialect/Attn/Analysis/MaskValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <optional>

namespace attnc::attn {

/// The set of keys for which what `op` gives holds, or is false if `negated`, where that is an
/// `and`, `or`, `not` or choice of conditions; nothing for other ops. `visit(condition, negated)`
/// gives the set of an operand; operands are visited one after the other. `intersect` and `unite`
/// make a set of two.
template <typename SetT>
std::optional<SetT>
visitConnective(mlir::Operation *op, bool negated,
                llvm::function_ref<SetT(mlir::Value condition, bool negated)> visit,
                llvm::function_ref<SetT(const SetT &, const SetT &)> intersect,
                llvm::function_ref<SetT(const SetT &, const SetT &)> unite) {
  using namespace mlir;
  if (isa<arith::AndIOp, arith::OrIOp>(op)) {
    SetT lhs = visit(op->getOperand(0), negated), rhs = visit(op->getOperand(1), negated);
    return isa<arith::AndIOp>(op) != negated ? intersect(lhs, rhs) : unite(lhs, rhs);
  }
  if (isa<arith::XOrIOp>(op)) {
    std::optional<int64_t> constant = getConstantInt(op->getOperand(1));
    if (!constant)
      return std::nullopt;
    return visit(op->getOperand(0), negated != (*constant != 0));
  }
  if (!isa<arith::SelectOp>(op))
    return std::nullopt;
  SetT otherwise = visit(op->getOperand(0), /*negated=*/true);
  SetT second = intersect(otherwise, visit(op->getOperand(2), negated));
  SetT condition = visit(op->getOperand(0), /*negated=*/false);
  SetT first = intersect(condition, visit(op->getOperand(1), negated));
  return unite(first, second);
}

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_CONNECTIVES_H
