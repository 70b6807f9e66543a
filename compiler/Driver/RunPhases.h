//===- RunPhases.h - From one form of MLIR to a later one ---------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_RUNPHASES_H
#define COMPILER_DRIVER_RUNPHASES_H

#include "compiler/Driver/StageTimes.h"
#include "compiler/Driver/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc::driver {

/// Runs the passes that lead `module` from phase `from` to phase `to`, both forms of MLIR.
llvm::LogicalResult runPhases(mlir::ModuleOp module, Phase from, Phase to, const Target &target,
                              StageTimes &times);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_RUNPHASES_H
