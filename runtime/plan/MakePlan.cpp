//===- MakePlan.cpp - Finds the blocks that a mask leaves -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/ArgumentLayout.h"
#include "attnc/Plan.h"
#include "runtime/ThreadPool.h"
#include "runtime/plan/SummaryTree.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <new>

using namespace attnc;

namespace {
/// The runs of the rows of a band, as they are found: a chain a row, the last run first.
class RowRuns {
public:
  explicit RowRuns(int64_t rows) : last(rows, none) {}

  /// Adds blocks of keys behind those that row `row` has.
  void append(int64_t row, int64_t first, int64_t end, bool full) {
    uint32_t &tail = last[row];
    if (tail != none) {
      KeyRun &run = links[tail].run;
      if (run.isFull() == full && run.getLast() + 1 == first) {
        run = KeyRun(run.getFirst(), end - 1, full);
        return;
      }
    }
    links.push_back({KeyRun(first, end - 1, full), tail});
    tail = static_cast<uint32_t>(links.size() - 1);
  }

  int64_t getNumRows() const { return static_cast<int64_t>(last.size()); }
  /// Appends the runs of `row` in ascending order.
  void moveTo(int64_t row, std::vector<KeyRun> &runs) const {
    size_t begin = runs.size();
    for (uint32_t link = last[row]; link != none; link = links[link].before)
      runs.push_back(links[link].run);
    std::reverse(runs.begin() + static_cast<std::ptrdiff_t>(begin), runs.end());
  }

private:
  static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();
  struct Link {
    KeyRun run;
    uint32_t before;
  };
  std::vector<Link> links;
  std::vector<uint32_t> last;
};

/// Plans one batch and head.
class SlicePlanner {
public:
  SlicePlanner(const HostKernel &kernel, const BoundArguments &arguments,
               const PlanOptions &options, int64_t b, int64_t h)
      : planner(kernel.planner), slots(arguments.slots.data()), options(options), b(b), h(h),
        Q(arguments.Q), KV(arguments.KV), queries(Q, options.rows, planner.queryValues),
        ownKeys(KV, options.keys, planner.keyValues),
        shared(planner.sharedSummaries && Q == KV && options.rows == options.keys),
        keys(shared ? queries : ownKeys) {}

  /// Summarizes the tables on `threads` threads.
  void summarize(int threads);
  /// Finds the runs of the blocks of queries under node `node` of level `level`.
  RowRuns plan(int64_t level, int64_t node) const;
  const SummaryTree &getQueries() const { return queries; }

private:
  /// Nodes of both trees at one level; above the top of a tree stands its top.
  struct Place {
    int64_t level, query, key;
  };
  struct Band {
    RowRuns runs;
    int64_t firstRow;
  };
  static int64_t getLevel(const SummaryTree &tree, int64_t level) {
    return std::min(level, tree.getTop());
  }
  PairRectangle getRectangle(const Place &place) const;
  void settle(const Place &place, uint8_t verdict, Band &band) const;
  void split(const Place &place, Band &band) const;
  /// The same by the keys that each block of queries attends to.
  RowRuns planByBounds(int64_t level, int64_t node) const;

  const MaskPlanner &planner;
  const int64_t *slots;
  const PlanOptions &options;
  int64_t b, h, Q, KV;
  SummaryTree queries, ownKeys;
  bool shared;
  const SummaryTree &keys;
};
} // namespace

void SlicePlanner::summarize(int threads) {
  auto summarizeTree = [&](MaskPlanner::Summarize summarize, SummaryTree &tree, int64_t count,
                           int64_t size) {
    if (!summarize)
      return;
    constexpr int64_t blocksPerTask = 256;
    int64_t blocks = tree.getNumBlocks();
    int64_t tasks = (blocks + blocksPerTask - 1) / blocksPerTask;
    ThreadPool::get().run(tasks, threads, [&](int64_t task, int) {
      int64_t first = task * blocksPerTask;
      int64_t end = std::min((first + blocksPerTask) * size, count);
      summarize(slots, b, h, first * size, end, size, tree.getBlocks(first));
    });
    tree.summarizeLevels();
  };
  summarizeTree(planner.summarizeQueries, queries, Q, options.rows);
  if (!shared)
    summarizeTree(planner.summarizeKeys, ownKeys, KV, options.keys);
}

PairRectangle SlicePlanner::getRectangle(const Place &place) const {
  int64_t queryLevel = getLevel(queries, place.level), keyLevel = getLevel(keys, place.level);
  return {queries.getFirst(queryLevel, place.query),   queries.getLast(queryLevel, place.query),
          keys.getFirst(keyLevel, place.key),          keys.getLast(keyLevel, place.key),
          queries.getSummary(queryLevel, place.query), keys.getSummary(keyLevel, place.key)};
}

void SlicePlanner::settle(const Place &place, uint8_t verdict, Band &band) const {
  if (!(verdict & MaskPlanner::may))
    return;
  bool full = (verdict & MaskPlanner::must) != 0;
  if (!full && place.level > 0)
    return split(place, band);
  if (!full && options.refine) {
    PairRectangle pairs = getRectangle(place);
    int64_t exact = planner.refine(slots, b, h, pairs.firstQuery, pairs.lastQuery, pairs.firstKey,
                                   pairs.lastKey);
    if (exact == 0)
      return;
    full = (exact & MaskPlanner::must) != 0;
  }
  int64_t queryLevel = getLevel(queries, place.level), keyLevel = getLevel(keys, place.level);
  int64_t end = queries.getBlockEnd(queryLevel, place.query);
  for (int64_t row = place.query << queryLevel; row < end; ++row)
    band.runs.append(row - band.firstRow, place.key << keyLevel,
                     keys.getBlockEnd(keyLevel, place.key), full);
}

void SlicePlanner::split(const Place &place, Band &band) const {
  // Of each row of blocks the keys come in ascending order.
  Place parts[4];
  PairRectangle rectangles[4];
  uint8_t verdicts[4];
  int64_t count = 0, level = place.level - 1;
  auto forChildren = [&](const SummaryTree &tree, int64_t node, const auto &body) {
    if (level >= tree.getTop())
      return body(node);
    body(2 * node);
    if (2 * node + 1 < tree.getNumNodes(level))
      body(2 * node + 1);
  };
  forChildren(queries, place.query, [&](int64_t query) {
    forChildren(keys, place.key, [&](int64_t key) {
      parts[count] = {level, query, key};
      rectangles[count] = getRectangle(parts[count]);
      ++count;
    });
  });
  planner.classify(slots, b, h, rectangles, count, verdicts);
  for (int64_t i = 0; i < count; ++i)
    settle(parts[i], verdicts[i], band);
}

RowRuns SlicePlanner::planByBounds(int64_t level, int64_t node) const {
  int64_t first = node << level, end = queries.getBlockEnd(level, node);
  std::vector<int64_t> bounds(4 * (end - first));
  planner.keyBounds(slots, b, h, first * options.rows, std::min(end * options.rows, Q),
                    options.rows, bounds.data());
  Band band = {RowRuns(end - first), first};
  auto roundUp = [&](int64_t key) { return key / options.keys + (key % options.keys != 0); };
  for (int64_t row = 0; row < end - first; ++row) {
    auto [lo, hi, fullLo, fullHi] = std::array<int64_t, 4>{
        bounds[4 * row], bounds[4 * row + 1], bounds[4 * row + 2], bounds[4 * row + 3]};
    if (lo >= hi)
      continue;
    int64_t begin = lo / options.keys, stop = roundUp(hi);
    int64_t fullBegin = roundUp(fullLo);
    int64_t fullEnd = fullHi == KV ? roundUp(fullHi) : fullHi / options.keys;
    if (fullBegin >= fullEnd)
      fullBegin = fullEnd = stop;
    // At both ends, conditions that hold in the block each for itself may not hold together.
    auto classify = [&](int64_t from, int64_t to) {
      for (int64_t key = from; key < to; ++key) {
        Place place = {0, first + row, key};
        PairRectangle pairs = getRectangle(place);
        uint8_t verdict;
        planner.classify(slots, b, h, &pairs, 1, &verdict);
        settle(place, verdict, band);
      }
    };
    classify(begin, fullBegin);
    if (fullBegin < fullEnd)
      band.runs.append(row, fullBegin, fullEnd, /*full=*/true);
    classify(fullEnd, stop);
  }
  return std::move(band.runs);
}

RowRuns SlicePlanner::plan(int64_t level, int64_t node) const {
  if (planner.keyBounds)
    return planByBounds(level, node);
  Band band = {RowRuns(queries.getBlockEnd(level, node) - (node << level)), node << level};
  // Above the level of the band, keys are all there is to split.
  std::vector<Place> places;
  int64_t keyLevel = getLevel(keys, level);
  for (int64_t key = 0; key < keys.getNumNodes(keyLevel); ++key)
    places.push_back({level, node, key});
  std::vector<PairRectangle> rectangles;
  for (const Place &place : places)
    rectangles.push_back(getRectangle(place));
  std::vector<uint8_t> verdicts(places.size());
  planner.classify(slots, b, h, rectangles.data(), static_cast<int64_t>(places.size()),
                   verdicts.data());
  for (size_t i = 0; i < places.size(); ++i)
    settle(places[i], verdicts[i], band);
  return std::move(band.runs);
}

/// Every block of every row, for a kernel without a mask.
static void planEverything(Plan &plan) {
  bool empty = plan.getNumKeyBlocks() == 0;
  for (int64_t row = 0; row < plan.getNumRows(); ++row) {
    plan.offsets.push_back(static_cast<uint32_t>(plan.runs.size()));
    if (!empty)
      plan.runs.emplace_back(0, plan.getNumKeyBlocks() - 1, true);
  }
  plan.offsets.push_back(static_cast<uint32_t>(plan.runs.size()));
}

/// The rows of a slice are found in bands of neighbours: whole nodes of the tree, as many as keep
/// the threads busy.
static int64_t chooseBandLevel(const SummaryTree &queries, int threads) {
  int64_t level = queries.getTop(), wanted = threads > 1 ? 4 * threads : 1;
  while (level > 0 && queries.getNumNodes(level) < wanted)
    --level;
  return level;
}

static std::optional<std::string> addSlice(const HostKernel &kernel,
                                           const BoundArguments &arguments,
                                           const PlanOptions &options, int64_t b, int64_t h,
                                           Plan &plan) {
  SlicePlanner slice(kernel, arguments, options, b, h);
  slice.summarize(options.threads);
  const SummaryTree &queries = slice.getQueries();
  int64_t level = chooseBandLevel(queries, options.threads);
  std::vector<std::optional<RowRuns>> bands(queries.getNumNodes(level));
  std::atomic<bool> failed{false};
  ThreadPool::get().run(static_cast<int64_t>(bands.size()), options.threads,
                        [&](int64_t node, int) {
                          try {
                            bands[node] = slice.plan(level, node);
                          } catch (const std::bad_alloc &) {
                            failed = true;
                          }
                        });
  if (failed)
    throw std::bad_alloc();
  for (std::optional<RowRuns> &band : bands) {
    for (int64_t row = 0; row < band->getNumRows(); ++row) {
      plan.offsets.push_back(static_cast<uint32_t>(plan.runs.size()));
      band->moveTo(row, plan.runs);
    }
    band.reset();
    if (plan.runs.size() > std::numeric_limits<uint32_t>::max() / 2)
      return "a plan of more than 2^31 runs; take larger blocks";
  }
  return std::nullopt;
}

std::optional<std::string> attnc::makePlan(const HostKernel &kernel,
                                           const BoundArguments &arguments,
                                           const PlanOptions &given, Plan &plan) {
  PlanOptions options = given;
  if (options.threads <= 0)
    options.threads = getDefaultThreads();
  if (options.rows < 1 || options.keys < 1)
    return "a plan needs blocks of at least 1 query and 1 key, got " +
           std::to_string(options.rows) + " x " + std::to_string(options.keys);
  if (std::max(options.rows, options.keys) > Plan::maxBlock)
    return "a plan takes blocks of at most " + std::to_string(Plan::maxBlock) +
           " queries and keys, got " + std::to_string(options.rows) + " x " +
           std::to_string(options.keys);
  const MaskPlanner &planner = kernel.planner;
  plan = Plan();
  plan.rows = options.rows;
  plan.keys = options.keys;
  plan.B = arguments.B;
  plan.Hq = arguments.Hq;
  plan.Q = arguments.Q;
  plan.KV = arguments.KV;
  plan.perBatch = planner.perBatch;
  plan.perHead = planner.perHead;
  plan.mask = planner.mask;
  constexpr int64_t maxBlocks = KeyRun::fullBit - 1;
  if (plan.getNumQueryBlocks() > maxBlocks || plan.getNumKeyBlocks() > maxBlocks)
    return "a plan of more than 2^31 blocks of " + std::to_string(options.rows) + " x " +
           std::to_string(options.keys) + "; take larger ones";
  ArgumentLayout layout(kernel.info);
  for (int64_t scalar : planner.scalars)
    plan.scalars.push_back(
        {kernel.info.scalars[scalar].name, arguments.slots[layout.getScalar(scalar)]});
  try {
    if (!planner.classify || arguments.KV == 0) {
      planEverything(plan);
      return std::nullopt;
    }
    for (int64_t b = 0; b < plan.getNumBatches(); ++b)
      for (int64_t h = 0; h < plan.getNumHeads() && arguments.Q != 0; ++h)
        if (auto error = addSlice(kernel, arguments, options, b, h, plan))
          return error;
    plan.offsets.push_back(static_cast<uint32_t>(plan.runs.size()));
  } catch (const std::bad_alloc &) {
    return "cannot allocate the memory of a plan of " + std::to_string(plan.getNumRows()) + " rows";
  }
  return std::nullopt;
}
