//===- ElementConversion.cpp - f16 and bf16 from and to f32 -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/Bodies/ElementConversion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attnc;

namespace {
/// Emits 32-bit integer arithmetic on the bits of a scalar or of a vector of floats.
class BitArithmetic {
public:
  BitArithmetic(OpBuilder &builder, Location loc, Type shape)
      : builder(builder), loc(loc), shape(shape) {}

  Type getType(Type element) const {
    auto vector = dyn_cast<VectorType>(shape);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value constant(uint32_t value) {
    TypedAttr attribute = builder.getI32IntegerAttr(static_cast<int32_t>(value));
    if (auto type = dyn_cast<VectorType>(getType(builder.getI32Type())))
      attribute = DenseElementsAttr::get(type, attribute);
    return arith::ConstantOp::create(builder, loc, attribute);
  }
  Value bits(Value value, Type element) {
    return arith::BitcastOp::create(builder, loc, getType(element), value);
  }
  Value widen(Value value) {
    return arith::ExtUIOp::create(builder, loc, getType(builder.getI32Type()), value);
  }
  Value narrow(Value value) {
    return arith::TruncIOp::create(builder, loc, getType(builder.getI16Type()), value);
  }
  Value andWith(Value value, uint32_t mask) {
    return arith::AndIOp::create(builder, loc, value, constant(mask));
  }
  Value orOf(Value lhs, Value rhs) { return arith::OrIOp::create(builder, loc, lhs, rhs); }
  Value add(Value value, uint32_t addend) {
    return arith::AddIOp::create(builder, loc, value, constant(addend));
  }
  Value add(Value lhs, Value rhs) { return arith::AddIOp::create(builder, loc, lhs, rhs); }
  Value shiftLeft(Value value, uint32_t amount) {
    return arith::ShLIOp::create(builder, loc, value, constant(amount));
  }
  Value shiftRight(Value value, uint32_t amount) {
    return arith::ShRUIOp::create(builder, loc, value, constant(amount));
  }
  Value compare(arith::CmpIPredicate predicate, Value value, uint32_t bound) {
    return arith::CmpIOp::create(builder, loc, predicate, value, constant(bound));
  }
  Value select(Value condition, Value lhs, Value rhs) {
    return arith::SelectOp::create(builder, loc, condition, lhs, rhs);
  }
  /// lhs - rhs of floats given and returned as bits.
  Value subtractFloats(Value lhs, Value rhs) {
    Type f32 = builder.getF32Type();
    Value difference = arith::SubFOp::create(builder, loc, bits(lhs, f32), bits(rhs, f32));
    return bits(difference, builder.getI32Type());
  }
  Value addFloats(Value lhs, Value rhs) {
    Type f32 = builder.getF32Type();
    Value sum = arith::AddFOp::create(builder, loc, bits(lhs, f32), bits(rhs, f32));
    return bits(sum, builder.getI32Type());
  }

private:
  OpBuilder &builder;
  Location loc;
  Type shape;
};
} // namespace

/// The bits of an f32 from those of an f16, both as i32.
static Value extendF16(BitArithmetic &emit, Value half) {
  Value sign = emit.shiftLeft(emit.andWith(half, 0x8000), 16);
  Value magnitude = emit.shiftLeft(emit.andWith(half, 0x7fff), 13);
  Value normal = emit.add(magnitude, (127 - 15) << 23);
  Value special = emit.add(magnitude, (255 - 31) << 23);
  // A denormal m is (2^-14 + m) - 2^-14.
  uint32_t smallestNormal = (127 - 14) << 23;
  Value denormal =
      emit.subtractFloats(emit.add(magnitude, smallestNormal), emit.constant(smallestNormal));
  Value isSpecial = emit.compare(arith::CmpIPredicate::uge, magnitude, 31u << 23);
  Value isDenormal = emit.compare(arith::CmpIPredicate::ult, magnitude, 1u << 23);
  Value result = emit.select(isDenormal, denormal, emit.select(isSpecial, special, normal));
  return emit.orOf(sign, result);
}

/// The bits of an f16 from those of an f32, both as i32.
static Value truncateToF16(BitArithmetic &emit, Value bits) {
  Value sign = emit.andWith(emit.shiftRight(bits, 16), 0x8000);
  Value magnitude = emit.andWith(bits, 0x7fffffff);
  // Rounds to nearest even; a carry goes into the exponent, up to infinity.
  Value odd = emit.andWith(emit.shiftRight(magnitude, 13), 1);
  Value rounded = emit.shiftRight(emit.add(emit.add(magnitude, odd), 0xfff), 13);
  Value normal = emit.add(rounded, static_cast<uint32_t>(-((127 - 15) << 10)));
  // The last bit of 0.5 + m is worth 2^-24, as that of a denormal f16.
  uint32_t half = 126u << 23;
  Value denormal =
      emit.add(emit.addFloats(magnitude, emit.constant(half)), static_cast<uint32_t>(-half));
  Value isNaN = emit.compare(arith::CmpIPredicate::ugt, magnitude, 0x7f800000);
  Value special = emit.select(isNaN, emit.constant(0x7e00), emit.constant(0x7c00));
  Value isDenormal = emit.compare(arith::CmpIPredicate::ult, magnitude, (127 - 14) << 23);
  Value isSpecial = emit.compare(arith::CmpIPredicate::uge, magnitude, (127 + 16) << 23);
  Value result = emit.select(isDenormal, denormal, emit.select(isSpecial, special, normal));
  return emit.orOf(sign, result);
}

/// The bits of a bf16 from those of an f32, both as i32.
static Value truncateToBF16(BitArithmetic &emit, Value bits) {
  Value high = emit.shiftRight(bits, 16);
  Value rounded = emit.shiftRight(emit.add(emit.add(bits, emit.andWith(high, 1)), 0x7fff), 16);
  Value magnitude = emit.andWith(bits, 0x7fffffff);
  Value isNaN = emit.compare(arith::CmpIPredicate::ugt, magnitude, 0x7f800000);
  return emit.select(isNaN, emit.orOf(high, emit.constant(0x40)), rounded);
}

Value attnc::emitExtendToF32(OpBuilder &builder, Location loc, Value value,
                             const VectorFeatures &features) {
  Type element = getElementTypeOrSelf(value.getType());
  if (element.isF32())
    return value;
  BitArithmetic emit(builder, loc, value.getType());
  if (element.isF16() && features.f16)
    return arith::ExtFOp::create(builder, loc, emit.getType(builder.getF32Type()), value);
  Value bits = emit.widen(emit.bits(value, builder.getI16Type()));
  bits = element.isF16() ? extendF16(emit, bits) : emit.shiftLeft(bits, 16);
  return emit.bits(bits, builder.getF32Type());
}

Value attnc::emitTruncateFromF32(OpBuilder &builder, Location loc, Value value, Type element,
                                 const VectorFeatures &features) {
  if (element.isF32())
    return value;
  BitArithmetic emit(builder, loc, value.getType());
  if (element.isF16() ? features.f16 : features.bf16)
    return arith::TruncFOp::create(builder, loc, emit.getType(element), value);
  Value bits = emit.bits(value, builder.getI32Type());
  bits = element.isF16() ? truncateToF16(emit, bits) : truncateToBF16(emit, bits);
  return emit.bits(emit.narrow(bits), element);
}
