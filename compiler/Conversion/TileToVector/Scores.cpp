//===- Scores.cpp - Products of queries and keys --------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToVector/KernelLowering.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attnc;

static constexpr int64_t cacheLineBytes = 64;

/// The sums, plus the products of `bytes` (2 or 4) at `offset` of each of `rows` with the packed
/// queries at `queries`. Sums are ordered by row, then by vector of queries.
KernelLowering::Values KernelLowering::addProducts(ArrayRef<Value> rows, Value offset,
                                                   int64_t bytes, Value queries, ValueRange sums) {
  bool pairs = scratch.form == OperandForm::Pairs;
  int64_t numVectors = getNumVectors();
  Type f32 = code.getF32Type();
  auto pairType = VectorType::get(2 * schedule.getLanes(), code.getBF16Type());

  Values queryVectors, results;
  for (int64_t v = 0; v < numVectors; ++v) {
    Value query = code.loadVector(code.address(queries, v * code.getVectorBytes()));
    queryVectors.push_back(pairs ? code.bitcast(pairType, query) : query);
  }
  for (auto [r, row] : llvm::enumerate(rows)) {
    Value address = code.address(row, offset);
    Value key;
    if (!pairs) {
      key = code.broadcast(code.load(f32, address, 4));
    } else {
      Value element = bytes == 2 ? arith::ExtUIOp::create(code, code.getI32Type(),
                                                          code.load(code.getI16Type(), address, 2))
                                 : code.load(code.getI32Type(), address, 2);
      key = code.bitcast(pairType, code.broadcast(element));
    }
    for (int64_t v = 0; v < numVectors; ++v) {
      Value sum = sums[r * numVectors + v];
      results.push_back(pairs ? code.intrinsic(sum.getType(), "llvm.x86.avx512bf16.dpbf16ps.512",
                                               {sum, queryVectors[v], key})
                              : code.multiplyAdd(key, queryVectors[v], sum));
    }
  }
  return results;
}

/// The products of the packed `queries` with each of `keyRows`.
KernelLowering::Values KernelLowering::accumulateScores(ArrayRef<Value> keyRows, Value queries) {
  bool pairs = scratch.form == OperandForm::Pairs;
  int64_t wholeRows = pairs ? attn.getHeadDim() / 2 : attn.getHeadDim();
  SmallVector<Value> initial(keyRows.size() * getNumVectors(), code.splat(0));
  initial.push_back(queries);
  Values results = code.loop(
      code.i64(0), code.i64(wholeRows * 4), 4, initial, [&](Value offset, ValueRange carried) {
        Values next = addProducts(keyRows, offset, 4, carried.back(), carried.drop_back());
        next.push_back(code.address(carried.back(), scratch.rowBytes));
        return next;
      });
  Value lastQueries = results.pop_back_val();
  if (wholeRows == scratch.queryRows)
    return results;
  return addProducts(keyRows, code.i64(wholeRows * 4), 2, lastQueries, results);
}

/// Prefetches a share of the next block of keys: all sub-tiles together fetch all of it.
void KernelLowering::prefetchNext(const KeyBlock &block, const SubTile &tile, Value key) {
  int64_t subTiles = schedule.getQueryBlock() / schedule.getQueryTile();
  int64_t tilesOfKeys = schedule.getKeyBlock() / schedule.getRowTile();
  int64_t rowsPerTile = llvm::divideCeil(schedule.getRowTile(), subTiles);
  Value number = code.add(code.mul(tile.index, tilesOfKeys),
                          arith::DivUIOp::create(code, key, code.i64(schedule.getRowTile())));
  Value row = code.mul(number, rowsPerTile);
  code.ifTrue(code.less(row, code.i64(schedule.getKeyBlock())), [&] {
    int64_t elementBytes = attn.getDtype().getIntOrFloatBitWidth() / 8;
    Value lastKey = code.sub(numKeys, code.i64(1));
    for (int64_t i = 0; i < rowsPerTile; ++i) {
      Value next = code.add(code.add(block.begin, row), schedule.getKeyBlock() + i);
      next = code.minimum(next, lastKey);
      auto fetch = [&](const Rows &rows, int64_t size) {
        Value address = getRow(rows, next);
        for (int64_t byte = 0; byte < size * elementBytes; byte += cacheLineBytes)
          LLVM::Prefetch::create(code, code.address(address, byte), /*rw=*/0, /*hint=*/3,
                                 /*cache=*/1);
      };
      fetch(k, attn.getHeadDim());
      fetch(v, attn.getValueDim());
    }
  });
}

/// Stores the scores of the sub-tile; with `withMaximum` also the new maxima.
void KernelLowering::emitDot(const KeyBlock &block, const SubTile &tile, bool withMaximum) {
  int64_t numVectors = getNumVectors(), rowTile = schedule.getRowTile();
  Value scores = code.address(scratchBase, scratch.scores);
  Value lastKey = code.sub(block.count, code.i64(1));
  Values maxima;
  if (withMaximum)
    for (int64_t v = 0; v < numVectors; ++v)
      maxima.push_back(code.loadVector(code.address(tile.maxima, v * code.getVectorBytes())));

  auto body = [&](Value key, ValueRange carried) {
    prefetchNext(block, tile, key);
    SmallVector<Value> rows;
    for (int64_t r = 0; r < rowTile; ++r)
      rows.push_back(getRow(block.keys, code.minimum(code.add(key, r), lastKey)));
    Values sums = accumulateScores(rows, tile.queries);
    Value target = code.address(scores, code.mul(key, scratch.rowBytes));
    Values next(carried);
    for (auto [i, sum] : llvm::enumerate(sums)) {
      if (scoreScale)
        sum = code.mulF(sum, scoreScale);
      code.storeVector(sum, code.address(target, i * code.getVectorBytes()));
      if (withMaximum)
        next[i % numVectors] = code.maximumIgnoringNaN(sum, next[i % numVectors]);
    }
    return next;
  };
  maxima = code.loop(tile.keyBegin, tile.keyEnd, rowTile, maxima, body);
  for (auto [v, maximum] : llvm::enumerate(maxima))
    code.storeVector(maximum,
                     code.address(scratchBase, scratch.newMaxima + v * code.getVectorBytes()));
}
