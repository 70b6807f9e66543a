//===- RunShapes.h - Conditions as a few runs of keys -------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_RUNSHAPES_H
#define DIALECT_ATTN_ANALYSIS_RUNSHAPES_H

#include "dialect/Attn/Analysis/MaskValues.h"
#include <optional>

namespace attnc::attn {

/// Where a run of keys lies, unless it is empty.
enum class RunShape {
  Whole, ///< it is all keys
  Begin, ///< it begins with the first key
  End,   ///< it ends with the last key
  Inner  ///< anywhere
};

/// The keys for which a condition may hold are at most this many runs, or no formula.
constexpr size_t maxKeyRuns = 4;

/// Conditions nested deeper than this count as unknown.
constexpr unsigned maxConditionDepth = 200;

/// The shape of keys that are in a run of each shape.
RunShape intersectShapes(RunShape a, RunShape b);

/// The shape of keys that are in a run of one of both, if that is always one run.
std::optional<RunShape> uniteShapes(RunShape a, RunShape b);

/// The runs of keys for which `condition` may hold, given the queries. Nothing if they are more
/// than maxKeyRuns, or where of some part of the condition no formula is known. With `atBlocks`
/// parts that are neither true nor false of any block of keys count as any other.
std::optional<llvm::SmallVector<RunShape, maxKeyRuns>>
getRunShapes(const MaskValues &values, mlir::Value condition, bool atBlocks);

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_RUNSHAPES_H
