//===- ExactRows.cpp - Rows that the main loops cannot compute -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// In the main loops an excluded pair multiplies v by a weight of 0, which leaves no trace unless v
// is NaN or inf there. And weights are powers of differences of rounded products, which are below
// all floats where the scores of a row are very large. Such rows are computed once more, one at a
// time by a whole warp, which reads v at pairs that take part only and subtracts scores before it
// scales them.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attnc;

static constexpr int64_t warpSize = 32;

void WarpLowering::emitExactRows(const Values &flags) {
  WarpBuilder::PhaseScope phase(code, "rows that are not finite");
  Value any = flags.front();
  for (Value flag : ArrayRef(flags).drop_front())
    any = code.orOf(any, flag);
  code.ifTrue(code.anyInWarp(any), [&] {
    loadBlockSource();
    code.ifTrue(code.equal(self.quadLane, code.i32(0)), [&] {
      for (int64_t slot = 0; slot < getNumSlots(); ++slot) {
        Value row = code.add(code.add(self.warpRow, self.quadRow), 8 * slot);
        storeShared(arith::ExtUIOp::create(code, code.getI32Type(), flags[slot]), layout.flags,
                    row);
      }
    });
    // What follows also overwrites what other lanes have stored to o.
    code.syncWarp();
    Value end = code.minimum(code.add(self.warpRow, schedule.getWarpRows()), rowCount);
    code.loop(self.warpRow, end, 1, [&](Value row) {
      Value flag = loadShared(code.getI32Type(), layout.flags, row);
      code.ifTrue(code.less(code.i32(0), flag), [&] {
        Value rowOfAll = code.add(firstRow, row);
        storeExactRow(rowOfAll, computeExactRow(rowOfAll));
      });
    });
  });
}

Value WarpLowering::loadElement(Value start, int64_t part, int64_t columns) {
  Value column = code.add(self.lane, warpSize * part);
  int64_t bytes = layout.elementBytes;
  auto load = [&] {
    Value address = code.address(start, code.widen(code.mul(column, bytes)));
    return code.extend(code.load(attn.getDtype(), address, bytes));
  };
  if (warpSize * (part + 1) <= columns)
    return load();
  return code.choose(code.less(column, code.i32(columns)), code.getF32Type(), load,
                     [&] { return code.f32(0); });
}

WarpLowering::Values WarpLowering::visitKeys(const Values &initial,
                                             llvm::function_ref<Values(Value, ValueRange)> body) {
  if (!schedule.getShortGrid())
    return code.loop(keyBegin, keyEnd, 1, initial, body);
  int64_t keyBlock = schedule.getKeyBlock();
  return code.loop(code.i32(0), numSplitBlocks, 1, initial, [&](Value n, ValueRange carried) {
    Value first = code.mul(getSplitBlock(n), keyBlock), end = code.add(first, keyBlock);
    return code.loop(code.maximum(first, keyBegin), code.minimum(end, keyEnd), 1, carried, body);
  });
}

WarpLowering::Values WarpLowering::computeExactRow(Value row) {
  Value infinite = code.f32(-std::numeric_limits<float>::infinity());
  int64_t headDim = attn.getHeadDim(), valueDim = attn.getValueDim();
  int64_t headParts = llvm::divideCeil(headDim, warpSize);
  int64_t valueParts = llvm::divideCeil(valueDim, warpSize);
  Value wideQuery = code.widen(getQuery(row));
  StageValues scoreHead, scoreQuery, headOfMask, maskQuery;
  if (score) {
    scoreHead = score->emitHead(code, batch, getHead(row));
    scoreQuery = score->emitQuery(code, scoreHead, wideQuery);
  }
  if (mask) {
    headOfMask = mask->emitHead(code, batch, head);
    maskQuery = mask->emitQuery(code, headOfMask, wideQuery);
  }
  Values queries;
  Value queryStart = getQueryRow(q, row);
  for (int64_t part = 0; part < headParts; ++part)
    queries.push_back(loadElement(queryStart, part, headDim));

  Values initial(valueParts + 1, code.f32(0));
  initial.push_back(infinite);
  return visitKeys(initial, [&](Value key, ValueRange carried) {
    Value value = code.f32(0), keyStart = getRow(k, key);
    for (int64_t part = 0; part < headParts; ++part)
      value = code.fma(queries[part], loadElement(keyStart, part, headDim), value);
    value = code.sumOfWarp(value);
    if (scoreScale)
      value = code.mulF(value, scoreScale);
    else if (linearScore)
      value = code.mulF(value, code.f32(linearScore->scale));
    Value wideKey = code.widen(key);
    if (score)
      value = score->emitPair(code, scoreHead, scoreQuery, score->emitKey(code, scoreHead, wideKey),
                              value);
    Value taken = code.compareF(arith::CmpFPredicate::UNE, value, infinite);
    if (mask)
      taken = code.andOf(taken, mask->emitPair(code, headOfMask, maskQuery,
                                               mask->emitKey(code, headOfMask, wideKey)));
    return code.choose(
        taken, TypeRange(ValueRange(initial)),
        [&] {
          Value before = carried.back(), maximum = code.maxNum(before, value);
          auto power = [&](Value score) {
            return code.exp2(
                code.mulF(code.subF(score, maximum), code.f32(bodyUnits.exponentScale)));
          };
          Value factor = power(before), weight = power(value);
          auto add = [&](Value sum, Value element) {
            return code.fma(weight, element, code.mulF(sum, factor));
          };
          Values results;
          Value valueStart = getRow(v, key);
          for (int64_t part = 0; part < valueParts; ++part)
            results.push_back(add(carried[part], loadElement(valueStart, part, valueDim)));
          results.push_back(code.fma(carried[valueParts], factor, weight));
          results.push_back(maximum);
          return results;
        },
        [&] { return Values(carried); });
  });
}

void WarpLowering::storeExactRow(Value row, const Values &results) {
  Value sum = results[results.size() - 2], maximum = results.back();
  if (attn.getLse())
    code.ifTrue(code.equal(self.lane, code.i32(0)),
                [&] { storeLse(row, maximum, sum, bodyUnits.storedScale); });
  Value inverse = code.invert(sum), start = getQueryRow(o, row);
  int64_t bytes = layout.elementBytes, valueDim = attn.getValueDim();
  for (auto [part, value] : llvm::enumerate(ArrayRef(results).drop_back(2))) {
    Value column = code.add(self.lane, warpSize * static_cast<int64_t>(part));
    Value result = code.round(attn.getDtype(), code.mulF(value, inverse));
    code.ifTrue(code.less(column, code.i32(valueDim)), [&] {
      code.store(result, code.address(start, code.widen(code.mul(column, bytes))), bytes);
    });
  }
}
