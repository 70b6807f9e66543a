//===- Median.h - The middle of several measurements --------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_BENCH_MEDIAN_H
#define TEST_BENCH_MEDIAN_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace attnc::bench {

/// The median; `values` are not empty.
inline double getMedian(std::vector<double> values) {
  auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace attnc::bench

#endif // TEST_BENCH_MEDIAN_H
