//===- GpuKernel.cpp - What launching a GPU kernel takes --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/GpuKernel.h"
#include "attnc/ArgumentLayout.h"
#include <algorithm>
#include <initializer_list>

using namespace attnc;

/// The places of the entries in getEntries. NAME_summarize is the last one.
enum { MainEntry, ShortEntry, CombineEntry };

std::vector<GpuEntry> attnc::getEntries(const GpuKernel &kernel) {
  const std::string &name = kernel.info.name;
  std::vector<GpuEntry> entries = {{name, kernel.threads, kernel.sharedBytes}};
  if (const std::optional<ShortGrid> &grid = kernel.shortGrid) {
    entries.push_back({name + GpuKernel::shortSuffix, grid->threads, grid->sharedBytes});
    entries.push_back(
        {name + GpuKernel::combineSuffix, grid->combineThreads, grid->combineSharedBytes});
  }
  if (kernel.summaries)
    entries.push_back({name + GpuKernel::summarizeSuffix, kernel.summaries->threads,
                       kernel.summaries->sharedBytes});
  return entries;
}

std::vector<GpuGrid> GpuLaunch::getGrids(const GpuKernel &kernel) const {
  std::vector<GpuGrid> grids;
  if (summaryBlocks > 0)
    grids.push_back({getEntries(kernel).size() - 1, summaryBlocks});
  if (blocks > 0)
    grids.push_back({splits > 0 ? ShortEntry : MainEntry, blocks});
  if (combineBlocks > 0)
    grids.push_back({CombineEntry, combineBlocks});
  return grids;
}

std::array<int64_t, 3> GpuLaunch::getWorkspaceSlots(int64_t address) const {
  std::array<int64_t, 3> slots{};
  slots[SplitRows] = combineBlocks > 0 ? address : 0;
  slots[NumSplits] = splits;
  slots[SummariesAddress] = summaryBlocks > 0 ? address + summariesOffset : 0;
  return slots;
}

int64_t attnc::getParameterBytes(const KernelInfo &info) {
  return ArgumentLayout(info).getNumSlots() * static_cast<int64_t>(sizeof(int64_t));
}

std::optional<std::string> attnc::checkParameterBytes(const KernelInfo &info) {
  int64_t bytes = getParameterBytes(info);
  if (bytes <= GpuKernel::maxParameterBytes)
    return std::nullopt;
  return "expected launch arguments of at most " + std::to_string(GpuKernel::maxParameterBytes) +
         " bytes, the most that kernels for GPUs take, got " + std::to_string(bytes) + " with " +
         std::to_string(info.captures.size()) + " captured tensors and " +
         std::to_string(info.scalars.size()) + " scalars";
}

/// `count` in parts of `size`, the last one smaller.
static int64_t countParts(int64_t count, int64_t size) {
  return count / size + (count % size != 0);
}

/// The product of sizes that are not negative, or nothing if 64 bits do not hold it.
static std::optional<int64_t> multiply(std::initializer_list<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    if (size == 0)
      return 0;
  for (int64_t size : sizes)
    if (__builtin_mul_overflow(product, size, &product))
      return std::nullopt;
  return product;
}

/// The query heads whose rows a block of the short entry mixes.
static int64_t countPackedHeads(const ShortGrid &grid, const BoundArguments &arguments) {
  return grid.packsHeads && arguments.Hkv != 0 ? arguments.Hq / arguments.Hkv : 1;
}

/// The blocks of the short entry for one split.
static std::optional<int64_t> countTiles(const ShortGrid &grid, const BoundArguments &arguments) {
  int64_t packed = countPackedHeads(grid, arguments);
  std::optional<int64_t> rows = multiply({arguments.Q, packed});
  if (!rows)
    return std::nullopt;
  return multiply({countParts(*rows, grid.rows), arguments.B, packed ? arguments.Hq / packed : 0});
}

int64_t attnc::getWorkspaceRowBytes(int64_t valueDim) {
  constexpr int64_t padding = ShortGrid::columnPadding;
  int64_t floats = countParts(valueDim, padding) * padding + ShortGrid::rowStatistics;
  return floats * static_cast<int64_t>(sizeof(float));
}

int64_t attnc::chooseSplits(const GpuKernel &kernel, const BoundArguments &arguments,
                            int64_t multiprocessors) {
  if (!kernel.shortGrid || arguments.KV == 0)
    return 0;
  std::optional<int64_t> blocks =
      multiply({countParts(arguments.Q, kernel.queryBlock), arguments.B, arguments.Hq});
  bool isShort = blocks && *blocks <= multiprocessors / 2;
  if (arguments.Q >= GpuKernel::shortQueries && !isShort)
    return 0;
  std::optional<int64_t> tiles = countTiles(*kernel.shortGrid, arguments);
  if (!tiles || *tiles == 0)
    return 1;
  int64_t splits = GpuKernel::blocksPerMultiprocessor * multiprocessors / *tiles;
  splits = std::min({splits, arguments.KV / GpuKernel::splitKeys, GpuKernel::maxSplits});
  return std::max<int64_t>(splits, 1);
}

/// Adds NAME_summarize and its part of the workspace. Returns false if sizes are too large.
static bool planSummaries(const TableSummaries &summaries, const BoundArguments &arguments,
                          GpuLaunch &launch) {
  constexpr int64_t alignment = 16, valueBytes = 8;
  int64_t keys = countParts(arguments.KV, summaries.blockSize);
  int64_t groups = countParts(keys, summaries.threads);
  int64_t queries = summaries.queryValues ? countParts(arguments.Q, summaries.blockSize) : 0;
  std::optional<int64_t> owners =
      multiply({summaries.perBatch ? arguments.B : 1, summaries.perHead ? arguments.Hq : 1});
  if (!owners)
    return false;
  std::optional<int64_t> blocks =
      multiply({*owners, groups + countParts(queries, summaries.threads)});
  std::optional<int64_t> keyBytes =
      multiply({*owners, keys + groups, summaries.keyValues * valueBytes});
  std::optional<int64_t> queryBytes =
      multiply({*owners, queries, summaries.queryValues * valueBytes});
  if (!blocks || *blocks > GpuKernel::maxBlocks || !keyBytes || !queryBytes)
    return false;
  launch.summaryBlocks = *blocks;
  launch.summariesOffset = countParts(launch.workspaceBytes, alignment) * alignment;
  int64_t bytes = 0;
  return !__builtin_add_overflow(*keyBytes, *queryBytes, &bytes) &&
         !__builtin_add_overflow(launch.summariesOffset, bytes, &launch.workspaceBytes);
}

std::optional<std::string> attnc::planLaunch(const GpuKernel &kernel,
                                             const BoundArguments &arguments, int64_t splits,
                                             GpuLaunch &launch) {
  launch = {};
  bool isShort = kernel.shortGrid && splits > 0 && arguments.KV > 0;
  std::optional<int64_t> blocks, rows = multiply({arguments.B, arguments.Hq, arguments.Q});
  if (isShort) {
    launch.splits = std::min({splits, arguments.KV, GpuKernel::maxSplits});
    if (std::optional<int64_t> tiles = countTiles(*kernel.shortGrid, arguments))
      blocks = multiply({*tiles, launch.splits});
  } else {
    blocks = multiply({countParts(arguments.Q, kernel.queryBlock), arguments.B, arguments.Hq});
  }
  bool combines = launch.splits > 1;
  auto isGrid = [](const std::optional<int64_t> &count) {
    return count && *count <= GpuKernel::maxBlocks;
  };
  if (!isGrid(blocks) || (combines && !isGrid(rows)))
    return "expected a grid of at most " + std::to_string(GpuKernel::maxBlocks) +
           " blocks, got B * Hq = " + std::to_string(arguments.B) + " * " +
           std::to_string(arguments.Hq) + " heads with " + std::to_string(arguments.Q) +
           " queries in blocks of " +
           std::to_string(isShort ? kernel.shortGrid->rows : kernel.queryBlock) +
           (combines ? " and " + std::to_string(launch.splits) + " splits" : "");
  launch.blocks = *blocks;
  if (launch.blocks == 0)
    return std::nullopt;
  if (combines) {
    launch.combineBlocks = *rows;
    launch.workspaceBytes =
        launch.combineBlocks * launch.splits * getWorkspaceRowBytes(kernel.info.valueDim);
  }
  if (kernel.summaries && arguments.KV > 0 && !planSummaries(*kernel.summaries, arguments, launch))
    return "expected tables that a grid of at most " + std::to_string(GpuKernel::maxBlocks) +
           " blocks summarizes, got B * Hq = " + std::to_string(arguments.B) + " * " +
           std::to_string(arguments.Hq) + " heads with " + std::to_string(arguments.Q) +
           " queries and " + std::to_string(arguments.KV) + " keys";
  return std::nullopt;
}
