//===- AttnBuilder.h - From an evaluated program to the attn dialect -*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// The only part of the front end that knows the dialect.
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_ATTNBUILDER_H
#define COMPILER_FRONTEND_ATTNBUILDER_H

#include "compiler/Frontend/Program.h"
#include "dialect/Attn/IR/AttnOps.h"
#include "mlir/IR/Builders.h"

namespace attnc {

/// What a kernel is besides its program.
struct KernelSpec {
  std::string name;
  ElementType dtype;
  int64_t headDim;
  int64_t valueDim;
  bool lse;
  bool checked;
};

/// Appends the kernel of `program` at the builder's place. `file` locates what the program does not
/// write, such as the kernel itself.
attn::KernelOp buildKernel(mlir::OpBuilder &builder, const Program &program, const KernelSpec &spec,
                           const SourceFile &file);

} // namespace attnc

#endif // COMPILER_FRONTEND_ATTNBUILDER_H
