//===- ExplainGpu.cpp - What a GPU kernel costs -----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/ExplainGpu.h"
#include "compiler/Conversion/TileToNvvm/Summary.h"
#include "compiler/Conversion/TileToNvvm/SummaryTables.h"
#include "compiler/Driver/Explain.h"
#include "compiler/Target/Ptx/ScoreCosts.h"
#include "dialect/Tile/Analysis/SharedLayout.h"
#include "dialect/Tile/Analysis/ThreadRegisters.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;
using llvm::formatv;

/// A number of instructions: `0.5`, `3`.
static std::string printNumber(double number) {
  std::string text = formatv("{0:F1}", number);
  llvm::StringRef digits(text);
  digits.consume_back(".0");
  return digits.str();
}

/// `3.5 instructions a score: 2 fp32, 1.5 integer`.
static std::string printCosts(const ScoreCosts &costs) {
  std::string count = printNumber(costs.countInstructions()), parts;
  if (count == "0")
    return "nothing for each score";
  std::string text = count + (count == "1" ? " instruction a score" : " instructions a score");
  for (auto [name, count] : {std::pair("fp32", costs.fp32),
                             {"integer", costs.integer},
                             {"MUFU or conversion", costs.special},
                             {"load", costs.memory}})
    if (printNumber(count) != "0")
      parts += (parts.empty() ? ": " : ", ") + printNumber(count) + " " + name;
  return text + parts;
}

static void explainMods(attn::KernelOp kernel, const KernelCosts &costs,
                        const SourceManager &sources, llvm::raw_ostream &os) {
  if (attn::ScoreOp score = kernel.getScore()) {
    os << formatv("  {0,-9} {1}score_mod, for every pair\n", "score", printPlace(score.getLoc()));
    printUnderText(score.getLoc(), sources, printCosts(costs.getScore()), os);
  }
  explainMask(kernel, os,
              [&](size_t index, const attn::Conjunct &conjunct, const attn::PartialReason &reason) {
                const ScoreCosts &cost = costs.getConjuncts()[index];
                printUnderText(conjunct.loc, sources, printCosts(cost) + ", in masked blocks", os);
                os.indent(14) << "partial blocks: " << reason.text << '\n';
              });
  attn::MaskOp mask = kernel.getMask();
  if (!mask)
    return;
  if (auto summaries = getTableSummaries(attn::MaskAnalysis(mask)))
    os << formatv("            by the smallest and largest values of {0} positions, which {1}{2} "
                  "reads before\n",
                  summaries->blockSize, kernel.getSymName(), GpuKernel::summarizeSuffix);
}

static void explainTile(tile::KernelOp kernel, const GpuRates &rates, const PtxTarget &target,
                        llvm::raw_ostream &os) {
  attn::KernelOp attnKernel = kernel.getAttnKernel();
  tile::WarpScheduleAttr schedule = kernel.getWarpScheduleAttr();
  tile::SharedLayout layout(attnKernel, schedule);
  os << formatv("  schedule  {0} queries a block of {1} threads, {2} warps of {3} queries\n",
                schedule.getQueryBlock(), schedule.getNumThreads(), schedule.getNumWarps(),
                schedule.getWarpRows())
     << formatv(
            "            {0} keys at a time, {1} in masked blocks; one stage of keys and one of "
            "values\n",
            schedule.getKeyBlock(), schedule.getMaskedKeyBlock());
  if (StringRef products = describeProducts(schedule.getTf32()); !products.empty())
    os << "  products  " << products << '\n';
  os << formatv("  memory    {0} of shared memory a block, of {1}\n", printBytes(layout.totalBytes),
                printBytes(target.sharedBytes))
     << formatv("            {0} of the {1} registers of a thread for scores and output\n",
                tile::countStateRegisters(attnKernel, schedule), tile::getMostRegisters(schedule));
  Occupancy occupancy = getOccupancy(kernel, rates);
  os << formatv("  occupancy {0} block{1} of {2} threads on a multiprocessor, {3} of {4} warps: as "
                "many "
                "as {5} allow\n",
                occupancy.blocks, occupancy.blocks == 1 ? "" : "s", schedule.getNumThreads(),
                occupancy.blocks * schedule.getNumWarps(), rates.warps, occupancy.limit)
     << formatv("            at {0} registers a thread, an estimate: ptxas decides\n",
                occupancy.registers);
}

static void printTimes(llvm::StringRef what, ArrayRef<ResourceTime> times, llvm::raw_ostream &os) {
  os << formatv("            {0,-15}", what);
  llvm::ListSeparator separator;
  for (const ResourceTime &time : times)
    if (time.clocks > 0)
      os << separator << formatv("{0} {1:F3}", time.name, time.clocks);
  os << '\n';
}

static void explainBound(const KernelCosts &costs, const GpuRates &rates, llvm::raw_ostream &os) {
  SmallVector<ResourceTime> full = getTimes(costs.getFull(), rates);
  os << "  cost      clocks of a multiprocessor a score, modelled from the ops and not measured\n";
  printTimes("full blocks", full, os);
  printTimes("masked blocks", getTimes(costs.getMasked(), rates), os);
  const ResourceTime *bound = llvm::max_element(
      full, [](const ResourceTime &a, const ResourceTime &b) { return a.clocks < b.clocks; });
  os << formatv("  bound     {0}, in full blocks and if all else overlaps with it", bound->name);
  if (double tensor = full.front().clocks; tensor > 0)
    os << formatv("; tensor cores at most {0:P0} busy", tensor / bound->clocks);
  os << '\n';
}

void driver::explainShortGrids(tile::KernelOp kernel, llvm::raw_ostream &os) {
  tile::WarpScheduleAttr schedule = kernel.getWarpScheduleAttr();
  tile::SharedLayout layout(kernel.getAttnKernel(), schedule);
  os << formatv(
      "  short     for few queries or blocks, {0} rows a block of {1} threads, {2} keys at a "
      "time\n            {3} of shared memory a block; keys may be split\n",
      schedule.getQueryBlock(), schedule.getNumThreads(), schedule.getKeyBlock(),
      printBytes(layout.totalBytes));
}

void driver::explainGpuKernel(tile::KernelOp kernel, const PtxTarget &target,
                              const SourceManager &sources, llvm::raw_ostream &os) {
  GpuRates rates = GpuRates::get(target);
  KernelCosts costs(kernel);
  explainMods(kernel.getAttnKernel(), costs, sources, os);
  explainTile(kernel, rates, target, os);
  explainBound(costs, rates, os);
}
