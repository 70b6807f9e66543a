//===- GpuKernel.h - What launching a GPU kernel takes ------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_GPUKERNEL_H
#define ATTNC_GPUKERNEL_H

#include "attnc/KernelInfo.h"
#include "attnc/Launch.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// The entries of a kernel for short grids, those of launches with few queries or few blocks.
///
/// In a block of NAME_short, the heads of a group share the rows, so that each key is read once for
/// all of them; and the keys may be split, each block taking every splits-th block of keys. What
/// several splits leave in a workspace, NAME_combine makes the output of. Both entries take the
/// slots and then WorkspaceSlots. There must be keys.
struct ShortGrid {
  int64_t rows = 1;           ///< pairs of a query and a head that a block of NAME_short computes
  bool packsHeads = false;    ///< else all rows of a block are of one head
  int64_t threads = 0;        ///< of a block of NAME_short
  int64_t sharedBytes = 0;    ///< of dynamic shared memory of such a block
  int64_t combineThreads = 0; ///< of a block of NAME_combine, which computes one query of one head
  int64_t combineSharedBytes = 0;

  /// The workspace has, for each split and each row of o, value dim columns in f32, padded to a
  /// multiple of the first; and behind all of them so many statistics in f32.
  static constexpr int64_t columnPadding = 16, rowStatistics = 2;
};

/// What captured tables hold block by block, of which kernels learn which blocks of keys a mask
/// leaves. NAME_summarize makes it before the other entries of a launch, which read it; it takes
/// the same parameters as NAME_short. There must be keys and queries.
///
/// A summary is the smallest and the largest value of each table over a block of keys or queries.
/// For each owner, a batch and head that the tables tell apart, there are the summaries of keys,
/// one for each group of `threads` of them, and those of queries.
struct TableSummaries {
  int64_t blockSize = 1;                  ///< keys or queries of a summary
  int64_t threads = 0;                    ///< of a block of NAME_summarize; each makes a summary
  int64_t sharedBytes = 0;                ///< of dynamic shared memory of such a block
  int64_t keyValues = 0, queryValues = 0; ///< of 64 bits, in a summary
  bool perBatch = false, perHead = false; ///< what has summaries of its own
};

/// The second parameter of entries, by value, in slots of 64 bits.
enum WorkspaceSlots {
  SplitRows,       ///< the address of what several splits leave, a multiple of 16
  NumSplits,       ///< at most the number of keys; 0 for the entry NAME
  SummariesAddress ///< the address of the summaries, a multiple of 16
};

/// A kernel in PTX or machine code of a GPU. Its entry is info.name; it takes one parameter by
/// value, the slots of ArgumentLayout with pointers to device memory, and WorkspaceSlots if it has
/// summaries.
struct GpuKernel {
  KernelInfo info;
  int64_t queryBlock = 1;  ///< rows of q that a block of threads computes
  int64_t threads = 0;     ///< of a block
  int64_t sharedBytes = 0; ///< of dynamic shared memory of a block
  std::optional<ShortGrid> shortGrid;
  /// How f32 are multiplied on tensor cores, "tf32" or "tf32x3"; empty for kernels of other types,
  /// and where products are those of f32.
  std::string products;
  std::optional<TableSummaries> summaries;

  /// What the names of other entries have after the kernel's name.
  static constexpr const char *shortSuffix = "_short", *combineSuffix = "_combine",
                              *summarizeSuffix = "_summarize";

  /// The most blocks of a grid.
  static constexpr int64_t maxBlocks = 2147483647;
  /// The bytes of WorkspaceSlots, and the most bytes of the launch arguments: together they are as
  /// many as the parameters of a kernel can take.
  static constexpr int64_t workspaceParameterBytes = 24;
  static constexpr int64_t maxParameterBytes = 4096 - workspaceParameterBytes;

  /// Launches with fewer queries take the short entry in any case.
  static constexpr int64_t shortQueries = 64;
  /// Blocks of the short entry that are made for each multiprocessor, if there are keys enough.
  static constexpr int64_t blocksPerMultiprocessor = 4;
  /// The fewest keys that are worth a split, and the most splits.
  static constexpr int64_t splitKeys = 128, maxSplits = 128;
};

/// An entry of a kernel, and what a block of it takes.
struct GpuEntry {
  std::string name;
  int64_t threads = 0;
  int64_t sharedBytes = 0; ///< of dynamic shared memory
};

/// The entries of a kernel: NAME, then NAME_short, NAME_combine and NAME_summarize if it has them.
std::vector<GpuEntry> getEntries(const GpuKernel &kernel);

/// The bytes of the parameter of a kernel.
int64_t getParameterBytes(const KernelInfo &info);

/// An error if the launch arguments take more bytes than a GPU kernel can have parameters; nothing
/// if they fit.
std::optional<std::string> checkParameterBytes(const KernelInfo &info);

/// The bytes of the workspace for one row of o and one split.
int64_t getWorkspaceRowBytes(int64_t valueDim);

/// A grid of one of the entries.
struct GpuGrid {
  size_t entry = 0; ///< its place in getEntries
  int64_t blocks = 0;
};

/// How a launch is made: NAME_summarize, if the kernel has it; with `splits` 0 the entry NAME, else
/// NAME_short, and after it NAME_combine if there are several splits. All grids have one dimension.
struct GpuLaunch {
  int64_t splits = 0;
  int64_t blocks = 0;          ///< of NAME or NAME_short; 0 if there is nothing to compute
  int64_t combineBlocks = 0;   ///< of NAME_combine; 0 if it is not launched
  int64_t summaryBlocks = 0;   ///< of NAME_summarize; 0 if it is not launched
  int64_t workspaceBytes = 0;  ///< that the entries share: rows of splits, then summaries
  int64_t summariesOffset = 0; ///< where the summaries begin in it

  /// What is launched, one grid after the other; nothing if there is nothing to compute.
  std::vector<GpuGrid> getGrids(const GpuKernel &kernel) const;

  /// WorkspaceSlots for a workspace at `address`, a multiple of 16; 0 if there is none.
  std::array<int64_t, 3> getWorkspaceSlots(int64_t address) const;
};

/// The splits of a launch on a GPU with so many multiprocessors; 0 if the entry NAME is to be
/// launched. NAME_short is taken for fewer than shortQueries queries, and where the blocks of NAME
/// would leave half of the multiprocessors idle. Its keys are split as long as that gives no more
/// than blocksPerMultiprocessor blocks for each multiprocessor and leaves each split splitKeys
/// keys.
int64_t chooseSplits(const GpuKernel &kernel, const BoundArguments &arguments,
                     int64_t multiprocessors);

/// Sets `launch` to the launch with so many splits; 0 takes the entry NAME, as does a kernel
/// without entries for short grids. There are at most maxSplits, and as many as keys. Returns an
/// error if no grid has so many blocks.
std::optional<std::string> planLaunch(const GpuKernel &kernel, const BoundArguments &arguments,
                                      int64_t splits, GpuLaunch &launch);

} // namespace attnc

#endif // ATTNC_GPUKERNEL_H
