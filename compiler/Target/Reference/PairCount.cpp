//===- PairCount.cpp - How many pairs take part -----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Reference/PairCount.h"
#include "attnc/HostKernel.h"
#include "compiler/Target/Reference/PairProgram.h"
#include "runtime/ThreadPool.h"
#include <algorithm>

using namespace mlir;
using namespace attnc;
using namespace attnc::reference;

static int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// Adds the pairs of block row `row` to its counts.
static void countRow(const PairProgram &mask, std::vector<Cell> &registers, int64_t b, int64_t h,
                     int64_t row, const BoundArguments &bound, BlockCounts &counts) {
  int64_t end = std::min(bound.Q, (row + 1) * counts.queriesPerBlock);
  for (int64_t q = row * counts.queriesPerBlock; q < end; ++q)
    for (int64_t kv = 0; kv < bound.KV; ++kv) {
      Findings findings;
      Cell place[] = {{.i = b}, {.i = h}, {.i = q}, {.i = kv}};
      counts.pairs[row * counts.columns + kv / counts.keysPerBlock] +=
          mask.evaluate(registers, place, findings).i;
    }
}

FailureOr<BlockCounts> reference::countBlocks(attn::KernelOp kernel, const KernelInfo &info,
                                              const LaunchArguments &arguments,
                                              const BoundArguments &bound, int64_t b, int64_t h,
                                              int64_t queriesPerBlock, int64_t keysPerBlock) {
  BlockCounts counts{queriesPerBlock,
                     keysPerBlock,
                     ceilDiv(bound.Q, queriesPerBlock),
                     ceilDiv(bound.KV, keysPerBlock),
                     {}};
  counts.pairs.assign(counts.rows * counts.columns, 0);
  if (!kernel.getMask()) {
    for (int64_t row = 0; row < counts.rows; ++row)
      for (int64_t column = 0; column < counts.columns; ++column)
        counts.pairs[row * counts.columns + column] =
            std::min(queriesPerBlock, bound.Q - row * queriesPerBlock) *
            std::min(keysPerBlock, bound.KV - column * keysPerBlock);
    return counts;
  }
  FailureOr<PairProgram> mask =
      PairProgram::decode(kernel.getMask(), kernel, info, arguments, bound, Arithmetic::Double);
  if (failed(mask))
    return failure();
  int workers = getDefaultThreads();
  std::vector<std::vector<Cell>> registers(workers, mask->makeRegisters());
  ThreadPool::get().run(counts.rows, workers, [&](int64_t row, int worker) {
    countRow(*mask, registers[worker], b, h, row, bound, counts);
  });
  return counts;
}

FailureOr<int64_t> reference::countPairs(attn::KernelOp kernel, const KernelInfo &info,
                                         const LaunchArguments &arguments,
                                         const BoundArguments &bound) {
  attn::MaskOp mask = kernel.getMask();
  if (!mask)
    return bound.B * bound.Hq * bound.Q * bound.KV;
  int64_t batches = mask.getBatch().use_empty() ? std::min<int64_t>(bound.B, 1) : bound.B;
  int64_t heads = mask.getHead().use_empty() ? std::min<int64_t>(bound.Hq, 1) : bound.Hq;
  int64_t total = 0;
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t h = 0; h < heads; ++h) {
      FailureOr<BlockCounts> counts =
          countBlocks(kernel, info, arguments, bound, b, h,
                      /*queriesPerBlock=*/64, std::max<int64_t>(bound.KV, 1));
      if (failed(counts))
        return failure();
      for (int64_t pairs : counts->pairs)
        total += pairs;
    }
  return batches && heads ? total * (bound.B / batches) * (bound.Hq / heads) : 0;
}
