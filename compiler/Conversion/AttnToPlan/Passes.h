//===- Passes.h - The pass that adds what plans are made with -----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_ATTNTOPLAN_PASSES_H
#define COMPILER_CONVERSION_ATTNTOPLAN_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace attnc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Conversion/AttnToPlan/Passes.h.inc"
} // namespace attnc

#endif // COMPILER_CONVERSION_ATTNTOPLAN_PASSES_H
