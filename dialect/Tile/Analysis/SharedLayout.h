//===- SharedLayout.h - Tiles in shared memory ------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_TILE_ANALYSIS_SHAREDLAYOUT_H
#define DIALECT_TILE_ANALYSIS_SHAREDLAYOUT_H

#include "dialect/Tile/IR/TileOps.h"

namespace attnc::tile {

/// Where the tiles of a kernel with a warp_schedule lie in shared memory; offsets and sizes in
/// bytes.
///
/// A tile of rows of `columns` elements is cut into panels of 128 bytes a row: panel p holds the
/// bytes 128 p to 128 p + 127 of every row. Inside a panel, the 16-byte chunk c of row r lies at
/// 128 r + 16 (c ^ (r & 7)), so that eight rows of one chunk lie in different banks. Rows are
/// padded with zeros to whole panels.
struct SharedLayout {
  static constexpr int64_t panelBytes = 128, chunkBytes = 16;

  SharedLayout(attn::KernelOp kernel, WarpScheduleAttr schedule);

  /// The panels of a row of `columns` elements of the kernel's type.
  int64_t getNumPanels(int64_t columns) const;

  /// In short grids the output of a block lies from `queries` on in the end, in f32: the bytes of
  /// one row, whose 32-byte chunks 8 i to 8 i + 7 are swizzled by the row's number modulo 8.
  int64_t getStagedRowBytes() const;
  static constexpr int64_t stagedRowAlignment = 256;

  /// The bytes of an element of q, k, v and o.
  int64_t elementBytes;
  /// Head dims, padded to whole steps of the products.
  int64_t headDim, valueDim;
  /// First the queries of the block, and in the end its output.
  int64_t queries = 0;
  int64_t keys, values;
  /// From the buffers of keys and values to the second ones, which short grids have.
  int64_t stageBytes;
  /// Weights, where products need them in shared memory: f32, a row for each query. Chunks are
  /// swizzled as the products like it.
  int64_t weights;
  /// Four bytes a query: whether it has to be computed once more.
  int64_t flags;
  /// In short grids eight bytes a row: the largest score and the sum of weights.
  int64_t statistics;
  /// Four bytes each: a full block of keys for each thread, the masked blocks of one that is not,
  /// and for each warp how many of both it has found.
  int64_t fullBlocks, partialBlocks, counts;
  int64_t totalBytes;
};

} // namespace attnc::tile

#endif // DIALECT_TILE_ANALYSIS_SHAREDLAYOUT_H
