//===- CodeBuilder.cpp - Short ways to build vector code --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToVector/CodeBuilder.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace attnc;

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

Value CodeBuilder::broadcast(Value scalar) {
  return vector::BroadcastOp::create(*this, getVectorType(scalar.getType()), scalar);
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
