//===- ExactRows.cpp - Rows whose output is not finite -------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// In the main loops an excluded pair multiplies v by a weight of 0, which leaves no trace unless v
// is NaN or inf there. Such rows are computed once more, one at a time by a whole warp, which reads
// v at pairs that take part only. Maxima stay as they are; sums are those of the new weights, as
// scores come out a little differently.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attnc;

static constexpr int64_t warpSize = 32;

void WarpLowering::emitExactRows(const Values &maxima, const Values &flags) {
  Value any = flags.front();
  for (Value flag : ArrayRef(flags).drop_front())
    any = code.orOf(any, flag);
  code.ifTrue(code.anyInWarp(any), [&] {
    code.ifTrue(code.equal(self.quadLane, code.i32(0)), [&] {
      for (int64_t slot = 0; slot < getNumSlots(); ++slot) {
        Value row = code.add(code.add(self.warpRow, self.quadRow), 8 * slot);
        storeShared(maxima[slot], layout.maxima, row);
        storeShared(arith::ExtUIOp::create(code, code.getI32Type(), flags[slot]), layout.flags,
                    row);
      }
    });
    // What follows also overwrites what other lanes have stored to o.
    code.syncWarp();
    Value end = code.minimum(code.add(self.warpRow, schedule.getWarpRows()), rowCount);
    code.loop(self.warpRow, end, 1, [&](Value row) {
      Value flag = loadShared(code.getI32Type(), layout.flags, row);
      code.ifTrue(code.less(code.i32(0), flag), [&] { emitExactRow(row); });
    });
  });
}

Value WarpLowering::loadElement(const Rows &rows, Value row, int64_t part, int64_t columns) {
  Value column = code.add(self.lane, warpSize * part);
  int64_t bytes = layout.elementBytes;
  auto load = [&] {
    Value address = code.address(getRow(rows, row), code.widen(code.mul(column, bytes)));
    return code.extend(code.load(attn.getDtype(), address, bytes));
  };
  if (warpSize * (part + 1) <= columns)
    return load();
  return code.choose(code.less(column, code.i32(columns)), code.getF32Type(), load,
                     [&] { return code.f32(0); });
}

void WarpLowering::emitExactRow(Value row) {
  Value infinite = code.f32(-std::numeric_limits<float>::infinity());
  int64_t headDim = attn.getHeadDim(), valueDim = attn.getValueDim();
  int64_t headParts = llvm::divideCeil(headDim, warpSize);
  int64_t valueParts = llvm::divideCeil(valueDim, warpSize);
  Value query = code.add(firstRow, row), wideQuery = code.widen(query);
  Value maximum = loadShared(code.getF32Type(), layout.maxima, row);
  Value none = code.compareF(arith::CmpFPredicate::OEQ, maximum, infinite);
  maximum = code.select(none, code.f32(0), maximum);
  StageValues scoreQuery, maskQuery;
  if (score)
    scoreQuery = score->emitQuery(code, scoreHead, wideQuery);
  if (mask)
    maskQuery = mask->emitQuery(code, maskHead, wideQuery);
  Values queries;
  for (int64_t part = 0; part < headParts; ++part)
    queries.push_back(loadElement(q, query, part, headDim));

  // The output's columns, and the sum of weights.
  Values initial(valueParts + 1, code.f32(0));
  Values sums = code.loop(keyBegin, keyEnd, 1, initial, [&](Value key, ValueRange carried) {
    Value value = code.f32(0);
    for (int64_t part = 0; part < headParts; ++part)
      value = code.fma(queries[part], loadElement(k, key, part, headDim), value);
    value = code.sumOfWarp(value);
    if (scoreScale)
      value = code.mulF(value, scoreScale);
    Value wideKey = code.widen(key);
    if (score)
      value = score->emitPair(code, scoreHead, scoreQuery, score->emitKey(code, scoreHead, wideKey),
                              value);
    Value taken = code.compareF(arith::CmpFPredicate::UNE, value, infinite);
    if (mask)
      taken = code.andOf(
          taken, mask->emitPair(code, maskHead, maskQuery, mask->emitKey(code, maskHead, wideKey)));
    Value weight = emitWeight(value, maximum);
    return code.choose(
        taken, TypeRange(ValueRange(initial)),
        [&] {
          Values results;
          for (int64_t part = 0; part < valueParts; ++part)
            results.push_back(code.fma(weight, loadElement(v, key, part, valueDim), carried[part]));
          results.push_back(code.addF(carried.back(), weight));
          return results;
        },
        [&] { return Values(carried); });
  });

  Value inverse = emitInverse(sums.back());
  int64_t bytes = layout.elementBytes;
  for (int64_t part = 0; part < valueParts; ++part) {
    Value column = code.add(self.lane, warpSize * part);
    Value result = code.round(attn.getDtype(), code.mulF(sums[part], inverse));
    code.ifTrue(code.less(column, code.i32(valueDim)), [&] {
      code.store(result, code.address(getRow(o, query), code.widen(code.mul(column, bytes))),
                 bytes);
    });
  }
}
