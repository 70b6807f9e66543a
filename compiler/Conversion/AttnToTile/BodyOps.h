//===- BodyOps.h - What bodies take in a kernel for GPUs ----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_ATTNTOTILE_BODYOPS_H
#define COMPILER_CONVERSION_ATTNTOTILE_BODYOPS_H

#include "dialect/Tile/IR/TileOps.h"

namespace attnc {

/// The ops of a kernel's bodies that its loops over keys have for each pair, and for each key:
/// those of the score body in `scoreLoops` loops, those of the mask body in the masked one.
class BodyOps {
public:
  BodyOps(attn::KernelOp kernel, int64_t scoreLoops);

  /// Whether bodies that are unrolled over a thread's part of a block of keys have at most so many
  /// ops of pairs, and of keys.
  bool fitUnrolled(tile::WarpScheduleAttr schedule, int64_t mostOfPairs, int64_t mostOfKeys) const;

  /// The values of each query that pairs need: a thread keeps them for each of its rows.
  int64_t getQueryValues() const { return queryValues; }

  /// Whether bodies read captured tensors pair by pair.
  bool readPairs() const { return hasPairLoads; }

private:
  template <typename OpTy> void add(OpTy body, int64_t loops);

  int64_t ofPairs = 0, ofKeys = 0, queryValues = 0;
  bool hasPairLoads = false;
};

} // namespace attnc

#endif // COMPILER_CONVERSION_ATTNTOTILE_BODYOPS_H
