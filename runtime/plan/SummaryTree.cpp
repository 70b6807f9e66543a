//===- SummaryTree.cpp - What tables say, at several levels -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/plan/SummaryTree.h"
#include <algorithm>

using namespace attnc;

SummaryTree::SummaryTree(int64_t count, int64_t size, int64_t values)
    : count(count), size(size), values(values) {
  int64_t nodes = count / size + (count % size != 0), first = 0;
  levels.push_back({first, nodes});
  while (nodes > 1) {
    first += nodes;
    nodes = (nodes + 1) / 2;
    levels.push_back({first, nodes});
  }
  summaries.resize((first + nodes) * values);
}

void SummaryTree::summarizeLevels() {
  for (size_t level = 1; level < levels.size(); ++level) {
    const int64_t *from = summaries.data() + levels[level - 1].first * values;
    int64_t *to = summaries.data() + levels[level].first * values;
    int64_t children = levels[level - 1].nodes;
    for (int64_t node = 0; node < levels[level].nodes; ++node) {
      const int64_t *left = from + 2 * node * values;
      const int64_t *right = 2 * node + 1 < children ? left + values : left;
      for (int64_t i = 0; i < values; i += 2) {
        to[node * values + i] = std::min(left[i], right[i]);
        to[node * values + i + 1] = std::max(left[i + 1], right[i + 1]);
      }
    }
  }
}
