//===- Tf32Products.cpp - Products of f32 on tensor cores ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Tensor cores take f32 as tf32, with 11 significant bits. A chunk has four columns of f32 where it
// has eight of f16, so that ldmatrix gives fragments of queries and keys as it does for those, in
// steps of 8 columns; each lane rounds what it has read. Queries are rounded once, in their tile.
//
// The keys of a step of the other product may have any order: rows i and i + 4 are the columns 2 i
// and 2 i + 1 of a tile of scores, which are the lane's own. Values come by plain loads: lane 4 g +
// i has of its key the columns 2 g and 2 g + 1 of every 16. The first are columns of one tile of
// the output, the second those of another, so that the lane owns columns 16 j + 4 i to + 3.
//
// A split operand is a sum of two: x rounded to tf32, and what that leaves, rounded again. Of the
// four products the one of what is left of both is nothing beside the rounding of f32; the small
// ones are added first. Where x is infinite, or rounds to infinity, what is left is not a number or
// infinite, and so is the score: its row is computed once more (ExactRows.cpp), from x itself.
// Tensor cores round sums towards zero; those of a panel of columns, or of a block of keys, are
// short, and join others by additions in f32.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"

using namespace mlir;
using namespace attnc;
using tile::SharedLayout;
using tile::Tf32;

/// Columns, or keys, that one step of mma.sync takes; columns of a panel.
static constexpr int64_t stepSize = 8, panelColumns = 32;
/// Columns of values that a lane loads together with the others of a row.
static constexpr int64_t valueColumns = 16;

void WarpLowering::roundQueries() {
  WarpBuilder::PhaseScope phase(code, "load Q");
  // All copies of elements and chunks are there.
  code.waitForCopies();
  code.barrier();
  constexpr int64_t chunkElements = 4, chunksAtOnce = 4;
  auto type = VectorType::get(chunkElements, code.getF32Type());
  int64_t numThreads = schedule.getNumThreads();
  int64_t bytes =
      layout.getNumPanels(layout.headDim) * schedule.getQueryBlock() * SharedLayout::panelBytes;
  code.loop(code.i32(0), code.i32(bytes), numThreads * chunksAtOnce * SharedLayout::chunkBytes,
            [&](Value start) {
              Value place = code.add(start, code.shiftLeft(self.thread, 4));
              for (int64_t i = 0; i < chunksAtOnce; ++i) {
                Value address =
                    getShared(place, layout.queries + i * numThreads * SharedLayout::chunkBytes);
                Values chunk =
                    code.unpackVector(code.load(type, address, SharedLayout::chunkBytes));
                for (Value &value : chunk)
                  value = code.roundToTf32(value);
                code.store(code.packVector(chunk), address, SharedLayout::chunkBytes);
              }
            });
}

WarpLowering::Tf32Operand WarpLowering::makeTf32Operand(ArrayRef<Value> values) {
  Tf32Operand operand;
  for (Value value : values) {
    Value big = code.roundToTf32(value);
    operand.big.push_back(big);
    if (schedule.getTf32() == Tf32::Split)
      operand.small.push_back(
          code.roundToTf32(code.subF(value, code.bitcast(code.getF32Type(), big))));
  }
  return operand;
}

WarpLowering::Tf32Operand WarpLowering::loadTf32Operand(Value address, bool isRounded) {
  Values values;
  for (Value value : code.loadMatrices(address, /*transposed=*/false))
    values.push_back(isRounded ? value : code.bitcast(code.getF32Type(), value));
  if (isRounded)
    return {values, {}};
  return makeTf32Operand(values);
}

void WarpLowering::addTf32Products(ArrayRef<Tf32Operand> a, ArrayRef<Tf32Operand> b,
                                   MutableArrayRef<std::array<Value, 4>> sums) {
  auto add = [&](Values Tf32Operand::*ofA, Values Tf32Operand::*ofB) {
    for (size_t i = 0; i < a.size(); ++i)
      for (size_t j = 0; j < b.size(); ++j) {
        std::array<Value, 4> &sum = sums[i * b.size() + j];
        sum = code.multiplyMatrices(code.getF32Type(), a[i].*ofA, b[j].*ofB, sum);
      }
  };
  if (schedule.getTf32() == Tf32::Split) {
    add(&Tf32Operand::small, &Tf32Operand::big);
    add(&Tf32Operand::big, &Tf32Operand::small);
  }
  add(&Tf32Operand::big, &Tf32Operand::big);
}

WarpLowering::Scores WarpLowering::emitTf32Dot(bool masked) {
  WarpBuilder::PhaseScope phase(code, "S = Q K^T");
  int64_t keyBlock = getKeyBlock(masked), tiles = schedule.getWarpRows() / 16;
  int64_t columns = keyBlock / 4;
  bool splits = schedule.getTf32() == Tf32::Split;
  auto [queryPlace, keyPlace] = getProductPlaces(masked);
  std::array<Value, panelColumns / stepSize> queryOffsets, keyOffsets;
  for (int64_t step = 0; step < panelColumns / stepSize; ++step) {
    queryOffsets[step] = code.bitXor(queryPlace, 2 * SharedLayout::chunkBytes * step);
    keyOffsets[step] = code.bitXor(keyPlace, 2 * SharedLayout::chunkBytes * step);
  }

  // Adds the products of columns of panel `panel`, or of the one that is `panelStart`, an i32,
  // panels behind it, to `sums`: of each tile of rows those with each tile of keys.
  using Sums = SmallVector<std::array<Value, 4>>;
  auto addPanel = [&](Sums &sums, int64_t panel, Value panelStart, int64_t numColumns) {
    auto getAddress = [&](Value offset, int64_t rows, int64_t place, bool ofKeys) {
      if (panelStart)
        offset = code.add(offset, code.mul(panelStart, rows * SharedLayout::panelBytes));
      return ofKeys ? getKeyShared(offset, place) : getShared(offset, place);
    };
    for (int64_t step = 0; step < numColumns / stepSize; ++step) {
      SmallVector<Tf32Operand, 0> a;
      for (int64_t tile = 0; tile < tiles; ++tile) {
        int64_t row = panel * schedule.getQueryBlock() + 16 * tile;
        a.push_back(loadTf32Operand(getAddress(queryOffsets[step], schedule.getQueryBlock(),
                                               layout.queries + row * SharedLayout::panelBytes,
                                               /*ofKeys=*/false),
                                    /*isRounded=*/!splits));
      }
      for (int64_t key = 0; key < keyBlock; key += 16) {
        int64_t row = panel * keyBlock + key / 4;
        Tf32Operand both = loadTf32Operand(getAddress(keyOffsets[step], keyBlock,
                                                      layout.keys + row * SharedLayout::panelBytes,
                                                      /*ofKeys=*/true),
                                           /*isRounded=*/false);
        SmallVector<Tf32Operand, 0> b(2);
        for (size_t half = 0; half < 2; ++half) {
          b[half].big.append(both.big.begin() + 2 * half, both.big.begin() + 2 * half + 2);
          if (splits)
            b[half].small.append(both.small.begin() + 2 * half, both.small.begin() + 2 * half + 2);
        }
        Sums products;
        auto getSum = [&](int64_t tile, int64_t half) -> std::array<Value, 4> & {
          return sums[tile * (keyBlock / 8) + key / 8 + half];
        };
        for (int64_t tile = 0; tile < tiles; ++tile)
          for (int64_t half = 0; half < 2; ++half)
            products.push_back(getSum(tile, half));
        addTf32Products(a, b, products);
        for (int64_t tile = 0; tile < tiles; ++tile)
          for (int64_t half = 0; half < 2; ++half)
            getSum(tile, half) = products[2 * tile + half];
      }
    }
  };

  Value zero = code.f32(0);
  const Sums none(tiles * (keyBlock / 8), {zero, zero, zero, zero});
  auto flatten = [&](const Sums &sums) {
    Values all;
    for (const std::array<Value, 4> &sum : sums)
      all.append(sum.begin(), sum.end());
    return all;
  };
  auto unflatten = [&](ValueRange all) {
    Sums sums = none;
    for (auto [i, value] : llvm::enumerate(all))
      sums[i / 4][i % 4] = value;
    return sums;
  };
  auto addNext = [&](ValueRange before, int64_t panel, Value panelStart, int64_t numColumns) {
    Sums sums = splits ? none : unflatten(before);
    addPanel(sums, panel, panelStart, numColumns);
    Values all = flatten(sums);
    if (splits)
      for (auto [sum, other] : llvm::zip(all, before))
        sum = code.addF(other, sum);
    return all;
  };
  int64_t panels = layout.headDim / panelColumns, rest = layout.headDim % panelColumns;
  Values all = flatten(none);
  if (panels > 0)
    all = code.loop(code.i32(0), code.i32(panels), 1, all, [&](Value panel, ValueRange carried) {
      return addNext(carried, /*panel=*/0, panel, panelColumns);
    });
  if (rest)
    all = addNext(all, panels, Value(), rest);

  Scores scores(getNumSlots(), Values(columns));
  for (int64_t tile = 0; tile < tiles; ++tile)
    for (int64_t n = 0; n < columns; n += 2) {
      const Value *sum = &all[(tile * columns + n) * 2];
      std::copy_n(sum, 2, &scores[2 * tile][n]);
      std::copy_n(sum + 2, 2, &scores[2 * tile + 1][n]);
    }
  return scores;
}

WarpLowering::Values WarpLowering::checkProducts(const Scores &scores) {
  Values checks;
  if (schedule.getTf32() != Tf32::Rounded)
    return checks;
  for (const Values &row : scores) {
    Value partial[] = {code.f32(0), code.f32(0)};
    for (auto [n, product] : llvm::enumerate(row))
      partial[n % 2] = code.fma(product, code.f32(0), partial[n % 2]);
    checks.push_back(code.addF(partial[0], partial[1]));
  }
  return checks;
}

void WarpLowering::emitTf32DotAcc(bool masked, const Scores &weights, const Values &factors,
                                  State &state) {
  WarpBuilder::PhaseScope phase(code, "O = O + P V");
  int64_t keyBlock = getKeyBlock(masked), tiles = schedule.getWarpRows() / 16;
  // Of each step of keys the operands of all tiles of rows.
  SmallVector<SmallVector<Tf32Operand, 0>, 0> a;
  for (int64_t n = 0; n < keyBlock / 4; n += 2) {
    auto &operands = a.emplace_back();
    for (int64_t tile = 0; tile < tiles; ++tile) {
      const Values &upper = weights[2 * tile], &lower = weights[2 * tile + 1];
      operands.push_back(makeTf32Operand({upper[n], lower[n], upper[n + 1], lower[n + 1]}));
    }
  }
  Value place = getValuePlace(masked), zero = code.f32(0);
  // For even and odd keys, those of chunks 0 to 3 and 4 to 7 of a panel.
  std::array<std::array<Value, 2>, 2> offsets;
  for (int64_t e = 0; e < 2; ++e)
    for (int64_t half = 0; half < 2; ++half)
      offsets[e][half] = code.bitXor(place, layout.getKeyOrder(keyBlock).getPlace(e, 4 * half) -
                                                e * SharedLayout::panelBytes);
  auto type = VectorType::get(2, code.getF32Type());
  int64_t groups = layout.valueDim / valueColumns, steps = keyBlock / stepSize;
  // The products of a step of keys with a group of columns of values.
  auto addStep = [&](int64_t group, int64_t step, ArrayRef<Tf32Operand> a,
                     MutableArrayRef<std::array<Value, 4>> sums) {
    std::array<Values, 2> columns;
    for (int64_t e = 0; e < 2; ++e) {
      int64_t row = group / 2 * keyBlock + 2 * step + e;
      columns[e] = code.unpackVector(code.load(
          type, getKeyShared(offsets[e][group % 2], layout.values + row * SharedLayout::panelBytes),
          8));
    }
    SmallVector<Tf32Operand, 0> b;
    for (int64_t m = 0; m < 2; ++m)
      b.push_back(makeTf32Operand({columns[0][m], columns[1][m]}));
    addTf32Products(a, b, sums);
  };
  // The output that a product of tile `m` of columns has as its element `i`.
  auto getOutput = [&](int64_t group, int64_t tile, int64_t m, int64_t i) -> Value & {
    return state.output[2 * tile + i / 2][4 * group + 2 * (i % 2) + m];
  };
  if (schedule.getTf32() == Tf32::Rounded) {
    for (int64_t slot = 0; slot < getNumSlots(); ++slot)
      for (Value &value : state.output[slot])
        value = code.mulF(value, factors[slot]);
    for (int64_t step = 0; step < steps; ++step)
      for (int64_t group = 0; group < groups; ++group) {
        SmallVector<std::array<Value, 4>> sums(2 * tiles);
        for (int64_t tile = 0; tile < tiles; ++tile)
          for (int64_t m = 0; m < 2; ++m)
            for (int64_t i = 0; i < 4; ++i)
              sums[2 * tile + m][i] = getOutput(group, tile, m, i);
        addStep(group, step, a[step], sums);
        for (int64_t tile = 0; tile < tiles; ++tile)
          for (int64_t m = 0; m < 2; ++m)
            for (int64_t i = 0; i < 4; ++i)
              getOutput(group, tile, m, i) = sums[2 * tile + m][i];
      }
    return;
  }
  for (int64_t group = 0; group < groups; ++group) {
    SmallVector<std::array<Value, 4>> sums(2 * tiles, {zero, zero, zero, zero});
    for (int64_t step = 0; step < steps; ++step)
      addStep(group, step, a[step], sums);
    for (int64_t tile = 0; tile < tiles; ++tile)
      for (int64_t m = 0; m < 2; ++m)
        for (int64_t i = 0; i < 4; ++i) {
          Value &output = getOutput(group, tile, m, i);
          output = code.fma(output, factors[2 * tile + i / 2], sums[2 * tile + m][i]);
        }
  }
}
