//===- Pairs.cpp - Score and mask bodies over a tile of scores ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToVector/KernelLowering.h"
#include <limits>

using namespace mlir;
using namespace attnc;

/// Applies the score body (`map`) and the mask body (`mask`) to the scores of a sub-tile, and gives
/// keys past the last the score -inf; stores the new maxima.
void KernelLowering::emitPairs(const KeyBlock &block, const SubTile &tile, bool map, bool mask) {
  Value excluded = code.splat(-std::numeric_limits<float>::infinity());
  map = map && score;
  bool masked = mask && this->mask;

  code.loop(code.i64(0), code.i64(getNumVectors()), 1, [&](Value v) {
    Value offset = code.mul(v, code.getVectorBytes());
    Value scores = code.address(code.address(scratchBase, scratch.scores), offset);
    Value queries = getQueryIndices(tile.firstRow, v);
    StageValues scoreQuery, maskQuery;
    if (map)
      scoreQuery = score->emitQuery(code, scoreHead, queries);
    if (masked)
      maskQuery = this->mask->emitQuery(code, maskHead, queries);

    Value maximum = code.loadVector(code.address(tile.maxima, offset));
    auto body = [&](Value key, ValueRange carried) {
      Value address = code.address(scores, code.mul(key, scratch.rowBytes));
      Value keyIndex = code.add(block.begin, key);
      Value value = code.loadVector(address);
      if (map) {
        StageValues scoreKey = score->emitKey(code, scoreHead, keyIndex);
        value = score->emitPair(code, scoreHead, scoreQuery, scoreKey, value);
      }
      if (masked) {
        StageValues maskKey = this->mask->emitKey(code, maskHead, keyIndex);
        Value takesPart = this->mask->emitPair(code, maskHead, maskQuery, maskKey);
        value = code.select(takesPart, value, excluded);
      }
      if (map || masked)
        code.storeVector(value, address);
      return Values{code.maximumIgnoringNaN(value, carried[0])};
    };
    maximum = code.loop(tile.keyBegin, tile.keyStop, 1, maximum, body)[0];
    code.storeVector(maximum, code.address(code.address(scratchBase, scratch.newMaxima), offset));
    if (mask)
      code.loop(tile.keyStop, tile.keyEnd, 1, [&](Value key) {
        code.storeVector(excluded, code.address(scores, code.mul(key, scratch.rowBytes)));
      });
  });
}
