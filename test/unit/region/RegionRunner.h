//===- RegionRunner.h - Runs what is emitted for mask and score bodies C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_UNIT_REGION_REGIONRUNNER_H
#define TEST_UNIT_REGION_REGIONRUNNER_H

#include "attnc/HostKernel.h"
#include "compiler/Conversion/Bodies/OpEmitter.h"
#include "compiler/Target/Host/HostTarget.h"
#include "compiler/Target/Reference/PairProgram.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>
#include <map>

namespace attnc::test {

/// A context with all that the tests parse and emit.
std::unique_ptr<mlir::MLIRContext> createContext();

/// Runs canonicalization on `op` where `simplify` is true; checks that it is valid.
bool prepare(mlir::Operation *op, bool simplify);

/// Memory behind captured tensors of any type, and the arguments of a launch that reads them.
class Arguments {
public:
  Arguments(int64_t batches, int64_t heads, int64_t queries, int64_t keys);

  /// Adds a captured tensor that holds `values` in row-major order, or the first of them everywhere
  /// if there is one value only.
  void addCapture(const std::string &name, ElementType type, std::vector<int64_t> sizes,
                  const std::vector<double> &values);
  void addCapture(const std::string &name, ElementType type, std::vector<int64_t> sizes,
                  const std::vector<int64_t> &values);

  LaunchArguments launch;

private:
  std::vector<std::unique_ptr<char[]>> memory;
};

/// The arguments in the form that kernels get; a test failure if they do not fit.
BoundArguments bind(attn::KernelOp kernel, const Arguments &arguments);

/// What a function under test gets besides the slots; all i64 but `scratch`, a pointer.
struct FunctionArguments {
  mlir::Value batch, head, first, last, scratch;
};

/// Collects functions and compiles them together.
class RegionRunner {
public:
  RegionRunner(mlir::MLIRContext &context, const HostTarget &target);

  /// Adds a function for `kernel`; `body` emits it.
  using Body = std::function<void(mlir::OpBuilder &, OpEmitter &, const FunctionArguments &)>;
  void add(const std::string &name, attn::KernelOp kernel, const Body &body);

  /// Compiles what was added; false and a test failure if that is not possible.
  bool compile();

  HostKernel::Function get(const std::string &name) const { return functions.at(name); }

private:
  HostTarget target;
  VectorFeatures features;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::SmallVector<mlir::NamedAttribute> descriptions; ///< of the kernels, for their metadata
  std::vector<HostKernel> kernels;
  std::map<std::string, HostKernel::Function> functions;
};

/// Evaluates the bodies of a kernel pair by pair.
class Oracle {
public:
  Oracle(mlir::Operation *body, attn::KernelOp kernel, const Arguments &arguments,
         const BoundArguments &bound);

  bool evaluateMask(int64_t b, int64_t h, int64_t q, int64_t kv);
  float evaluateScore(float score, int64_t b, int64_t h, int64_t q, int64_t kv);

private:
  KernelInfo info;
  std::optional<reference::PairProgram> program;
  std::vector<reference::Cell> registers;
};

} // namespace attnc::test

#endif // TEST_UNIT_REGION_REGIONRUNNER_H
