//===- HostLaunch.cpp - Launches host kernels -------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/HostKernel.h"
#include "attnc/Plan.h"
#include "runtime/ThreadPool.h"
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <thread>

using namespace attnc;

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
    while (rows > minTaskRows && ceilDiv(arguments.Q, rows) * heads < tasksPerThread * threads)
      rows = std::max(minTaskRows, ceilDiv(rows / 2, minTaskRows) * minTaskRows);
  int64_t blocks = ceilDiv(arguments.Q, rows);
  return {rows, blocks, blocks * heads};
}

/// Computes one block of `rows` queries; with the keys of `runs` only, if the kernel takes any.
static void runBlock(const HostKernel &kernel, const BoundArguments &arguments, int64_t rows,
                     int64_t b, int64_t h, int64_t block, const KeyRuns *runs, void *scratch) {
  const int64_t *slots = arguments.slots.data();
  int64_t begin = block * rows, end = std::min(begin + rows, arguments.Q);
  if (runs && kernel.planner.planned)
    kernel.planner.planned(slots, b, h, begin, end, scratch, runs);
  else
    kernel.function(slots, b, h, begin, end, scratch);
}

void attnc::runTask(const HostKernel &kernel, const BoundArguments &arguments,
                    const HostTasks &tasks, int64_t task, void *scratch) {
  // The last query block first, as masks leave it most keys; then batch by batch and head by head,
  // so that heads that share keys and values run close together.
  int64_t block = tasks.blocks - 1 - task / (arguments.B * arguments.Hq);
  int64_t head = task % (arguments.B * arguments.Hq);
  runBlock(kernel, arguments, tasks.rows, head / arguments.Hq, head % arguments.Hq, block,
           /*runs=*/nullptr, scratch);
}

/// The numbers of the rows of `plan`, those that visit most keys first, and of several alike the
/// last block of queries first.
static std::vector<uint32_t> orderRows(const Plan &plan) {
  int64_t blocks = plan.getNumQueryBlocks();
  std::vector<int64_t> visited(plan.getNumRows());
  for (int64_t row = 0; row < plan.getNumRows(); ++row) {
    KeyRuns runs = plan.getRuns(row);
    for (int64_t i = 0; i < runs.count; ++i)
      visited[row] += runs.runs[i].getLast() - runs.runs[i].getFirst() + 1;
  }
  std::vector<uint32_t> order(visited.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (visited[a] != visited[b])
      return visited[a] > visited[b];
    return a % blocks != b % blocks ? a % blocks > b % blocks : a < b;
  });
  return order;
}

PlannedTasks::PlannedTasks(const Plan &plan, const BoundArguments &arguments) : plan(&plan) {
  count = plan.getNumQueryBlocks() * arguments.B * arguments.Hq;
  if (count == 0)
    return;
  order = orderRows(plan);
  // A row of the plan is for all batches, or heads, that share it.
  sharedHeads = arguments.Hq / plan.getNumHeads();
  shared = arguments.B / plan.getNumBatches() * sharedHeads;
}

void PlannedTasks::run(const HostKernel &kernel, const BoundArguments &arguments, int64_t task,
                       void *scratch) const {
  int64_t blocks = plan->getNumQueryBlocks();
  int64_t row = order[task / shared], slice = row / blocks;
  int64_t b = slice / plan->getNumHeads() + task % shared / sharedHeads;
  int64_t h = slice % plan->getNumHeads() + task % shared % sharedHeads;
  KeyRuns runs = plan->getRuns(row);
  runBlock(kernel, arguments, plan->rows, b, h, row % blocks, &runs, scratch);
}

std::optional<std::string> attnc::launch(const HostKernel &kernel, const BoundArguments &arguments,
                                         int threads, const Plan *plan) {
  if (threads <= 0)
    threads = getDefaultThreads();
  if (plan)
    if (auto error = plan->check(kernel, arguments))
      return error;
  HostTasks tasks = planTasks(kernel, arguments, threads);
  if (tasks.count == 0)
    return std::nullopt;
  Plan own;
  if (!plan && kernel.planner.classify && tasks.blocks > 1 &&
      arguments.KV > kernel.planner.keyBlock) {
    if (auto error =
            makePlan(kernel, arguments, {tasks.rows, kernel.planner.keyBlock, false, threads}, own))
      return error;
    plan = &own;
  }
  PlannedTasks planned;
  if (plan) {
    planned = PlannedTasks(*plan, arguments);
    tasks.count = planned.getCount();
  }

  int workers = static_cast<int>(std::min<int64_t>(threads, tasks.count));
  size_t bytes = static_cast<size_t>(getScratchStride(kernel.scratchBytes));
  std::unique_ptr<char, decltype(&std::free)> scratch(nullptr, &std::free);
  if (bytes != 0) {
    scratch.reset(static_cast<char *>(std::aligned_alloc(scratchAlignment, bytes * workers)));
    if (!scratch)
      return "cannot allocate " + std::to_string(bytes * workers) + " bytes of scratch memory";
  }

  if (!plan) {
    ThreadPool::get().run(tasks.count, workers, [&](int64_t task, int worker) {
      runTask(kernel, arguments, tasks, task, scratch.get() + worker * bytes);
    });
    return std::nullopt;
  }
  ThreadPool::get().run(tasks.count, workers, [&](int64_t task, int worker) {
    planned.run(kernel, arguments, task, scratch.get() + worker * bytes);
  });
  return std::nullopt;
}
