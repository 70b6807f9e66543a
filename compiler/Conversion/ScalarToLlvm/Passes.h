//===- Passes.h - The pass that turns scalar code into LLVM ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_SCALARTOLLVM_PASSES_H
#define COMPILER_CONVERSION_SCALARTOLLVM_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace attnc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Conversion/ScalarToLlvm/Passes.h.inc"
} // namespace attnc

#endif // COMPILER_CONVERSION_SCALARTOLLVM_PASSES_H
