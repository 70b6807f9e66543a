//===- ScoreCosts.h - What a score takes on a GPU -----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_PTX_SCORECOSTS_H
#define COMPILER_TARGET_PTX_SCORECOSTS_H

#include "compiler/Target/Ptx/GpuRates.h"
#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "dialect/Tile/IR/TileOps.h"

namespace attnc {

/// What computing one score takes: instructions of one lane by the unit that runs them, and bytes.
/// It is modelled from the ops, before any compiler has combined or scheduled them.
struct ScoreCosts {
  double tensor = 0; ///< multiply-adds on tensor cores, 64 of which are one instruction of a lane
  double fp32 = 0, integer = 0, special = 0;
  double memory = 0; ///< loads, copies and shuffles
  double sharedBytes = 0, cacheBytes = 0;

  ScoreCosts &operator+=(const ScoreCosts &other);
  /// Each part `factor` times.
  ScoreCosts scaled(double factor) const;

  /// Instructions of one lane.
  double countInstructions() const;
};

/// A resource of a multiprocessor, and for how many clocks a score takes it.
struct ResourceTime {
  llvm::StringLiteral name;
  double clocks;
};
llvm::SmallVector<ResourceTime> getTimes(const ScoreCosts &costs, const GpuRates &rates);

/// The parts of a kernel's costs.
class KernelCosts {
public:
  /// `kernel` has a warp_schedule.
  explicit KernelCosts(tile::KernelOp kernel);

  /// Of a pair in full blocks, and in blocks that the mask may cut.
  ScoreCosts getFull() const;
  ScoreCosts getMasked() const;

  /// The score body; zero without one.
  const ScoreCosts &getScore() const { return score; }
  /// Conjunct by conjunct, as in MaskAnalysis; what two of them need counts in the first.
  llvm::ArrayRef<ScoreCosts> getConjuncts() const { return conjuncts; }

private:
  /// What blocks of so many keys take whether masked or not.
  ScoreCosts getCommon(int64_t keyBlock) const;

  tile::WarpScheduleAttr schedule;
  attn::KernelOp attnKernel;
  ScoreCosts score;
  /// Whether the body takes scores that have been scaled before.
  bool scalesScores = false;
  llvm::SmallVector<ScoreCosts> conjuncts;
};

/// Blocks of threads of one kernel that a multiprocessor holds, and what limits them.
struct Occupancy {
  int64_t blocks;
  llvm::StringLiteral limit;
  int64_t registers; ///< of a thread, estimated
};
Occupancy getOccupancy(tile::KernelOp kernel, const GpuRates &rates);

} // namespace attnc

#endif // COMPILER_TARGET_PTX_SCORECOSTS_H
