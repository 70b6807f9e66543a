//===- AttnOps.h - Operations of the attn dialect -----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_IR_ATTNOPS_H
#define DIALECT_ATTN_IR_ATTNOPS_H

#include "dialect/Attn/IR/AttnDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <optional>

namespace attnc::attn {
class CaptureOp;
class MaskOp;
class ScalarOp;
class ScoreOp;
class TableOp;

/// The type of a value read from storage of `stored` type: f32, i1 or i64; null if `stored` is no
/// element type of the language.
mlir::Type getValueType(mlir::Type stored);

/// floor(a / b), with 0 for b = 0 and wrap-around for the one quotient that overflows.
int64_t floorDiv(int64_t a, int64_t b);
/// a - floorDiv(a, b) * b, with 0 for b = 0.
int64_t floorMod(int64_t a, int64_t b);
/// `value` truncated to an integer of `bits` (32 or 64) bits, saturating; 0 for NaN.
int64_t toInt(double value, unsigned bits);
} // namespace attnc::attn

#include "dialect/Attn/IR/AttnEnums.h.inc"
#define GET_OP_CLASSES
#include "dialect/Attn/IR/AttnOps.h.inc"

#endif // DIALECT_ATTN_IR_ATTNOPS_H
