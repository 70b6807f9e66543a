//===- Values.cpp - Products of weights and values ------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/Bodies/ElementConversion.h"
#include "compiler/Conversion/TileToVector/KernelLowering.h"

using namespace mlir;
using namespace attnc;

/// Adds to `numColumns` columns of the output, from `column` on, the products of weights and values
/// for all keys of the sub-tile.
void KernelLowering::accumulateColumns(const KeyBlock &block, const SubTile &tile, bool exact,
                                       Value column, int64_t numColumns) {
  int64_t numVectors = getNumVectors();
  bool paired = scratch.form == OperandForm::Pairs;
  // Pairs of keys share a register, so their accumulation cannot be masked: exact runs read v.
  bool pairs = paired && !exact;
  Type element = paired && exact ? attn.getDtype() : Type(code.getF32Type());
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  auto pairType = VectorType::get(2 * schedule.getLanes(), code.getBF16Type());

  Rows values = block.values;
  if (pairs)
    values = {code.address(scratchBase, scratch.values), code.i64(scratch.valueRowBytes)};
  Value weights = code.address(scratchBase, pairs ? scratch.weights : scratch.scores);
  Value output = code.address(tile.output, code.mul(column, scratch.rowBytes));
  auto outputPlace = [&](int64_t i) { return code.address(output, i * code.getVectorBytes()); };

  Value begin = tile.keyBegin, end = tile.keyStop;
  if (pairs) {
    begin = arith::ShRUIOp::create(code, begin, code.i64(1));
    end = arith::ShRUIOp::create(code, code.add(end, 1), code.i64(1));
  }
  SmallVector<Value> initial;
  for (int64_t i = 0; i < numColumns * numVectors; ++i)
    initial.push_back(code.mulF(code.loadVector(outputPlace(i)), tile.factors[i % numVectors]));
  initial.push_back(code.address(getRow(values, begin), code.mul(column, elementBytes)));
  initial.push_back(code.address(weights, code.mul(begin, scratch.rowBytes)));

  auto body = [&](Value, ValueRange carried) {
    Value row = carried[carried.size() - 2], weightRow = carried.back();
    Values next, weightVectors, present;
    for (int64_t v = 0; v < numVectors; ++v) {
      Value weight = code.loadVector(code.address(weightRow, v * code.getVectorBytes()));
      if (exact) {
        Value bits = code.bitcast(code.getVectorType(code.getI32Type()), weight);
        present.push_back(
            arith::CmpIOp::create(code, arith::CmpIPredicate::ne, bits, code.splatI32(INT32_MIN)));
      }
      weightVectors.push_back(pairs ? code.bitcast(pairType, weight) : weight);
    }
    for (int64_t c = 0; c < numColumns; ++c) {
      Value address = code.address(row, c * elementBytes);
      Value value;
      if (pairs) {
        value = code.bitcast(pairType, code.broadcast(code.load(code.getI32Type(), address, 4)));
      } else {
        Value scalar = code.load(element, address, elementBytes);
        value = code.broadcast(emitExtendToF32(code, code.getLoc(), scalar, features));
      }
      for (int64_t v = 0; v < numVectors; ++v) {
        Value sum = carried[c * numVectors + v];
        Value added = pairs ? code.intrinsic(sum.getType(), "llvm.x86.avx512bf16.dpbf16ps.512",
                                             {sum, weightVectors[v], value})
                            : code.multiplyAdd(value, weightVectors[v], sum);
        next.push_back(exact ? code.select(present[v], added, sum) : added);
      }
    }
    next.push_back(code.address(row, values.stride));
    next.push_back(code.address(weightRow, scratch.rowBytes));
    return next;
  };
  Values sums = code.loop(begin, end, 1, initial, body);
  for (int64_t i = 0; i < numColumns * numVectors; ++i)
    code.storeVector(sums[i], outputPlace(i));
}

void KernelLowering::accumulateValues(const KeyBlock &block, const SubTile &tile, bool exact) {
  int64_t columns = attn.getValueDim(), rowTile = schedule.getRowTile();
  int64_t whole = columns / rowTile * rowTile;
  if (whole != 0)
    code.loop(code.i64(0), code.i64(whole), rowTile,
              [&](Value column) { accumulateColumns(block, tile, exact, column, rowTile); });
  if (whole != columns)
    accumulateColumns(block, tile, exact, code.i64(whole), columns - whole);
}

void KernelLowering::emitDotAcc(const KeyBlock &block, const SubTile &tile) {
  code.ifElse(
      exact, [&] { accumulateValues(block, tile, true); },
      [&] { accumulateValues(block, tile, false); });
}
