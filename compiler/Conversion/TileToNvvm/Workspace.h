//===- Workspace.h - What splits of the keys leave ----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_TILETONVVM_WORKSPACE_H
#define COMPILER_CONVERSION_TILETONVVM_WORKSPACE_H

#include "compiler/Conversion/Bodies/ArgumentReader.h"
#include "compiler/Conversion/TileToNvvm/WarpBuilder.h"

namespace attnc {

/// The workspace of the entries for short grids, as GpuKernel.h describes it: for each split a row
/// for each row of o, in the order of batch, head and query, all in f32.
///
/// A row holds columns of the output, the largest score as it is stored, and the sum of weights,
/// which are exp(score - largest). Where there were no weights, the largest score is -inf and the
/// others are 0.
class Workspace {
public:
  /// `parameter` is the second one of the entry. Reads the number of splits where `code` stands,
  /// and all else where it is needed, so that it takes no registers before.
  Workspace(WarpBuilder &code, ArgumentReader &arguments, mlir::Value parameter, int64_t valueDim);

  /// Addresses in global memory.
  struct Row {
    mlir::Value output, statistics;
  };
  /// Row (batch, head, query), all i64, of split `split`, an i32.
  Row getRow(mlir::Value split, mlir::Value batch, mlir::Value head, mlir::Value query);

  /// The number of splits, i32, and whether there are several.
  mlir::Value getNumSplits() const { return numSplits; }
  mlir::Value isShared();

  /// The places of statistics in bytes.
  static constexpr int64_t Maximum = 0, Sum = 4;

private:
  WarpBuilder &code;
  ArgumentReader &arguments;
  mlir::Value parameter;
  int64_t rowBytes;
  mlir::Value numSplits;
};

} // namespace attnc

#endif // COMPILER_CONVERSION_TILETONVVM_WORKSPACE_H
