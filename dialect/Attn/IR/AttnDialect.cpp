//===- AttnDialect.cpp - The attn dialect -----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/IR/AttnDialect.h"
#include "dialect/Attn/IR/AttnOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "dialect/Attn/IR/AttnDialect.cpp.inc"
#include "dialect/Attn/IR/AttnEnums.cpp.inc"

void attnc::attn::AttnDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/Attn/IR/AttnOps.cpp.inc"
      >();
}

mlir::Operation *attnc::attn::AttnDialect::materializeConstant(mlir::OpBuilder &builder,
                                                               mlir::Attribute value,
                                                               mlir::Type type,
                                                               mlir::Location loc) {
  return mlir::arith::ConstantOp::materialize(builder, value, type, loc);
}
