//===- Passes.h - The pass that describes kernels to their callers -*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_KERNELINFO_PASSES_H
#define COMPILER_TARGET_KERNELINFO_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace attnc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Target/KernelInfo/Passes.h.inc"
} // namespace attnc

#endif // COMPILER_TARGET_KERNELINFO_PASSES_H
