//===- RequestedTile.h - Tiles that users choose ------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_ATTNTOTILE_REQUESTEDTILE_H
#define COMPILER_CONVERSION_ATTNTOTILE_REQUESTEDTILE_H

#include "dialect/Tile/IR/TileOps.h"
#include <optional>
#include <string>

namespace attnc {

/// The queries that a block of threads computes, and the keys that it takes at a time.
struct TileSizes {
  int64_t queries = 0;
  int64_t keys = 0;
};

/// The tile `128x64`, queries by keys, if kernels for GPUs are made for such; what is expected of
/// one, as text.
std::optional<TileSizes> parseTile(llvm::StringRef text);
std::string getTileRange();

/// The schedule of `kernel` with tiles of these sizes, for a GPU whose blocks of threads can have
/// `sharedMemory` bytes. If they need more than there is, reports what, and which tiles fit, and
/// returns null.
tile::WarpScheduleAttr scheduleRequestedTile(attn::KernelOp kernel, TileSizes tile,
                                             int64_t sharedMemory, tile::Tf32 tf32);

} // namespace attnc

#endif // COMPILER_CONVERSION_ATTNTOTILE_REQUESTEDTILE_H
