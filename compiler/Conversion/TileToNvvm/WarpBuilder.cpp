//===- WarpBuilder.cpp - Short ways to build code of a thread -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpBuilder.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <map>
#include <numbers>

using namespace mlir;
using namespace attnc;

Location attnc::getPhaseLocation(StringRef phase, Location location) {
  if (auto named = dyn_cast<NameLoc>(location))
    location = named.getChildLoc();
  return NameLoc::get(StringAttr::get(location.getContext(), phase), location);
}

//===------------------------------------------------------------------------===//
// Integers
//===------------------------------------------------------------------------===//

Value WarpBuilder::divide(Value lhs, Value rhs) { return createOrFold<arith::DivUIOp>(lhs, rhs); }
Value WarpBuilder::remainder(Value lhs, Value rhs) {
  return createOrFold<arith::RemUIOp>(lhs, rhs);
}
Value WarpBuilder::bitAnd(Value lhs, int64_t rhs) {
  return createOrFold<arith::AndIOp>(lhs, integer(lhs.getType(), rhs));
}
Value WarpBuilder::bitOr(Value lhs, Value rhs) { return createOrFold<arith::OrIOp>(lhs, rhs); }
Value WarpBuilder::bitXor(Value lhs, Value rhs) { return createOrFold<arith::XOrIOp>(lhs, rhs); }
Value WarpBuilder::bitXor(Value lhs, int64_t rhs) {
  return bitXor(lhs, integer(lhs.getType(), rhs));
}
Value WarpBuilder::shiftLeft(Value value, int64_t amount) {
  return createOrFold<arith::ShLIOp>(value, integer(value.getType(), amount));
}
Value WarpBuilder::shiftRight(Value value, int64_t amount) {
  return createOrFold<arith::ShRUIOp>(value, integer(value.getType(), amount));
}
Value WarpBuilder::equal(Value lhs, Value rhs) {
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::eq, lhs, rhs);
}
Value WarpBuilder::mapBits(Value value, ArrayRef<int64_t> images) {
  // Bits that move equally far move together.
  std::map<int64_t, int64_t> moved;
  for (int64_t bit = 0; bit < static_cast<int64_t>(images.size()); ++bit)
    for (int64_t target = 0; images[bit] >> target; ++target)
      if (images[bit] >> target & 1)
        moved[target - bit] |= int64_t(1) << bit;
  Value result = i32(0);
  for (auto [distance, bits] : moved) {
    Value part = bitAnd(value, bits);
    part = distance < 0 ? shiftRight(part, -distance) : shiftLeft(part, distance);
    result = bitXor(result, part);
  }
  return result;
}
Value WarpBuilder::bitRun(Value first, Value count) {
  auto run = LLVM::InlineAsmOp::create(
      *this, getI32Type(), ValueRange{first, count}, "bmsk.clamp.b32 $0, $1, $2;", "=r,r,r",
      /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  return run.getResult(0);
}
Value WarpBuilder::bothOf(Value lhs, Value rhs) {
  auto both = LLVM::InlineAsmOp::create(
      *this, getI1Type(), ValueRange{lhs, rhs}, "and.pred $0, $1, $2;", "=b,b,b",
      /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  return both.getResult(0);
}
Value WarpBuilder::compareBit(Value bits, int64_t bit) {
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::ne, bitAnd(bits, int64_t(1) << bit),
                               i32(0));
}
Value WarpBuilder::narrow(Value value) {
  return createOrFold<arith::TruncIOp>(getI32Type(), value);
}
Value WarpBuilder::widen(Value value) { return createOrFold<arith::ExtSIOp>(getI64Type(), value); }
Value WarpBuilder::widenUnsigned(Value value) {
  return createOrFold<arith::ExtUIOp>(getI64Type(), value);
}

//===------------------------------------------------------------------------===//
// Floats
//===------------------------------------------------------------------------===//

Value WarpBuilder::fma(Value a, Value b, Value c) { return math::FmaOp::create(*this, a, b, c); }
Value WarpBuilder::mulRoundedUp(Value a, Value b) {
  return intrinsic(getF32Type(), "llvm.nvvm.mul.rp.f", {a, b});
}
Value WarpBuilder::maxNum(Value lhs, Value rhs) {
  return arith::MaxNumFOp::create(*this, lhs, rhs);
}
Value WarpBuilder::exp2(Value x) {
  return intrinsic(getF32Type(), "llvm.nvvm.ex2.approx.ftz.f32", x);
}
Value WarpBuilder::log2(Value x) {
  return intrinsic(getF32Type(), "llvm.nvvm.lg2.approx.ftz.f", x);
}
Value WarpBuilder::invert(Value x) {
  Value zero = f32(0);
  Value isZero = compareF(arith::CmpFPredicate::OEQ, x, zero);
  return select(isZero, zero, arith::DivFOp::create(*this, f32(1), x));
}
Value WarpBuilder::naturalLog(Value score, Value factor, Value x) {
  Value logarithm = mulF(log2(x), f32(std::numbers::ln2_v<float>));
  return fma(score, factor, logarithm);
}
Value WarpBuilder::extend(Value element) {
  if (element.getType().isF32())
    return element;
  return arith::ExtFOp::create(*this, getF32Type(), element);
}
Value WarpBuilder::round(Type element, Value x) {
  if (element.isF32())
    return x;
  return arith::TruncFOp::create(*this, element, x);
}
Value WarpBuilder::roundToTf32(Value x) {
  return NVVM::ConvertFloatToTF32Op::create(*this, getI32Type(), x, NVVM::FPRoundingMode::RNA,
                                            NVVM::SaturationMode::NONE, /*relu=*/false);
}
Value WarpBuilder::packPair(Type element, Value low, Value high) {
  Type pair = VectorType::get(2, element);
  Value packed;
  if (element.isBF16())
    packed = NVVM::ConvertF32x2ToBF16x2Op::create(*this, pair, high, low, Value(),
                                                  NVVM::FPRoundingMode::RN);
  else
    packed = NVVM::ConvertF32x2ToF16x2Op::create(*this, pair, high, low, Value(),
                                                 NVVM::FPRoundingMode::RN);
  return bitcast(getI32Type(), packed);
}

WarpBuilder::Values WarpBuilder::unpackVector(Value vector) {
  Values values;
  for (int64_t i = 0; i < cast<VectorType>(vector.getType()).getNumElements(); ++i)
    values.push_back(LLVM::ExtractElementOp::create(*this, vector, i32(i)));
  return values;
}
Value WarpBuilder::packVector(ValueRange values) {
  auto type = VectorType::get(static_cast<int64_t>(values.size()), values.front().getType());
  Value vector = LLVM::PoisonOp::create(*this, type);
  for (auto [i, value] : llvm::enumerate(values))
    vector = LLVM::InsertElementOp::create(*this, vector, value, i32(static_cast<int64_t>(i)));
  return vector;
}

//===------------------------------------------------------------------------===//
// Threads
//===------------------------------------------------------------------------===//

/// All lanes of a warp.
static constexpr int64_t allLanes = -1;

static Value readRegister(WarpBuilder &code, StringRef name) {
  auto read = LLVM::InlineAsmOp::create(
      code, code.getI32Type(), ValueRange(), ("mov.u32 $0, %" + name + ";").str(), "=r",
      /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  return read.getResult(0);
}

Value WarpBuilder::threadIndex() { return readRegister(*this, "tid.x"); }
Value WarpBuilder::blockIndex() { return readRegister(*this, "ctaid.x"); }
void WarpBuilder::barrier() { NVVM::BarrierOp::create(*this); }
void WarpBuilder::syncWarp() { NVVM::SyncWarpOp::create(*this, i32(allLanes)); }

Value WarpBuilder::shuffleXor(Value value, int64_t laneMask) {
  return NVVM::ShflOp::create(*this, value.getType(), i32(allLanes), value, i32(laneMask), i32(31),
                              NVVM::ShflKind::bfly, UnitAttr());
}
Value WarpBuilder::ballot(Value predicate) {
  return NVVM::VoteSyncOp::create(*this, getI32Type(), i32(allLanes), predicate,
                                  NVVM::VoteSyncKind::ballot);
}
Value WarpBuilder::anyInWarp(Value predicate) {
  return NVVM::VoteSyncOp::create(*this, getI1Type(), i32(allLanes), predicate,
                                  NVVM::VoteSyncKind::any);
}
Value WarpBuilder::sumOfWarp(Value value) {
  for (int64_t mask = 16; mask != 0; mask /= 2)
    value = addF(value, shuffleXor(value, mask));
  return value;
}

//===------------------------------------------------------------------------===//
// Shared memory
//===------------------------------------------------------------------------===//

void WarpBuilder::copyAsync(Value target, Value source, Value bytes) {
  NVVM::CpAsyncOp::create(
      *this, target, source, getI32IntegerAttr(16),
      NVVM::LoadCacheModifierKindAttr::get(getContext(), NVVM::LoadCacheModifierKind::CG), bytes);
}
void WarpBuilder::commitCopies() { NVVM::CpAsyncCommitGroupOp::create(*this); }
void WarpBuilder::waitForCopies() {
  PhaseScope phase(*this, "wait for copies");
  NVVM::CpAsyncWaitGroupOp::create(*this, 0);
}

std::array<Value, 4> WarpBuilder::unpackFour(Value value) {
  std::array<Value, 4> parts;
  for (int64_t i = 0; i < 4; ++i)
    parts[i] = LLVM::ExtractValueOp::create(*this, value, i);
  return parts;
}

static Type getFour(Type type) {
  return LLVM::LLVMStructType::getLiteral(type.getContext(), {type, type, type, type});
}

std::array<Value, 4> WarpBuilder::loadMatrices(Value address, bool transposed) {
  return unpackFour(NVVM::LdMatrixOp::create(
      *this, getFour(getI32Type()), address, 4,
      transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(getContext(), 8, 8), NVVM::LdStMatrixEltType::B16));
}

std::array<Value, 4> WarpBuilder::multiplyMatrices(Type element, ArrayRef<Value> a,
                                                   ArrayRef<Value> b, ArrayRef<Value> c) {
  auto toOperands = [&](ArrayRef<Value> values) {
    Values operands(values);
    if (element.isF16())
      for (Value &operand : operands)
        operand = bitcast(VectorType::get(2, element), operand);
    return operands;
  };
  NVVM::MMATypes type = element.isF32()   ? NVVM::MMATypes::tf32
                        : element.isF16() ? NVVM::MMATypes::f16
                                          : NVVM::MMATypes::bf16;
  return unpackFour(NVVM::MmaOp::create(
      *this, getFour(getF32Type()), toOperands(a), toOperands(b), ValueRange(c),
      ArrayRef<int64_t>{16, 8, element.isF32() ? 8 : 16}, std::nullopt, std::nullopt,
      std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col}));
}

//===------------------------------------------------------------------------===//
// Control flow
//===------------------------------------------------------------------------===//

WarpBuilder::Values WarpBuilder::choose(Value condition, TypeRange types,
                                        llvm::function_ref<Values()> then,
                                        llvm::function_ref<Values()> otherwise) {
  auto op = scf::IfOp::create(*this, types, condition, /*withElseRegion=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  scf::YieldOp::create(*this, then());
  setInsertionPointToStart(op.elseBlock());
  scf::YieldOp::create(*this, otherwise());
  return Values(op.getResults());
}

Value WarpBuilder::choose(Value condition, Type type, llvm::function_ref<Value()> then,
                          llvm::function_ref<Value()> otherwise) {
  return choose(
      condition, TypeRange(type), [&] { return Values{then()}; },
      [&] { return Values{otherwise()}; })[0];
}

WarpBuilder::Values WarpBuilder::loopWhile(ValueRange initial,
                                           llvm::function_ref<Value(ValueRange)> condition,
                                           llvm::function_ref<Values(ValueRange)> body) {
  auto loop = scf::WhileOp::create(
      *this, initial.getTypes(), initial,
      [&](OpBuilder &, Location, ValueRange carried) {
        scf::ConditionOp::create(*this, condition(carried), carried);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        scf::YieldOp::create(*this, body(carried));
      });
  return Values(loop.getResults());
}
