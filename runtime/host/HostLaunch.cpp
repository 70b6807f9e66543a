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

int64_t attnc::getScratchStride(const HostKernel &kernel) {
  return ceilDiv(kernel.scratchBytes, scratchAlignment) * scratchAlignment;
}

void attnc::runTask(const HostKernel &kernel, const BoundArguments &arguments,
                    const HostTasks &tasks, int64_t task, void *scratch) {
  // The last query block first, as masks leave it most keys; then batch by batch and head by head,
  // so that heads that share keys and values run close together.
  int64_t block = tasks.blocks - 1 - task / (arguments.B * arguments.Hq);
  int64_t head = task % (arguments.B * arguments.Hq);
  int64_t begin = block * tasks.rows;
  kernel.function(arguments.slots.data(), head / arguments.Hq, head % arguments.Hq, begin,
                  std::min(begin + tasks.rows, arguments.Q), scratch);
}

std::optional<std::string> attnc::launch(const HostKernel &kernel, const BoundArguments &arguments,
                                         int threads) {
  if (threads <= 0)
    threads = getDefaultThreads();
  HostTasks tasks = planTasks(kernel, arguments, threads);
  if (tasks.count == 0)
    return std::nullopt;

  int workers = static_cast<int>(std::min<int64_t>(threads, tasks.count));
  size_t bytes = static_cast<size_t>(getScratchStride(kernel));
  std::unique_ptr<char, decltype(&std::free)> scratch(nullptr, &std::free);
  if (bytes != 0) {
    scratch.reset(static_cast<char *>(std::aligned_alloc(scratchAlignment, bytes * workers)));
    if (!scratch)
      return "cannot allocate " + std::to_string(bytes * workers) + " bytes of scratch memory";
  }

  ThreadPool::get().run(tasks.count, workers, [&](int64_t task, int worker) {
    runTask(kernel, arguments, tasks, task, scratch.get() + worker * bytes);
  });
  return std::nullopt;
}
