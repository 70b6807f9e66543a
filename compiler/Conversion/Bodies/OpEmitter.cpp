//===- OpEmitter.cpp - Ops of a score or mask body on host values -----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/Bodies/OpEmitter.h"
#include "compiler/Conversion/Bodies/ElementConversion.h"
#include "compiler/Conversion/Bodies/TotalArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attnc;

Value attnc::broadcastTo(OpBuilder &builder, Location loc, Value value, int64_t lanes) {
  if (isa<VectorType>(value.getType()))
    return value;
  auto type = VectorType::get(lanes, value.getType());
  TypedAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, constant));
  return vector::BroadcastOp::create(builder, loc, type, value);
}

/// a * b + c where the target has no fused multiply-add: the product is exact in double, and what
/// rounding the sum twice adds is below 2^-29 of an ulp.
static Value emitFmaInDouble(OpBuilder &builder, Location loc, ValueRange operands) {
  Type type = operands[0].getType();
  auto vector = dyn_cast<VectorType>(type);
  Type f64 = builder.getF64Type();
  Type wide = vector ? Type(vector.clone(f64)) : f64;
  SmallVector<Value> values = llvm::map_to_vector(operands, [&](Value operand) -> Value {
    return arith::ExtFOp::create(builder, loc, wide, operand);
  });
  Value product = arith::MulFOp::create(builder, loc, values[0], values[1]);
  Value sum = arith::AddFOp::create(builder, loc, product, values[2]);
  return arith::TruncFOp::create(builder, loc, type, sum);
}

/// floor, ceil, trunc or roundeven without an instruction for it. Floats from 2^23 on are integers,
/// and so are left as they are; others are rounded to nearest even by adding and subtracting 2^23,
/// and then corrected.
static Value emitRounding(OpBuilder &builder, Operation *op, Value value) {
  Location loc = op->getLoc();
  Type type = value.getType();
  auto constant = [&](float number) -> Value {
    TypedAttr attribute = builder.getF32FloatAttr(number);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(builder, loc, attribute);
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpFOp::create(builder, loc, predicate, lhs, rhs);
  };
  Value magnitude = math::AbsFOp::create(builder, loc, value);
  Value limit = constant(8388608.0f);
  Value shifted = arith::AddFOp::create(builder, loc, magnitude, limit);
  Value rounded = arith::SubFOp::create(builder, loc, shifted, limit);
  auto adjust = [&](arith::CmpFPredicate wrong, Value rounded, Value reference, float step) {
    Value moved = arith::AddFOp::create(builder, loc, rounded, constant(step));
    return arith::SelectOp::create(builder, loc, compare(wrong, rounded, reference), moved, rounded)
        .getResult();
  };
  if (isa<math::TruncOp>(op))
    rounded = adjust(arith::CmpFPredicate::OGT, rounded, magnitude, -1.0f);
  rounded = math::CopySignOp::create(builder, loc, rounded, value);
  if (isa<math::FloorOp>(op))
    rounded = adjust(arith::CmpFPredicate::OGT, rounded, value, -1.0f);
  if (isa<math::CeilOp>(op))
    rounded = adjust(arith::CmpFPredicate::OLT, rounded, value, 1.0f);
  // Keeps the sign of a zero that the correction made.
  rounded = math::CopySignOp::create(builder, loc, rounded, value);
  Value small = compare(arith::CmpFPredicate::OLT, magnitude, limit);
  return arith::SelectOp::create(builder, loc, small, rounded, value);
}

Value OpEmitter::emitRead(OpBuilder &builder, Operation *op, ValueRange operands) {
  if (auto load = dyn_cast<attn::LoadOp>(op))
    return arguments.emitLoad(builder, load, operands);
  if (auto get = dyn_cast<attn::GetOp>(op))
    return arguments.getScalar(get.getScalar(), get.getType());
  auto dim = dyn_cast<attn::DimOp>(op);
  if (!dim)
    return {};
  Value value = arguments.getDim(dim.getName());
  if (value.getType() == dim.getType())
    return value;
  return arith::TruncIOp::create(builder, op->getLoc(), dim.getType(), value);
}

SmallVector<Value, 1> OpEmitter::emit(OpBuilder &builder, Operation *op, ValueRange operands) {
  if (Value read = emitRead(builder, op, operands))
    return {read};
  Location loc = op->getLoc();
  int64_t lanes = 0;
  for (Value operand : operands)
    if (auto vector = dyn_cast<VectorType>(operand.getType()))
      lanes = vector.getNumElements();
  SmallVector<Value> values(operands);
  if (lanes != 0)
    for (Value &value : values)
      value = broadcastTo(builder, loc, value, lanes);

  Type resultElement = op->getResult(0).getType();
  using Results = SmallVector<Value, 1>;
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case([&](attn::FloorDivOp) {
        return Results{emitFloorDiv(builder, loc, values[0], values[1])};
      })
      .Case([&](attn::FloorModOp) {
        return Results{emitFloorMod(builder, loc, values[0], values[1])};
      })
      .Case(
          [&](attn::ToIntOp) { return Results{emitToInt(builder, loc, values[0], resultElement)}; })
      .Case([&](arith::TruncFOp) {
        return Results{emitTruncateFromF32(builder, loc, values[0], resultElement, features)};
      })
      .Case([&](arith::ExtFOp) {
        return Results{emitExtendToF32(builder, loc, values[0], features)};
      })
      .Default([&](Operation *) -> Results {
        if (isa<math::FmaOp>(op) && !features.fma)
          return {emitFmaInDouble(builder, loc, values)};
        if (isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp>(op) &&
            !features.rounding)
          return {emitRounding(builder, op, values[0])};
        return emitClone(builder, op, values, lanes);
      });
}

/// True for f16 and bf16, in which no target can be trusted to compute without a library.
static bool isNarrowFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

SmallVector<Value, 1> OpEmitter::emitClone(OpBuilder &builder, Operation *op,
                                           MutableArrayRef<Value> operands, int64_t lanes) {
  Location loc = op->getLoc();
  if (isa<arith::ConstantOp>(op))
    return {builder.clone(*op)->getResult(0)};
  for (Value &operand : operands)
    if (isNarrowFloat(operand.getType()))
      operand = emitExtendToF32(builder, loc, operand, features);
  IRMapping mapping;
  mapping.map(op->getOperands(), operands);
  Operation *emitted = builder.clone(*op, mapping);
  SmallVector<Value, 1> results;
  for (Value result : emitted->getResults()) {
    Type element = result.getType();
    bool narrow = isNarrowFloat(element);
    Type computed = narrow ? Type(builder.getF32Type()) : element;
    result.setType(lanes == 0 ? computed : VectorType::get(lanes, computed));
    results.push_back(narrow ? emitTruncateFromF32(builder, loc, result, element, features)
                             : result);
  }
  return results;
}

Value OpEmitter::emitFloorDiv(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  return attnc::emitFloorDiv(builder, loc, lhs, rhs);
}

Value OpEmitter::emitFloorMod(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  return attnc::emitFloorMod(builder, loc, lhs, rhs);
}
