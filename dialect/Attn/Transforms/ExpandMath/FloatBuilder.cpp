//===- FloatBuilder.cpp - Builds f32 arithmetic for a target -------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/ExpandMath/FloatBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace attnc::attn;

/// A constant of `type`, in every element where it is a vector.
static Value createConstant(OpBuilder &builder, Location loc, Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(vector, Attribute(element)));
  return arith::ConstantOp::create(builder, loc, element);
}

Type FloatBuilder::getBitsType() const {
  Type i32 = builder.getI32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(i32);
  return i32;
}

Value FloatBuilder::constant(float value) {
  return createConstant(builder, loc, type, builder.getF32FloatAttr(value));
}
Value FloatBuilder::bits(uint32_t value) {
  return createConstant(builder, loc, getBitsType(),
                        builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value FloatBuilder::add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
Value FloatBuilder::sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
Value FloatBuilder::mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
Value FloatBuilder::div(Value a, Value b) { return arith::DivFOp::create(builder, loc, a, b); }
Value FloatBuilder::neg(Value a) { return arith::NegFOp::create(builder, loc, a); }
Value FloatBuilder::abs(Value a) { return math::AbsFOp::create(builder, loc, a); }
Value FloatBuilder::sqrt(Value a) { return math::SqrtOp::create(builder, loc, a); }
static constexpr auto combinable = arith::FastMathFlags::reassoc | arith::FastMathFlags::arcp;

Value FloatBuilder::combineFactor(Value a) {
  Operation *op = a.getDefiningOp();
  if (isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op) && a.hasOneUse() &&
      matchPattern(op->getOperand(1), m_Constant())) {
    auto flags = cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr().getValue();
    op->setAttr("fastmath",
                arith::FastMathFlagsAttr::get(builder.getContext(), flags | combinable));
  }
  return a;
}
Value FloatBuilder::scale(Value a, float factor) {
  return arith::MulFOp::create(builder, loc, combineFactor(a), constant(factor), combinable);
}
Value FloatBuilder::exp2Instruction(Value a) {
  return math::Exp2Op::create(builder, loc, a, arith::FastMathFlags::afn);
}
Value FloatBuilder::tanhInstruction(Value a) {
  return math::TanhOp::create(builder, loc, a, arith::FastMathFlags::afn);
}
Value FloatBuilder::reciprocalInstruction(Value a) {
  return arith::DivFOp::create(builder, loc, constant(1.0f), a, arith::FastMathFlags::afn);
}
Value FloatBuilder::copySign(Value a, Value b) {
  return math::CopySignOp::create(builder, loc, a, b);
}

Value FloatBuilder::fma(Value a, Value b, Value c) {
  if (features.fma)
    return math::FmaOp::create(builder, loc, a, b, c);
  return add(mul(a, b), c);
}

Value FloatBuilder::polynomial(Value x, ArrayRef<float> coefficients) {
  Value sum = constant(coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, constant(coefficient));
  return sum;
}

Value FloatBuilder::clamp(Value a, float low, float high) {
  // In this form each half is one minps or maxps on x86.
  Value top = constant(high);
  a = select(compare(arith::CmpFPredicate::OLT, top, a), top, a);
  Value bottom = constant(low);
  return select(compare(arith::CmpFPredicate::OGT, bottom, a), bottom, a);
}

Value FloatBuilder::roundEven(Value a) {
  if (features.rounding)
    return math::RoundEvenOp::create(builder, loc, a);
  // Adding 2^23 leaves no bit for a fraction; numbers from there on have none.
  Value limit = constant(0x1p23f);
  Value shift = copySign(limit, a);
  Value rounded = copySign(sub(add(a, shift), shift), a);
  return select(compare(arith::CmpFPredicate::OLT, abs(a), limit), rounded, a);
}

Value FloatBuilder::compare(arith::CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}
Value FloatBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}
Value FloatBuilder::both(Value a, Value b) { return arith::AndIOp::create(builder, loc, a, b); }

Value FloatBuilder::toBits(Value a) {
  return arith::BitcastOp::create(builder, loc, getBitsType(), a);
}
Value FloatBuilder::fromBits(Value a) { return arith::BitcastOp::create(builder, loc, type, a); }
Value FloatBuilder::toFloat(Value a) { return arith::SIToFPOp::create(builder, loc, type, a); }
Value FloatBuilder::addBits(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
Value FloatBuilder::subBits(Value a, Value b) { return arith::SubIOp::create(builder, loc, a, b); }
Value FloatBuilder::andBits(Value a, Value b) { return arith::AndIOp::create(builder, loc, a, b); }
Value FloatBuilder::xorBits(Value a, Value b) { return arith::XOrIOp::create(builder, loc, a, b); }
Value FloatBuilder::shiftLeft(Value a, unsigned count) {
  return arith::ShLIOp::create(builder, loc, a, bits(count));
}
