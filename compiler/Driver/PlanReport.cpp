//===- PlanReport.cpp - A plan, for people and for programs -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/PlanReport.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <chrono>

using namespace attnc;
using namespace attnc::driver;

std::optional<std::string> driver::makePlanReport(const HostKernel &kernel,
                                                  const BoundArguments &arguments,
                                                  const PlanOptions &options, PlanReport &report) {
  constexpr size_t mostRuns = 9;
  constexpr double enough = 20; // milliseconds
  std::vector<double> times;
  double total = 0;
  while (times.empty() || (times.size() < mostRuns && total < enough)) {
    auto start = std::chrono::steady_clock::now();
    if (auto error = makePlan(kernel, arguments, options, report.plan))
      return error;
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
    total += time.count();
  }
  std::sort(times.begin(), times.end());
  report.milliseconds = times[times.size() / 2];
  report.statistics = report.plan.count(kernel.info);
  return std::nullopt;
}

namespace {
/// One row of a plan, and whom it is for.
struct Row {
  int64_t batch, head, block;
  KeyRuns runs;
};
} // namespace

static void forRows(const Plan &plan, llvm::function_ref<void(const Row &)> body) {
  int64_t blocks = plan.getNumQueryBlocks();
  for (int64_t row = 0; row < plan.getNumRows(); ++row) {
    int64_t slice = row / blocks;
    body({plan.perBatch ? slice / plan.getNumHeads() : Plan::any,
          plan.perHead ? slice % plan.getNumHeads() : Plan::any, row % blocks, plan.getRuns(row)});
  }
}

void PlanReport::printText(llvm::raw_ostream &os) const {
  os << llvm::formatv(
            "plan   {0} queries x {1} keys in blocks of {2} x {3}: {4} full, {5} partial, "
            "{6} empty",
            plan.Q, plan.KV, plan.rows, plan.keys, statistics.full, statistics.partial,
            statistics.empty)
     << llvm::format(" (%.1f %%)\n", 100 * statistics.getSparsity())
     << llvm::format("       %.4g FLOPs, %.4g bytes of keys and values; ", statistics.flops,
                     statistics.keyBytes)
     << llvm::formatv("{0} bytes", plan.getNumBytes());
  if (milliseconds != 0)
    os << llvm::format(", made in %.3f ms", milliseconds);
  os << (verified ? "; agrees with all pairs\n" : "\n");
  forRows(plan, [&](const Row &row) {
    os << "       ";
    if (row.batch != Plan::any)
      os << "batch " << row.batch << ", ";
    if (row.head != Plan::any)
      os << "head " << row.head << ", ";
    os << "query block " << row.block << ":";
    if (row.runs.count == 0)
      os << " empty";
    for (int64_t i = 0; i < row.runs.count; ++i) {
      const KeyRun &run = row.runs.runs[i];
      os << (i == 0 ? " " : ", ") << run.getFirst();
      if (run.getLast() != run.getFirst())
        os << "-" << run.getLast();
      os << (run.isFull() ? " full" : " partial");
    }
    os << "\n";
  });
}

llvm::json::Value PlanReport::toJSON() const {
  llvm::json::Array rows;
  forRows(plan, [&](const Row &row) {
    llvm::json::Array runs;
    for (int64_t i = 0; i < row.runs.count; ++i) {
      const KeyRun &run = row.runs.runs[i];
      runs.push_back(
          llvm::json::Array{run.getFirst(), run.getLast(), run.isFull() ? "full" : "partial"});
    }
    rows.push_back(llvm::json::Object{{"batch", row.batch},
                                      {"head", row.head},
                                      {"query_block", row.block},
                                      {"runs", std::move(runs)}});
  });
  llvm::json::Object result{{"block", llvm::json::Array{plan.rows, plan.keys}},
                            {"rows", std::move(rows)},
                            {"full", statistics.full},
                            {"partial", statistics.partial},
                            {"empty", statistics.empty},
                            {"sparsity", statistics.getSparsity()},
                            {"flops", statistics.flops},
                            {"key_bytes", statistics.keyBytes},
                            {"milliseconds", milliseconds},
                            {"bytes", plan.getNumBytes()}};
  if (verified)
    result["verified"] = true;
  return result;
}
