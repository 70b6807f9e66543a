//===- HostLaunch.cpp - Launches host kernels -------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/HostKernel.h"
#include "runtime/ThreadPool.h"
#include <algorithm>
#include <cstdlib>
#include <thread>

using namespace attnc;

/// Blocks below this leave vector lanes empty.
static constexpr int64_t minRows = 32;
/// Tasks a thread should find, so that long and short ones even out.
static constexpr int64_t tasksPerThread = 4;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

int attnc::getDefaultThreads() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

HostTasks attnc::planTasks(const HostKernel &kernel, const BoundArguments &arguments, int threads) {
  int64_t heads = arguments.B * arguments.Hq;
  if (heads == 0 || arguments.Q == 0)
    return {};
  int64_t rows = std::min(kernel.queryBlock, arguments.Q);
  if (threads > 1)
    while (rows > minRows && ceilDiv(arguments.Q, rows) * heads < tasksPerThread * threads)
      rows = std::max(minRows, ceilDiv(rows / 2, minRows) * minRows);
  int64_t blocks = ceilDiv(arguments.Q, rows);
  return {rows, blocks, blocks * heads};
}

std::optional<std::string> attnc::launch(const HostKernel &kernel, const BoundArguments &arguments,
                                         int threads) {
  if (threads <= 0)
    threads = getDefaultThreads();
  HostTasks tasks = planTasks(kernel, arguments, threads);
  if (tasks.count == 0)
    return std::nullopt;

  constexpr size_t alignment = 64;
  int workers = static_cast<int>(std::min<int64_t>(threads, tasks.count));
  size_t bytes = ceilDiv(kernel.scratchBytes, alignment) * alignment;
  std::unique_ptr<char, decltype(&std::free)> scratch(nullptr, &std::free);
  if (bytes != 0) {
    scratch.reset(static_cast<char *>(std::aligned_alloc(alignment, bytes * workers)));
    if (!scratch)
      return "cannot allocate " + std::to_string(bytes * workers) + " bytes of scratch memory";
  }

  // The last query block first, as masks leave it most keys; then batch by batch and head by head,
  // so that heads that share keys and values run close together.
  int64_t heads = arguments.Hq;
  int64_t headsOfAll = arguments.B * heads;
  const int64_t *slots = arguments.slots.data();
  ThreadPool::get().run(tasks.count, workers, [&](int64_t task, int worker) {
    int64_t block = tasks.blocks - 1 - task / headsOfAll;
    int64_t head = task % headsOfAll;
    int64_t begin = block * tasks.rows;
    kernel.function(slots, head / heads, head % heads, begin,
                    std::min(begin + tasks.rows, arguments.Q), scratch.get() + worker * bytes);
  });
  return std::nullopt;
}
