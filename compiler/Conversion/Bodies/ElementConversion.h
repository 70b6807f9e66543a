//===- ElementConversion.h - f16 and bf16 from and to f32 ---------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_BODIES_ELEMENTCONVERSION_H
#define COMPILER_CONVERSION_BODIES_ELEMENTCONVERSION_H

#include "compiler/Conversion/Bodies/VectorFeatures.h"
#include "mlir/IR/Builders.h"

namespace attnc {

/// The f32 of `value`, a scalar or vector of f16 or bf16; f32 is returned as it is. Exact; a NaN
/// stays a NaN. Where the target lacks an instruction it is integer arithmetic, never a library
/// call.
mlir::Value emitExtendToF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                            const VectorFeatures &features);

/// `value`, a scalar or vector of f32, rounded to nearest even to `element`: f16, bf16, or f32 (as
/// it is). A NaN stays a NaN, and what is too large becomes an infinity.
mlir::Value emitTruncateFromF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                                mlir::Type element, const VectorFeatures &features);

} // namespace attnc

#endif // COMPILER_CONVERSION_BODIES_ELEMENTCONVERSION_H
