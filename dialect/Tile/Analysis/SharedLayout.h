//===- SharedLayout.h - Tiles in shared memory ------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_TILE_ANALYSIS_SHAREDLAYOUT_H
#define DIALECT_TILE_ANALYSIS_SHAREDLAYOUT_H

#include "dialect/Attn/Analysis/SharedValues.h"
#include "dialect/Tile/IR/TileOps.h"
#include "llvm/ADT/SmallVector.h"

namespace attnc::tile {

/// Where the 16-byte chunks of a tile lie in its panels. Panel p of a tile holds the bytes 128 p to
/// 128 p + 127 of every row; inside, chunk c of row r lies at 128 r + 16 (c ^ s), where the swizzle
/// s has 3 bits of r: chunks that are accessed at once lie in different banks.
///
/// Rows of queries, and of everything in f32, are accessed eight neighbours at a time: s is r & 7.
/// Rows of keys and values on tensor cores are accessed as the lanes of a quad own them, an equal
/// part of the block each: pairs of neighbours from the four parts. There s has bit 0 of r and the
/// number of the part: of 16-bit elements with the bit on top, of f32 below, since the lanes of a
/// quad then read two neighbouring chunks of the four parts at once.
///
/// Places are linear: that of (r ^ r', c ^ c') is the place of (r, c) xor that of (r', c').
struct TileOrder {
  static constexpr int64_t panelBytes = 128, chunkBytes = 16;

  /// The rows that a lane of a quad owns, a power of 2 from 4 on; 0 for neighbours.
  int64_t laneRows = 0;
  /// Whether elements are f32, if there are `laneRows`.
  bool isF32 = false;

  int64_t getSwizzle(int64_t row) const {
    if (!laneRows)
      return row & 7;
    int64_t part = row / laneRows & 3, neighbour = row & 1;
    return isF32 ? part << 1 | neighbour : neighbour << 2 | part;
  }
  int64_t getPlace(int64_t row, int64_t chunk) const {
    return row * panelBytes + (chunk ^ getSwizzle(row)) * chunkBytes;
  }
};

/// How threads copy a tile: in each pass and for each panel, a thread copies chunks of one row.
/// What a thread copies is linear in its number; sizes are powers of 2.
struct TileCopy {
  /// `rows` and `numThreads` are powers of 2.
  TileCopy(TileOrder order, int64_t rows, int64_t numThreads);

  TileOrder order;
  /// What each bit of the thread's number adds to its row and to its first chunk.
  llvm::SmallVector<int64_t, 10> threadRows, threadChunks;
  /// What is added to them in each pass, and for each chunk of a pass.
  llvm::SmallVector<int64_t, 16> passRows;
  llvm::SmallVector<int64_t, 2> passChunks;
  /// Threads from this one on have nothing to copy.
  int64_t usedThreads;
};

/// Where the tiles of a kernel with a warp_schedule lie in shared memory; offsets and sizes in
/// bytes. Rows are padded with zeros to whole panels.
struct SharedLayout {
  static constexpr int64_t panelBytes = TileOrder::panelBytes, chunkBytes = TileOrder::chunkBytes;

  SharedLayout(attn::KernelOp kernel, WarpScheduleAttr schedule);

  /// The order of blocks of `keyBlock` keys and their values.
  TileOrder getKeyOrder(int64_t keyBlock) const {
    return TileOrder{tensorCores ? keyBlock / 4 : 0, elementBytes == 4};
  }

  /// The panels of a row of `columns` elements of the kernel's type.
  int64_t getNumPanels(int64_t columns) const;

  /// In short grids the output of a block lies from `queries` on in the end, in f32: the bytes of
  /// one row, whose 32-byte chunks 8 i to 8 i + 7 are swizzled by the row's number modulo 8.
  int64_t getStagedRowBytes() const;
  static constexpr int64_t stagedRowAlignment = 256;

  bool tensorCores;
  /// The bytes of an element of q, k, v and o.
  int64_t elementBytes;
  /// Head dims, padded to whole steps of the products.
  int64_t headDim, valueDim;
  /// First the queries of the block, and in the end its output.
  int64_t queries = 0;
  int64_t keys, values;
  /// From the buffers of keys and values to the second ones, which short grids have.
  int64_t stageBytes;
  /// The place that a thread has for the score of slot `slot` and column `column`, from its place
  /// for the first one on. A panel takes 8 columns of the threads of a warp, in the warp's rows.
  int64_t getScorePlace(int64_t slot, int64_t column, WarpScheduleAttr schedule) const {
    return column / 8 * schedule.getQueryBlock() * panelBytes +
           (column % 8 * schedule.getWarpRows() / 8 + slot) * panelBytes;
  }

  /// Weights, where products need them in shared memory: f32, a row for each query. Chunks are
  /// swizzled as the products like it. Before, scores of rolled bodies: a row has one of each
  /// thread of the warp.
  int64_t weights;
  /// Where the keys and values of the block are, for the function that copies them element by
  /// element.
  int64_t blockSource;
  /// The slope of a linear score body, f32.
  int64_t slope;
  /// Four bytes a query: whether it has to be computed once more.
  int64_t flags;
  /// In short grids eight bytes a row: the largest score and the sum of weights.
  int64_t statistics;
  /// Four bytes a thread and row of it: where the range of keys that the row attends to begins and
  /// ends, relative to the thread's first key of block 0; nothing for begins that are all 0.
  int64_t rowBegins, rowEnds;
  /// Four bytes each: a full block of keys for each thread, the masked blocks of one that is not,
  /// and for each warp how many of both it has found.
  int64_t fullBlocks, partialBlocks, counts;
  /// Eight bytes each: where summaries of tables by key are in global memory, of blocks and of
  /// groups; and the summary of the block's queries, two for each table. Not in short grids.
  int64_t keySummaries, keyGroups, querySummary;
  /// Sixteen bytes each: the blocks of keys of a run, where a mask has several.
  int64_t keyRuns;
  /// With `hasPlaces`, the places of each thread in tiles and in global memory, for full blocks of
  /// keys and for masked ones: arrays of eight bytes a thread, one behind the other.
  bool hasPlaces;
  int64_t fullPlaces, maskedPlaces;
  /// With `hasStatistics`, four bytes a thread and row of it: the row's largest score, and the sum
  /// of the thread's weights.
  bool hasStatistics;
  int64_t maxima, sums;
  /// With `hasSharedValues`, what bodies compute of queries and of keys alone: of queries four
  /// bytes a query for each value, those of the score body first, where the rows of a thread follow
  /// each other; of a block of keys the same, and a bit a key for all conditions together.
  bool hasSharedValues;
  attn::SharedValues sharedValues;
  int64_t queryArrays, keyArrays, keyBits;
  int64_t getQueryArray(int64_t value, WarpScheduleAttr schedule) const {
    return queryArrays + value * 4 * schedule.getQueryBlock();
  }
  /// The array of value `value`, and the place of key `key` in it. Chunks of 32 keys have their
  /// places xored, so that the four lanes of a quad, whose keys are a quarter of the block apart,
  /// read different banks; places are linear, as those of a tile.
  int64_t getKeyArray(int64_t value, WarpScheduleAttr schedule) const {
    return keyArrays + value * 4 * schedule.getKeyBlock();
  }
  static int64_t getKeyPlace(int64_t key) { return 4 * (key ^ (key / 32 & 7) << 2); }
  int64_t totalBytes;
};

} // namespace attnc::tile

#endif // DIALECT_TILE_ANALYSIS_SHAREDLAYOUT_H
