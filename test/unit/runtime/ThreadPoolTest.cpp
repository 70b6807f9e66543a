//===- ThreadPoolTest.cpp - Tests of the thread pool ------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/ThreadPool.h"
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace attnc;

// Each task runs exactly once, whatever the number of workers.
TEST(ThreadPool, RunsEachTaskOnce) {
  ThreadPool pool;
  for (int workers : {1, 2, 3, 8})
    for (int64_t tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(tasks);
      pool.run(tasks, workers, [&](int64_t task, int worker) {
        ++runs[task];
        EXPECT_GE(worker, 0);
        EXPECT_LT(worker, workers);
      });
      for (auto &count : runs)
        EXPECT_EQ(count, 1);
    }
}

// Workers have numbers of their own, so that each may write to its own memory.
TEST(ThreadPool, WorkersDoNotShareNumbers) {
  ThreadPool pool;
  std::vector<int64_t> sums(4);
  for (int repeat = 0; repeat < 200; ++repeat)
    pool.run(50, 4, [&](int64_t task, int worker) { sums[worker] += task; });
  EXPECT_EQ(sums[0] + sums[1] + sums[2] + sums[3], 200 * 49 * 50 / 2);
}

TEST(ThreadPool, OneTaskWakesNoThread) {
  ThreadPool pool;
  std::thread::id caller = std::this_thread::get_id();
  auto expectCaller = [&](int64_t, int) { EXPECT_EQ(std::this_thread::get_id(), caller); };
  pool.run(1, 8, expectCaller);
  pool.run(100, 1, expectCaller);
  EXPECT_EQ(pool.getNumThreads(), 0u);
  pool.run(100, 3, [](int64_t, int) {});
  EXPECT_EQ(pool.getNumThreads(), 2u);
}

TEST(ThreadPool, SeveralCallersTakeTurns) {
  ThreadPool pool;
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 50; ++repeat)
        pool.run(10, 3, [&](int64_t task, int) { sum += task; });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(sum, 4 * 50 * 45);
}

/// In a child, what only the parent's threads knew of looks like leaks to the sanitizer.
static bool looksForLeaks = true;
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
extern "C" int __lsan_is_turned_off();
int __lsan_is_turned_off() { return !looksForLeaks; }
#endif
#endif

// A child has none of its parent's threads: it makes its own, and waits for nobody when it ends.
TEST(ThreadPool, ChildrenHaveTheirOwn) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer allows no threads in children of processes with threads";
#endif
  ThreadPool::get().run(100, 3, [](int64_t, int) {});
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    looksForLeaks = false;
    size_t before = ThreadPool::get().getNumThreads();
    std::atomic<int64_t> sum{0};
    ThreadPool::get().run(100, 3, [&](int64_t task, int) { sum += task; });
    std::exit(before == 0 && ThreadPool::get().getNumThreads() == 2 && sum == 50 * 99 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
