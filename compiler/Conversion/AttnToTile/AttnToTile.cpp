//===- AttnToTile.cpp - Builds the steps of online softmax ------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/GpuKernel.h"
#include "compiler/Conversion/AttnToTile/HostSchedule.h"
#include "compiler/Conversion/AttnToTile/Passes.h"
#include "compiler/Conversion/AttnToTile/RequestedTile.h"
#include "compiler/Conversion/AttnToTile/WarpSchedule.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {
#define GEN_PASS_DEF_CONVERTATTNTOTILEPASS
#include "compiler/Conversion/AttnToTile/Passes.h.inc"
} // namespace attnc

using namespace mlir;
using namespace attnc;
using namespace attnc::tile;

namespace {
/// The values that the steps of one kernel share.
struct KernelTiles {
  Value block;
  Value queries;
  Value state;
};
} // namespace

/// Adds a block with one argument, a range, to `body` and moves `builder` into it.
static Value enterBody(OpBuilder &builder, Region &body, Location loc) {
  Block *block = builder.createBlock(&body);
  return block->addArgument(RangeType::get(builder.getContext()), loc);
}

/// What happens to one sub-tile of queries and one block of keys.
static void buildSubTile(OpBuilder &builder, Location loc, const KernelTiles &tiles, Value rows,
                         Value keyRange, Value keys, Value values, bool hasScore, bool masked) {
  Value scores = DotOp::create(builder, loc, tiles.queries, rows, keys);
  if (hasScore)
    scores = MapOp::create(builder, loc, scores, rows, keyRange);
  if (masked)
    scores = MaskOp::create(builder, loc, scores, rows, keyRange);
  Value weights = SoftmaxStepOp::create(builder, loc, scores, tiles.state, rows);
  DotAccOp::create(builder, loc, weights, values, tiles.state, rows);
}

/// Puts `kernel` into a tile.kernel with one of the schedules.
static void convertKernel(attn::KernelOp kernel, ScheduleAttr schedule,
                          WarpScheduleAttr warpSchedule) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  bool hasScore = kernel.getScore() != nullptr;

  auto tileKernel = KernelOp::create(builder, loc, kernel.getSymNameAttr(), schedule, warpSchedule);

  KernelTiles tiles;
  tiles.block = enterBody(builder, tileKernel.getBody(), loc);
  Block &body = tileKernel.getBody().front();
  kernel->moveBefore(&body, body.end());
  tiles.queries = LoadQueriesOp::create(builder, loc, tiles.block);
  tiles.state = InitStateOp::create(builder, loc, tiles.block);
  auto forKeys = ForKeysOp::create(builder, loc, tiles.block);
  EpilogueOp::create(builder, loc, tiles.state, tiles.block);

  Value keyRange = enterBody(builder, forKeys.getBody(), loc);
  Value keys = LoadKeysOp::create(builder, loc, keyRange);
  Value values = LoadValuesOp::create(builder, loc, keyRange);
  auto forQueries = ForQueriesOp::create(builder, loc, tiles.block, keyRange);
  for (bool masked : {false, true}) {
    Region &body = masked ? forQueries.getPartial() : forQueries.getFull();
    Value rows = enterBody(builder, body, loc);
    buildSubTile(builder, loc, tiles, rows, keyRange, keys, values, hasScore, masked);
  }
}

/// Adds a copy of `kernel` with a schedule for short grids.
static void addShortKernel(attn::KernelOp kernel, int64_t sharedMemory, Tf32 tf32) {
  WarpScheduleAttr schedule = chooseShortSchedule(kernel, sharedMemory, tf32);
  assert(schedule && "the smallest tile is the same for all grids");
  OpBuilder builder(kernel->getContext());
  builder.setInsertionPointAfter(kernel);
  auto copy = cast<attn::KernelOp>(builder.clone(*kernel));
  copy.setSymName((kernel.getSymName() + GpuKernel::shortSuffix).str());
  convertKernel(copy, {}, schedule);
}

namespace {
struct ConvertAttnToTile : attnc::impl::ConvertAttnToTilePassBase<ConvertAttnToTile> {
  using ConvertAttnToTilePassBase::ConvertAttnToTilePassBase;

  /// Null after an error.
  WarpScheduleAttr scheduleForGpu(attn::KernelOp kernel, Tf32 ofKernel) {
    if (std::optional<TileSizes> sizes = parseTile(tile))
      return scheduleRequestedTile(kernel, *sizes, sharedMemory, ofKernel);
    WarpScheduleAttr schedule = chooseWarpSchedule(kernel, sharedMemory, ofKernel);
    if (!schedule)
      kernel.emitError("no tile of this kernel fits into ") << sharedMemory.getValue() << " bytes";
    return schedule;
  }

  void runOnOperation() override {
    if (!tile.empty() && !parseTile(tile)) {
      getOperation().emitError("expected a tile of ")
          << getTileRange() << ", got `" << tile.getValue() << "`";
      return signalPassFailure();
    }
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<attn::KernelOp>())) {
      if (sharedMemory == 0) {
        convertKernel(kernel, chooseHostSchedule(kernel, features), {});
        continue;
      }
      Tf32 ofKernel = kernel.getDtype().isF32() ? tf32.getValue() : Tf32::None;
      WarpScheduleAttr schedule = scheduleForGpu(kernel, ofKernel);
      if (!schedule)
        return signalPassFailure();
      if (shortGrids)
        addShortKernel(kernel, sharedMemory, ofKernel);
      convertKernel(kernel, {}, schedule);
    }
  }
};
} // namespace
