//===- LoadProgram.h - From a program's file to its kernel --------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_LOADPROGRAM_H
#define COMPILER_DRIVER_LOADPROGRAM_H

#include "compiler/Driver/RunError.h"
#include "compiler/Driver/RunOptions.h"
#include "compiler/Frontend/Diagnostics.h"
#include "dialect/Attn/IR/AttnOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace attnc::driver {

/// What a kernel is compiled for.
struct KernelShape {
  ElementType dtype;
  int64_t headDim, valueDim;
};

/// A module with one attn.kernel.
struct LoadedProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  attn::KernelOp kernel;
};

/// Reads `options.program`, a program or the attn dialect in text, and makes the kernel for `shape`
/// of it. What is wrong with the program is reported to `engine`, and the error then has no
/// message. `sources` are those of `engine`.
std::optional<RunError> loadProgram(mlir::MLIRContext &context, const RunOptions &options,
                                    const KernelShape &shape, SourceManager &sources,
                                    DiagnosticEngine &engine, LoadedProgram &program);

/// Runs a comma list of passes over the kernel of `program`.
std::optional<RunError> runAttnPasses(LoadedProgram &program, const std::string &passes);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_LOADPROGRAM_H
