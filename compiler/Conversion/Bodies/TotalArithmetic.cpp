//===- TotalArithmetic.cpp - Division and conversion without traps ----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/Bodies/TotalArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace attnc;

namespace {
/// Emits arithmetic on one integer type, scalar or vector.
class IntegerArithmetic {
public:
  IntegerArithmetic(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type),
        width(getElementTypeOrSelf(type).getIntOrFloatBitWidth()) {}

  Value constant(const APInt &value) {
    TypedAttr attribute = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(builder, loc, attribute);
  }
  Value constant(int64_t value) { return constant(APInt(width, value, /*isSigned=*/true)); }
  template <typename OpTy> Value apply(Value lhs, Value rhs) {
    return OpTy::create(builder, loc, lhs, rhs);
  }
  Value add(Value lhs, Value rhs) { return apply<arith::AddIOp>(lhs, rhs); }
  Value subtract(Value lhs, Value rhs) { return apply<arith::SubIOp>(lhs, rhs); }
  Value multiply(Value lhs, Value rhs) { return apply<arith::MulIOp>(lhs, rhs); }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }
  Value select(Value condition, Value lhs, Value rhs) {
    return arith::SelectOp::create(builder, loc, condition, lhs, rhs);
  }
  /// lhs / rhs rounded to zero, for a divisor other than 0 and -1.
  Value divide(Value lhs, Value rhs) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector || width != 32)
      return apply<arith::DivSIOp>(lhs, rhs);
    // A quotient of two 32-bit integers is never rounded past an integer in double, and vector
    // units can divide those.
    Type f64 = vector.clone(builder.getF64Type());
    Value quotient =
        arith::DivFOp::create(builder, loc, arith::SIToFPOp::create(builder, loc, f64, lhs),
                              arith::SIToFPOp::create(builder, loc, f64, rhs));
    return arith::FPToSIOp::create(builder, loc, type, quotient);
  }

  unsigned getWidth() const { return width; }

private:
  OpBuilder &builder;
  Location loc;
  Type type;
  unsigned width;
};

struct Division {
  Value quotient, remainder;
};
} // namespace

/// The value of a constant or of a broadcast of one.
static std::optional<APInt> getConstant(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant;
  return std::nullopt;
}

static Division divideByConstant(IntegerArithmetic &emit, Value lhs, const APInt &divisor) {
  Value zero = emit.constant(0);
  if (divisor.isZero())
    return {zero, zero};
  APInt magnitude = divisor.abs();
  Division result;
  if (magnitude.isPowerOf2()) {
    result.quotient =
        emit.apply<arith::ShRSIOp>(lhs, emit.constant(static_cast<int64_t>(magnitude.logBase2())));
    result.remainder = emit.apply<arith::AndIOp>(lhs, emit.constant(magnitude - 1));
  } else {
    // floor(x / m) = ~floor(~x / m) for a negative x.
    Value sign =
        emit.apply<arith::ShRSIOp>(lhs, emit.constant(static_cast<int64_t>(emit.getWidth()) - 1));
    Value positive = emit.apply<arith::XOrIOp>(lhs, sign);
    Value quotient = emit.apply<arith::DivUIOp>(positive, emit.constant(magnitude));
    result.quotient = emit.apply<arith::XOrIOp>(quotient, sign);
    result.remainder = emit.subtract(lhs, emit.multiply(result.quotient, emit.constant(magnitude)));
  }
  if (!divisor.isNegative())
    return result;
  Value exact = emit.compare(arith::CmpIPredicate::eq, result.remainder, zero);
  Value negated = emit.subtract(zero, result.quotient);
  return {emit.select(exact, negated, emit.subtract(negated, emit.constant(1))),
          emit.select(exact, zero, emit.add(result.remainder, emit.constant(divisor)))};
}

static Division divide(IntegerArithmetic &emit, Value lhs, Value rhs) {
  if (std::optional<APInt> constant = getConstant(rhs))
    return divideByConstant(emit, lhs, *constant);
  Value zero = emit.constant(0);
  Value one = emit.constant(1);
  Value isZero = emit.compare(arith::CmpIPredicate::eq, rhs, zero);
  Value isMinusOne = emit.compare(arith::CmpIPredicate::eq, rhs, emit.constant(-1));
  Value divisor = emit.select(emit.apply<arith::OrIOp>(isZero, isMinusOne), one, rhs);
  Value quotient = emit.divide(lhs, divisor);
  Value remainder = emit.subtract(lhs, emit.multiply(quotient, divisor));
  Value inexact = emit.compare(arith::CmpIPredicate::ne, remainder, zero);
  Value signsDiffer =
      emit.compare(arith::CmpIPredicate::slt, emit.apply<arith::XOrIOp>(remainder, divisor), zero);
  Value down = emit.apply<arith::AndIOp>(inexact, signsDiffer);
  quotient = emit.select(down, emit.subtract(quotient, one), quotient);
  remainder = emit.select(down, emit.add(remainder, divisor), remainder);
  quotient = emit.select(isMinusOne, emit.subtract(zero, lhs), quotient);
  return {emit.select(isZero, zero, quotient), remainder};
}

Value attnc::emitFloorDiv(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  IntegerArithmetic emit(builder, loc, lhs.getType());
  return divide(emit, lhs, rhs).quotient;
}

Value attnc::emitFloorMod(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  IntegerArithmetic emit(builder, loc, lhs.getType());
  return divide(emit, lhs, rhs).remainder;
}

Value attnc::emitToInt(OpBuilder &builder, Location loc, Value value, Type element) {
  auto vector = dyn_cast<VectorType>(value.getType());
  Type type = vector ? Type(vector.clone(element)) : element;
  unsigned width = element.getIntOrFloatBitWidth();
  auto floatConstant = [&](double number) -> Value {
    TypedAttr attribute = builder.getF32FloatAttr(static_cast<float>(number));
    if (vector)
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(builder, loc, attribute);
  };
  auto compare = [&](arith::CmpFPredicate predicate, double bound) -> Value {
    return arith::CmpFOp::create(builder, loc, predicate, value, floatConstant(bound));
  };
  IntegerArithmetic emit(builder, loc, type);
  double limit = std::ldexp(1.0, static_cast<int>(width) - 1);
  Value notBelow = compare(arith::CmpFPredicate::OGE, -limit);
  Value notAbove = compare(arith::CmpFPredicate::OLT, limit);
  Value inside = arith::AndIOp::create(builder, loc, notBelow, notAbove);
  Value safe = arith::SelectOp::create(builder, loc, inside, value, floatConstant(0));
  Value result = arith::FPToSIOp::create(builder, loc, type, safe);
  result = emit.select(compare(arith::CmpFPredicate::OGE, limit),
                       emit.constant(APInt::getSignedMaxValue(width)), result);
  return emit.select(compare(arith::CmpFPredicate::OLT, -limit),
                     emit.constant(APInt::getSignedMinValue(width)), result);
}
