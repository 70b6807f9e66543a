//===- MaskPicture.cpp - A mask, drawn in characters ------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/MaskPicture.h"
#include "compiler/Target/Reference/PairCount.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

FailureOr<std::string> driver::drawMask(attn::KernelOp kernel, const KernelInfo &info,
                                        const LaunchArguments &arguments,
                                        const BoundArguments &bound) {
  constexpr int64_t columns = 64, rows = 32;
  if (bound.B == 0 || bound.Hq == 0 || bound.Q == 0 || bound.KV == 0)
    return std::string("mask: no pairs\n");
  // A character is about twice as high as wide. Where the whole mask fits, it shows single pairs.
  int64_t keys =
      std::max((bound.KV + columns - 1) / columns, (bound.Q + 2 * rows - 1) / (2 * rows));
  int64_t queries = bound.KV <= columns && bound.Q <= rows ? 1 : 2 * keys;
  keys = queries == 1 ? 1 : keys;
  auto counts =
      reference::countBlocks(kernel, info, arguments, bound, /*b=*/0, /*h=*/0, queries, keys);
  if (failed(counts))
    return failure();
  std::string text =
      llvm::formatv("mask of batch 0, head 0: {0} queries (down) by {1} keys (across)\n", bound.Q,
                    bound.KV)
          .str();
  text += queries == 1
              ? std::string("each character is one pair: █ takes part, · is excluded\n")
              : llvm::formatv("each character is a block of {0} queries by {1} keys: █ all pairs "
                              "take part, ▒ some, · none\n",
                              queries, keys)
                    .str();
  for (int64_t row = 0; row < counts->rows; ++row) {
    for (int64_t column = 0; column < counts->columns; ++column) {
      int64_t all =
          std::min(queries, bound.Q - row * queries) * std::min(keys, bound.KV - column * keys);
      int64_t pairs = counts->pairs[row * counts->columns + column];
      text += pairs == 0 ? "·" : pairs == all ? "█" : "▒";
    }
    text += '\n';
  }
  return text;
}
