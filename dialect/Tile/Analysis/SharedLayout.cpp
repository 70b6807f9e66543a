//===- SharedLayout.cpp - Tiles in shared memory ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Tile/Analysis/SharedLayout.h"
#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "llvm/Support/MathExtras.h"

using namespace attnc;
using namespace attnc::tile;

SharedLayout::SharedLayout(attn::KernelOp kernel, WarpScheduleAttr schedule) {
  elementBytes = kernel.getDtype().getIntOrFloatBitWidth() / 8;
  // A step of mma.sync takes 16 columns of q and k; pairs of its tiles of 8 columns are loaded
  // together. The others take 4 columns of q and k, and 16 of v for the lanes of a quad.
  headDim = llvm::alignTo(kernel.getHeadDim(), schedule.getTensorCores() ? 16 : 4);
  valueDim = llvm::alignTo(kernel.getValueDim(), 16);
  int64_t rows = schedule.getQueryBlock(), keyRows = schedule.getKeyBlock();

  int64_t end = 0;
  auto place = [&](int64_t bytes) {
    int64_t offset = end;
    end += llvm::alignTo(bytes, panelBytes);
    return offset;
  };
  auto placeTile = [&](int64_t tileRows, int64_t columns) {
    return place(getNumPanels(columns) * tileRows * panelBytes);
  };
  queries = placeTile(rows, std::max(headDim, valueDim));
  keys = placeTile(keyRows, headDim);
  values = placeTile(keyRows, valueDim);
  stageBytes = end - keys;
  if (schedule.getShortGrid())
    end += stageBytes;
  weights = schedule.getTensorCores() ? end : placeTile(rows, keyRows);
  if (schedule.getShortGrid())
    end = std::max(end, rows * getStagedRowBytes());
  flags = statistics = end;
  if (schedule.getShortGrid())
    statistics = place(rows * 8);
  else
    flags = place(rows * 4);
  fullBlocks = partialBlocks = counts = end;
  if (attn::MaskOp mask = kernel.getMask(); mask && attn::MaskAnalysis(mask).needsVerdict()) {
    fullBlocks = place(schedule.getNumThreads() * 4);
    partialBlocks = place(schedule.getNumThreads() * schedule.getMaskedBlocks() * 4);
    counts = place(schedule.getNumWarps() * 8);
  }
  totalBytes = end;
}

int64_t SharedLayout::getStagedRowBytes() const {
  return llvm::alignTo(valueDim * 4, stagedRowAlignment);
}

int64_t SharedLayout::getNumPanels(int64_t columns) const {
  return llvm::divideCeil(columns * elementBytes, panelBytes);
}
