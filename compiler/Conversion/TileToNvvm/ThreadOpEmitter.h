//===- ThreadOpEmitter.h - Ops of a body on a GPU thread --------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_TILETONVVM_THREADOPEMITTER_H
#define COMPILER_CONVERSION_TILETONVVM_THREADOPEMITTER_H

#include "compiler/Conversion/Bodies/OpEmitter.h"

namespace attnc {

/// Emits single ops of score and mask bodies as code of a GPU thread. What `fastmath<afn>` allows
/// to approximate becomes ex2.approx.ftz and rcp.approx.ftz: the forms that keep denormals take
/// four more instructions.
class ThreadOpEmitter : public OpEmitter {
public:
  using OpEmitter::OpEmitter;

  llvm::SmallVector<mlir::Value, 1> emit(mlir::OpBuilder &builder, mlir::Operation *op,
                                         mlir::ValueRange operands) override;
};

} // namespace attnc

#endif // COMPILER_CONVERSION_TILETONVVM_THREADOPEMITTER_H
