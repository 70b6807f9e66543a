//===- KernelBuilder.h - Short ways to build kernel code --------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_BODIES_KERNELBUILDER_H
#define COMPILER_CONVERSION_BODIES_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

/// Builds the code of one function: integer, float and address arithmetic, and loops. Integers of
/// both operands have one width. Constants go to the start of the function, once each.
class KernelBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// Builds into the entry block of `function`.
  explicit KernelBuilder(mlir::LLVM::LLVMFuncOp function);

  /// A builder that stays behind the constants and before all other code of the function.
  mlir::OpBuilder createEntryBuilder();

  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value i64(int64_t value) { return constant(getI64IntegerAttr(value)); }
  mlir::Value i32(int64_t value) { return integer(getI32Type(), value); }
  mlir::Value f32(float value) { return constant(getF32FloatAttr(value)); }
  mlir::Value boolean(bool value) { return constant(getBoolAttr(value)); }
  mlir::Value integer(mlir::Type type, int64_t value) {
    return constant(mlir::IntegerAttr::get(type, value));
  }

  //===--------------------------------------------------------------------===//
  // Integers and addresses
  //===--------------------------------------------------------------------===//

  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value add(mlir::Value lhs, int64_t rhs) { return add(lhs, integer(lhs.getType(), rhs)); }
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, int64_t rhs) { return mul(lhs, integer(lhs.getType(), rhs)); }
  mlir::Value minimum(mlir::Value lhs, mlir::Value rhs);
  mlir::Value maximum(mlir::Value lhs, mlir::Value rhs);
  mlir::Value less(mlir::Value lhs, mlir::Value rhs);
  mlir::Value lessEqual(mlir::Value lhs, mlir::Value rhs);
  mlir::Value lessUnsigned(mlir::Value lhs, mlir::Value rhs);
  mlir::Value andOf(mlir::Value lhs, mlir::Value rhs);
  mlir::Value orOf(mlir::Value lhs, mlir::Value rhs);
  mlir::Value notOf(mlir::Value condition);
  /// The smallest multiple of `factor` that is at least `value`, which is not negative.
  mlir::Value roundUp(mlir::Value value, int64_t factor);
  mlir::Value roundDown(mlir::Value value, int64_t factor);

  /// `base` + `bytes`.
  mlir::Value address(mlir::Value base, mlir::Value bytes);
  mlir::Value address(mlir::Value base, int64_t bytes);
  mlir::Value load(mlir::Type type, mlir::Value address, int64_t alignment);
  void store(mlir::Value value, mlir::Value address, int64_t alignment);

  //===--------------------------------------------------------------------===//
  // Floats, and vectors of them
  //===--------------------------------------------------------------------===//

  /// a * b + c, fused where the target fuses.
  mlir::Value multiplyAdd(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value addF(mlir::Value lhs, mlir::Value rhs);
  mlir::Value subF(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mulF(mlir::Value lhs, mlir::Value rhs);
  mlir::Value compareF(mlir::arith::CmpFPredicate predicate, mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value lhs, mlir::Value rhs);
  /// The larger one; `rhs` where `lhs` is NaN.
  mlir::Value maximumIgnoringNaN(mlir::Value lhs, mlir::Value rhs);
  mlir::Value bitcast(mlir::Type type, mlir::Value value);
  mlir::Value intrinsic(mlir::Type type, llvm::StringRef name, mlir::ValueRange operands);

  //===--------------------------------------------------------------------===//
  // Control flow
  //===--------------------------------------------------------------------===//

  using Values = llvm::SmallVector<mlir::Value, 16>;

  /// Calls `body` with the counter and what the iteration before gave; gives what the last one
  /// gave.
  Values loop(mlir::Value begin, mlir::Value end, int64_t step, mlir::ValueRange initial,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);
  void loop(mlir::Value begin, mlir::Value end, int64_t step,
            llvm::function_ref<void(mlir::Value)> body);
  void ifTrue(mlir::Value condition, llvm::function_ref<void()> then);
  void ifElse(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise);

private:
  mlir::Block *entry;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
};

} // namespace attnc

#endif // COMPILER_CONVERSION_BODIES_KERNELBUILDER_H
