//===- CodeBuilder.h - Short ways to build vector code ----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_TILETOVECTOR_CODEBUILDER_H
#define COMPILER_CONVERSION_TILETOVECTOR_CODEBUILDER_H

#include "compiler/Conversion/Bodies/KernelBuilder.h"

namespace attnc {

/// Builds the code of one function on vectors of `lanes` elements.
class CodeBuilder : public KernelBuilder {
public:
  CodeBuilder(mlir::LLVM::LLVMFuncOp function, int64_t lanes)
      : KernelBuilder(function), lanes(lanes) {}

  int64_t getLanes() const { return lanes; }
  /// The bytes of one vector of f32.
  int64_t getVectorBytes() const { return lanes * 4; }
  mlir::VectorType getVectorType(mlir::Type element) const {
    return mlir::VectorType::get(lanes, element);
  }

  /// `value` in each lane.
  mlir::Value splat(float value);
  mlir::Value splatI32(int32_t value);
  /// 0, step, 2 * step, …: i64 in `length` lanes.
  mlir::Value steps(int64_t step, int64_t length);
  /// `scalar` in each lane.
  mlir::Value broadcast(mlir::Value scalar);

  /// A vector of f32 in scratch, which is aligned.
  mlir::Value loadVector(mlir::Value address);
  void storeVector(mlir::Value value, mlir::Value address);
  /// The elements of type `element` at `base` + each of `offsets`, a vector of bytes.
  mlir::Value gather(mlir::Type element, mlir::Value base, mlir::Value offsets, int64_t alignment);

private:
  int64_t lanes;
};

/// Calls `body` with offset and length for pieces of a row of `size` elements: as many of `widest`
/// as fit, in a loop, then powers of two. `widest` is a power of two.
void forPieces(CodeBuilder &code, int64_t size, int64_t widest,
               llvm::function_ref<void(mlir::Value, int64_t)> body);

} // namespace attnc

#endif // COMPILER_CONVERSION_TILETOVECTOR_CODEBUILDER_H
