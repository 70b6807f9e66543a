//===- Passes.h - The conversion from tile to vector code -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_TILETONVVM_PASSES_H
#define COMPILER_CONVERSION_TILETONVVM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attnc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Conversion/TileToNvvm/Passes.h.inc"
} // namespace attnc

#endif // COMPILER_CONVERSION_TILETONVVM_PASSES_H
