//===- HostSchedule.cpp - Sizes of kernels for CPUs -------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// The sizes are measured. Two vectors of queries keep at least 8 accumulators in flight and leave
// registers for both and for a broadcast. A block of scores stays in L1. Queries and output of a
// block, with the current and the next keys and values, stay in an L2 of 1 MiB.
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/AttnToTile/HostSchedule.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::tile;

/// Vectors of queries in a sub-tile.
static constexpr int64_t vectorsPerTile = 2;
/// Most queries of one call.
static constexpr int64_t largestQueryBlock = 256;
/// Bytes of packed queries and output that one call may keep in L2.
static constexpr int64_t stateBytes = 512 << 10;

static llvm::StringSet<> parseFeatures(StringRef text) {
  llvm::StringSet<> features;
  SmallVector<StringRef> names;
  text.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : names)
    if (!name.starts_with("-"))
      features.insert(name.ltrim('+'));
  return features;
}

ScheduleAttr attnc::chooseHostSchedule(attn::KernelOp kernel, StringRef featureText) {
  llvm::StringSet<> cpu = parseFeatures(featureText);
  bool avx512 = cpu.contains("avx512f") && cpu.contains("avx512dq") && cpu.contains("avx512bw") &&
                cpu.contains("avx512vl");
  bool avx2 = cpu.contains("avx2") && cpu.contains("fma");
  Features features = Features::None;
  auto addIf = [&](bool present, Features feature) {
    features = present ? features | feature : features;
  };
  bool neon = cpu.contains("neon");
  addIf(neon || cpu.contains("fma"), Features::Fma);
  addIf(neon || cpu.contains("sse4.1"), Features::Rounding);
  addIf(neon || cpu.contains("f16c"), Features::F16Convert);
  addIf(avx512, Features::ReduceScale);
  addIf(avx512 && cpu.contains("avx512bf16"), Features::Bf16Dot);

  int64_t lanes = avx512 ? 16 : avx2 ? 8 : 4;
  int64_t rowTile = avx512 || neon ? 8 : avx2 ? 6 : 4;
  int64_t headDims = kernel.getHeadDim() + kernel.getValueDim();

  int64_t queryTile = vectorsPerTile * lanes;
  int64_t queryBlock = largestQueryBlock;
  while (queryBlock > queryTile && queryBlock * headDims * 4 > stateBytes)
    queryBlock /= 2;

  int64_t keyBlock = headDims > 512 ? 48 : 96;
  return ScheduleAttr::get(kernel.getContext(), queryBlock, queryTile, keyBlock, rowTile, lanes,
                           features);
}
