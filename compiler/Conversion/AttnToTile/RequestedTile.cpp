//===- RequestedTile.cpp - Tiles that users choose --------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/AttnToTile/RequestedTile.h"
#include "compiler/Conversion/AttnToTile/BodyOps.h"
#include "dialect/Tile/Analysis/SharedLayout.h"
#include "dialect/Tile/Analysis/ThreadRegisters.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::tile;

static constexpr int64_t tileQueries[] = {16, 32, 64, 128, 256};
static constexpr int64_t tileKeys[] = {16, 32, 64, 128};

std::optional<TileSizes> attnc::parseTile(StringRef text) {
  auto [queries, keys] = text.split('x');
  TileSizes tile;
  if (queries.getAsInteger(10, tile.queries) || keys.getAsInteger(10, tile.keys) ||
      !llvm::is_contained(tileQueries, tile.queries) || !llvm::is_contained(tileKeys, tile.keys))
    return std::nullopt;
  return tile;
}

std::string attnc::getTileRange() {
  auto list = [](ArrayRef<int64_t> sizes) {
    return llvm::join(llvm::map_range(sizes, [](int64_t size) { return std::to_string(size); }),
                      ", ");
  };
  return "QUERIESxKEYS with queries of " + list(tileQueries) + " and keys of " + list(tileKeys);
}

/// Most ops that bodies are unrolled to in a tile that somebody wants.
static constexpr int64_t unrolledOps = 4096;

static WarpScheduleAttr getSchedule(attn::KernelOp kernel, TileSizes tile, int64_t warpRows,
                                    Tf32 tf32) {
  int64_t headDims = kernel.getHeadDim() + kernel.getValueDim();
  // The products of wide heads make large loops.
  int64_t masked = headDims > 256 ? std::max<int64_t>(tile.keys / 2, 16) : tile.keys;
  auto get = [&](bool rolled) {
    return WarpScheduleAttr::get(kernel.getContext(), tile.queries, warpRows, tile.keys, masked,
                                 !kernel.getDtype().isF32() || tf32 != Tf32::None,
                                 /*shortGrid=*/false, rolled, tf32);
  };
  WarpScheduleAttr unrolled = get(/*rolled=*/false);
  if (BodyOps(kernel, /*scoreLoops=*/2).fitUnrolled(unrolled, unrolledOps, unrolledOps))
    return unrolled;
  return get(/*rolled=*/true);
}

namespace {
/// A schedule, and what it takes of what there is.
struct Fit {
  WarpScheduleAttr schedule;
  int64_t sharedBytes, registers, freeRegisters;

  bool hasRegisters() const { return registers <= freeRegisters; }
  bool fits(int64_t sharedMemory) const { return hasRegisters() && sharedBytes <= sharedMemory; }
};
} // namespace

/// With 32 rows a warp if there are registers for it, else with 16.
static Fit fitTile(attn::KernelOp kernel, TileSizes tile, Tf32 tf32) {
  Fit fit;
  for (int64_t warpRows : {32, 16}) {
    if (warpRows > tile.queries)
      continue;
    WarpScheduleAttr schedule = getSchedule(kernel, tile, warpRows, tf32);
    fit = {schedule, SharedLayout(kernel, schedule).totalBytes,
           countStateRegisters(kernel, schedule), getFreeRegisters(schedule)};
    if (fit.hasRegisters())
      return fit;
  }
  return fit;
}

static std::string print(TileSizes tile) {
  return std::to_string(tile.queries) + "x" + std::to_string(tile.keys);
}

static void noteTilesThatFit(attn::KernelOp kernel, int64_t sharedMemory, Tf32 tf32,
                             InFlightDiagnostic &error) {
  std::string list;
  for (int64_t queries : tileQueries)
    for (int64_t keys : tileKeys)
      if (TileSizes tile{queries, keys}; fitTile(kernel, tile, tf32).fits(sharedMemory))
        list += (list.empty() ? "" : ", ") + print(tile);
  error.attachNote() << "tiles that fit: " << (list.empty() ? "none" : list);
}

WarpScheduleAttr attnc::scheduleRequestedTile(attn::KernelOp kernel, TileSizes tile,
                                              int64_t sharedMemory, Tf32 tf32) {
  Fit fit = fitTile(kernel, tile, tf32);
  if (fit.fits(sharedMemory))
    return fit.schedule;
  InFlightDiagnostic error = kernel.emitError("expected a tile that fits, got `")
                             << print(tile) << "`, which takes ";
  if (fit.hasRegisters())
    error << fit.sharedBytes << " bytes of shared memory of the " << sharedMemory
          << " that a block of threads can have";
  else
    error << fit.registers << " registers a thread for scores and output of the "
          << fit.freeRegisters << " that a block of " << fit.schedule.getNumThreads()
          << " threads leaves for them";
  noteTilesThatFit(kernel, sharedMemory, tf32, error);
  return {};
}
