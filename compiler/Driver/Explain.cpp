//===- Explain.cpp - What the compiler knows of a program -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/Explain.h"
#include "compiler/Driver/RunPhases.h"
#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "compiler/Target/Ptx/PtxCode.h"
#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

/// `file:line:column: ` of a place in the program, or nothing.
static std::string printPlace(Location loc) {
  auto place = loc->findInstanceOf<FileLineColRange>();
  if (!place)
    return "";
  return llvm::formatv("{0}:{1}:{2}: ", place.getFilename().getValue(), place.getStartLine(),
                       place.getStartColumn());
}

static void explainMask(attn::KernelOp kernel, llvm::raw_ostream &os) {
  attn::MaskOp mask = kernel.getMask();
  if (!mask) {
    os << "  mask      none: every pair takes part\n";
    return;
  }
  llvm::StringRef heading = "mask";
  attn::MaskAnalysis analysis(mask);
  for (const attn::Conjunct &conjunct : analysis.getConjuncts()) {
    os << llvm::formatv("  {0,-9} {1}{2}: {3}\n", heading, printPlace(conjunct.loc),
                        attn::stringifyConjunctClass(conjunct.kind), conjunct.text);
    heading = "";
  }
}

static std::string printBytes(int64_t bytes) {
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

/// What a block of threads of a kernel for GPUs does and has.
static void explainBlock(LLVM::LLVMFuncOp function, llvm::raw_ostream &os) {
  GpuKernel kernel = describeGpuKernel(function);
  os << llvm::formatv("  schedule  {0} queries a block of {1} threads\n", kernel.queryBlock,
                      kernel.threads)
     << llvm::formatv("  memory    {0} of shared memory a block\n", printBytes(kernel.sharedBytes));
}

llvm::LogicalResult driver::explain(ModuleOp module, Phase phase, const Target &target,
                                    StageTimes &times, llvm::raw_ostream &os) {
  StageTimes::Scope stage = times.start("explain");
  bool isForGpu = target.getKind() == TargetKind::Ptx;
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(runPhases(*copy, phase, Phase::Tile, target, times)))
    return failure();
  struct Explanation {
    std::string name, text;
  };
  std::vector<Explanation> kernels;
  for (auto kernel : copy->getOps<tile::KernelOp>()) {
    Explanation &explanation = kernels.emplace_back();
    explanation.name = kernel.getSymName().str();
    llvm::raw_string_ostream text(explanation.text);
    explainMask(kernel.getAttnKernel(), text);
    if (!isForGpu)
      explainSchedule(kernel, text);
  }
  if (failed(runPhases(*copy, Phase::Tile, isForGpu ? Phase::Nvvm : Phase::Vector, target, times)))
    return failure();
  for (const Explanation &kernel : kernels) {
    auto function = copy->lookupSymbol<LLVM::LLVMFuncOp>(kernel.name);
    os << kernel.name << ", for " << target.getName() << "\n" << kernel.text;
    if (isForGpu)
      explainBlock(function, os);
    else
      os << "            "
         << printBytes(function->getAttrOfType<IntegerAttr>(scratchBytesAttrName).getInt())
         << " of scratch memory a thread\n";
  }
  return success();
}
