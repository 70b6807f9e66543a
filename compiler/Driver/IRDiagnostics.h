//===- IRDiagnostics.h - Messages of passes at the user's lines ---*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_IRDIAGNOSTICS_H
#define COMPILER_DRIVER_IRDIAGNOSTICS_H

#include "compiler/Frontend/Diagnostics.h"
#include "mlir/IR/Diagnostics.h"

namespace attnc::driver {

/// The place in the user's text that a location of the IR stands for; invalid if there is none.
SourceRange getSourceRange(const SourceManager &sources, mlir::Location loc);

/// While alive, hands what MLIR reports in a context to `engine`, at the user's lines where the
/// location names them.
class IRDiagnostics : public mlir::ScopedDiagnosticHandler {
public:
  IRDiagnostics(mlir::MLIRContext *context, DiagnosticEngine &engine);
};

} // namespace attnc::driver

#endif // COMPILER_DRIVER_IRDIAGNOSTICS_H
