//===- NearestName.cpp - Suggestions for misspelt names ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/NearestName.h"
#include <algorithm>

using namespace attnc;

/// The least number of insertions, deletions and replacements that turn `a` into `b`.
static size_t getEditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::optional<std::string> attnc::findNearestName(std::string_view name,
                                                  const std::vector<std::string> &candidates) {
  std::optional<std::string> nearest;
  size_t limit = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string &candidate : candidates) {
    // Far lengths cannot be near, and long hostile names cost nothing.
    size_t longer = std::max(name.size(), candidate.size());
    if (longer - std::min(name.size(), candidate.size()) >= limit)
      continue;
    size_t distance = getEditDistance(name, candidate);
    if (distance < limit && distance < longer) {
      limit = distance;
      nearest = candidate;
    }
  }
  return nearest;
}
