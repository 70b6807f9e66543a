//===- Bench.cpp - How fast a kernel runs -----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/Bench.h"
#include "compiler/Driver/MachinePeak.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace attnc::driver;

/// From now on the peak of resident memory counts anew, where the system can do that.
static void resetPeakMemory() { std::ofstream("/proc/self/clear_refs") << "5"; }

/// The peak of resident memory in bytes; 0 where the system does not tell.
static int64_t readPeakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.compare(0, 6, "VmHWM:") == 0)
      return std::stoll(line.substr(6)) * 1024;
  return 0;
}

static double timeLaunch(const LaunchFunction &launch, std::optional<RunError> &error) {
  auto start = std::chrono::steady_clock::now();
  error = launch();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::optional<RunError> attnc::driver::bench(const LaunchFunction &launch, double flops, bool bf16,
                                             unsigned threads, BenchResult &result) {
  constexpr int minRuns = 5, maxRuns = 1000;
  constexpr double enough = 1; // seconds
  bool showProgress = isatty(STDERR_FILENO);
  MachinePeak peak = measurePeak(bf16, threads);
  std::optional<RunError> error;
  resetPeakMemory();
  timeLaunch(launch, error);
  std::vector<double> seconds;
  double total = 0;
  while (!error && (seconds.size() < minRuns || (total < enough && seconds.size() < maxRuns))) {
    seconds.push_back(timeLaunch(launch, error));
    total += seconds.back();
    if (showProgress)
      std::fprintf(stderr, "\r\033[Kmeasuring: run %zu, %.1f ms", seconds.size(),
                   seconds.back() * 1e3);
  }
  if (showProgress)
    std::fputs("\r\033[K", stderr);
  if (error)
    return error;
  result.peakBytes = readPeakMemory();
  MachinePeak after = measurePeak(bf16, threads);
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<int64_t>(seconds.size() / 2),
                   seconds.end());
  double median = seconds[seconds.size() / 2];
  result.milliseconds = median * 1e3;
  result.runs = static_cast<int>(seconds.size());
  result.gflops = flops / median * 1e-9;
  result.peakGflops = std::max(peak.gflops, after.gflops);
  result.instruction = peak.instruction;
  result.threads = threads;
  return std::nullopt;
}
