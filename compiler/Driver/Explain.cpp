//===- Explain.cpp - What the compiler knows of a program -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/Explain.h"
#include "compiler/Driver/ExplainGpu.h"
#include "compiler/Driver/RunPhases.h"
#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

std::string driver::printPlace(Location loc) {
  auto place = loc->findInstanceOf<FileLineColRange>();
  if (!place)
    return "";
  return llvm::formatv("{0}:{1}:{2}: ", place.getFilename().getValue(), place.getStartLine(),
                       place.getStartColumn());
}

void driver::printUnderText(Location location, const SourceManager &sources, llvm::StringRef text,
                            llvm::raw_ostream &os) {
  auto place = location->findInstanceOf<FileLineColRange>();
  SourceRange range =
      place ? sources.getRange(place.getFilename(), {place.getStartLine(), place.getStartColumn()},
                               {place.getEndLine(), place.getEndColumn()})
            : SourceRange();
  if (!range.isValid()) {
    os.indent(14) << text << '\n';
    return;
  }
  SourceRange line = range.file->getLine(place.getStartLine());
  // Of several lines the first is shown, without what it is indented by.
  size_t indent = line.text().take_until([](char c) { return c != ' ' && c != '\t'; }).size();
  uint32_t begin = std::min<uint32_t>(range.begin, line.end), end = std::min(range.end, line.end);
  os.indent(14) << line.text().drop_front(indent).rtrim() << '\n';
  os.indent(14 + (begin - line.begin - std::min<size_t>(indent, begin - line.begin)))
      << '^' << std::string(end > begin + 1 ? end - begin - 1 : 0, '~') << ' ' << text << '\n';
}

void driver::explainMask(attn::KernelOp kernel, llvm::raw_ostream &os, PrintBelow printBelow) {
  attn::MaskOp mask = kernel.getMask();
  if (!mask) {
    os << "  mask      none: every pair takes part\n";
    return;
  }
  attn::MaskAnalysis analysis(mask);
  for (auto [i, conjunct] : llvm::enumerate(analysis.getConjuncts())) {
    os << llvm::formatv("  {0,-9} {1}{2}: {3}\n", i == 0 ? "mask" : "", printPlace(conjunct.loc),
                        attn::stringifyConjunctClass(conjunct.kind), conjunct.text);
    printBelow(i, conjunct, attn::getPartialReason(analysis, conjunct));
  }
  size_t runs = analysis.getNumKeyRuns();
  if (analysis.needsVerdict())
    os << "  keys      blocks are classified one by one\n";
  else if (runs == 1)
    os << "  keys      one run for each block of queries, by a formula\n";
  else
    os << llvm::formatv("  keys      up to {0} runs for each block of queries, by formulas\n",
                        runs);
}

std::string driver::printBytes(int64_t bytes) {
  return bytes < 10240 ? llvm::formatv("{0} bytes", bytes).str()
                       : llvm::formatv("{0} KiB", (bytes + 512) / 1024).str();
}

static void explainSchedule(tile::KernelOp kernel, llvm::raw_ostream &os) {
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  attn::KernelOp attnKernel = kernel.getAttnKernel();
  int64_t elementBytes = attnKernel.getDtype().getIntOrFloatBitWidth() / 8;
  int64_t keyBytes =
      schedule.getKeyBlock() * (attnKernel.getHeadDim() + attnKernel.getValueDim()) * elementBytes;
  os << llvm::formatv("  schedule  {0} queries a call, in tiles of {1}; {2} keys a block\n",
                      schedule.getQueryBlock(), schedule.getQueryTile(), schedule.getKeyBlock())
     << llvm::formatv("            {0} rows at a time on vectors of {1} queries; uses {2}\n",
                      schedule.getRowTile(), schedule.getLanes(),
                      tile::stringifyFeatures(schedule.getFeatures()))
     << llvm::formatv("  memory    {0} of keys and values a block, {1} of scores a tile\n",
                      printBytes(keyBytes),
                      printBytes(schedule.getKeyBlock() * schedule.getQueryTile() * 4));
}

/// Explains kernels for CPUs. The size of their scratch memory follows from its code: `module` is
/// lowered to it.
static llvm::LogicalResult explainHostKernels(ModuleOp module, const Target &target,
                                              const SourceManager &sources, StageTimes &times,
                                              llvm::raw_ostream &os) {
  struct Explanation {
    std::string name, text;
  };
  std::vector<Explanation> kernels;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    Explanation &explanation = kernels.emplace_back();
    explanation.name = kernel.getSymName().str();
    llvm::raw_string_ostream text(explanation.text);
    explainMask(kernel.getAttnKernel(), text,
                [&](size_t, const attn::Conjunct &, const attn::PartialReason &reason) {
                  printUnderText(reason.cause.getLoc(), sources, "partial blocks: " + reason.text,
                                 text);
                });
    explainSchedule(kernel, text);
  }
  if (failed(runPhases(module, Phase::Tile, Phase::Vector, target, times)))
    return failure();
  for (const Explanation &kernel : kernels) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel.name);
    os << kernel.name << ", for " << target.getName() << "\n"
       << kernel.text << "            "
       << printBytes(function->getAttrOfType<IntegerAttr>(scratchBytesAttrName).getInt())
       << " of scratch memory a thread\n";
  }
  return success();
}

llvm::LogicalResult driver::explain(ModuleOp module, Phase phase, const Target &target,
                                    const SourceManager &sources, StageTimes &times,
                                    llvm::raw_ostream &os) {
  StageTimes::Scope stage = times.start("explain");
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(runPhases(*copy, phase, Phase::Tile, target, times)))
    return failure();
  if (target.getKind() == TargetKind::Host)
    return explainHostKernels(*copy, target, sources, times, os);
  for (auto kernel : copy->getOps<tile::KernelOp>()) {
    if (kernel.getWarpScheduleAttr().getShortGrid()) {
      explainShortGrids(kernel, os);
      continue;
    }
    os << kernel.getSymName() << ", for " << target.getName() << "\n";
    explainGpuKernel(kernel, target.getPtx(), sources, os);
  }
  return success();
}
