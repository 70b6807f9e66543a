//===- SummaryTree.h - What tables say, at several levels ---------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_PLAN_SUMMARYTREE_H
#define RUNTIME_PLAN_SUMMARYTREE_H

#include <cstdint>
#include <functional>
#include <vector>

namespace attnc {

/// Queries or keys in blocks (level 0), pairs of blocks (level 1), and so on up to one node for
/// all, each with the smallest and largest of its values.
class SummaryTree {
public:
  /// `count` elements in blocks of `size`, with `values` numbers a summary: smallest and largest in
  /// turns.
  SummaryTree(int64_t count, int64_t size, int64_t values);

  /// Memory for the summaries of the blocks from `block` on.
  int64_t *getBlocks(int64_t block) { return summaries.data() + block * values; }
  /// Makes the upper levels from the blocks.
  void summarizeLevels();

  int64_t getNumBlocks() const { return levels[0].nodes; }
  int64_t getTop() const { return static_cast<int64_t>(levels.size()) - 1; }
  int64_t getNumNodes(int64_t level) const { return levels[level].nodes; }
  const int64_t *getSummary(int64_t level, int64_t node) const {
    return summaries.data() + (levels[level].first + node) * values;
  }
  int64_t getFirst(int64_t level, int64_t node) const { return (node << level) * size; }
  int64_t getLast(int64_t level, int64_t node) const {
    int64_t blocks = (node + 1) << level;
    return blocks >= getNumBlocks() ? count - 1 : blocks * size - 1;
  }
  /// The blocks of a node: from node << level to the end of this.
  int64_t getBlockEnd(int64_t level, int64_t node) const {
    int64_t end = (node + 1) << level;
    return end < getNumBlocks() ? end : getNumBlocks();
  }
  int64_t getNumBytes() const { return static_cast<int64_t>(summaries.size() * sizeof(int64_t)); }

private:
  struct Level {
    int64_t first, nodes;
  };
  int64_t count, size, values;
  std::vector<Level> levels;
  std::vector<int64_t> summaries;
};

} // namespace attnc

#endif // RUNTIME_PLAN_SUMMARYTREE_H
