//===- Summary.cpp - A GPU kernel in a few lines ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/Summary.h"
#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "dialect/Tile/Analysis/SharedLayout.h"
#include "dialect/Tile/Analysis/ThreadRegisters.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::tile;
using llvm::formatv;

/// The element type, the head dims, and what is computed beside the output.
static std::string printVariant(attn::KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << kernel.getDtype() << ", head dim " << kernel.getHeadDim();
  if (kernel.getValueDim() != kernel.getHeadDim())
    os << ", value dim " << kernel.getValueDim();
  if (kernel.getLse())
    os << ", log-sum-exp";
  os << (kernel.getScore() ? "; score_mod" : "") << (kernel.getMask() ? "; mask_mod" : "");
  return text;
}

static std::string printShared(const SharedLayout &layout) {
  return formatv("{0} bytes: Q and O {1}, K {2}, V {3}, others {4}", layout.totalBytes, layout.keys,
                 layout.values - layout.keys, layout.weights - layout.values,
                 layout.totalBytes - layout.weights);
}

StringRef attnc::describeProducts(Tf32 tf32) {
  switch (tf32) {
  case Tf32::None:
    return "";
  case Tf32::Rounded:
    return "on tensor cores, of f32 rounded to tf32";
  case Tf32::Split:
    return "on tensor cores, three for one of f32, of two tf32 each";
  }
  llvm_unreachable("unknown products");
}

SmallVector<std::string> attnc::summariseKernel(tile::KernelOp kernel) {
  attn::KernelOp attnKernel = kernel.getAttnKernel();
  WarpScheduleAttr schedule = kernel.getWarpScheduleAttr();
  SmallVector<std::string> lines;
  lines.push_back("variant    " + printVariant(attnKernel));
  if (attn::MaskOp mask = attnKernel.getMask()) {
    attn::MaskAnalysis analysis(mask);
    for (const attn::Conjunct &conjunct : analysis.getConjuncts())
      lines.push_back(formatv("           {0}: {1}", attn::stringifyConjunctClass(conjunct.kind),
                              conjunct.text));
  }
  lines.push_back(formatv("tile       {0} queries x {1} keys, {2} warps of {3} queries",
                          schedule.getQueryBlock(), schedule.getKeyBlock(), schedule.getNumWarps(),
                          schedule.getWarpRows()));
  if (StringRef products = describeProducts(schedule.getTf32()); !products.empty())
    lines.push_back(("products   " + products).str());
  lines.push_back(formatv("registers  {0} of the {1} that a thread can have hold scores and output",
                          countStateRegisters(attnKernel, schedule), getMostRegisters(schedule)));
  lines.push_back("shared     " + printShared(SharedLayout(attnKernel, schedule)));
  if (schedule.getRolled())
    lines.push_back("bodies     in loops over the keys of a thread, scores in shared memory");
  lines.push_back(formatv("loops      masked: blocks of {0} keys, with tests of every pair",
                          schedule.getMaskedKeyBlock()));
  lines.push_back(formatv("           full: blocks of {0} keys, without", schedule.getKeyBlock()));
  return lines;
}
