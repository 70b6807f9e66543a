//===- HostKernel.h - Compiled host kernels and their launch ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_HOSTKERNEL_H
#define ATTNC_HOSTKERNEL_H

#include "attnc/KernelInfo.h"
#include "attnc/Launch.h"
#include "attnc/MaskPlanner.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// Where a checked kernel reads a captured tensor or table.
struct LoadSite {
  std::string source; ///< the name of the tensor or table
  std::string file;   ///< of the program; empty if unknown, and the place is 0
  unsigned line = 0, column = 0, endLine = 0, endColumn = 0; ///< from 1, the end is exclusive
};

class Plan;

/// A kernel in native code of this machine. Copies share the code; any number of threads may
/// launch one.
struct HostKernel {
  /// Computes the rows qBegin to qEnd - 1, at most queryBlock of them, of batch b and head h.
  using Function = void (*)(const int64_t *slots, int64_t b, int64_t h, int64_t qBegin,
                            int64_t qEnd, void *scratch);

  /// Returns 1 if an index was clamped at a pair of query q that takes part, else 0. `record` then
  /// holds the number of the load, the key, the dimension, the index and the size.
  using Check = int64_t (*)(const int64_t *slots, int64_t b, int64_t h, int64_t q, int64_t *record);

  Function function = nullptr;
  int64_t queryBlock = 1;
  int64_t scratchBytes = 0; ///< of private memory that a call needs, 64-byte aligned
  KernelInfo info;
  MaskPlanner planner;
  Check check = nullptr;       ///< of a checked kernel
  std::vector<LoadSite> loads; ///< of a checked kernel, by number
  std::shared_ptr<void> code;  ///< keeps the memory behind the functions
};

/// How the rows of one launch are cut into calls of the kernel.
struct HostTasks {
  int64_t rows = 0;   ///< of a task, the last one of a head may have fewer
  int64_t blocks = 0; ///< of queries in one head
  int64_t count = 0;
};

/// Blocks below this leave vector lanes empty.
inline constexpr int64_t minTaskRows = 32;
/// Tasks a thread should find, so that long and short ones even out.
inline constexpr int64_t tasksPerThread = 4;

/// Blocks as large as the kernel takes, or smaller where that left threads without work.
HostTasks planTasks(const HostKernel &kernel, const BoundArguments &arguments, int threads);

/// What the scratch memory of a call is aligned to.
inline constexpr int64_t scratchAlignment = 64;

/// The bytes from the scratch memory of one thread to that of the next.
constexpr int64_t getScratchStride(int64_t scratchBytes) {
  return (scratchBytes + scratchAlignment - 1) / scratchAlignment * scratchAlignment;
}

/// Computes task `task` of a launch in this thread. `scratch` is for no other thread.
void runTask(const HostKernel &kernel, const BoundArguments &arguments, const HostTasks &tasks,
             int64_t task, void *scratch);

/// The threads a launch uses when it is not told: one a core this process may run on.
int getDefaultThreads();

/// Computes o, and lse if the kernel has it, on `threads` threads (0: getDefaultThreads()), and
/// returns when all is written; blocks of queries with the most work start first. With `plan` keys
/// outside of it are not visited; without one, a launch of several blocks of queries makes its own.
/// Returns an error if the plan is not one for this launch, or if the scratch memory, at most
/// threads * scratchBytes, or that of the plan, cannot be had.
std::optional<std::string> launch(const HostKernel &kernel, const BoundArguments &arguments,
                                  int threads = 0, const Plan *plan = nullptr);

/// An index outside its dimension, which was clamped at a pair that takes part.
struct ClampedIndex {
  size_t load = 0; ///< in HostKernel::loads
  int64_t dim = 0, index = 0, size = 0;
  int64_t b = 0, h = 0, q = 0, kv = 0; ///< the pair

  /// For people: "index 9 of dimension 0 of `slopes` is outside its size 8 at b = 0, ...".
  std::string print(const HostKernel &kernel) const;
};

/// The first clamped index of a launch of a checked kernel, in the order of batches, heads, queries
/// and keys; nothing if all indices are inside.
std::optional<ClampedIndex> findClampedIndex(const HostKernel &kernel,
                                             const BoundArguments &arguments, int threads = 0);

} // namespace attnc

#endif // ATTNC_HOSTKERNEL_H
