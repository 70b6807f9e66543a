//===- CodeBuilder.cpp - Short ways to build kernel code ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToVector/CodeBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attnc;

CodeBuilder::CodeBuilder(LLVM::LLVMFuncOp function, int64_t lanes)
    : ImplicitLocOpBuilder(function.getLoc(), function.getContext()), lanes(lanes),
      entry(&function.getBody().front()) {
  setInsertionPointToEnd(entry);
}

//===------------------------------------------------------------------------===//
// Constants
//===------------------------------------------------------------------------===//

Value CodeBuilder::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known) {
    InsertionGuard guard(*this);
    setInsertionPointToStart(entry);
    known = arith::ConstantOp::create(*this, value);
  }
  return known;
}

Value CodeBuilder::splat(float value) {
  return constant(DenseElementsAttr::get(getVectorType(getF32Type()), value));
}

Value CodeBuilder::splatI32(int32_t value) {
  return constant(DenseElementsAttr::get(getVectorType(getI32Type()), value));
}

Value CodeBuilder::steps(int64_t step, int64_t length) {
  SmallVector<int64_t> values;
  for (int64_t i = 0; i < length; ++i)
    values.push_back(i * step);
  return constant(DenseElementsAttr::get(VectorType::get(length, getI64Type()), ArrayRef(values)));
}

//===------------------------------------------------------------------------===//
// Integers and addresses
//===------------------------------------------------------------------------===//

Value CodeBuilder::add(Value lhs, Value rhs) { return createOrFold<arith::AddIOp>(lhs, rhs); }
Value CodeBuilder::sub(Value lhs, Value rhs) { return createOrFold<arith::SubIOp>(lhs, rhs); }
Value CodeBuilder::mul(Value lhs, Value rhs) { return createOrFold<arith::MulIOp>(lhs, rhs); }
Value CodeBuilder::minimum(Value lhs, Value rhs) { return createOrFold<arith::MinSIOp>(lhs, rhs); }
Value CodeBuilder::maximum(Value lhs, Value rhs) { return createOrFold<arith::MaxSIOp>(lhs, rhs); }
Value CodeBuilder::less(Value lhs, Value rhs) {
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::slt, lhs, rhs);
}
Value CodeBuilder::lessEqual(Value lhs, Value rhs) {
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::sle, lhs, rhs);
}
Value CodeBuilder::andOf(Value lhs, Value rhs) { return arith::AndIOp::create(*this, lhs, rhs); }
Value CodeBuilder::orOf(Value lhs, Value rhs) { return arith::OrIOp::create(*this, lhs, rhs); }

Value CodeBuilder::roundDown(Value value, int64_t factor) {
  return mul(arith::DivUIOp::create(*this, value, i64(factor)), factor);
}
Value CodeBuilder::roundUp(Value value, int64_t factor) {
  return roundDown(add(value, factor - 1), factor);
}

Value CodeBuilder::address(Value base, Value bytes) {
  return LLVM::GEPOp::create(*this, base.getType(), getI8Type(), base, ValueRange(bytes));
}

Value CodeBuilder::address(Value base, int64_t bytes) {
  if (bytes == 0)
    return base;
  return LLVM::GEPOp::create(*this, base.getType(), getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value CodeBuilder::load(Type type, Value address, int64_t alignment) {
  return LLVM::LoadOp::create(*this, type, address, alignment);
}
void CodeBuilder::store(Value value, Value address, int64_t alignment) {
  LLVM::StoreOp::create(*this, value, address, alignment);
}
Value CodeBuilder::loadVector(Value address) {
  return load(getVectorType(getF32Type()), address, getVectorBytes());
}
void CodeBuilder::storeVector(Value value, Value address) {
  store(value, address, getVectorBytes());
}

Value CodeBuilder::gather(Type element, Value base, Value offsets, int64_t alignment) {
  int64_t length = cast<VectorType>(offsets.getType()).getNumElements();
  auto pointers = VectorType::get(length, base.getType());
  Value addresses = LLVM::GEPOp::create(*this, pointers, getI8Type(), base, ValueRange(offsets));
  Value all = constant(DenseElementsAttr::get(VectorType::get(length, getI1Type()), true));
  return LLVM::masked_gather::create(*this, VectorType::get(length, element), addresses, all,
                                     ValueRange(), static_cast<uint32_t>(alignment));
}

//===------------------------------------------------------------------------===//
// Vectors
//===------------------------------------------------------------------------===//

Value CodeBuilder::broadcast(Value scalar) {
  return vector::BroadcastOp::create(*this, getVectorType(scalar.getType()), scalar);
}
Value CodeBuilder::multiplyAdd(Value a, Value b, Value c) {
  return LLVM::FMulAddOp::create(*this, a, b, c);
}
Value CodeBuilder::addF(Value lhs, Value rhs) { return arith::AddFOp::create(*this, lhs, rhs); }
Value CodeBuilder::subF(Value lhs, Value rhs) { return arith::SubFOp::create(*this, lhs, rhs); }
Value CodeBuilder::mulF(Value lhs, Value rhs) { return arith::MulFOp::create(*this, lhs, rhs); }
Value CodeBuilder::compareF(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpFOp::create(*this, predicate, lhs, rhs);
}
Value CodeBuilder::select(Value condition, Value lhs, Value rhs) {
  return arith::SelectOp::create(*this, condition, lhs, rhs);
}
Value CodeBuilder::maximumIgnoringNaN(Value lhs, Value rhs) {
  return select(compareF(arith::CmpFPredicate::OGT, lhs, rhs), lhs, rhs);
}
Value CodeBuilder::bitcast(Type type, Value value) {
  return LLVM::BitcastOp::create(*this, type, value);
}
Value CodeBuilder::intrinsic(Type type, StringRef name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(*this, type, getStringAttr(name), operands).getResult(0);
}

//===------------------------------------------------------------------------===//
// Control flow
//===------------------------------------------------------------------------===//

CodeBuilder::Values CodeBuilder::loop(Value begin, Value end, int64_t step, ValueRange initial,
                                      llvm::function_ref<Values(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(*this, begin, end, i64(step), initial);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.getBody());
  Values results = body(op.getInductionVar(), op.getRegionIterArgs());
  if (!initial.empty())
    scf::YieldOp::create(*this, results);
  return Values(op.getResults());
}

void CodeBuilder::loop(Value begin, Value end, int64_t step, llvm::function_ref<void(Value)> body) {
  loop(begin, end, step, ValueRange(), [&](Value counter, ValueRange) {
    body(counter);
    return Values();
  });
}

void CodeBuilder::ifTrue(Value condition, llvm::function_ref<void()> then) {
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  then();
}

void CodeBuilder::ifElse(Value condition, llvm::function_ref<void()> then,
                         llvm::function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  then();
  setInsertionPointToStart(op.elseBlock());
  otherwise();
}

void attnc::forPieces(CodeBuilder &code, int64_t size, int64_t widest,
                      llvm::function_ref<void(Value, int64_t)> body) {
  int64_t whole = size / widest * widest;
  if (whole == widest)
    body(code.i64(0), widest);
  else if (whole != 0)
    code.loop(code.i64(0), code.i64(whole), widest, [&](Value offset) { body(offset, widest); });
  for (int64_t done = whole; done < size;) {
    int64_t length = llvm::bit_floor(static_cast<uint64_t>(size - done));
    body(code.i64(done), length);
    done += length;
  }
}
