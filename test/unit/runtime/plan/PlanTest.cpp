//===- PlanTest.cpp - Tests of plans ----------------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/Plan.h"
#include "attnc/ArgumentLayout.h"
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace attnc;

namespace {
// Stands for compiled functions: pairs take part whose ids are the same, and, with a window, whose
// distance is less. Summaries are of the ids.
std::vector<int64_t> ids;
int64_t window;

bool takesPart(int64_t q, int64_t kv) { return ids[q] == ids[kv] && std::abs(q - kv) < window; }

void summarize(const int64_t *, int64_t, int64_t, int64_t begin, int64_t end, int64_t size,
               int64_t *summaries) {
  for (; begin < end; begin += size, summaries += 2) {
    auto first = ids.begin() + begin, last = ids.begin() + std::min(begin + size, end);
    summaries[0] = *std::min_element(first, last);
    summaries[1] = *std::max_element(first, last);
  }
}

void classify(const int64_t *, int64_t, int64_t, const PairRectangle *rectangles, int64_t count,
              uint8_t *verdicts) {
  for (int64_t i = 0; i < count; ++i) {
    const PairRectangle &r = rectangles[i];
    const int64_t *q = r.querySummary, *k = r.keySummary;
    int64_t closest = std::max<int64_t>({0, r.firstQuery - r.lastKey, r.firstKey - r.lastQuery});
    int64_t farthest = std::max(r.lastQuery - r.firstKey, r.lastKey - r.firstQuery);
    bool may = q[0] <= k[1] && k[0] <= q[1] && closest < window;
    bool must = q[0] == q[1] && k[0] == k[1] && q[0] == k[0] && farthest < window;
    verdicts[i] =
        static_cast<uint8_t>((may ? MaskPlanner::may : 0) | (must ? MaskPlanner::must : 0));
  }
}

int64_t refine(const int64_t *, int64_t, int64_t, int64_t q0, int64_t q1, int64_t k0, int64_t k1) {
  bool any = false, all = true;
  for (int64_t q = q0; q <= q1; ++q)
    for (int64_t kv = k0; kv <= k1; ++kv) {
      any |= takesPart(q, kv);
      all &= takesPart(q, kv);
    }
  return (any ? MaskPlanner::may : 0) | (all ? MaskPlanner::must : 0);
}

HostKernel makeKernel() {
  HostKernel kernel;
  kernel.info.name = "documents";
  kernel.info.headDim = kernel.info.valueDim = 8;
  kernel.info.scalars = {{"other", ElementType::I32}, {"window", ElementType::I32}};
  kernel.queryBlock = 64;
  kernel.planner.classify = classify;
  kernel.planner.refine = refine;
  kernel.planner.summarizeQueries = kernel.planner.summarizeKeys = summarize;
  kernel.planner.queryValues = kernel.planner.keyValues = 2;
  kernel.planner.sharedSummaries = true;
  kernel.planner.mask = 77;
  kernel.planner.scalars = {1};
  kernel.planner.keyBlock = 32;
  return kernel;
}

BoundArguments makeArguments(int64_t queries, int64_t keys) {
  BoundArguments arguments;
  arguments.B = 2;
  arguments.Hq = 4;
  arguments.Hkv = 1;
  arguments.Q = queries;
  arguments.KV = keys;
  arguments.slots.assign(ArgumentLayout(makeKernel().info).getNumSlots(), 0);
  arguments.slots[ArgumentLayout(makeKernel().info).getScalar(1)] = window;
  return arguments;
}

void makeDocuments(uint64_t seed, int64_t size, int64_t newWindow) {
  std::mt19937_64 random(seed);
  ids.resize(size);
  int64_t id = 0;
  for (int64_t &element : ids)
    element = id += random() % 9 == 0;
  window = newWindow;
}

Plan make(const PlanOptions &options, int64_t queries, int64_t keys) {
  Plan plan;
  EXPECT_EQ(makePlan(makeKernel(), makeArguments(queries, keys), options, plan), std::nullopt);
  return plan;
}

/// Checks each block of the plan against all pairs; with `exact` no empty or full one is partial.
void expectSound(const Plan &plan, bool exact) {
  for (int64_t row = 0; row < plan.getNumQueryBlocks(); ++row) {
    std::vector<int64_t> verdicts(plan.getNumKeyBlocks());
    KeyRuns runs = plan.getRuns(plan.getRow(0, 0, row));
    int64_t end = 0;
    for (int64_t i = 0; i < runs.count; ++i) {
      const KeyRun &run = runs.runs[i];
      ASSERT_LE(end, run.getFirst());
      ASSERT_LE(run.getFirst(), run.getLast());
      end = run.getLast() + 1;
      ASSERT_LE(end, plan.getNumKeyBlocks());
      for (int64_t block = run.getFirst(); block < end; ++block)
        verdicts[block] = MaskPlanner::may | (run.isFull() ? MaskPlanner::must : 0);
    }
    for (int64_t block = 0; block < plan.getNumKeyBlocks(); ++block) {
      int64_t truth =
          refine(nullptr, 0, 0, row * plan.rows, std::min((row + 1) * plan.rows, plan.Q) - 1,
                 block * plan.keys, std::min((block + 1) * plan.keys, plan.KV) - 1);
      if (exact) {
        EXPECT_EQ(verdicts[block], truth);
      } else {
        EXPECT_EQ(truth & ~verdicts[block] & MaskPlanner::may, 0) << "an empty block has pairs";
        EXPECT_EQ(verdicts[block] & ~truth & MaskPlanner::must, 0) << "a full block lacks pairs";
      }
    }
  }
}

std::string getPath(const char *name) {
  return testing::TempDir() + "plan-" + std::to_string(getpid()) + "-" + name;
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return (std::ostringstream() << file.rdbuf()).str();
}

void writeFile(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}
} // namespace

// Runs are sound and ascend for blocks of any shape and sizes off the blocks, on any number of
// threads, which change nothing.
TEST(Plan, IsSoundForAnyBlocks) {
  makeDocuments(3, 500, 60);
  const int64_t sizes[][2] = {{500, 500}, {1, 500}, {500, 1}, {130, 400}, {64, 64}, {333, 77}};
  const int64_t blocks[][2] = {{64, 64}, {64, 32}, {16, 64}, {1, 100}, {100, 1}, {1000, 1000}};
  for (auto [queries, keys] : sizes)
    for (auto [rows, columns] : blocks)
      for (bool exact : {false, true}) {
        Plan plan = make({rows, columns, exact, 1}, queries, keys);
        expectSound(plan, exact);
        EXPECT_EQ(plan, make({rows, columns, exact, 3}, queries, keys));
      }
}

// One row serves all batches and heads that the mask does not tell apart.
TEST(Plan, SharesRows) {
  makeDocuments(5, 100, 60);
  Plan plan = make({64, 64, false, 1}, 100, 100);
  EXPECT_EQ(plan.getNumRows(), 2);
  EXPECT_EQ(plan.getRow(1, 3, 1), 1);
  HostKernel kernel = makeKernel();
  kernel.planner.perBatch = kernel.planner.perHead = true;
  ASSERT_EQ(makePlan(kernel, makeArguments(100, 100), {64, 64, false, 1}, plan), std::nullopt);
  EXPECT_EQ(plan.getNumRows(), 2 * 4 * 2);
  EXPECT_EQ(plan.getRow(1, 3, 1), 15);
}

// Without pairs rows are empty, and without a mask full.
TEST(Plan, Extremes) {
  makeDocuments(5, 100, 60);
  EXPECT_EQ(make({64, 64, false, 1}, 100, 0).runs.size(), 0u);
  EXPECT_EQ(make({64, 64, false, 1}, 0, 100).getNumRows(), 0);
  Plan plan;
  HostKernel kernel = makeKernel();
  kernel.planner = {};
  ASSERT_EQ(makePlan(kernel, makeArguments(100, 100), {64, 64, false, 1}, plan), std::nullopt);
  EXPECT_EQ(plan.runs, (std::vector<KeyRun>{{0, 1, true}, {0, 1, true}}));
  EXPECT_EQ(makePlan(kernel, makeArguments(100, 100), {0, 64, false, 1}, plan),
            "a plan needs blocks of at least 1 query and 1 key, got 0 x 64");
}

// Blocks may be far larger than the tensors, up to where multiples of them would overflow.
TEST(Plan, HugeBlocks) {
  makeDocuments(5, 100, 60);
  expectSound(make({Plan::maxBlock, Plan::maxBlock, false, 1}, 100, 100), false);
  Plan plan;
  for (auto [rows, keys] : {std::pair(Plan::maxBlock + 1, int64_t(64)),
                            std::pair(int64_t(64), std::numeric_limits<int64_t>::max())})
    EXPECT_EQ(makePlan(makeKernel(), makeArguments(100, 100), {rows, keys, false, 1}, plan),
              "a plan takes blocks of at most 281474976710656 queries and keys, got " +
                  std::to_string(rows) + " x " + std::to_string(keys));
}

// The figures of a plan count pairs of whole blocks, inside the tensors, of all batches and heads.
TEST(Plan, Statistics) {
  ids.assign(100, 0);
  window = 65;
  Plan plan = make({64, 64, false, 1}, 100, 100);
  PlanStatistics statistics = plan.count(makeKernel().info);
  EXPECT_EQ(statistics.full, 2);
  EXPECT_EQ(statistics.partial, 2);
  EXPECT_EQ(statistics.empty, 0);
  EXPECT_EQ(statistics.pairs, 8 * 100 * 100);
  EXPECT_EQ(statistics.flops, 8 * 100 * 100 * 2 * 16);
  EXPECT_EQ(statistics.keyBytes, 8 * 2 * 100 * 16 * 4);
}

TEST(Plan, RefusesOtherLaunches) {
  makeDocuments(5, 128, 60);
  Plan plan = make({64, 64, false, 1}, 128, 128);
  HostKernel kernel = makeKernel();
  BoundArguments arguments = makeArguments(128, 128);
  EXPECT_EQ(plan.check(kernel, arguments), std::nullopt);
  // Batches and heads share the rows, whatever their number.
  arguments.B = 7;
  EXPECT_EQ(plan.check(kernel, arguments), std::nullopt);
  arguments.KV = 64;
  EXPECT_EQ(plan.check(kernel, arguments),
            "the plan was made for KV (keys) = 128, the launch has 64");
  arguments.Q = 32;
  EXPECT_EQ(plan.check(kernel, arguments),
            "the plan was made for Q (queries) = 128, the launch has 32");
  arguments = makeArguments(128, 128);
  arguments.slots[ArgumentLayout(kernel.info).getScalar(1)] = -5;
  EXPECT_EQ(plan.check(kernel, arguments),
            "the plan was made for `window` = 60, the launch has -5");
  arguments = makeArguments(128, 128);
  kernel.queryBlock = 32;
  EXPECT_EQ(plan.check(kernel, arguments),
            "the plan has blocks of 64 queries, kernel `documents` takes at most 32 a call");
  kernel.planner.mask = 78;
  EXPECT_EQ(plan.check(kernel, arguments),
            "the plan was made for another mask than that of kernel `documents`");
  // Plans that agree with the mask's number alone.
  kernel = makeKernel();
  for (auto change :
       {+[](Plan &other) { other.scalars.resize(5000); },
        +[](Plan &other) { other.scalars.clear(); }, +[](Plan &other) { other.perBatch = true; },
        +[](Plan &other) { other.perHead = true; }}) {
    Plan other = plan;
    change(other);
    EXPECT_EQ(other.check(kernel, arguments),
              "the plan was made for another mask than that of kernel `documents`");
  }

  kernel.planner.perBatch = kernel.planner.perHead = true;
  ASSERT_EQ(makePlan(kernel, arguments, {64, 64, false, 1}, plan), std::nullopt);
  arguments.Hq = 8;
  EXPECT_EQ(plan.check(kernel, arguments),
            "the plan was made for Hq (query heads) = 4, the launch has 8");
  arguments.B = 4;
  EXPECT_EQ(plan.check(kernel, arguments),
            "the plan was made for B (batches) = 2, the launch has 4");
}

// A table that changes after planning is found by evaluating all pairs.
TEST(Plan, VerifyFindsStaleTables) {
  makeDocuments(5, 300, 1000);
  for (bool exact : {false, true}) {
    Plan plan = make({32, 32, exact, 1}, 300, 300);
    EXPECT_EQ(verifyPlan(plan, makeKernel(), makeArguments(300, 300), 2), std::nullopt);
  }
  Plan plan = make({32, 32, false, 1}, 300, 300);
  ids[299] = ids[0];
  auto violation = verifyPlan(plan, makeKernel(), makeArguments(300, 300), 2);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->print(),
            "key blocks 2 to 9 of query block 0 (batch 0, head 0) are empty in the "
            "plan, but pairs of them take part");
}

TEST(Plan, FilesKeepPlans) {
  makeDocuments(8, 1000, 60);
  Plan plan = make({64, 32, false, 1}, 1000, 700), read;
  std::string path = getPath("keep");
  ASSERT_EQ(savePlan(plan, path), std::nullopt);
  ASSERT_EQ(loadPlan(path, read), std::nullopt);
  EXPECT_EQ(plan, read);
  std::remove(path.c_str());
}

// A plan that cannot be written leaves the one that was there, and nothing else.
TEST(Plan, FilesAreWholeOrNotThere) {
  makeDocuments(8, 1000, 60);
  Plan plan = make({64, 32, false, 1}, 1000, 700), read;
  std::filesystem::path folder = getPath("whole");
  std::filesystem::create_directory(folder);
  std::string path = folder / "plan";
  ASSERT_EQ(savePlan(plan, path), std::nullopt);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 100;
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  std::optional<std::string> error = savePlan(make({1, 1, false, 1}, 1000, 700), path);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(error, "`" + path + "`: cannot write the plan: File too large");
  ASSERT_EQ(loadPlan(path, read), std::nullopt);
  EXPECT_EQ(plan, read);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_EQ(savePlan(plan, "/dev/full"),
            "`/dev/full`: cannot write the plan: No space left on device");
  EXPECT_TRUE(std::filesystem::exists("/dev/full"));
  std::filesystem::remove_all(folder);
}

// What is not a plan is said to be none, and nothing is read past its end.
TEST(Plan, DamagedFilesAreErrors) {
  makeDocuments(8, 200, 60);
  Plan plan = make({64, 32, false, 1}, 200, 200), read;
  std::string path = getPath("damaged");
  EXPECT_EQ(loadPlan(path, read),
            "`" + path + "`: cannot read the plan: No such file or directory");
  EXPECT_EQ(savePlan(plan, "/nowhere/plan"),
            "`/nowhere/plan`: cannot write the plan: No such file or directory");
  ASSERT_EQ(savePlan(plan, path), std::nullopt);
  std::string text = readFile(path);
  for (size_t length = 0; length < text.size(); length += 1 + length / 8) {
    writeFile(path, text.substr(0, length));
    EXPECT_NE(loadPlan(path, read), std::nullopt);
  }
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    writeFile(path, changed);
    EXPECT_NE(loadPlan(path, read), std::nullopt) << "byte " << i;
  }
  writeFile(path, "tensors");
  EXPECT_EQ(loadPlan(path, read), "`" + path + "`: not a plan");
  EXPECT_EQ(loadPlan("/dev/zero", read), "`/dev/zero`: not a plan");
  text[8] = 2;
  writeFile(path, text);
  EXPECT_EQ(loadPlan(path, read), "`" + path + "`: expected a plan of version 1, got version 2");
  // A plan that does not fit itself, with a checksum that is right.
  plan.runs.back() = KeyRun(1000, 1000, false);
  ASSERT_EQ(savePlan(plan, path), std::nullopt);
  EXPECT_EQ(loadPlan(path, read),
            "`" + path + "`: the plan is damaged: runs of a row overlap, descend or lie outside");
  plan = make({64, 32, false, 1}, 50, 30);
  plan.rows = Plan::maxBlock + 1;
  ASSERT_EQ(savePlan(plan, path), std::nullopt);
  EXPECT_EQ(loadPlan(path, read),
            "`" + path + "`: the plan is damaged: the size of its blocks is out of range");
  std::remove(path.c_str());
}
