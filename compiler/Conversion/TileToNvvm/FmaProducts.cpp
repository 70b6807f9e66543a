//===- FmaProducts.cpp - Products in f32 ---------------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// A lane reads chunks of four columns. The rows of q that the lanes of a warp read at once are
// eight neighbours, those of k four with one between: swizzling keeps both in different banks, and
// what several lanes read is read once.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"

using namespace mlir;
using namespace attnc;
using tile::SharedLayout;

/// f32 in a chunk.
static constexpr int64_t chunkElements = 4;

static WarpBuilder::Values loadChunk(WarpBuilder &code, Value address) {
  auto type = VectorType::get(chunkElements, code.getF32Type());
  return code.unpackVector(code.load(type, address, SharedLayout::chunkBytes));
}

WarpLowering::Scores WarpLowering::emitFmaDot(int64_t keyBlock) {
  WarpBuilder::PhaseScope phase(code, "S = Q K^T");
  int64_t slots = getNumSlots(), columns = keyBlock / 4;
  // Where chunk 0 of a row lies, for this lane's first row of q and its first two rows of k.
  auto getFirst = [&](Value row, Value swizzle) {
    return code.add(code.shiftLeft(row, 7), code.shiftLeft(swizzle, 4));
  };
  Value queryFirst = getFirst(code.add(self.warpRow, self.quadRow), self.quadRow);
  Value keyRow = code.shiftLeft(self.quadLane, 1);
  Value keyFirst[] = {getFirst(keyRow, keyRow), getFirst(code.add(keyRow, 1), code.add(keyRow, 1))};

  Values initial(slots * columns, code.f32(0));
  Value chunks = code.i32(layout.headDim / chunkElements);
  Values sums = code.loop(code.i32(0), chunks, 1, initial, [&](Value chunk, ValueRange carried) {
    Value panel = code.shiftRight(chunk, 3);
    Value inPanel = code.shiftLeft(code.bitAnd(chunk, 7), 4);
    auto place = [&](Value first, int64_t tileRows) {
      return code.add(code.bitXor(first, inPanel),
                      code.mul(panel, tileRows * SharedLayout::panelBytes));
    };
    Value queries = getShared(place(queryFirst, schedule.getQueryBlock()), layout.queries);
    Value keys[] = {getKeyShared(place(keyFirst[0], keyBlock), layout.keys),
                    getKeyShared(place(keyFirst[1], keyBlock), layout.keys)};
    SmallVector<Values, 4> rows;
    for (int64_t slot = 0; slot < slots; ++slot)
      rows.push_back(loadChunk(code, code.address(queries, slot * 8 * SharedLayout::panelBytes)));
    Values results(carried);
    for (int64_t n = 0; n < columns; ++n) {
      Value address = code.address(keys[n % 2], n / 2 * 8 * SharedLayout::panelBytes);
      Values key = loadChunk(code, address);
      for (int64_t slot = 0; slot < slots; ++slot)
        for (int64_t i = 0; i < chunkElements; ++i) {
          Value &sum = results[slot * columns + n];
          sum = code.fma(rows[slot][i], key[i], sum);
        }
    }
    return results;
  });

  Scores scores;
  for (int64_t slot = 0; slot < slots; ++slot)
    scores.emplace_back(sums.begin() + slot * columns, sums.begin() + (slot + 1) * columns);
  return scores;
}

void WarpLowering::emitFmaDotAcc(const Scores &weights, const Values &factors, State &state) {
  WarpBuilder::PhaseScope phase(code, "O = O + P V");
  int64_t slots = getNumSlots(), outputs = getNumOutputs();
  auto columns = static_cast<int64_t>(weights.front().size());
  int64_t keyBlock = 4 * columns;
  // Weights of a row go to the other lanes of its quad through shared memory. Half a warp writes
  // two chunks of each of four rows: swizzled by quadRow rotated left by one bit, all eight lie in
  // different banks.
  Value swizzle =
      code.bitOr(code.bitAnd(code.shiftLeft(self.quadRow, 1), 7), code.shiftRight(self.quadRow, 2));
  Value rowStart =
      code.add(code.shiftLeft(code.add(self.warpRow, self.quadRow), 7), code.shiftLeft(swizzle, 4));
  Value chunkOfPair = code.shiftLeft(code.shiftRight(self.quadLane, 1), 4);
  Value byteOfPair = code.shiftLeft(code.bitAnd(self.quadLane, 1), 3);
  int64_t weightPanel = schedule.getQueryBlock() * SharedLayout::panelBytes;
  for (int64_t n = 0; n < columns; n += 2) {
    int64_t chunk = n;
    Value place =
        code.bitXor(code.bitXor(rowStart, chunkOfPair), chunk % 8 * SharedLayout::chunkBytes);
    Value target = getShared(code.add(place, byteOfPair), layout.weights + chunk / 8 * weightPanel);
    for (int64_t slot = 0; slot < slots; ++slot) {
      Value both = code.packVector(ArrayRef(weights[slot]).slice(n, 2));
      code.store(both, code.address(target, slot * 8 * SharedLayout::panelBytes), 8);
    }
  }
  code.syncWarp();

  Values initial;
  for (auto [row, factor] : llvm::zip(state.output, factors))
    for (Value value : row)
      initial.push_back(code.mulF(value, factor));
  Value chunks = code.i32(keyBlock / chunkElements);
  Values sums = code.loop(code.i32(0), chunks, 1, initial, [&](Value chunk, ValueRange carried) {
    Value inPanel = code.shiftLeft(code.bitAnd(chunk, 7), 4);
    Value source = getShared(
        code.add(code.bitXor(rowStart, inPanel), code.mul(code.shiftRight(chunk, 3), weightPanel)),
        layout.weights);
    SmallVector<Values, 4> rows;
    for (int64_t slot = 0; slot < slots; ++slot)
      rows.push_back(loadChunk(code, code.address(source, slot * 8 * SharedLayout::panelBytes)));
    Values results(carried);
    // Keys 4 c to 4 c + 3: their rows are swizzled by 4 (c & 1) + e.
    Value upper = code.shiftLeft(code.bitAnd(chunk, 1), 2);
    for (int64_t e = 0; e < chunkElements; ++e) {
      Value swizzled = code.bitXor(code.bitXor(self.quadLane, upper), e);
      Value start = code.add(code.shiftLeft(chunk, 9), code.shiftLeft(swizzled, 4));
      Value values[] = {getKeyShared(start, layout.values),
                        getKeyShared(code.bitXor(start, 64), layout.values)};
      for (int64_t n = 0; n < outputs; n += chunkElements) {
        int64_t group = n / chunkElements;
        int64_t offset =
            group / 2 * keyBlock * SharedLayout::panelBytes + e * SharedLayout::panelBytes;
        Values value = loadChunk(code, code.address(values[group % 2], offset));
        for (int64_t slot = 0; slot < slots; ++slot)
          for (int64_t i = 0; i < chunkElements; ++i) {
            Value &sum = results[slot * outputs + n + i];
            sum = code.fma(rows[slot][e], value[i], sum);
          }
      }
    }
    return results;
  });
  for (int64_t slot = 0; slot < slots; ++slot)
    state.output[slot] = Values(sums.begin() + slot * outputs, sums.begin() + (slot + 1) * outputs);
}
