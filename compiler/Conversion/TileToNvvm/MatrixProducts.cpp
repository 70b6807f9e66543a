//===- MatrixProducts.cpp - Products on tensor cores --------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Operands come from shared memory by ldmatrix: its lane l names row l % 8 of matrix l / 8. Columns
// 2 i and 2 i + 1 of tile j of scores are the keys L i + 2 j and L i + 2 j + 1 of the block, where
// L is a quarter of it: so each lane of a quad has keys that follow each other. In the other
// product the tiles 2 j and 2 j + 1 are a step.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"

using namespace mlir;
using namespace attnc;
using tile::SharedLayout;
using tile::TileOrder;

/// Columns, or rows of values, that one step of mma.sync takes: two chunks.
static constexpr int64_t stepSize = 16;
/// Steps in a panel.
static constexpr int64_t stepsPerPanel = 4;

WarpLowering::Fragments WarpLowering::getFragments(int64_t keyBlock) {
  TileOrder keyOrder = layout.getKeyOrder(keyBlock), queryOrder;
  int64_t first = 1, part = keyOrder.laneRows, tile = 2;
  auto map = [&](TileOrder order, std::array<int64_t, 3> matrixRows, int64_t bit3, int64_t bit4) {
    // Either the row or the chunk of a matrix.
    auto getPlace = [&](int64_t row) {
      return row ? order.getPlace(row, 0) : order.getPlace(0, 1);
    };
    SmallVector<int64_t> images;
    for (int64_t row : matrixRows)
      images.push_back(order.getPlace(row, 0));
    images.push_back(getPlace(bit3));
    images.push_back(getPlace(bit4));
    return code.mapBits(self.lane, images);
  };
  constexpr int64_t nextChunk = 0;
  Fragments fragments;
  // Rows 0 to 7 and 8 to 15 of the first chunk, then of the second.
  fragments.queries = code.add(map(queryOrder, {1, 2, 4}, 8, nextChunk),
                               code.mul(self.warpRow, SharedLayout::panelBytes));
  // Both chunks of the first tile of keys, then of the second.
  fragments.keys = map(keyOrder, {first, part, 2 * part}, nextChunk, tile);
  // Both tiles of keys of the first chunk, then of the second; of f32 a lane has two columns of a
  // key.
  if (schedule.getTf32() == tile::Tf32::None)
    fragments.values = map(keyOrder, {first, part, 2 * part}, tile, nextChunk);
  else
    fragments.values =
        code.mapBits(self.lane, {keyOrder.getPlace(part, 0), keyOrder.getPlace(2 * part, 0), 8,
                                 keyOrder.getPlace(0, 1), keyOrder.getPlace(0, 2)});
  return fragments;
}

/// The offsets of the fragments of each step in a panel.
static std::array<Value, stepsPerPanel> getStepOffsets(WarpBuilder &code, Value first) {
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

WarpLowering::Scores WarpLowering::emitMatrixDot(bool masked) {
  WarpBuilder::PhaseScope phase(code, "S = Q K^T");
  int64_t keyBlock = getKeyBlock(masked), tiles = schedule.getWarpRows() / 16;
  auto [queryPlace, keyPlace] = getProductPlaces(masked);
  auto queryOffsets = getStepOffsets(code, queryPlace), keyOffsets = getStepOffsets(code, keyPlace);
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
                       layout.keys + (panel * keyBlock + key / 4) * SharedLayout::panelBytes),
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

void WarpLowering::emitMatrixDotAcc(bool masked, const Scores &weights, const Values &factors,
                                    State &state) {
  WarpBuilder::PhaseScope phase(code, "O = O + P V");
  int64_t keyBlock = getKeyBlock(masked), tiles = schedule.getWarpRows() / 16;
  auto offsets = getStepOffsets(code, getValuePlace(masked));
  for (int64_t slot = 0; slot < getNumSlots(); ++slot)
    for (Value &value : state.output[slot])
      value = code.mulF(value, factors[slot]);
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
                       layout.values + (panel * keyBlock + key / 4) * SharedLayout::panelBytes),
          /*transposed=*/true);
      for (int64_t tile = 0; tile < tiles; ++tile)
        for (int64_t half = 0; half < 2; ++half) {
          Values &upper = state.output[2 * tile], &lower = state.output[2 * tile + 1];
          int64_t n = 4 * step + 2 * half;
          addProduct(a[tile], {b[2 * half], b[2 * half + 1]}, &upper[n], &lower[n]);
        }
    }
  }
}
