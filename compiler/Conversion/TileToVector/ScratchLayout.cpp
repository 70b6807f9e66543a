//===- ScratchLayout.cpp - Where a kernel keeps its tiles -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToVector/ScratchLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attnc;

static OperandForm chooseForm(Type dtype, tile::ScheduleAttr schedule) {
  if (dtype.isF32())
    return OperandForm::Direct;
  if (dtype.isBF16() && schedule.has(tile::Features::Bf16Dot))
    return OperandForm::Pairs;
  return OperandForm::Converted;
}

ScratchLayout::ScratchLayout(tile::KernelOp kernel) {
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  attn::KernelOp attn = kernel.getAttnKernel();
  int64_t headDim = attn.getHeadDim(), valueDim = attn.getValueDim();
  int64_t subTiles = schedule.getQueryBlock() / schedule.getQueryTile();
  int64_t keyBlock = schedule.getKeyBlock();

  form = chooseForm(attn.getDtype(), schedule);
  bool pairs = form == OperandForm::Pairs, converted = form == OperandForm::Converted;
  queryRows = pairs ? llvm::divideCeil(headDim, 2) : headDim;
  rowBytes = schedule.getQueryTile() * 4;
  queryTileBytes = queryRows * rowBytes;
  outputTileBytes = valueDim * rowBytes;
  keyRowBytes = headDim * 4;
  valueRowBytes = valueDim * 4;

  int64_t end = 0;
  auto place = [&](int64_t bytes) {
    int64_t begin = end;
    end = static_cast<int64_t>(llvm::alignTo(end + bytes, 64));
    return begin;
  };
  scores = place(keyBlock * rowBytes);
  weights = place(pairs ? keyBlock / 2 * rowBytes : 0);
  newMaxima = place(rowBytes);
  maxima = place(subTiles * rowBytes);
  sums = place(subTiles * rowBytes);
  queries = place(subTiles * queryTileBytes);
  output = place(subTiles * outputTileBytes);
  keys = place(converted ? keyBlock * keyRowBytes : 0);
  values = place(converted ? keyBlock * valueRowBytes : pairs ? keyBlock / 2 * valueRowBytes : 0);
  totalBytes = end;
}
