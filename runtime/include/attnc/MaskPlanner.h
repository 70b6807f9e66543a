//===- MaskPlanner.h - Compiled functions that tell of a mask -----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_MASKPLANNER_H
#define ATTNC_MASKPLANNER_H

#include <cstdint>
#include <vector>

namespace attnc {

/// Blocks of keys that queries attend to: `first` to `last`, inclusive.
struct KeyRun {
  static constexpr uint32_t fullBit = uint32_t(1) << 31;

  uint32_t first;
  uint32_t lastAndFull;

  KeyRun() = default;
  KeyRun(int64_t first, int64_t last, bool full)
      : first(static_cast<uint32_t>(first)),
        lastAndFull(static_cast<uint32_t>(last) | (full ? fullBit : 0)) {}
  int64_t getFirst() const { return first; }
  int64_t getLast() const { return lastAndFull & ~fullBit; }
  /// Every pair takes part; else some pairs may not.
  bool isFull() const { return (lastAndFull & fullBit) != 0; }
  bool operator==(const KeyRun &other) const {
    return first == other.first && lastAndFull == other.lastAndFull;
  }
};

/// Ascending runs of blocks of `keysPerBlock` keys; keys in none of them take no part.
struct KeyRuns {
  const KeyRun *runs;
  int64_t count;
  int64_t keysPerBlock;
};

/// Pairs of queries and keys of one batch and head, inside the tensors; ends are inclusive.
struct PairRectangle {
  int64_t firstQuery, lastQuery, firstKey, lastKey;
  /// The summaries of the queries and of the keys; not read where there are none.
  const int64_t *querySummary, *keySummary;
};

/// What the mask of a kernel leaves of blocks of pairs, as compiled code. No function may be called
/// where a dimension (B, Hq, Q, KV) is 0. All are pure and may run on any number of threads.
struct MaskPlanner {
  /// The bits of a verdict. With neither no pair takes part; with both every pair does.
  static constexpr uint8_t may = 1, must = 2;

  /// Writes the summary of each block of `size` queries or keys of [begin, end): for each value
  /// that captured tables decide its smallest and largest. What is said of several blocks at once
  /// is the smallest and largest of theirs.
  using Summarize = void (*)(const int64_t *slots, int64_t b, int64_t h, int64_t begin, int64_t end,
                             int64_t size, int64_t *summaries);
  /// Writes one verdict a rectangle. It is sound: `must` without `may` does not occur, and what is
  /// not known is `may` alone.
  using Classify = void (*)(const int64_t *slots, int64_t b, int64_t h,
                            const PairRectangle *rectangles, int64_t count, uint8_t *verdicts);
  /// Writes, for each block of `size` queries of [begin, end), lo, hi, fullLo and fullHi: no pair
  /// outside of keys [lo, hi) takes part, every pair inside [fullLo, fullHi) does.
  using KeyBounds = void (*)(const int64_t *slots, int64_t b, int64_t h, int64_t begin, int64_t end,
                             int64_t size, int64_t *bounds);
  /// The verdict by evaluating pairs, until both kinds have been met; ends are inclusive.
  using Refine = int64_t (*)(const int64_t *slots, int64_t b, int64_t h, int64_t firstQuery,
                             int64_t lastQuery, int64_t firstKey, int64_t lastKey);

  /// The kernel's function, which visits the keys of `runs` only, and finds empty and full blocks
  /// in those that are not full.
  using Planned = void (*)(const int64_t *slots, int64_t b, int64_t h, int64_t qBegin, int64_t qEnd,
                           void *scratch, const KeyRuns *runs);

  Planned planned = nullptr;
  Classify classify = nullptr; ///< null: the kernel has no mask
  Refine refine = nullptr;
  KeyBounds keyBounds = nullptr;        ///< of a mask with a closed form
  Summarize summarizeQueries = nullptr; ///< null: nothing to summarize
  Summarize summarizeKeys = nullptr;
  int64_t queryValues = 0, keyValues = 0; ///< of a summary
  /// Queries and keys have one summary where their blocks and numbers are the same.
  bool sharedSummaries = false;
  bool closedForm = false;                ///< keyBounds says all there is to know
  bool perBatch = false, perHead = false; ///< what the mask depends on
  uint64_t mask = 0;                      ///< stands for the text of the mask; 0: there is none
  std::vector<int64_t> scalars;           ///< that the mask reads, by their place in KernelInfo
  int64_t keyBlock = 0;                   ///< of the kernel
};

} // namespace attnc

#endif // ATTNC_MASKPLANNER_H
