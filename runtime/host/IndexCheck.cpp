//===- IndexCheck.cpp - Finds clamped indices of checked kernels ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/HostKernel.h"
#include "runtime/ThreadPool.h"
#include <algorithm>

using namespace attnc;

/// Queries that a task visits.
static constexpr int64_t queriesPerTask = 16;

std::string ClampedIndex::print(const HostKernel &kernel) const {
  return "index " + std::to_string(index) + " of dimension " + std::to_string(dim) + " of `" +
         kernel.loads.at(load).source + "` is outside its size " + std::to_string(size) +
         " at b = " + std::to_string(b) + ", h = " + std::to_string(h) +
         ", q_idx = " + std::to_string(q) + ", kv_idx = " + std::to_string(kv);
}

std::optional<ClampedIndex> attnc::findClampedIndex(const HostKernel &kernel,
                                                    const BoundArguments &arguments, int threads) {
  if (threads <= 0)
    threads = getDefaultThreads();
  // Without pairs nothing is indexed.
  int64_t heads = arguments.B * arguments.Hq;
  if (!kernel.check || heads == 0 || arguments.Q == 0 || arguments.KV == 0)
    return std::nullopt;
  int64_t blocks = (arguments.Q + queriesPerTask - 1) / queriesPerTask;

  std::mutex mutex;
  std::atomic<int64_t> firstTask{heads * blocks};
  std::optional<ClampedIndex> first;
  ThreadPool::get().run(heads * blocks, threads, [&](int64_t task, int) {
    // An earlier task has found one.
    if (task > firstTask.load(std::memory_order_relaxed))
      return;
    int64_t b = task / blocks / arguments.Hq, h = task / blocks % arguments.Hq;
    int64_t begin = task % blocks * queriesPerTask;
    int64_t end = std::min(begin + queriesPerTask, arguments.Q);
    for (int64_t q = begin; q < end; ++q) {
      int64_t record[5];
      if (!kernel.check(arguments.slots.data(), b, h, q, record))
        continue;
      std::lock_guard<std::mutex> lock(mutex);
      if (task < firstTask) {
        firstTask = task;
        first = {
            static_cast<size_t>(record[0]), record[2], record[3], record[4], b, h, q, record[1]};
      }
      return;
    }
  });
  return first;
}
