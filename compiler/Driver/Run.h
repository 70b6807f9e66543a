//===- Run.h - Runs a program on tensors --------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_RUN_H
#define COMPILER_DRIVER_RUN_H

#include "compiler/Driver/RunError.h"
#include "compiler/Driver/RunOptions.h"

namespace attnc::driver {

/// Does what `options` ask for. Reports go to the standard output, errors to the standard error.
ExitStatus runProgram(const RunOptions &options);

/// Prints an error of attn-run on one line.
void printRunError(const std::string &message);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_RUN_H
