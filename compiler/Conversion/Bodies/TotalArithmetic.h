//===- TotalArithmetic.h - Division and conversion without traps --*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_BODIES_TOTALARITHMETIC_H
#define COMPILER_CONVERSION_BODIES_TOTALARITHMETIC_H

#include "mlir/IR/Builders.h"

namespace attnc {

/// `attn.floordiv`, `attn.floormod` and `attn.to_int` in `arith`, for operands of one type: scalars
/// or vectors. No operand makes the code trap or give poison. A divisor that is a constant (or a
/// constant broadcast) gives shifts or a multiplication, others a division.
mlir::Value emitFloorDiv(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lhs,
                         mlir::Value rhs);
mlir::Value emitFloorMod(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lhs,
                         mlir::Value rhs);
mlir::Value emitToInt(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                      mlir::Type element);

} // namespace attnc

#endif // COMPILER_CONVERSION_BODIES_TOTALARITHMETIC_H
