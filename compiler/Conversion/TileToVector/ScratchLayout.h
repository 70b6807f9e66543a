//===- ScratchLayout.h - Where a kernel keeps its tiles ---------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_TILETOVECTOR_SCRATCHLAYOUT_H
#define COMPILER_CONVERSION_TILETOVECTOR_SCRATCHLAYOUT_H

#include "dialect/Tile/IR/TileOps.h"

namespace attnc {

/// How q, k and v enter the inner products of a kernel.
enum class OperandForm {
  Direct,    ///< f32, as the tensors hold them
  Converted, ///< f16 or bf16, converted to f32
  Pairs      ///< bf16, two neighbours in 32 bits for the dot product instruction
};

/// Byte offsets and sizes of a kernel's tiles in its scratch memory, each on a cache line.
///
/// A tile of queries has a row for each head dim (or pair of them), scores and weights for each
/// key, output for each column of v; a row holds the queries of one sub-tile in lanes.
struct ScratchLayout {
  explicit ScratchLayout(tile::KernelOp kernel);

  OperandForm form;
  /// Rows of a tile of queries: head dims, or pairs of them.
  int64_t queryRows;
  /// Bytes of a row.
  int64_t rowBytes;

  /// Packed queries, output, maximum and sum: one for each sub-tile of the block.
  int64_t queries, queryTileBytes;
  int64_t output, outputTileBytes;
  int64_t maxima, sums;
  /// For one sub-tile and one block of keys.
  int64_t scores, weights, newMaxima;
  /// Keys and values of one block, converted or paired; without bytes where they are used in place.
  int64_t keys, keyRowBytes;
  int64_t values, valueRowBytes;

  int64_t totalBytes;
};

} // namespace attnc

#endif // COMPILER_CONVERSION_TILETOVECTOR_SCRATCHLAYOUT_H
