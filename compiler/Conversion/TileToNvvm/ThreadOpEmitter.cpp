//===- ThreadOpEmitter.cpp - Ops of a body on a GPU thread ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/ThreadOpEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attnc;

static bool isApproximate(Operation *op) {
  auto fastMath = dyn_cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlagsAttr flags = fastMath ? fastMath.getFastMathFlagsAttr() : nullptr;
  return flags && bitEnumContainsAny(flags.getValue(), arith::FastMathFlags::afn);
}

SmallVector<Value, 1> ThreadOpEmitter::emit(OpBuilder &builder, Operation *op,
                                            ValueRange operands) {
  if (isApproximate(op)) {
    Location loc = op->getLoc();
    Type f32 = builder.getF32Type();
    if (isa<math::Exp2Op>(op)) {
      auto name = builder.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32");
      return {LLVM::CallIntrinsicOp::create(builder, loc, f32, name, operands).getResult(0)};
    }
    if (isa<arith::DivFOp>(op) && matchPattern(op->getOperand(0), m_OneFloat()))
      return {NVVM::RcpApproxFtzF32Op::create(builder, loc, f32, operands[1])};
  }
  return OpEmitter::emit(builder, op, operands);
}
