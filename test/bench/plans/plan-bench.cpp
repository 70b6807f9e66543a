//===- plan-bench.cpp - What planning costs ---------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Times makePlan() for lengths from 4,096 to 4,194,304 and beside their neighbours, with blocks of
// 128 x 128, on one thread: it should grow with the length, not with its square, and no length
// should stand out.
//
//===------------------------------------------------------------------------===//

#include "attnc/Plan.h"
#include "compiler/Driver/CommandLine.h"
#include "compiler/Driver/HostCompiler.h"
#include "compiler/Frontend/Frontend.h"
#include "compiler/Pipelines/Pipelines.h"
#include "test/bench/BoundVariant.h"
#include "test/bench/Median.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <random>

using namespace attnc;
using namespace attnc::bench;

namespace {
struct Program {
  const char *name, *text;
};
const Program programs[] = {
    {"causal", "mask_mod = causal\n"},
    {"window", "mask_mod = and_masks(causal, sliding_window(1024))\n"},
    {"window-sinks", "mask_mod = and_masks(causal, sink_window(1024, 4))\n"},
    {"causal-documents", "doc: i32[KV]\nmask_mod = and_masks(document(doc), causal)\n"},
    {"two-tables", "doc: i32[KV]\nids: i32[Q]\n\ndef mask_mod(b, h, q_idx, kv_idx):\n"
                   "    return (ids[q_idx] == doc[kv_idx]) & (q_idx >= kv_idx)\n"}};

/// Positions of a document, on average: 1,000 documents at 262,144.
constexpr int64_t documentLength = 262;
constexpr int64_t headDim = 64;

struct Result {
  std::string name;
  int64_t length, full, partial, bytes;
  double milliseconds;
};

HostKernel compile(const Program &program, mlir::MLIRContext &context) {
  SourceManager sources;
  attnc::DiagnosticEngine diagnostics(sources);
  FrontendOptions frontend;
  frontend.shapes = {{ElementType::BF16, headDim, headDim}};
  FrontendResult result = compileToAttn(sources.add(program.name, program.text), frontend, sources,
                                        diagnostics, context);
  if (!result.module)
    fail("`" + std::string(program.name) + "` is no program");
  llvm::Expected<HostTarget> target = HostTarget::get("native");
  if (!target)
    fail(llvm::toString(target.takeError()));
  driver::StageTimes times;
  auto kernels = driver::compileForHost(*result.module, Phase::Attn, *target, times);
  if (!kernels)
    fail(llvm::toString(kernels.takeError()));
  return kernels->front();
}

Result measure(const HostKernel &kernel, const char *name, int64_t length, int64_t runs) {
  std::mt19937_64 random(1);
  std::vector<int32_t> documents(length);
  int32_t id = 0;
  for (int32_t &element : documents)
    element = id += random() % documentLength == 0;
  // Nothing reads q, k and v, so one row stands for all.
  uint16_t row[headDim] = {};
  LaunchArguments arguments;
  arguments.q = {row, ElementType::BF16, {1, 1, length, headDim}, {0, 0, 0, 1}};
  arguments.k = arguments.v = arguments.o = arguments.q;
  arguments.o.strides = {length * headDim, length * headDim, headDim, 1};
  for (const CaptureInfo &capture : kernel.info.captures)
    arguments.captures[capture.name] = {documents.data(), ElementType::I32, {length}, {1}};
  BoundArguments bound;
  if (auto error = bindArguments(kernel.info, arguments, bound))
    fail(*error);

  Plan plan;
  std::vector<double> times;
  for (int64_t run = 0; run < runs; ++run) {
    auto start = std::chrono::steady_clock::now();
    if (auto error = makePlan(kernel, bound, {128, 128, false, 1}, plan))
      fail(*error);
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  PlanStatistics statistics = plan.count(kernel.info);
  return {name, length, statistics.full, statistics.partial, plan.getNumBytes(), getMedian(times)};
}

void print(llvm::ArrayRef<Result> results, bool json) {
  if (json) {
    llvm::json::Array array;
    for (const Result &result : results)
      array.push_back(llvm::json::Object{{"mask", result.name},
                                         {"length", result.length},
                                         {"full", result.full},
                                         {"partial", result.partial},
                                         {"bytes", result.bytes},
                                         {"milliseconds", result.milliseconds}});
    llvm::outs() << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(array)));
    return;
  }
  llvm::outs()
      << "mask                 length       ms  ns/position      bytes      full   partial\n";
  for (const Result &result : results)
    llvm::outs() << llvm::format(
        "%-18s %8lld %8.3f %12.2f %10lld %9lld %9lld\n", result.name.c_str(),
        static_cast<long long>(result.length), result.milliseconds,
        result.milliseconds * 1e6 / static_cast<double>(result.length),
        static_cast<long long>(result.bytes), static_cast<long long>(result.full),
        static_cast<long long>(result.partial));
}
} // namespace

int main(int argc, char **argv) {
  int64_t runs = 15, longest = int64_t(1) << 22;
  bool json = false, help = false;
  driver::CommandLine commandLine(
      "plan-bench", "[options]", "Measures what planning costs, on one thread.\n",
      {{"Options",
        {driver::makeInteger("--runs", runs, "plans of each case (15)", 1, 1 << 20),
         driver::makeInteger("--longest", longest, "positions of the last case (4194304)", 4096,
                             int64_t(1) << 30),
         driver::makeFlag("--json", json, "prints JSON"),
         driver::makeFlag("--help", help, "prints this text")}}},
      "");
  std::vector<std::string> positional;
  std::vector<std::string> words(argv + 1, argv + argc);
  std::optional<std::string> error = commandLine.parse(words, positional);
  if (!error && !positional.empty())
    error = "expected no arguments, got `" + positional[0] + "`";
  if (error) {
    llvm::errs() << "plan-bench: error: " << *error << "\n";
    return 2;
  }
  if (help) {
    llvm::outs() << commandLine.getHelp();
    return 0;
  }
  mlir::DialectRegistry registry;
  insertAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::vector<int64_t> lengths = {1000, 4096, 4097, 131072, 131073};
  for (int64_t length = 16384; length <= longest; length *= 4)
    lengths.push_back(length);
  std::sort(lengths.begin(), lengths.end());
  std::vector<Result> results;
  for (const Program &program : programs) {
    HostKernel kernel = compile(program, context);
    for (int64_t length : lengths)
      results.push_back(measure(kernel, program.name, length, runs));
  }
  print(results, json);
  return 0;
}
