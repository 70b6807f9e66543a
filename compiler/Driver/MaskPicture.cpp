//===- MaskPicture.cpp - A mask, drawn in characters ------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/MaskPicture.h"
#include "attnc/Plan.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace attnc;
using namespace attnc::driver;

std::string MaskCells::describe(const std::string &cell) const {
  if (showsPairs())
    return llvm::formatv("each {0} is one pair", cell);
  return llvm::formatv("each {0} is a block of {1} queries by {2} keys", cell, queriesPerCell,
                       keysPerCell);
}

llvm::Expected<MaskCells> driver::findCells(const HostKernel &kernel, const BoundArguments &bound,
                                            int64_t queriesPerCell, int64_t keysPerCell,
                                            int threads) {
  // Pairs beyond this are not worth the time to evaluate them for a picture.
  constexpr double mostPairs = 0x1p36;
  BoundArguments first = bound;
  first.B = first.Hq = 1;
  PlanOptions options;
  options.rows = queriesPerCell;
  options.keys = keysPerCell;
  options.refine = static_cast<double>(bound.Q) * static_cast<double>(bound.KV) <= mostPairs;
  options.threads = threads;
  Plan plan;
  if (auto error = makePlan(kernel, first, options, plan))
    return llvm::createStringError(*error);
  MaskCells result;
  result.queries = bound.Q;
  result.keys = bound.KV;
  result.queriesPerCell = queriesPerCell;
  result.keysPerCell = keysPerCell;
  result.rows = plan.getNumQueryBlocks();
  result.columns = plan.getNumKeyBlocks();
  result.cells.assign(result.rows * result.columns, MaskCells::Empty);
  for (int64_t row = 0; row < result.rows; ++row) {
    KeyRuns runs = plan.getRuns(row);
    for (int64_t i = 0; i < runs.count; ++i) {
      const KeyRun &run = runs.runs[i];
      auto begin = result.cells.begin() + row * result.columns;
      std::fill(begin + run.getFirst(), begin + run.getLast() + 1,
                run.isFull() ? MaskCells::Full : MaskCells::Partial);
    }
  }
  return result;
}

llvm::Expected<std::string> driver::drawMask(const HostKernel &kernel, const BoundArguments &bound,
                                             int threads) {
  constexpr int64_t columns = 64, rows = 32;
  if (bound.B == 0 || bound.Hq == 0 || bound.Q == 0 || bound.KV == 0)
    return std::string("mask: no pairs\n");
  // A character is about twice as high as wide. Where the whole mask fits, it shows single pairs.
  int64_t keys =
      std::max((bound.KV + columns - 1) / columns, (bound.Q + 2 * rows - 1) / (2 * rows));
  int64_t queries = bound.KV <= columns && bound.Q <= rows ? 1 : 2 * keys;
  keys = queries == 1 ? 1 : keys;
  llvm::Expected<MaskCells> cells = findCells(kernel, bound, queries, keys, threads);
  if (!cells)
    return cells.takeError();
  std::string text =
      llvm::formatv("mask of batch 0, head 0: {0} queries (down) by {1} keys (across)\n", bound.Q,
                    bound.KV)
          .str();
  text += cells->describe("character");
  text += cells->showsPairs() ? ": █ takes part, · is excluded\n"
                              : ": █ all pairs take part, ▒ some, · none\n";
  for (int64_t row = 0; row < cells->rows; ++row) {
    for (int64_t column = 0; column < cells->columns; ++column) {
      MaskCells::Kind kind = cells->get(row, column);
      text += kind == MaskCells::Empty ? "·" : kind == MaskCells::Full ? "█" : "▒";
    }
    text += '\n';
  }
  return text;
}
