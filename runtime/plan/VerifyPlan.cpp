//===- VerifyPlan.cpp - Compares a plan with all pairs ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/Plan.h"
#include "runtime/ThreadPool.h"
#include <algorithm>
#include <mutex>

using namespace attnc;

std::string PlanViolation::print() const {
  return "key blocks " + std::to_string(firstKeyBlock) + " to " + std::to_string(lastKeyBlock) +
         " of query block " + std::to_string(queryBlock) + " (batch " + std::to_string(b) +
         ", head " + std::to_string(h) + ") are " +
         (full ? "full in the plan, but pairs of them are excluded"
               : "empty in the plan, but pairs of them take part");
}

/// The first violation of the block of queries in `found`; nothing if there is none.
static std::optional<PlanViolation> verifyRow(const Plan &plan, const HostKernel &kernel,
                                              const BoundArguments &arguments,
                                              PlanViolation place) {
  auto refine = [&](int64_t first, int64_t last) {
    return kernel.planner.refine(arguments.slots.data(), place.b, place.h,
                                 place.queryBlock * plan.rows,
                                 std::min((place.queryBlock + 1) * plan.rows, plan.Q) - 1,
                                 first * plan.keys, std::min((last + 1) * plan.keys, plan.KV) - 1);
  };
  auto violates = [&](int64_t first, int64_t last, bool full) {
    if (first > last || refine(first, last) == (full ? MaskPlanner::may | MaskPlanner::must : 0))
      return false;
    place.firstKeyBlock = first;
    place.lastKeyBlock = last;
    place.full = full;
    return true;
  };
  KeyRuns runs = plan.getRuns(plan.getRow(place.b, place.h, place.queryBlock));
  int64_t next = 0;
  for (int64_t i = 0; i < runs.count; ++i) {
    const KeyRun &run = runs.runs[i];
    if (violates(next, run.getFirst() - 1, /*full=*/false) ||
        (run.isFull() && violates(run.getFirst(), run.getLast(), /*full=*/true)))
      return place;
    next = run.getLast() + 1;
  }
  if (violates(next, plan.getNumKeyBlocks() - 1, /*full=*/false))
    return place;
  return std::nullopt;
}

std::optional<PlanViolation> attnc::verifyPlan(const Plan &plan, const HostKernel &kernel,
                                               const BoundArguments &arguments, int threads) {
  if (!kernel.planner.refine || arguments.KV == 0)
    return std::nullopt;
  int64_t blocks = plan.getNumQueryBlocks();
  std::mutex mutex;
  int64_t firstRow = plan.getNumRows();
  std::optional<PlanViolation> first;
  ThreadPool::get().run(plan.getNumRows(), threads > 0 ? threads : getDefaultThreads(),
                        [&](int64_t row, int) {
                          PlanViolation place;
                          place.b = row / blocks / plan.getNumHeads();
                          place.h = row / blocks % plan.getNumHeads();
                          place.queryBlock = row % blocks;
                          auto found = verifyRow(plan, kernel, arguments, place);
                          std::lock_guard<std::mutex> lock(mutex);
                          if (found && row < firstRow) {
                            firstRow = row;
                            first = found;
                          }
                        });
  return first;
}
