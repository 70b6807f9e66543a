//===- Builtins.h - Functions that programs can call --------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_BUILTINS_H
#define COMPILER_FRONTEND_BUILTINS_H

#include "compiler/Frontend/Evaluator.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

/// Where a builtin is found: `exp(x)`, `torch.exp(x)`, `math.exp(x)`, `x.exp()`.
enum BuiltinNamespace : uint8_t {
  InPlain = 1,
  InTorch = 2,
  InMath = 4,
  /// The first operand is the object.
  InMethods = 8,
};

/// One function under one name. A function may stand in several rows.
struct Builtin {
  using Handler = Value (*)(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands);

  llvm::StringLiteral name;
  uint8_t namespaces;
  Handler handler;
  /// The parameters in order, separated by spaces, each `name`, or `name=` if it may be left out;
  /// other names of it follow behind a bar: `min=|lower`. `*` takes any number more.
  llvm::StringLiteral parameters = "";
  /// For builtins that are one operation.
  ExprOp op = ExprOp::IntConstant;
};

/// The builtin of that name there, or null.
const Builtin *findBuiltin(BuiltinNamespace where, llvm::StringRef name);

/// Calls `use` with the name of every builtin there.
void forEachBuiltinName(BuiltinNamespace where, llvm::function_ref<void(llvm::StringRef)> use);

/// The constant of a module (`math.pi`, `torch.inf`); nothing if there is none.
std::optional<double> findConstant(llvm::StringRef name);

/// The element type that torch has under that name; nothing if there is none.
std::optional<ElementType> findTorchType(llvm::StringRef name);

/// What torch does to whole tensors, which a program cannot.
enum class TensorWork { None, Construction, Reduction };
TensorWork classifyTensorWork(llvm::StringRef name);

/// Whether the approximation of `name` can be allowed with `--approx`.
bool isApproximable(llvm::StringRef name);
/// All of these names.
llvm::ArrayRef<llvm::StringLiteral> getApproximableNames();

/// The operands of a call in the order of the builtin's parameters, those left out without a range;
/// nothing (reported) if they do not fit. What `*` takes is appended.
std::optional<llvm::SmallVector<Operand, 4>>
arrangeOperands(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands);

// The rows of each theme.
llvm::ArrayRef<Builtin> getMathBuiltins();
llvm::ArrayRef<Builtin> getConversionBuiltins();
llvm::ArrayRef<Builtin> getPythonBuiltins();

} // namespace attnc

#endif // COMPILER_FRONTEND_BUILTINS_H
