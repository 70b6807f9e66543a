//===- BenchReport.h - What host-bench prints ---------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_BENCH_HOST_BENCHREPORT_H
#define TEST_BENCH_HOST_BENCHREPORT_H

#include "test/bench/host/BenchCase.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <vector>

namespace attnc::bench {

/// What one case took.
struct CaseResult {
  std::string variant;
  Shape shape;
  double milliseconds = 0; ///< the median of all runs
  double fastest = 0;      ///< of them
  double gflops = 0;       ///< over the pairs that take part
  double peakGflops = 0;   ///< what multiply-adds alone reach, the median of all rounds
  const char *instruction = "";
  double pairShare = 1, blockShare = 1;
};

/// Microseconds of one launch of a problem without work.
struct LaunchResult {
  int64_t length = 16, headDim = 16;
  int threads = 1;
  double launch = 0; ///< all of it
  double kernel = 0; ///< the kernel's function alone
  double bind = 0;   ///< checking the arguments, once for all launches of them
};

struct BenchReport {
  int threads = 0, runs = 0;
  std::vector<CaseResult> cases;
  std::vector<LaunchResult> launches;

  void printText(llvm::raw_ostream &os) const;
  void printJSON(llvm::raw_ostream &os) const;

private:
  struct Ratio {
    std::string what;
    double value;
    std::string goal;
  };
  /// Ratios between the cases of one shape.
  std::vector<Ratio> getRatios(const Shape &shape) const;
  const CaseResult *find(const Shape &shape, llvm::StringRef variant) const;
  /// The shapes of all cases, in their order.
  std::vector<Shape> getShapes() const;
};

} // namespace attnc::bench

#endif // TEST_BENCH_HOST_BENCHREPORT_H
