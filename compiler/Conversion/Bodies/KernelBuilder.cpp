//===- KernelBuilder.cpp - Short ways to build kernel code ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/Bodies/KernelBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attnc;

KernelBuilder::KernelBuilder(LLVM::LLVMFuncOp function)
    : ImplicitLocOpBuilder(function.getLoc(), function.getContext()),
      entry(&function.getBody().front()) {
  setInsertionPointToEnd(entry);
}

OpBuilder KernelBuilder::createEntryBuilder() {
  OpBuilder builder(getContext());
  builder.setInsertionPoint(i64(0).getDefiningOp());
  return builder;
}

Value KernelBuilder::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known) {
    InsertionGuard guard(*this);
    setInsertionPointToStart(entry);
    known = arith::ConstantOp::create(*this, value);
  }
  return known;
}

//===------------------------------------------------------------------------===//
// Integers and addresses
//===------------------------------------------------------------------------===//

Value KernelBuilder::add(Value lhs, Value rhs) { return createOrFold<arith::AddIOp>(lhs, rhs); }
Value KernelBuilder::sub(Value lhs, Value rhs) { return createOrFold<arith::SubIOp>(lhs, rhs); }
Value KernelBuilder::mul(Value lhs, Value rhs) { return createOrFold<arith::MulIOp>(lhs, rhs); }
Value KernelBuilder::minimum(Value lhs, Value rhs) {
  return createOrFold<arith::MinSIOp>(lhs, rhs);
}
Value KernelBuilder::maximum(Value lhs, Value rhs) {
  return createOrFold<arith::MaxSIOp>(lhs, rhs);
}
Value KernelBuilder::less(Value lhs, Value rhs) {
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::slt, lhs, rhs);
}
Value KernelBuilder::lessEqual(Value lhs, Value rhs) {
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::sle, lhs, rhs);
}
Value KernelBuilder::lessUnsigned(Value lhs, Value rhs) {
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::ult, lhs, rhs);
}
Value KernelBuilder::andOf(Value lhs, Value rhs) { return arith::AndIOp::create(*this, lhs, rhs); }
Value KernelBuilder::orOf(Value lhs, Value rhs) { return arith::OrIOp::create(*this, lhs, rhs); }
Value KernelBuilder::notOf(Value condition) {
  return createOrFold<arith::XOrIOp>(condition, boolean(true));
}

Value KernelBuilder::roundDown(Value value, int64_t factor) {
  return mul(arith::DivUIOp::create(*this, value, integer(value.getType(), factor)), factor);
}
Value KernelBuilder::roundUp(Value value, int64_t factor) {
  return roundDown(add(value, factor - 1), factor);
}

Value KernelBuilder::address(Value base, Value bytes) {
  return LLVM::GEPOp::create(*this, base.getType(), getI8Type(), base, ValueRange(bytes));
}

Value KernelBuilder::address(Value base, int64_t bytes) {
  if (bytes == 0)
    return base;
  return LLVM::GEPOp::create(*this, base.getType(), getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value KernelBuilder::load(Type type, Value address, int64_t alignment) {
  return LLVM::LoadOp::create(*this, type, address, alignment);
}
void KernelBuilder::store(Value value, Value address, int64_t alignment) {
  LLVM::StoreOp::create(*this, value, address, alignment);
}

//===------------------------------------------------------------------------===//
// Floats, and vectors of them
//===------------------------------------------------------------------------===//

Value KernelBuilder::multiplyAdd(Value a, Value b, Value c) {
  return LLVM::FMulAddOp::create(*this, a, b, c);
}
Value KernelBuilder::addF(Value lhs, Value rhs) { return arith::AddFOp::create(*this, lhs, rhs); }
Value KernelBuilder::subF(Value lhs, Value rhs) { return arith::SubFOp::create(*this, lhs, rhs); }
Value KernelBuilder::mulF(Value lhs, Value rhs) { return arith::MulFOp::create(*this, lhs, rhs); }
Value KernelBuilder::compareF(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpFOp::create(*this, predicate, lhs, rhs);
}
Value KernelBuilder::select(Value condition, Value lhs, Value rhs) {
  return arith::SelectOp::create(*this, condition, lhs, rhs);
}
Value KernelBuilder::maximumIgnoringNaN(Value lhs, Value rhs) {
  return select(compareF(arith::CmpFPredicate::OGT, lhs, rhs), lhs, rhs);
}
Value KernelBuilder::bitcast(Type type, Value value) {
  return LLVM::BitcastOp::create(*this, type, value);
}
Value KernelBuilder::intrinsic(Type type, StringRef name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(*this, type, getStringAttr(name), operands).getResult(0);
}

//===------------------------------------------------------------------------===//
// Control flow
//===------------------------------------------------------------------------===//

KernelBuilder::Values KernelBuilder::loop(Value begin, Value end, int64_t step, ValueRange initial,
                                          llvm::function_ref<Values(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(*this, begin, end, integer(begin.getType(), step), initial);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.getBody());
  Values results = body(op.getInductionVar(), op.getRegionIterArgs());
  if (!initial.empty())
    scf::YieldOp::create(*this, results);
  return Values(op.getResults());
}

void KernelBuilder::loop(Value begin, Value end, int64_t step,
                         llvm::function_ref<void(Value)> body) {
  loop(begin, end, step, ValueRange(), [&](Value counter, ValueRange) {
    body(counter);
    return Values();
  });
}

void KernelBuilder::ifTrue(Value condition, llvm::function_ref<void()> then) {
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  then();
}

void KernelBuilder::ifElse(Value condition, llvm::function_ref<void()> then,
                           llvm::function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  then();
  setInsertionPointToStart(op.elseBlock());
  otherwise();
}
