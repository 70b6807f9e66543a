//===- Pack.cpp - Operands in the form of the inner products --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/Bodies/ElementConversion.h"
#include "compiler/Conversion/TileToVector/KernelLowering.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attnc;

/// Puts the queries into lanes: a row of the packed tile has one head dim (or one pair of
/// neighbouring ones) of each query.
void KernelLowering::packQueries() {
  Type f32 = code.getF32Type(), i32 = code.getI32Type(), i16 = code.getI16Type();
  int64_t headDim = attn.getHeadDim();

  // Stores what two neighbouring 16-bit head dims, in the halves of `pair`, become.
  auto storePair = [&](Value pair, Value target, bool both) {
    if (scratch.form == OperandForm::Pairs) {
      code.storeVector(code.bitcast(code.getVectorType(f32), pair), target);
      return;
    }
    auto storeHalf = [&](Value bits, int64_t offset) {
      Value narrow = arith::TruncIOp::create(code, code.getVectorType(i16), bits);
      Value element = code.bitcast(code.getVectorType(attn.getDtype()), narrow);
      code.storeVector(emitExtendToF32(code, code.getLoc(), element, features),
                       code.address(target, offset));
    };
    storeHalf(pair, 0);
    if (both)
      storeHalf(arith::ShRUIOp::create(code, pair, code.splatI32(16)), scratch.rowBytes);
  };

  forSubTiles([&](Value index) {
    Value firstRow = code.add(rowBegin, code.mul(index, schedule.getQueryTile()));
    Value tile = code.address(code.address(scratchBase, scratch.queries),
                              code.mul(index, scratch.queryTileBytes));
    for (int64_t v = 0; v < getNumVectors(); ++v) {
      Value rows = getQueryIndices(firstRow, code.i64(v));
      Value offsets = code.mul(rows, code.broadcast(q.stride));
      Value target = code.address(tile, v * code.getVectorBytes());
      if (scratch.form == OperandForm::Direct) {
        code.loop(code.i64(0), code.i64(headDim), 1, [&](Value d) {
          Value source = code.address(q.base, code.mul(d, 4));
          code.storeVector(code.gather(f32, source, offsets, 4),
                           code.address(target, code.mul(d, scratch.rowBytes)));
        });
        continue;
      }
      int64_t rowsPerPair = scratch.form == OperandForm::Pairs ? 1 : 2;
      auto pairTarget = [&](Value pair) {
        return code.address(target, code.mul(pair, rowsPerPair * scratch.rowBytes));
      };
      code.loop(code.i64(0), code.i64(headDim / 2), 1, [&](Value pair) {
        Value source = code.address(q.base, code.mul(pair, 4));
        storePair(code.gather(i32, source, offsets, 2), pairTarget(pair), true);
      });
      if (headDim % 2) {
        Value last = code.gather(i16, code.address(q.base, (headDim - 1) * 2), offsets, 2);
        Value wide = arith::ExtUIOp::create(code, code.getVectorType(i32), last);
        storePair(wide, pairTarget(code.i64(headDim / 2)), false);
      }
    }
  });
}

/// Converts `count` rows of `size` elements to f32, one after the other at `target` in scratch.
void KernelLowering::convertRows(const Rows &rows, Value count, int64_t size, int64_t target) {
  Value base = code.address(scratchBase, target);
  code.loop(code.i64(0), count, 1, [&](Value row) {
    Value from = getRow(rows, row);
    Value to = code.address(base, code.mul(row, size * 4));
    forPieces(code, size, schedule.getLanes(), [&](Value offset, int64_t length) {
      auto type = VectorType::get(length, attn.getDtype());
      Value element = code.load(type, code.address(from, code.mul(offset, 2)), 2);
      code.store(emitExtendToF32(code, code.getLoc(), element, features),
                 code.address(to, code.mul(offset, 4)), 4);
    });
  });
}

void KernelLowering::packKeys(KeyBlock &block) {
  if (scratch.form != OperandForm::Converted)
    return;
  convertRows(block.keys, block.count, attn.getHeadDim(), scratch.keys);
  block.keys = {code.address(scratchBase, scratch.keys), code.i64(scratch.keyRowBytes)};
}

/// Interleaves rows of two neighbouring keys, or converts rows to f32.
void KernelLowering::packValues(KeyBlock &block) {
  if (scratch.form == OperandForm::Direct)
    return;
  if (scratch.form == OperandForm::Converted) {
    convertRows(block.values, block.count, attn.getValueDim(), scratch.values);
    block.values = {code.address(scratchBase, scratch.values), code.i64(scratch.valueRowBytes)};
    return;
  }

  Value base = code.address(scratchBase, scratch.values);
  Value lastKey = code.sub(block.count, code.i64(1));
  Rows rows = block.values;
  code.loop(code.i64(0), block.count, 2, [&](Value key) {
    Value next = code.add(key, 1);
    Value even = getRow(rows, key);
    Value odd = getRow(rows, code.minimum(next, lastKey));
    // A last key without a neighbour is paired with zeros.
    Value exists = arith::ExtSIOp::create(code, code.getI16Type(), code.less(next, block.count));
    Value to = code.address(
        base, code.mul(arith::ShRUIOp::create(code, key, code.i64(1)), scratch.valueRowBytes));
    int64_t widest = 2 * schedule.getLanes();
    forPieces(code, attn.getValueDim(), widest, [&](Value offset, int64_t length) {
      auto type = VectorType::get(length, code.getI16Type());
      Value from = code.mul(offset, 2);
      Value low = code.load(type, code.address(even, from), 2);
      Value high = code.load(type, code.address(odd, from), 2);
      Value keep = vector::BroadcastOp::create(code, type, exists);
      Value pairs =
          vector::InterleaveOp::create(code, low, arith::AndIOp::create(code, high, keep));
      code.store(pairs, code.address(to, code.mul(offset, 4)), 4);
    });
  });
}
