//===- BoundVariant.h - A variant, bound to tensors ---------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_BENCH_BOUNDVARIANT_H
#define TEST_BENCH_BOUNDVARIANT_H

#include "compiler/Driver/IRDiagnostics.h"
#include "compiler/Driver/TensorSource.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/bench/Variants.h"
#include <memory>

namespace attnc::bench {

/// One batch of `heads` heads, with as many queries as keys.
struct Shape {
  ElementType dtype = ElementType::F32;
  int64_t headDim = 64, heads = 8, length = 4096;
};

/// Ends the process: something is wrong with a benchmark, or with what it measures.
[[noreturn]] void fail(const std::string &message);

/// Random q, k and v of a shape, and room for o.
class MainTensors {
public:
  explicit MainTensors(const Shape &shape);

  const LaunchArguments &getArguments() const { return arguments; }
  const Shape &getShape() const { return shape; }

private:
  Shape shape;
  driver::RunOptions options;
  std::unique_ptr<driver::TensorSource> source;
  driver::TensorBuffer o;
  LaunchArguments arguments;
};

/// A variant, at the phase attn for the shape of `tensors` and bound to them. What is wrong ends
/// the process: everything here is our own.
class BoundVariant {
public:
  BoundVariant(const Variant &variant, const MainTensors &tensors);

  const Variant &getVariant() const { return variant; }
  const Shape &getShape() const { return shape; }
  mlir::ModuleOp getModule() const { return module.get(); }
  const LaunchArguments &getArguments() const { return arguments; }
  const BoundArguments &getBound() const { return bound; }
  /// What MLIR reports of the module.
  const DiagnosticEngine &getDiagnostics() const { return diagnostics; }

  /// The floating point operations of the pairs that take part.
  double getFlops() const;
  /// How much of all pairs takes part.
  double getPairShare() const;
  /// How much of all blocks of 128 queries and 128 keys holds a pair that takes part.
  double getBlockShare() const { return blockShare; }

private:
  const Variant &variant;
  Shape shape;
  driver::RunOptions options;
  std::unique_ptr<driver::TensorSource> source;
  LaunchArguments arguments;
  BoundArguments bound;
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  driver::IRDiagnostics irDiagnostics{&context, diagnostics};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  int64_t pairs = 0;
  double blockShare = 1;
};

} // namespace attnc::bench

#endif // TEST_BENCH_BOUNDVARIANT_H
