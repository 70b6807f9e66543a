//===- MatrixProducts.cpp - Products on tensor cores --------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Operands come from shared memory by ldmatrix: its lane l names row l % 8 of matrix l / 8. Rows
// of a tile start at multiples of 8, so row & 7, by which chunks are swizzled, is l & 7.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"

using namespace mlir;
using namespace attnc;
using tile::SharedLayout;

/// Columns, or rows of values, that one step of mma.sync takes: two chunks.
static constexpr int64_t stepSize = 16;
/// Steps in a panel.
static constexpr int64_t stepsPerPanel = 4;

/// The offsets in a panel at which a lane reads the chunks 2 s and 2 s + 1, one of which is its
/// own, for each step s.
static std::array<Value, stepsPerPanel> getStepOffsets(WarpBuilder &code, Value lane, Value row,
                                                       Value ownChunk) {
  Value swizzled = code.bitXor(ownChunk, code.bitAnd(lane, 7));
  Value first = code.add(code.shiftLeft(row, 7), code.shiftLeft(swizzled, 4));
  std::array<Value, stepsPerPanel> offsets;
  for (int64_t step = 0; step < stepsPerPanel; ++step)
    offsets[step] = code.bitXor(first, 2 * SharedLayout::chunkBytes * step);
  return offsets;
}

void WarpLowering::addProduct(ArrayRef<Value> a, ArrayRef<Value> b, Value *upper, Value *lower) {
  std::array<Value, 4> sums =
      code.multiplyMatrices(attn.getDtype(), a, b, {upper[0], upper[1], lower[0], lower[1]});
  std::copy_n(&sums[0], 2, upper);
  std::copy_n(&sums[2], 2, lower);
}

WarpLowering::Scores WarpLowering::emitMatrixDot(int64_t keyBlock) {
  WarpBuilder::PhaseScope phase(code, "S = Q K^T");
  int64_t tiles = schedule.getWarpRows() / 16;
  Value row8 = code.bitAnd(self.lane, 7), row16 = code.bitAnd(self.lane, 15);
  Value upper16 = code.shiftRight(self.lane, 4),
        upper8 = code.bitAnd(code.shiftRight(self.lane, 3), 1);
  // Matrices of q: rows 0 to 7 and 8 to 15 of the first chunk, then of the second. Matrices of k:
  // both chunks of keys 0 to 7, then of keys 8 to 15.
  auto queryOffsets = getStepOffsets(code, self.lane, code.add(self.warpRow, row16), upper16);
  auto keyOffsets =
      getStepOffsets(code, self.lane, code.add(row8, code.shiftLeft(upper16, 3)), upper8);

  Scores scores(getNumSlots(), Values(keyBlock / 4, code.f32(0)));
  for (int64_t step = 0; step < layout.headDim / stepSize; ++step) {
    int64_t panel = step / stepsPerPanel, inPanel = step % stepsPerPanel;
    SmallVector<std::array<Value, 4>, 2> a;
    for (int64_t tile = 0; tile < tiles; ++tile)
      a.push_back(code.loadMatrices(
          getShared(queryOffsets[inPanel],
                    layout.queries +
                        (panel * schedule.getQueryBlock() + 16 * tile) * SharedLayout::panelBytes),
          /*transposed=*/false));
    for (int64_t key = 0; key < keyBlock; key += 16) {
      std::array<Value, 4> b = code.loadMatrices(
          getKeyShared(keyOffsets[inPanel],
                       layout.keys + (panel * keyBlock + key) * SharedLayout::panelBytes),
          /*transposed=*/false);
      for (int64_t tile = 0; tile < tiles; ++tile)
        for (int64_t half = 0; half < 2; ++half) {
          Values &upper = scores[2 * tile], &lower = scores[2 * tile + 1];
          int64_t n = key / 4 + 2 * half;
          addProduct(a[tile], {b[2 * half], b[2 * half + 1]}, &upper[n], &lower[n]);
        }
    }
  }
  return scores;
}

void WarpLowering::emitMatrixDotAcc(const Scores &weights, const Values &factors, State &state) {
  WarpBuilder::PhaseScope phase(code, "O = O + P V");
  int64_t tiles = schedule.getWarpRows() / 16;
  int64_t keyBlock = 4 * static_cast<int64_t>(weights.front().size());
  // Matrices of v, transposed: keys 0 to 7 and 8 to 15 of the first chunk, then of the second.
  auto offsets =
      getStepOffsets(code, self.lane, code.bitAnd(self.lane, 15), code.shiftRight(self.lane, 4));
  for (int64_t key = 0; key < keyBlock; key += stepSize) {
    SmallVector<Values, 2> a;
    for (int64_t tile = 0; tile < tiles; ++tile) {
      Values &operand = a.emplace_back();
      for (int64_t half = 0; half < 2; ++half)
        for (int64_t slot = 2 * tile; slot < 2 * tile + 2; ++slot) {
          int64_t n = key / 4 + 2 * half;
          operand.push_back(code.packPair(attn.getDtype(), weights[slot][n], weights[slot][n + 1]));
        }
    }
    for (int64_t step = 0; step < layout.valueDim / stepSize; ++step) {
      int64_t panel = step / stepsPerPanel, inPanel = step % stepsPerPanel;
      std::array<Value, 4> b = code.loadMatrices(
          getKeyShared(offsets[inPanel],
                       layout.values + (panel * keyBlock + key) * SharedLayout::panelBytes),
          /*transposed=*/true);
      for (int64_t tile = 0; tile < tiles; ++tile)
        for (int64_t half = 0; half < 2; ++half) {
          Values &upper = state.output[2 * tile], &lower = state.output[2 * tile + 1];
          int64_t n = 4 * step + 2 * half;
          if (key == 0)
            for (int64_t i = n; i < n + 2; ++i) {
              upper[i] = code.mulF(upper[i], factors[2 * tile]);
              lower[i] = code.mulF(lower[i], factors[2 * tile + 1]);
            }
          addProduct(a[tile], {b[2 * half], b[2 * half + 1]}, &upper[n], &lower[n]);
        }
    }
  }
}
