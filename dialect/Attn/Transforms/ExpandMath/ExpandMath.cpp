//===- ExpandMath.cpp - Math ops as arithmetic ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/ExpandMath/MathExpansions.h"
#include "dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

namespace attnc::attn {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "dialect/Attn/Transforms/Passes.h.inc"
} // namespace attnc::attn

using namespace mlir;
using namespace attnc::attn;

/// True for a float op that every target has an instruction for.
static bool isNative(Operation *op, const FloatFeatures &features) {
  if (isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp>(op))
    return features.rounding;
  return isa<math::SqrtOp, math::AbsFOp, math::CopySignOp, math::FmaOp>(op);
}

/// The value of `op` as arithmetic, or null if it has no expansion.
static Value expand(Operation *op, FloatBuilder &builder) {
  auto fastMath = dyn_cast<arith::ArithFastMathInterface>(op);
  bool approximate =
      fastMath && fastMath.getFastMathFlagsAttr() &&
      bitEnumContainsAny(fastMath.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::afn);
  using Expansion = Value (*)(FloatBuilder &, Value);
  if (auto power = dyn_cast<math::PowFOp>(op))
    return expandPow(builder, power.getLhs(), power.getRhs());
  if (auto remainder = dyn_cast<arith::RemFOp>(op))
    return expandFmod(builder, remainder.getLhs(), remainder.getRhs());
  if (builder.getFeatures().approximations) {
    auto form =
        llvm::TypeSwitch<Operation *, Expansion>(op)
            .Case([&](math::ExpOp) {
              return approximate ? expandExpApproximateByInstruction : expandExpByInstruction;
            })
            .Case([](math::Exp2Op) { return expandExp2ByInstruction; })
            .Case([&](math::TanhOp) {
              return approximate ? expandTanhApproximateByInstruction : expandTanhByInstruction;
            })
            .Default(Expansion(nullptr));
    if (form)
      return form(builder, op->getOperand(0));
  }
  auto expansion =
      llvm::TypeSwitch<Operation *, Expansion>(op)
          .Case([&](math::ExpOp) { return approximate ? expandExpApproximate : expandExp; })
          .Case([&](math::Exp2Op) { return approximate ? expandExp2Approximate : expandExp2; })
          .Case([](math::ExpM1Op) { return expandExpm1; })
          .Case([](math::LogOp) { return expandLog; })
          .Case([](math::Log2Op) { return expandLog2; })
          .Case([](math::Log1pOp) { return expandLog1p; })
          .Case([&](math::TanhOp) { return approximate ? expandTanhApproximate : expandTanh; })
          .Case([](math::ErfOp) { return expandErf; })
          .Case([](math::SinOp) { return expandSin; })
          .Case([](math::CosOp) { return expandCos; })
          .Case([](math::RsqrtOp) { return expandRsqrt; })
          .Case([](math::RoundEvenOp) { return expandRoundEven; })
          .Case([](math::FloorOp) { return expandFloor; })
          .Case([](math::CeilOp) { return expandCeil; })
          .Case([](math::TruncOp) { return expandTrunc; })
          .Default(Expansion(nullptr));
  return expansion ? expansion(builder, op->getOperand(0)) : Value();
}

namespace {
struct ExpandMathPass : attnc::attn::impl::ExpandMathPassBase<ExpandMathPass> {
  using ExpandMathPassBase::ExpandMathPassBase;

  void runOnOperation() override {
    FloatFeatures features{/*fma=*/!noFma, /*rounding=*/!expandRounding, approximations};
    auto isFloat = [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); };
    WalkResult result = getOperation()->walk([&](Operation *op) {
      // Ops that give integers stay.
      bool isMath = isa_and_nonnull<math::MathDialect>(op->getDialect()) || isa<arith::RemFOp>(op);
      if (!isMath || isNative(op, features) || llvm::none_of(op->getResultTypes(), isFloat))
        return WalkResult::advance();
      Type type = op->getResult(0).getType();
      Value result;
      if (type.isF32() || (isa<VectorType>(type) && getElementTypeOrSelf(type).isF32())) {
        OpBuilder builder(op);
        FloatBuilder floats(builder, op->getLoc(), type, features);
        result = expand(op, floats);
      }
      if (!result) {
        op->emitOpError("expected an operation on f32 that has an expansion, got one on ") << type;
        return WalkResult::interrupt();
      }
      op->replaceAllUsesWith(ValueRange(result));
      op->erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
