//===- GpuKernelTest.cpp - Tests of what launching a GPU kernel takes -------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/GpuKernel.h"
#include <gtest/gtest.h>

using namespace attnc;

static BoundArguments makeArguments(int64_t b, int64_t hq, int64_t q, int64_t hkv = 1,
                                    int64_t kv = 1) {
  BoundArguments arguments;
  arguments.B = b;
  arguments.Hq = hq;
  arguments.Hkv = hkv;
  arguments.Q = q;
  arguments.KV = kv;
  return arguments;
}

/// A kernel for 128 queries a block, and for 64 rows in short grids.
static GpuKernel makeKernel() {
  GpuKernel kernel;
  kernel.info.valueDim = 100;
  kernel.queryBlock = 128;
  kernel.shortGrid.emplace();
  kernel.shortGrid->rows = 64;
  kernel.shortGrid->packsHeads = true;
  return kernel;
}

/// The same with summaries, each of 32 keys, 256 of them by a block.
static GpuKernel makeKernelWithSummaries() {
  GpuKernel kernel = makeKernel();
  TableSummaries &summaries = kernel.summaries.emplace();
  summaries.blockSize = 32;
  summaries.threads = 256;
  summaries.sharedBytes = 7;
  summaries.keyValues = 2;
  return kernel;
}

/// The blocks of a launch, or -1 after an error.
static int64_t countBlocks(const GpuKernel &kernel, const BoundArguments &arguments,
                           int64_t splits = 0) {
  GpuLaunch launch;
  return planLaunch(kernel, arguments, splits, launch) ? -1 : launch.blocks;
}

TEST(GpuKernel, CountsBlocks) {
  GpuKernel kernel = makeKernel();
  EXPECT_EQ(countBlocks(kernel, makeArguments(2, 3, 128)), 6);
  EXPECT_EQ(countBlocks(kernel, makeArguments(2, 3, 129)), 12);
  EXPECT_EQ(countBlocks(kernel, makeArguments(1, 1, GpuKernel::maxBlocks)), 16777216);
  // More than 65535 in a dimension other than the first would be refused.
  EXPECT_EQ(countBlocks(kernel, makeArguments(70000, 1, 1)), 70000);
  EXPECT_EQ(countBlocks(kernel, makeArguments(4096, 32, 16)), 131072);
  for (const BoundArguments &empty :
       {makeArguments(0, 3, 128), makeArguments(2, 0, 128), makeArguments(2, 3, 0)})
    for (int64_t splits : {0, 1, 2})
      EXPECT_EQ(countBlocks(kernel, empty, splits), 0);
}

TEST(GpuKernel, RefusesGridsThatAreTooLarge) {
  GpuKernel kernel;
  kernel.queryBlock = 64;
  GpuLaunch launch;
  EXPECT_EQ(planLaunch(kernel, makeArguments(65536, 32768, 1), 0, launch),
            "expected a grid of at most 2147483647 blocks, got B * Hq = 65536 * 32768 heads with 1 "
            "queries in blocks of 64");
  EXPECT_EQ(countBlocks(kernel, makeArguments(int64_t(1) << 31, int64_t(1) << 31, 1 << 20)), -1);
  EXPECT_EQ(countBlocks(kernel, makeArguments(int64_t(1) << 31, int64_t(1) << 40, 0)), 0);
  kernel.queryBlock = 1;
  EXPECT_EQ(countBlocks(kernel, makeArguments(1, 1, GpuKernel::maxBlocks)), GpuKernel::maxBlocks);
  EXPECT_EQ(countBlocks(kernel, makeArguments(2, 1, (int64_t(1) << 30))), -1);
  EXPECT_EQ(planLaunch(makeKernel(), makeArguments(65536, 16384, 1, 16384, 500), 2, launch),
            "expected a grid of at most 2147483647 blocks, got B * Hq = 65536 * 16384 heads with 1 "
            "queries in blocks of 64 and 2 splits");
}

TEST(GpuKernel, RowsOfShortGridsAreThoseOfAGroup) {
  GpuKernel kernel = makeKernel();
  // 8 heads of 9 queries are 72 rows of each of 2 heads of keys.
  BoundArguments arguments = makeArguments(3, 16, 9, 2, 1000);
  EXPECT_EQ(countBlocks(kernel, arguments, 1), 3 * 2 * 2);
  EXPECT_EQ(countBlocks(kernel, arguments, 5), 3 * 2 * 2 * 5);
  kernel.shortGrid->packsHeads = false;
  EXPECT_EQ(countBlocks(kernel, arguments, 1), 3 * 16);
}

TEST(GpuKernel, SplitsHaveAWorkspace) {
  GpuLaunch launch;
  BoundArguments arguments = makeArguments(3, 16, 9, 2, 1000);
  EXPECT_EQ(planLaunch(makeKernel(), arguments, 1, launch), std::nullopt);
  EXPECT_EQ(launch.splits, 1);
  EXPECT_EQ(launch.combineBlocks, 0);
  EXPECT_EQ(launch.workspaceBytes, 0);
  EXPECT_EQ(planLaunch(makeKernel(), arguments, 5, launch), std::nullopt);
  EXPECT_EQ(launch.splits, 5);
  EXPECT_EQ(launch.combineBlocks, 3 * 16 * 9);
  // 112 columns and two statistics.
  EXPECT_EQ(launch.workspaceBytes, 3 * 16 * 9 * 5 * 114 * 4);
  // No more splits than keys, and the entry of long grids without any.
  arguments.KV = 3;
  EXPECT_EQ(planLaunch(makeKernel(), arguments, 5, launch), std::nullopt);
  EXPECT_EQ(launch.splits, 3);
  arguments.KV = 0;
  EXPECT_EQ(planLaunch(makeKernel(), arguments, 5, launch), std::nullopt);
  EXPECT_EQ(launch.splits, 0);
  EXPECT_EQ(launch.blocks, 3 * 16);
}

/// "NAME:threads:bytes NAME:..." of the entries of a kernel.
static std::string printEntries(const GpuKernel &kernel) {
  std::string text;
  for (const GpuEntry &entry : getEntries(kernel))
    text += (text.empty() ? "" : " ") + entry.name + ":" + std::to_string(entry.threads) + ":" +
            std::to_string(entry.sharedBytes);
  return text;
}

TEST(GpuKernel, LaunchesItsEntries) {
  GpuKernel kernel = makeKernel();
  kernel.info.name = "k";
  kernel.threads = 1, kernel.sharedBytes = 2;
  kernel.shortGrid->threads = 3, kernel.shortGrid->sharedBytes = 4;
  kernel.shortGrid->combineThreads = 5, kernel.shortGrid->combineSharedBytes = 6;
  EXPECT_EQ(printEntries(kernel), "k:1:2 k_short:3:4 k_combine:5:6");

  /// "NAME x blocks, NAME x ..." of a launch.
  auto printGrids = [&](const BoundArguments &arguments, int64_t splits) {
    GpuLaunch launch;
    EXPECT_EQ(planLaunch(kernel, arguments, splits, launch), std::nullopt);
    std::string text;
    for (const GpuGrid &grid : launch.getGrids(kernel))
      text += (text.empty() ? "" : ", ") + getEntries(kernel)[grid.entry].name + " x " +
              std::to_string(grid.blocks);
    return text;
  };
  BoundArguments arguments = makeArguments(3, 16, 9, 2, 1000);
  EXPECT_EQ(printGrids(arguments, 0), "k x 48");
  EXPECT_EQ(printGrids(arguments, 1), "k_short x 12");
  EXPECT_EQ(printGrids(arguments, 5), "k_short x 60, k_combine x 432");
  EXPECT_EQ(printGrids(makeArguments(3, 16, 0, 2, 1000), 0), "");
  EXPECT_EQ(printGrids(makeArguments(3, 16, 0, 2, 1000), 5), "");
  kernel.summaries = makeKernelWithSummaries().summaries;
  EXPECT_EQ(printEntries(kernel), "k:1:2 k_short:3:4 k_combine:5:6 k_summarize:256:7");
  EXPECT_EQ(printGrids(arguments, 0), "k_summarize x 1, k x 48");
  EXPECT_EQ(printGrids(arguments, 5), "k_summarize x 1, k_short x 60, k_combine x 432");
  EXPECT_EQ(printGrids(makeArguments(3, 16, 0, 2, 1000), 5), "");
  EXPECT_EQ(printGrids(makeArguments(3, 16, 9, 2, 0), 5), "k x 48");
  kernel.shortGrid.reset();
  EXPECT_EQ(printEntries(kernel), "k:1:2 k_summarize:256:7");
  EXPECT_EQ(printGrids(arguments, 5), "k_summarize x 1, k x 48");
  kernel.summaries.reset();
  EXPECT_EQ(printEntries(kernel), "k:1:2");
  EXPECT_EQ(printGrids(arguments, 5), "k x 48");
}

TEST(GpuKernel, ChoosesSplitsByTheMultiprocessors) {
  GpuKernel kernel = makeKernel();
  // One query of 8 groups: 8 blocks a split, and 4 blocks a multiprocessor.
  EXPECT_EQ(chooseSplits(kernel, makeArguments(1, 64, 1, 8, 1 << 17), 132), 66);
  EXPECT_EQ(chooseSplits(kernel, makeArguments(1, 64, 1, 8, 1 << 17), 1000), 128);
  EXPECT_EQ(chooseSplits(kernel, makeArguments(16, 64, 1, 8, 1 << 17), 132), 4);
  EXPECT_EQ(chooseSplits(kernel, makeArguments(100, 64, 1, 8, 1 << 17), 132), 1);
  // Each split has 128 keys.
  EXPECT_EQ(chooseSplits(kernel, makeArguments(1, 64, 1, 8, 1000), 132), 7);
  EXPECT_EQ(chooseSplits(kernel, makeArguments(1, 64, 1, 8, 100), 132), 1);
  // From 64 queries on, only grids that leave half of the GPU idle.
  EXPECT_EQ(chooseSplits(kernel, makeArguments(100, 64, 63, 8, 1000), 132), 1);
  EXPECT_EQ(chooseSplits(kernel, makeArguments(100, 64, 64, 8, 1000), 132), 0);
  EXPECT_EQ(chooseSplits(kernel, makeArguments(1, 66, 64, 66, 1000), 132), 7);
  EXPECT_EQ(chooseSplits(kernel, makeArguments(1, 67, 64, 67, 1000), 132), 0);
  EXPECT_EQ(chooseSplits(kernel, makeArguments(1, 64, 1, 8, 0), 132), 0);
  kernel.shortGrid.reset();
  EXPECT_EQ(chooseSplits(kernel, makeArguments(1, 64, 1, 8, 1 << 17), 132), 0);
}

TEST(GpuKernel, RefusesMoreArgumentsThanAKernelTakes) {
  KernelInfo info;
  EXPECT_EQ(getParameterBytes(info), 208);
  // Three slots each.
  for (int i = 0; i < 161; ++i)
    info.captures.push_back({"t" + std::to_string(i), ElementType::F32, {SizeExpr::symbol("Q")}});
  EXPECT_EQ(getParameterBytes(info), 4072);
  EXPECT_EQ(checkParameterBytes(info), std::nullopt);
  info.scalars.push_back({"x", ElementType::F32});
  EXPECT_EQ(checkParameterBytes(info),
            "expected launch arguments of at most 4072 bytes, the most that kernels for GPUs take, "
            "got 4080 with 161 captured tensors and 1 scalars");
}

TEST(GpuKernel, SummariesFollowTheRowsOfSplits) {
  GpuKernel kernel = makeKernelWithSummaries();
  GpuLaunch launch;
  // 16385 keys are 513 blocks in three groups.
  EXPECT_EQ(planLaunch(kernel, makeArguments(3, 16, 9, 2, 16385), 0, launch), std::nullopt);
  EXPECT_EQ(launch.summaryBlocks, 3);
  EXPECT_EQ(launch.summariesOffset, 0);
  EXPECT_EQ(launch.workspaceBytes, (513 + 3) * 2 * 8);
  EXPECT_EQ(launch.getWorkspaceSlots(4096), (std::array<int64_t, 3>{0, 0, 4096}));
  // Each batch and head with its own, and 65 queries in three blocks.
  kernel.summaries->queryValues = 4;
  kernel.summaries->perBatch = kernel.summaries->perHead = true;
  EXPECT_EQ(planLaunch(kernel, makeArguments(3, 16, 65, 16, 16385), 5, launch), std::nullopt);
  EXPECT_EQ(launch.summaryBlocks, 3 * 16 * (3 + 1));
  int64_t rows = int64_t(3) * 16 * 65 * 5 * 114 * 4;
  EXPECT_EQ(launch.summariesOffset, rows);
  EXPECT_EQ(launch.workspaceBytes, rows + 3 * 16 * ((513 + 3) * 2 + 3 * 4) * 8);
  EXPECT_EQ(launch.getWorkspaceSlots(4096), (std::array<int64_t, 3>{4096, 5, 4096 + rows}));
  kernel.summaries->perHead = false;
  EXPECT_EQ(planLaunch(kernel, makeArguments(3, 1, 65, 1, 16385), 1, launch), std::nullopt);
  EXPECT_EQ(launch.summaryBlocks, 3 * (3 + 1));
  // What the rows end with is rounded up to a multiple of 16.
  EXPECT_EQ(planLaunch(kernel, makeArguments(1, 1, 1, 1, 9), 3, launch), std::nullopt);
  EXPECT_EQ(launch.summariesOffset, (3 * 114 * 4 + 15) / 16 * 16);
  EXPECT_EQ(launch.summariesOffset % 16, 0);
}

TEST(GpuKernel, RefusesSummariesThatAreTooLarge) {
  GpuKernel kernel = makeKernelWithSummaries();
  kernel.summaries->perBatch = true;
  GpuLaunch launch;
  EXPECT_EQ(
      planLaunch(kernel, makeArguments(1000, 1, 64, 1, int64_t(1) << 50), 0, launch),
      "expected tables that a grid of at most 2147483647 blocks summarizes, got B * Hq = 1000 "
      "* 1 heads with 64 queries and 1125899906842624 keys");
}
