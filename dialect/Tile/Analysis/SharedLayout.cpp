//===- SharedLayout.cpp - Tiles in shared memory ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Tile/Analysis/SharedLayout.h"
#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace attnc;
using namespace attnc::tile;

/// Registers of scores and output from which on a thread has none left.
static constexpr int64_t tightRegisters = 128;

/// The most shared memory, in ascending order, that a block of threads can have on the
/// architectures: 99, 163 or 227 KiB.
static constexpr int64_t blockBytes[] = {99 << 10, 163 << 10, 227 << 10};

TileCopy::TileCopy(TileOrder order, int64_t rows, int64_t numThreads)
    : order(order), usedThreads(numThreads) {
  // Lanes next to each other have the chunks of one row, or half of them: the other half of the
  // banks is then for the row's neighbour.
  llvm::SmallVector<int64_t, 10> rowBits, chunkBits = {1, 2};
  if (order.laneRows)
    rowBits = {1, order.laneRows, 2 * order.laneRows};
  if (!order.laneRows || order.isF32)
    chunkBits.push_back(4);
  for (int64_t bit = 1; bit < rows; bit *= 2)
    if (!llvm::is_contained(rowBits, bit))
      rowBits.push_back(bit);

  int64_t bit = 1;
  auto take = [&](int64_t row, int64_t chunk) {
    threadRows.push_back(row);
    threadChunks.push_back(chunk);
    bit *= 2;
  };
  for (int64_t chunkBit : chunkBits)
    take(0, chunkBit);
  llvm::SmallVector<int64_t, 10> otherRows;
  for (int64_t rowBit : rowBits) {
    if (bit < numThreads)
      take(rowBit, 0);
    else
      otherRows.push_back(rowBit);
  }
  passChunks = {0};
  if (chunkBits.size() == 2) {
    if (bit < numThreads)
      take(0, 4);
    else
      passChunks.push_back(4);
  }
  usedThreads = std::min(bit, numThreads);
  passRows = {0};
  for (int64_t rowBit : otherRows)
    for (size_t i = 0, end = passRows.size(); i < end; ++i)
      passRows.push_back(passRows[i] + rowBit);
}

SharedLayout::SharedLayout(attn::KernelOp kernel, WarpScheduleAttr schedule)
    : sharedValues(kernel) {
  tensorCores = schedule.getTensorCores();
  elementBytes = kernel.getDtype().getIntOrFloatBitWidth() / 8;
  // A step of mma.sync takes two chunks of q and k, 16 columns or 8 of f32; pairs of its tiles of 8
  // columns of v are loaded together. The others take 4 columns of q and k, and 16 of v for the
  // lanes of a quad.
  headDim = llvm::alignTo(kernel.getHeadDim(), (tensorCores ? 32 : 16) / elementBytes);
  valueDim = llvm::alignTo(kernel.getValueDim(), 16);
  int64_t rows = schedule.getQueryBlock(), keyRows = schedule.getKeyBlock();

  int64_t end = 0;
  auto place = [&](int64_t bytes) {
    int64_t offset = end;
    end += llvm::alignTo(bytes, panelBytes);
    return offset;
  };
  auto placeTile = [&](int64_t tileRows, int64_t columns) {
    return place(getNumPanels(columns) * tileRows * panelBytes);
  };
  queries = placeTile(rows, std::max(headDim, valueDim));
  keys = placeTile(keyRows, headDim);
  values = placeTile(keyRows, valueDim);
  stageBytes = end - keys;
  if (schedule.getShortGrid())
    end += stageBytes;
  weights = end;
  if (!tensorCores || schedule.getRolled())
    place(llvm::alignTo(keyRows * 4, panelBytes) * rows);
  if (schedule.getShortGrid())
    end = std::max(end, rows * getStagedRowBytes());
  blockSource = place(68);
  slope = blockSource + 64;
  flags = place(rows * 4);
  statistics = schedule.getShortGrid() ? place(rows * 8) : end;
  fullBlocks = partialBlocks = counts = keyRuns = rowBegins = rowEnds = end;
  keySummaries = keyGroups = querySummary = end;
  if (attn::MaskOp mask = kernel.getMask()) {
    attn::MaskAnalysis analysis(mask);
    if (!analysis.getRangeConditions().empty()) {
      // A row is spread over four threads.
      rowBegins = place(analysis.rangesHaveBegins() ? rows * 16 : 0);
      rowEnds = place(rows * 16);
    }
    if (analysis.needsVerdict()) {
      fullBlocks = place(schedule.getNumThreads() * 4);
      partialBlocks = place(schedule.getNumThreads() * schedule.getMaskedBlocks() * 4);
      counts = place(schedule.getNumWarps() * 8);
      size_t queryTables = analysis.getValues().getTabulated(attn::Stage::Query).size();
      if (!schedule.getShortGrid())
        keySummaries = place(16 + 16 * static_cast<int64_t>(queryTables));
      keyGroups = keySummaries + 8;
      querySummary = keySummaries + 16;
    }
    bool hasRuns = analysis.needsVerdict() || analysis.getNumKeyRuns() > 1;
    if (hasRuns && !schedule.getShortGrid())
      keyRuns = place(static_cast<int64_t>(analysis.getNumKeyRuns()) * 16);
  }

  // The rest only saves registers, and no architecture is to lose the tile for it: but those with
  // the least, where 32 rows of f32 a warp leave no registers on tensor cores.
  bool needsRegisters = schedule.getTf32() != Tf32::None && schedule.getWarpRows() > 16;
  int64_t room = 0;
  for (int64_t bytes : llvm::reverse(llvm::ArrayRef(blockBytes).drop_front(needsRegisters)))
    if (end <= bytes)
      room = bytes - end;
  auto take = [&](bool wanted, int64_t bytes) {
    bool taken = wanted && bytes <= room;
    room -= taken ? bytes : 0;
    return taken;
  };
  bool sameBlocks = schedule.getMaskedBlocks() == 1;
  int64_t placesBytes = schedule.getNumThreads() * 32, rowBytes = rows * 16;
  hasPlaces = take(tensorCores, sameBlocks ? placesBytes : 2 * placesBytes);
  fullPlaces = maskedPlaces = place(hasPlaces ? placesBytes : 0);
  if (!sameBlocks)
    maskedPlaces = place(hasPlaces ? placesBytes : 0);
  int64_t stateRegisters = schedule.getWarpRows() / 8 * (keyRows + valueDim) / 4;
  hasStatistics = take(tensorCores && stateRegisters >= tightRegisters, 2 * rowBytes);
  maxima = place(hasStatistics ? rowBytes : 0);
  sums = place(hasStatistics ? rowBytes : 0);
  auto getArrayBytes = [&](int64_t places, size_t numValues) -> int64_t {
    return llvm::alignTo(4 * places * numValues, panelBytes);
  };
  int64_t queryBytes = getArrayBytes(rows, sharedValues.queries.size());
  int64_t keyBytes = getArrayBytes(keyRows, sharedValues.keys.size());
  int64_t bitBytes = sharedValues.keyConditions.empty() ? 0 : panelBytes;
  int64_t sharedBytes = queryBytes + keyBytes + bitBytes;
  hasSharedValues = take(!schedule.getShortGrid() && sharedBytes != 0, sharedBytes);
  queryArrays = place(hasSharedValues ? queryBytes : 0);
  keyArrays = place(hasSharedValues ? keyBytes : 0);
  keyBits = place(hasSharedValues ? bitBytes : 0);
  totalBytes = end;
}

int64_t SharedLayout::getStagedRowBytes() const {
  return llvm::alignTo(valueDim * 4, stagedRowAlignment);
}

int64_t SharedLayout::getNumPanels(int64_t columns) const {
  return llvm::divideCeil(columns * elementBytes, panelBytes);
}
