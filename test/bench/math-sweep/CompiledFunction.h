//===- CompiledFunction.h - Math ops as code in this process ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_BENCH_MATH_SWEEP_COMPILEDFUNCTION_H
#define TEST_BENCH_MATH_SWEEP_COMPILEDFUNCTION_H

#include "compiler/Target/Host/HostTarget.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace attnc {

/// A math op, expanded and compiled for a CPU, that computes 16 elements a call.
class CompiledFunction {
public:
  static constexpr unsigned width = 16;

  /// Compiles the op of this name, `approximate` with fastmath<afn>.
  static llvm::Expected<CompiledFunction> compile(mlir::MLIRContext &context, llvm::StringRef op,
                                                  bool binary, bool approximate,
                                                  const HostTarget &target);

  /// out[i] = op(x[i]), or op(x[i], y[i]), for 16 elements on 64-byte boundaries.
  void operator()(const float *x, const float *y, float *out) const { function(x, y, out); }

private:
  using Function = void (*)(const float *, const float *, float *);
  Function function = nullptr;
  std::shared_ptr<void> code;
};

} // namespace attnc

#endif // TEST_BENCH_MATH_SWEEP_COMPILEDFUNCTION_H
