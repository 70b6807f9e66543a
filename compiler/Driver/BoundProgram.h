//===- BoundProgram.h - A program and the tensors it runs on ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_BOUNDPROGRAM_H
#define COMPILER_DRIVER_BOUNDPROGRAM_H

#include "compiler/Driver/Compilation.h"
#include "compiler/Driver/RunOptions.h"
#include "compiler/Driver/TensorSource.h"
#include "dialect/Attn/IR/AttnOps.h"

namespace attnc::driver {

/// A program with the tensors of one launch: its kernel, which is made for their element type and
/// head dims, is at the phase attn, and the arguments have passed all checks.
class BoundProgram {
public:
  /// `options` and `times` must outlive the program.
  BoundProgram(const RunOptions &options, StageTimes &times)
      : options(options), times(times), compilation(times) {}

  /// Reads program and tensors, compiles the one for the others, and makes room for the outputs. An
  /// error without a message has been reported to getDiagnostics().
  std::optional<RunError> prepare(const Target &target);

  DiagnosticEngine &getDiagnostics() { return compilation.getDiagnostics(); }
  mlir::ModuleOp getModule() { return compilation.getModule(); }
  /// The only kernel of the module.
  attn::KernelOp getKernel() const { return kernel; }
  const KernelInfo &getInfo() const { return info; }
  const LaunchArguments &getArguments() const { return arguments; }
  const BoundArguments &getBound() const { return bound; }

private:
  std::optional<RunError> loadMainTensors();
  std::optional<RunError> compile(const Target &target);
  std::optional<RunError> setScale();
  std::optional<RunError> addScalars();
  std::optional<RunError> addCaptures();
  std::optional<RunError> bind();

  const RunOptions &options;
  StageTimes &times;
  Compilation compilation;
  std::unique_ptr<TensorSource> source;
  TensorBuffer o, lse;
  LaunchArguments arguments;
  BoundArguments bound;
  attn::KernelOp kernel;
  KernelInfo info;
};

} // namespace attnc::driver

#endif // COMPILER_DRIVER_BOUNDPROGRAM_H
