//===- LoadProgram.h - From a program's file to its kernel --------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_LOADPROGRAM_H
#define COMPILER_DRIVER_LOADPROGRAM_H

#include "compiler/Driver/Compilation.h"
#include "compiler/Driver/RunOptions.h"
#include "compiler/Frontend/Frontend.h"
#include "dialect/Attn/IR/AttnOps.h"

namespace attnc::driver {

/// Reads `options.program`, a program or the attn dialect in text, into `compilation` and makes the
/// kernel for `shape` of it, the only one of the module. What is wrong with the program is reported
/// there.
std::optional<RunError> loadProgram(Compilation &compilation, const RunOptions &options,
                                    const KernelShape &shape, const Target &target,
                                    attn::KernelOp &kernel);

/// Runs a comma list of passes over the kernels of `module`.
std::optional<RunError> runAttnPasses(mlir::ModuleOp module, const std::string &passes);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_LOADPROGRAM_H
