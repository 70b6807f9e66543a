//===- BenchReport.cpp - What host-bench prints -----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/bench/host/BenchReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <algorithm>

using namespace attnc;
using namespace attnc::bench;

static bool isSame(const Shape &a, const Shape &b) {
  return a.dtype == b.dtype && a.headDim == b.headDim;
}

const CaseResult *BenchReport::find(const Shape &shape, llvm::StringRef variant) const {
  for (const CaseResult &result : cases)
    if (result.variant == variant && isSame(result.shape, shape))
      return &result;
  return nullptr;
}

std::vector<Shape> BenchReport::getShapes() const {
  std::vector<Shape> shapes;
  for (const CaseResult &result : cases)
    if (llvm::none_of(shapes, [&](const Shape &shape) { return isSame(shape, result.shape); }))
      shapes.push_back(result.shape);
  return shapes;
}

std::vector<BenchReport::Ratio> BenchReport::getRatios(const Shape &shape) const {
  std::vector<Ratio> ratios;
  const CaseResult *full = find(shape, "full");
  if (!full)
    return ratios;
  auto add = [&](const char *variant, const char *what, auto compute, const char *goal) {
    if (const CaseResult *result = find(shape, variant))
      ratios.push_back({what, compute(*result), goal});
  };
  auto relative = [&](const CaseResult &result) {
    return result.milliseconds / full->milliseconds;
  };
  add("causal", "full / causal", [&](auto &result) { return 1 / relative(result); }, "");
  add("always-true", "always-true / full", relative, "at most 1.05");
  for (const char *variant : {"documents", "causal-documents"}) {
    std::string name = variant;
    add(
        variant, (name + " / (visible blocks x full)").c_str(),
        [&](auto &result) { return relative(result) / result.blockShare; }, "at most 1.15");
    add(
        variant, (name + " / (visible pairs x full)").c_str(),
        [&](auto &result) { return relative(result) / result.pairShare; }, "");
  }
  return ratios;
}

void BenchReport::printText(llvm::raw_ostream &os) const {
  os << llvm::formatv("{0} thread{1}, medians of {2} runs in turns with the peak\n\n", threads,
                      threads == 1 ? "" : "s", runs)
     << llvm::formatv("{0,-5} {1,4} {2,6}  {3,-17} {4,9} {5,9} {6,9} {7,9} {8,7} {9,7} {10,7}\n",
                      "dtype", "D", "S", "variant", "ms", "fastest", "GFLOP/s", "peak", "share",
                      "pairs", "blocks");
  for (const CaseResult &result : cases)
    os << llvm::format("%-5s %4d %6d  %-17s %9.3f %9.3f %9.1f %9.1f %5.1f %% %5.1f %% %5.1f %%\n",
                       getName(result.shape.dtype).c_str(), static_cast<int>(result.shape.headDim),
                       static_cast<int>(result.shape.length), result.variant.c_str(),
                       result.milliseconds, result.fastest, result.gflops, result.peakGflops,
                       100 * result.gflops / result.peakGflops, 100 * result.pairShare,
                       100 * result.blockShare);
  for (const Shape &shape : getShapes()) {
    os << llvm::formatv("\n{0}, D {1}\n", getName(shape.dtype), shape.headDim);
    for (const Ratio &ratio : getRatios(shape))
      os << llvm::format("  %-46s %6.3f  %s\n", ratio.what.c_str(), ratio.value,
                         ratio.goal.c_str());
  }
  os << "\n";
  for (const LaunchResult &result : launches)
    os << llvm::format("launch of 1 x 1 x %d x %d on %d thread%s: %.2f us, of which the kernel %.2f"
                       ", overhead %.2f; checking the arguments once %.2f\n",
                       static_cast<int>(result.length), static_cast<int>(result.headDim),
                       result.threads, result.threads == 1 ? "" : "s", result.launch, result.kernel,
                       result.launch - result.kernel, result.bind);
}

void BenchReport::printJSON(llvm::raw_ostream &os) const {
  llvm::json::Array caseArray, ratioArray, launchArray;
  for (const CaseResult &result : cases)
    caseArray.push_back(llvm::json::Object{{"dtype", getName(result.shape.dtype)},
                                           {"head_dim", result.shape.headDim},
                                           {"heads", result.shape.heads},
                                           {"length", result.shape.length},
                                           {"variant", result.variant},
                                           {"milliseconds", result.milliseconds},
                                           {"fastest", result.fastest},
                                           {"gflops", result.gflops},
                                           {"peak_gflops", result.peakGflops},
                                           {"peak_instruction", result.instruction},
                                           {"pair_share", result.pairShare},
                                           {"block_share", result.blockShare}});
  for (const Shape &shape : getShapes())
    for (const Ratio &ratio : getRatios(shape))
      ratioArray.push_back(llvm::json::Object{{"dtype", getName(shape.dtype)},
                                              {"head_dim", shape.headDim},
                                              {"ratio", ratio.what},
                                              {"value", ratio.value},
                                              {"goal", ratio.goal}});
  for (const LaunchResult &result : launches)
    launchArray.push_back(llvm::json::Object{{"length", result.length},
                                             {"head_dim", result.headDim},
                                             {"threads", result.threads},
                                             {"launch_us", result.launch},
                                             {"kernel_us", result.kernel},
                                             {"bind_us", result.bind}});
  llvm::json::Value report = llvm::json::Object{{"threads", threads},
                                                {"runs", runs},
                                                {"cases", std::move(caseArray)},
                                                {"ratios", std::move(ratioArray)},
                                                {"launches", std::move(launchArray)}};
  os << llvm::formatv("{0:2}\n", report);
}
