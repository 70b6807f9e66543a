//===- HostLaunchTest.cpp - Tests of launches of host kernels ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/ArgumentLayout.h"
#include "attnc/HostKernel.h"
#include <gtest/gtest.h>
#include <mutex>
#include <set>

using namespace attnc;

// Sanitizers shall let an allocation fail as it would fail without them.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char *__tsan_default_options() { return "allocator_may_return_null=1"; }

namespace {
struct Call {
  int64_t b, h, begin, end;
  void *scratch;
};
std::mutex callsMutex;
std::vector<Call> calls;

/// Stands for a kernel: notes how it was called and writes all of its scratch memory.
void record(const int64_t *slots, int64_t b, int64_t h, int64_t begin, int64_t end, void *scratch) {
  for (int64_t i = 0; i < slots[0]; ++i)
    static_cast<char *>(scratch)[i] = 1;
  std::lock_guard<std::mutex> lock(callsMutex);
  calls.push_back({b, h, begin, end, scratch});
}

HostKernel makeKernel(int64_t queryBlock, int64_t scratchBytes) {
  HostKernel kernel;
  kernel.function = record;
  kernel.queryBlock = queryBlock;
  kernel.scratchBytes = scratchBytes;
  return kernel;
}

BoundArguments makeArguments(int64_t b, int64_t hq, int64_t q, int64_t scratchBytes) {
  BoundArguments arguments;
  arguments.B = b;
  arguments.Hq = hq;
  arguments.Hkv = 1;
  arguments.Q = q;
  arguments.slots = {scratchBytes};
  return arguments;
}

class HostLaunch : public testing::Test {
protected:
  void SetUp() override { calls.clear(); }
};
} // namespace

// Every row of every head is computed once, in blocks that are not too long.
TEST_F(HostLaunch, CoversAllRowsOnce) {
  for (int threads : {1, 2, 5})
    for (int64_t q : {1, 31, 32, 255, 256, 257, 1000}) {
      calls.clear();
      ASSERT_EQ(launch(makeKernel(256, 100), makeArguments(2, 3, q, 100), threads), std::nullopt);
      std::set<std::tuple<int64_t, int64_t, int64_t>> rows;
      for (const Call &call : calls) {
        EXPECT_LE(call.end - call.begin, 256);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(call.scratch) % 64, 0u);
        for (int64_t row = call.begin; row < call.end; ++row)
          EXPECT_TRUE(rows.insert({call.b, call.h, row}).second);
      }
      EXPECT_EQ(static_cast<int64_t>(rows.size()), 2 * 3 * q);
    }
}

TEST_F(HostLaunch, LongestBlocksFirstAndHeadsAdjacent) {
  ASSERT_EQ(launch(makeKernel(64, 0), makeArguments(2, 2, 100, 0), 1), std::nullopt);
  ASSERT_EQ(calls.size(), 8u);
  const int64_t expected[][4] = {{0, 0, 64, 100}, {0, 1, 64, 100}, {1, 0, 64, 100}, {1, 1, 64, 100},
                                 {0, 0, 0, 64},   {0, 1, 0, 64},   {1, 0, 0, 64},   {1, 1, 0, 64}};
  for (size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i].b, expected[i][0]);
    EXPECT_EQ(calls[i].h, expected[i][1]);
    EXPECT_EQ(calls[i].begin, expected[i][2]);
    EXPECT_EQ(calls[i].end, expected[i][3]);
  }
}

TEST_F(HostLaunch, NothingToComputeCallsNothing) {
  EXPECT_EQ(launch(makeKernel(64, 10), makeArguments(2, 2, 0, 10), 2), std::nullopt);
  EXPECT_EQ(launch(makeKernel(64, 10), makeArguments(0, 2, 5, 10), 2), std::nullopt);
  EXPECT_EQ(launch(makeKernel(64, 10), makeArguments(2, 0, 5, 10), 2), std::nullopt);
  EXPECT_TRUE(calls.empty());
}

// A few heads with few queries are cut finer, so that each thread finds work.
TEST_F(HostLaunch, SmallLaunchesTakeSmallBlocks) {
  HostKernel kernel = makeKernel(256, 0);
  EXPECT_EQ(planTasks(kernel, makeArguments(1, 8, 4096, 0), 2).rows, 256);
  EXPECT_EQ(planTasks(kernel, makeArguments(1, 1, 512, 0), 2).rows, 64);
  EXPECT_EQ(planTasks(kernel, makeArguments(1, 1, 512, 0), 1).rows, 256);
  EXPECT_EQ(planTasks(kernel, makeArguments(1, 1, 512, 0), 64).rows, 32);
  EXPECT_EQ(planTasks(kernel, makeArguments(1, 1, 20, 0), 64).rows, 20);
  EXPECT_EQ(planTasks(kernel, makeArguments(1, 1, 100, 0), 64).count, 4);
}

TEST_F(HostLaunch, ScratchThatCannotBeHadIsAnError) {
  int64_t huge = int64_t(1) << 60;
  EXPECT_EQ(launch(makeKernel(256, huge), makeArguments(1, 1, 1, 0), 1),
            "cannot allocate 1152921504606846976 bytes of scratch memory");
}
