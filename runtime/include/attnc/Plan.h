//===- Plan.h - The blocks of pairs that a kernel visits ----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_PLAN_H
#define ATTNC_PLAN_H

#include "attnc/HostKernel.h"
#include <optional>
#include <string>
#include <vector>

namespace attnc {

struct PlanOptions {
  int64_t rows = 128, keys = 128; ///< of a block
  /// Evaluates the pairs of blocks that stay partial, so that no empty or full one is among them.
  bool refine = false;
  int threads = 0; ///< 0: getDefaultThreads()
};

/// Blocks of a plan, and what a launch with it computes and reads.
struct PlanStatistics {
  int64_t full = 0, partial = 0, empty = 0; ///< of the rows that the plan holds
  /// Of all batches and heads.
  double pairs = 0; ///< of full and partial blocks
  double flops = 0;
  double keyBytes = 0; ///< of k and v, as often as blocks of queries read them
  double getSparsity() const {
    int64_t all = full + partial + empty;
    return all == 0 ? 0 : static_cast<double>(empty) / static_cast<double>(all);
  }
};

/// The runs of blocks of keys that each block of queries attends to: what a mask leaves, for sizes,
/// scalars and tables of one launch. It holds for every launch of the same mask with those,
/// whatever the layer, the element type or the head dims. Tables must not change: nothing but
/// verifyPlan() finds out.
class Plan {
public:
  static constexpr int64_t any = -1;
  /// Of a block's queries and keys, so that multiples of them do not overflow.
  static constexpr int64_t maxBlock = int64_t(1) << 48;

  int64_t rows = 0, keys = 0; ///< of a block
  int64_t B = 0, Hq = 0, Q = 0, KV = 0;
  bool perBatch = false, perHead = false; ///< else one row of the plan is for all
  uint64_t mask = 0;                      ///< MaskPlanner::mask; 0: the kernel has none
  struct Scalar {
    std::string name;
    int64_t value; ///< of its slot
    bool operator==(const Scalar &other) const {
      return name == other.name && value == other.value;
    }
  };
  std::vector<Scalar> scalars;   ///< that the mask reads
  std::vector<uint32_t> offsets; ///< of the first run of each row, and of the end
  std::vector<KeyRun> runs;      ///< ascending in each row, never overlapping

  int64_t getNumQueryBlocks() const { return rows == 0 ? 0 : Q / rows + (Q % rows != 0); }
  int64_t getNumKeyBlocks() const { return keys == 0 ? 0 : KV / keys + (KV % keys != 0); }
  int64_t getNumBatches() const { return perBatch ? B : B == 0 ? 0 : 1; }
  int64_t getNumHeads() const { return perHead ? Hq : Hq == 0 ? 0 : 1; }
  int64_t getNumRows() const { return getNumBatches() * getNumHeads() * getNumQueryBlocks(); }
  /// The row of a block of queries of batch `b` and head `h`.
  int64_t getRow(int64_t b, int64_t h, int64_t block) const {
    return ((perBatch ? b : 0) * getNumHeads() + (perHead ? h : 0)) * getNumQueryBlocks() + block;
  }
  KeyRuns getRuns(int64_t row) const {
    return {runs.data() + offsets[row], static_cast<int64_t>(offsets[row + 1] - offsets[row]),
            keys};
  }
  int64_t getNumBytes() const {
    return static_cast<int64_t>(offsets.size() * sizeof(uint32_t) + runs.size() * sizeof(KeyRun));
  }
  bool operator==(const Plan &other) const;

  /// What a launch with heads of these sizes does.
  PlanStatistics count(const KernelInfo &info) const;

  /// An error that names what a launch and the plan do not agree on, and both values; or nothing.
  std::optional<std::string> check(const HostKernel &kernel, const BoundArguments &arguments) const;
};

/// Makes the plan of a launch. Returns an error if the block has no queries or keys or more
/// than Plan::maxBlock of them, if there are too many blocks, or memory runs out.
std::optional<std::string> makePlan(const HostKernel &kernel, const BoundArguments &arguments,
                                    const PlanOptions &options, Plan &plan);

/// The calls of the kernel that a launch with a plan makes, one a block of queries of a batch and
/// head; those with the most work come first.
class PlannedTasks {
public:
  PlannedTasks() = default;
  /// `plan`, which must outlive this, fits the launch.
  PlannedTasks(const Plan &plan, const BoundArguments &arguments);

  int64_t getCount() const { return count; }

  /// Computes task `task` in this thread. `scratch` is for no other thread.
  void run(const HostKernel &kernel, const BoundArguments &arguments, int64_t task,
           void *scratch) const;

private:
  const Plan *plan = nullptr;
  std::vector<uint32_t> order; ///< the numbers of rows of the plan
  int64_t sharedHeads = 1;     ///< heads, and batches and heads, that a row of the plan is for
  int64_t shared = 1;
  int64_t count = 0;
};

/// A block of pairs of which a plan says what is not true.
struct PlanViolation {
  int64_t b = 0, h = 0, queryBlock = 0, firstKeyBlock = 0, lastKeyBlock = 0;
  bool full = false; ///< said to be full, else empty

  /// For people: "key blocks 3 to 5 of query block 7 (batch 0, head 1) are empty in the plan, but
  /// pairs of them take part".
  std::string print() const;
};

/// Evaluates the mask at every pair and looks for one that the plan, which fits the launch, is
/// wrong about.
std::optional<PlanViolation> verifyPlan(const Plan &plan, const HostKernel &kernel,
                                        const BoundArguments &arguments, int threads = 0);

/// Writes a plan to a file, and reads one. Errors name the file.
std::optional<std::string> savePlan(const Plan &plan, const std::string &path);
std::optional<std::string> loadPlan(const std::string &path, Plan &plan);

} // namespace attnc

#endif // ATTNC_PLAN_H
