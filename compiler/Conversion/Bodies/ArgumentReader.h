//===- ArgumentReader.h - Reads launch arguments from their slots -*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_BODIES_ARGUMENTREADER_H
#define COMPILER_CONVERSION_BODIES_ARGUMENTREADER_H

#include "attnc/ArgumentLayout.h"
#include "compiler/Conversion/Bodies/VectorFeatures.h"
#include "dialect/Attn/IR/AttnOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace attnc {

/// Where the launch arguments of `kernel` lie.
ArgumentLayout getArgumentLayout(attn::KernelOp kernel);

/// Emits the code that reads one kernel's launch arguments from the array of slots that
/// ArgumentLayout.h describes.
///
/// What does not change during a launch (slots, sizes, strides, base pointers) is read once, at the
/// place given to the constructor, and used from everywhere below. Captured elements are read where
/// the caller's builder stands.
///
/// Reads of captured tensors never touch memory outside them. A tensor without elements reads as 0:
/// its base is then a constant zero and its strides are 0. This relies on indices marked
/// `inside`, so nothing that reads may run where no pair exists: return from the kernel before if Q
/// or KV is 0.
class ArgumentReader {
public:
  /// Reads the arguments of `kernel`, which must outlive the reader. `slots` is an `!llvm.ptr`;
  /// `entry` stands in the entry block of a function, after `slots`, where nothing runs twice.
  /// Constants for compile-time tables go to the start of the module around `entry`. Captured
  /// tensors and tables lie in the address space `memory`.
  ArgumentReader(attn::KernelOp kernel, mlir::Value slots, const mlir::OpBuilder &entry,
                 const VectorFeatures &features, unsigned memory = 0);

  /// The i64 in slot `index`.
  mlir::Value getSlot(int64_t index);

  /// The dimension (B, Hq, Hkv, Q, KV) or extent `name` as i64.
  mlir::Value getDim(llvm::StringRef name);

  /// The softmax scale as f32: what the kernel fixes, or the launch argument.
  mlir::Value getScale();

  /// The scalar argument `name` as `type`: f32, i1, i32 or i64.
  mlir::Value getScalar(llvm::StringRef name, mlir::Type type);

  /// The captured or compile-time element that `load` reads at `indices`, which are i32 or i64,
  /// scalars or vectors of one length. All scalars give a scalar, else a vector: lanes that are 32
  /// or 64 bits wide are gathered, narrower ones read one by one.
  mlir::Value emitLoad(mlir::OpBuilder &builder, attn::LoadOp load, mlir::ValueRange indices);

private:
  /// What is read of a captured tensor or table once a launch.
  struct Source {
    mlir::Type element;
    mlir::Value base;
    llvm::SmallVector<mlir::Value> sizes;
    llvm::SmallVector<mlir::Value> strides;
  };
  const Source &getSource(llvm::StringRef name);
  Source readCapture(attn::CaptureOp capture);
  Source placeTable(attn::TableOp table);
  /// A constant of the module.
  mlir::LLVM::GlobalOp placeConstant(llvm::StringRef name, mlir::Type type, mlir::Attribute value);
  /// The address of 8 bytes that are 0.
  mlir::Value getZero();

  attn::KernelOp kernel;
  mlir::Value slots;
  mlir::OpBuilder entry;
  VectorFeatures features;
  mlir::LLVM::LLVMPointerType pointer;
  ArgumentLayout layout;
  mlir::Value zero;
  llvm::DenseMap<int64_t, mlir::Value> slotValues;
  llvm::StringMap<Source> sources;
};

} // namespace attnc

#endif // COMPILER_CONVERSION_BODIES_ARGUMENTREADER_H
