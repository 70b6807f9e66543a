//===- Bench.h - How fast a kernel runs ---------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_BENCH_H
#define COMPILER_DRIVER_BENCH_H

#include "compiler/Driver/RunError.h"
#include <cstdint>
#include <functional>
#include <optional>

namespace attnc::driver {

/// Computes one launch.
using LaunchFunction = std::function<std::optional<RunError>()>;

struct BenchResult {
  double milliseconds = 0; ///< the median of all runs
  int runs = 0;
  double gflops = 0;            ///< by the work that was asked for
  double peakGflops = 0;        ///< what multiply-adds alone reach here
  const char *instruction = ""; ///< that reached it
  int64_t peakBytes = 0;        ///< of the process while it ran
  unsigned threads = 0;

  double getShareOfPeak() const { return gflops / peakGflops; }
};

/// Runs `launch`, worth `flops` operations, once and then for about a second, at least 5 times.
/// The peak is measured before and after, with bf16 dot products if `bf16`. Progress goes to the
/// standard error when that is a terminal.
std::optional<RunError> bench(const LaunchFunction &launch, double flops, bool bf16,
                              unsigned threads, BenchResult &result);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_BENCH_H
