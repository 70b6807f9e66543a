//===- GpuReport.h - What gpu-bench prints ------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_BENCH_GPU_GPUREPORT_H
#define TEST_BENCH_GPU_GPUREPORT_H

#include "test/bench/BoundVariant.h"
#include "test/bench/gpu/GoldenCheck.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace attnc::bench {

/// What one of PyTorch's functions took; or why there is no time.
struct TorchResult {
  std::optional<double> milliseconds; ///< the median of all rounds
  std::string reason;
};

/// What one variant took.
struct GpuResult {
  std::string variant;
  Shape shape;
  std::string error;       ///< why there is no time; empty if there is
  double milliseconds = 0; ///< of one launch, the median of all rounds
  double teraflops = 0;    ///< a second, over the pairs that take part
  TorchResult sdpa, flex;
};

struct GpuReport {
  std::string gpu, arch, torch;
  /// Why there is nothing of PyTorch; empty if there is.
  std::string torchError;
  std::vector<GoldenResult> goldens;
  /// A kernel has failed: nothing else can be run in this process.
  bool isGpuLost = false;
  /// Cases and variants that were not run because of that.
  size_t goldensLeft = 0, variantsLeft = 0;
  bool hasGoldens = false, hasVariants = false;
  std::vector<GpuResult> variants;

  bool passes() const;
  void printText(llvm::raw_ostream &os) const;
  void printJSON(llvm::raw_ostream &os) const;

private:
  void printVariants(llvm::raw_ostream &os) const;
};

} // namespace attnc::bench

#endif // TEST_BENCH_GPU_GPUREPORT_H
