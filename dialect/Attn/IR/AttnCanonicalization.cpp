//===- AttnCanonicalization.cpp - Canonical forms of attn ops ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/IR/AttnOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attnc::attn;

LogicalResult ScoreOp::canonicalize(ScoreOp op, PatternRewriter &rewriter) {
  if (op.getYielded() != op.getScoreArgument())
    return rewriter.notifyMatchFailure(op, "changes the score");
  rewriter.eraseOp(op);
  return success();
}

LogicalResult MaskOp::canonicalize(MaskOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getYielded(), m_One()))
    return rewriter.notifyMatchFailure(op, "may exclude a pair");
  rewriter.eraseOp(op);
  return success();
}

/// A positive power of two that `value` is known to be, else no value.
static std::optional<APInt> getPowerOfTwo(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) || constant.isNegative() ||
      !constant.isPowerOf2())
    return std::nullopt;
  return constant;
}

static Value createConstant(PatternRewriter &rewriter, Location loc, Type type, APInt value) {
  return arith::ConstantOp::create(rewriter, loc, type, rewriter.getIntegerAttr(type, value));
}

LogicalResult FloorDivOp::canonicalize(FloorDivOp op, PatternRewriter &rewriter) {
  Type type = op.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  APInt constant;
  if (matchPattern(op.getRhs(), m_ConstantInt(&constant)) && constant.isAllOnes()) {
    Value zero = createConstant(rewriter, op.getLoc(), type, APInt::getZero(width));
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, zero, op.getLhs());
    return success();
  }
  std::optional<APInt> divisor = getPowerOfTwo(op.getRhs());
  if (!divisor)
    return rewriter.notifyMatchFailure(op, "divisor is no constant power of two");
  Value shift = createConstant(rewriter, op.getLoc(), type, APInt(width, divisor->logBase2()));
  rewriter.replaceOpWithNewOp<arith::ShRSIOp>(op, op.getLhs(), shift);
  return success();
}

LogicalResult FloorModOp::canonicalize(FloorModOp op, PatternRewriter &rewriter) {
  std::optional<APInt> divisor = getPowerOfTwo(op.getRhs());
  if (!divisor)
    return rewriter.notifyMatchFailure(op, "divisor is no constant power of two");
  Value mask = createConstant(rewriter, op.getLoc(), op.getType(), *divisor - 1);
  rewriter.replaceOpWithNewOp<arith::AndIOp>(op, op.getLhs(), mask);
  return success();
}
