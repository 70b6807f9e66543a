//===- host-bench.cpp - How fast host kernels are ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/CommandLine.h"
#include "compiler/Driver/MachinePeak.h"
#include "compiler/Driver/OutputFile.h"
#include "test/bench/Median.h"
#include "test/bench/host/BenchReport.h"
#include <chrono>
#include <cstdlib>
#include <unistd.h>

using namespace attnc;
using namespace attnc::bench;

namespace {
struct BenchOptions {
  std::string variants, dtypes = "f32,bf16", headDims = "64,128";
  int64_t length = 4096, heads = 8, threads = 2, runs = 7;
  bool json = false, help = false;
};

driver::CommandLine makeCommandLine(BenchOptions &options) {
  constexpr int64_t maximum = 1 << 20;
  std::string names;
  for (const Variant &variant : getVariants())
    names += (names.empty() ? "" : " ") + variant.name;
  return driver::CommandLine(
      "host-bench", "[options]",
      "Measures kernels of attention variants on this CPU: one batch, as many queries as keys.\n",
      {{"Options",
        {driver::makeString("--variants", "LIST", options.variants, "of " + names + " (all)"),
         driver::makeString("--dtypes", "LIST", options.dtypes, "of f32 f16 bf16 (f32,bf16)"),
         driver::makeString("--head-dims", "LIST", options.headDims, "head dims (64,128)"),
         driver::makeInteger("--length", options.length, "queries and keys (4096)", 1, maximum),
         driver::makeInteger("--heads", options.heads, "heads (8)", 1, maximum),
         driver::makeInteger("--threads", options.threads, "threads (2)", 1, maximum),
         driver::makeInteger("--runs", options.runs, "runs of each case (7)", 1, maximum),
         driver::makeFlag("--json", options.json, "prints JSON"),
         driver::makeFlag("--help", options.help, "prints this text")}}},
      "\nEvery round runs each variant of a shape once and measures the peak, so that ratios and "
      "shares are of\nthe same minutes.\n");
}

/// The words of a comma list, parsed; nothing if one is wrong.
template <typename T, typename ParseT>
std::optional<std::vector<T>> parseList(const std::string &text, ParseT parse) {
  std::vector<T> result;
  for (const std::string &word : driver::split(text, ',')) {
    auto value = parse(word);
    if (!value)
      return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

/// Measures `variants` at `shape`, in rounds.
void measureShape(llvm::ArrayRef<const Variant *> variants, const Shape &shape,
                  const BenchOptions &options, BenchReport &report) {
  MainTensors tensors(shape);
  std::vector<std::unique_ptr<BenchCase>> cases;
  for (const Variant *variant : variants)
    cases.push_back(std::make_unique<BenchCase>(*variant, tensors));
  int threads = static_cast<int>(options.threads);
  for (const auto &benchCase : cases)
    benchCase->run(threads);

  std::vector<std::vector<double>> seconds(cases.size());
  std::vector<double> peaks;
  const char *instruction = "";
  for (int64_t round = 0; round < options.runs; ++round) {
    if (isatty(STDERR_FILENO))
      llvm::errs() << "\r\033[K" << getName(shape.dtype) << ", D " << shape.headDim << ": round "
                   << round + 1 << " of " << options.runs;
    driver::MachinePeak peak =
        driver::measurePeak(shape.dtype == ElementType::BF16, static_cast<unsigned>(threads));
    peaks.push_back(peak.gflops);
    instruction = peak.instruction;
    for (size_t i = 0; i < cases.size(); ++i)
      seconds[i].push_back(cases[i]->run(threads));
  }
  if (isatty(STDERR_FILENO))
    llvm::errs() << "\r\033[K";
  for (size_t i = 0; i < cases.size(); ++i) {
    CaseResult result;
    result.variant = cases[i]->getVariant().name;
    result.shape = shape;
    double median = getMedian(seconds[i]);
    result.milliseconds = median * 1e3;
    result.fastest = *std::min_element(seconds[i].begin(), seconds[i].end()) * 1e3;
    result.gflops = cases[i]->getFlops() / median * 1e-9;
    result.peakGflops = getMedian(peaks);
    result.instruction = instruction;
    result.pairShare = cases[i]->getPairShare();
    result.blockShare = cases[i]->getBlockShare();
    report.cases.push_back(result);
  }
}

/// Microseconds of one call, the median of several series of calls.
template <typename CallT> double timeCalls(CallT call) {
  constexpr int series = 7, calls = 2000;
  std::vector<double> times;
  for (int i = 0; i < series; ++i) {
    auto start = std::chrono::steady_clock::now();
    for (int j = 0; j < calls; ++j)
      call();
    std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count() / calls);
  }
  return getMedian(times);
}

LaunchResult measureLaunch(int threads) {
  LaunchResult result;
  result.threads = threads;
  MainTensors tensors({ElementType::F32, result.headDim, /*heads=*/1, result.length});
  BenchCase small(*findVariant("full"), tensors);
  const HostKernel &kernel = small.getKernel();
  const BoundArguments &bound = small.getBound();
  small.run(threads);
  result.launch = timeCalls([&] { launch(kernel, bound, threads); });
  auto bytes = static_cast<size_t>((kernel.scratchBytes + 63) / 64 * 64);
  std::unique_ptr<void, decltype(&std::free)> scratch(std::aligned_alloc(64, bytes), &std::free);
  result.kernel = timeCalls(
      [&] { kernel.function(bound.slots.data(), 0, 0, 0, result.length, scratch.get()); });
  BoundArguments again;
  result.bind = timeCalls([&] { bindArguments(kernel.info, small.getArguments(), again); });
  return result;
}

std::optional<std::string> measure(const BenchOptions &options, BenchReport &report) {
  std::vector<const Variant *> variants;
  for (const Variant &variant : getVariants())
    variants.push_back(&variant);
  if (!options.variants.empty()) {
    variants.clear();
    for (const std::string &name : driver::split(options.variants, ',')) {
      if (!findVariant(name))
        return "`--variants`: no variant `" + name + "`";
      variants.push_back(findVariant(name));
    }
  }
  auto dtypes = parseList<ElementType>(options.dtypes, [](const std::string &word) {
    std::optional<ElementType> type = parseElementType(word);
    return type && isFloat(*type) ? type : std::nullopt;
  });
  if (!dtypes)
    return "`--dtypes` expects a list of f32, f16 and bf16, got `" + options.dtypes + "`";
  auto headDims = parseList<int64_t>(options.headDims, [](const std::string &word) {
    std::optional<int64_t> value = driver::parseInteger(word);
    return value && *value > 0 && *value <= 1024 ? value : std::nullopt;
  });
  if (!headDims)
    return "`--head-dims` expects a list of whole numbers up to 1024, got `" + options.headDims +
           "`";
  report.threads = static_cast<int>(options.threads);
  report.runs = static_cast<int>(options.runs);
  for (ElementType dtype : *dtypes)
    for (int64_t headDim : *headDims)
      measureShape(variants, {dtype, headDim, options.heads, options.length}, options, report);
  for (int threads = 1; threads <= report.threads; threads += std::max(report.threads - 1, 1))
    report.launches.push_back(measureLaunch(threads));
  return std::nullopt;
}

int fail(const std::string &message, int status) {
  llvm::errs() << "host-bench: error: " << message << "\n";
  return status;
}

int print(const std::string &text) {
  if (std::optional<driver::RunError> error = driver::writeStandardOutput(text))
    return fail(error->message, error->status);
  return driver::Success;
}
} // namespace

int main(int argc, char **argv) {
  BenchOptions options;
  driver::CommandLine commandLine = makeCommandLine(options);
  std::vector<std::string> positional;
  std::optional<std::string> error = commandLine.parse({argv + 1, argv + argc}, positional);
  if (!error && !positional.empty())
    error = "expected options only, got `" + positional.front() + "`";
  if (!error && options.help)
    return print(commandLine.getHelp());
  BenchReport report;
  if (!error)
    error = measure(options, report);
  if (error)
    return fail(*error, driver::BadUsage);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (options.json)
    report.printJSON(os);
  else
    report.printText(os);
  return print(text);
}
