//===- Epilogue.cpp - Normalises, rounds and stores the output ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/ArgumentLayout.h"
#include "compiler/Conversion/Bodies/ElementConversion.h"
#include "compiler/Conversion/TileToVector/KernelLowering.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attnc;

static constexpr float infinity = std::numeric_limits<float>::infinity();

/// log(x) for x of at least 2^-126, and NaN for NaN, to about 1 ulp.
static Value emitLog(CodeBuilder &code, Value x) {
  // x = 2^e * (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); log(1 + f) = f - f²/2 + f³ P(f).
  static constexpr float coefficients[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                                           -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                                           2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
  static constexpr int32_t sqrtHalfBits = 0x3f3504f3;
  // log(2) in two parts, the first of few bits.
  static constexpr float log2Low = -2.12194440e-4f, log2High = 0.693359375f;

  Type integers = code.getVectorType(code.getI32Type());
  Value bits = code.bitcast(integers, x);
  Value fromHalf = arith::SubIOp::create(code, bits, code.splatI32(sqrtHalfBits));
  Value exponent = arith::ShRSIOp::create(code, fromHalf, code.splatI32(23));
  Value significand =
      arith::SubIOp::create(code, bits, arith::ShLIOp::create(code, exponent, code.splatI32(23)));
  Value f = code.subF(code.bitcast(x.getType(), significand), code.splat(1));
  Value e = arith::SIToFPOp::create(code, x.getType(), exponent);

  Value polynomial = code.splat(coefficients[0]);
  for (float coefficient : ArrayRef(coefficients).drop_front())
    polynomial = code.multiplyAdd(polynomial, f, code.splat(coefficient));
  Value square = code.mulF(f, f);
  Value result = code.mulF(code.mulF(square, f), polynomial);
  result = code.multiplyAdd(e, code.splat(log2Low), result);
  result = code.multiplyAdd(square, code.splat(-0.5f), result);
  result = code.multiplyAdd(e, code.splat(log2High), code.addF(f, result));
  return code.select(code.compareF(arith::CmpFPredicate::UNO, x, x), x, result);
}

/// Stores the output rows of sub-tile `index`, scaled by the inverse sums at `inverses`.
void KernelLowering::storeRows(Value index, Value inverses) {
  Value firstRow = code.add(rowBegin, code.mul(index, schedule.getQueryTile()));
  Value count = code.minimum(code.sub(rowEnd, firstRow), code.i64(schedule.getQueryTile()));
  Value output = code.address(code.address(scratchBase, scratch.output),
                              code.mul(index, scratch.outputTileBytes));
  int64_t elementBytes = attn.getDtype().getIntOrFloatBitWidth() / 8;
  code.loop(code.i64(0), count, 1, [&](Value row) {
    Value inverse = code.load(code.getF32Type(), code.address(inverses, code.mul(row, 4)), 4);
    Value column = code.address(output, code.mul(row, 4));
    Value target = getRow(o, code.add(firstRow, row));
    forPieces(code, attn.getValueDim(), schedule.getLanes(), [&](Value offset, int64_t length) {
      Value source = code.address(column, code.mul(offset, scratch.rowBytes));
      Value sums = code.gather(code.getF32Type(), source, code.steps(scratch.rowBytes, length), 4);
      Value scale = vector::BroadcastOp::create(code, cast<VectorType>(sums.getType()), inverse);
      Value result = emitTruncateFromF32(code, code.getLoc(), code.mulF(sums, scale),
                                         attn.getDtype(), features);
      code.store(result, code.address(target, code.mul(offset, elementBytes)), elementBytes);
    });
  });
}

/// Stores the log-sum-exp of the rows of sub-tile `index`.
void KernelLowering::storeLse(Value index) {
  Value pointer = arguments.getSlot(ArgumentLayout::LseTensor + ArgumentLayout::Pointer);
  code.ifTrue(arith::CmpIOp::create(code, arith::CmpIPredicate::ne, pointer, code.i64(0)), [&] {
    Rows lse = getRows(ArgumentLayout::LseTensor, code.getF32Type(), head);
    Value row = code.mul(index, scratch.rowBytes);
    Value buffer = code.address(scratchBase, scratch.scores);
    for (int64_t v = 0; v < getNumVectors(); ++v) {
      int64_t offset = v * code.getVectorBytes();
      Value sum =
          code.loadVector(code.address(code.address(scratchBase, scratch.sums + offset), row));
      Value maximum =
          code.loadVector(code.address(code.address(scratchBase, scratch.maxima + offset), row));
      Value result = code.multiplyAdd(maximum, code.splat(storedScale), emitLog(code, sum));
      Value empty = code.compareF(arith::CmpFPredicate::OEQ, sum, code.splat(0));
      code.storeVector(code.select(empty, code.splat(-infinity), result),
                       code.address(buffer, offset));
    }
    Value firstRow = code.add(rowBegin, code.mul(index, schedule.getQueryTile()));
    Value count = code.minimum(code.sub(rowEnd, firstRow), code.i64(schedule.getQueryTile()));
    code.loop(code.i64(0), count, 1, [&](Value i) {
      Value value = code.load(code.getF32Type(), code.address(buffer, code.mul(i, 4)), 4);
      code.store(value, getRow(lse, code.add(firstRow, i)), 4);
    });
  });
}

Value KernelLowering::emitEpilogue() {
  // A sum of products with 0 is NaN once an output is not finite.
  Values checks(getNumVectors(), code.splat(0));
  Value zero = code.splat(0), one = code.splat(1);
  Value rows = code.sub(rowEnd, rowBegin);
  Value count = arith::DivUIOp::create(code, code.add(rows, schedule.getQueryTile() - 1),
                                       code.i64(schedule.getQueryTile()));
  checks = code.loop(code.i64(0), count, 1, checks, [&](Value index, ValueRange carried) {
    Value buffer = code.address(scratchBase, scratch.newMaxima);
    Value sums =
        code.address(code.address(scratchBase, scratch.sums), code.mul(index, scratch.rowBytes));
    Value output = code.address(code.address(scratchBase, scratch.output),
                                code.mul(index, scratch.outputTileBytes));
    Values inverses;
    for (int64_t v = 0; v < getNumVectors(); ++v) {
      int64_t offset = v * code.getVectorBytes();
      Value sum = code.loadVector(code.address(sums, offset));
      Value empty = code.compareF(arith::CmpFPredicate::OEQ, sum, zero);
      inverses.push_back(code.select(empty, zero, arith::DivFOp::create(code, one, sum)));
      code.storeVector(inverses.back(), code.address(buffer, offset));
    }
    Values next = code.loop(code.i64(0), code.i64(scratch.outputTileBytes), scratch.rowBytes,
                            carried, [&](Value byte, ValueRange inner) {
                              Values sums;
                              for (int64_t v = 0; v < getNumVectors(); ++v) {
                                Value place = code.address(code.address(output, byte),
                                                           v * code.getVectorBytes());
                                Value value = code.mulF(code.loadVector(place), inverses[v]);
                                sums.push_back(code.multiplyAdd(value, zero, inner[v]));
                              }
                              return sums;
                            });
    storeRows(index, buffer);
    if (attn.getLse())
      storeLse(index);
    return next;
  });

  Value notFinite;
  for (Value check : checks) {
    Value lanes = code.compareF(arith::CmpFPredicate::UNO, check, check);
    notFinite = notFinite ? code.orOf(notFinite, lanes) : lanes;
  }
  return vector::ReductionOp::create(code, vector::CombiningKind::OR, notFinite);
}
