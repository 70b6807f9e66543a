//===- SummaryTables.h - What captured tables hold, in blocks -----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_TILETONVVM_SUMMARYTABLES_H
#define COMPILER_CONVERSION_TILETONVVM_SUMMARYTABLES_H

#include "attnc/GpuKernel.h"
#include "compiler/Conversion/Bodies/ArgumentReader.h"
#include "compiler/Conversion/TileToNvvm/WarpBuilder.h"
#include "dialect/Attn/Analysis/MaskAnalysis.h"

namespace attnc {

/// What summaries there are of the tables that a mask reads; none where blocks of keys are not
/// classified, or need no tables for it.
std::optional<TableSummaries> getTableSummaries(const attn::MaskAnalysis &analysis);

/// The summaries in global memory, as GpuKernel.h describes them.
class SummaryTables {
public:
  /// `parameter` is the second one of the entry.
  SummaryTables(WarpBuilder &code, ArgumentReader &arguments, mlir::Value parameter,
                const TableSummaries &facts)
      : code(code), arguments(arguments), parameter(parameter), facts(facts) {}

  /// What has a summary.
  enum class Kind {
    Keys,     ///< blocks of keys
    KeyGroup, ///< what the threads of a block of NAME_summarize have summarized
    Queries   ///< blocks of queries
  };

  /// The address of the summaries of a batch and head, an i64.
  mlir::Value getStart(Kind kind, mlir::Value batch, mlir::Value head);

  /// The summary of all blocks, or groups, that elements `first` to `last` lie in, which are i64
  /// and at most `most` elements; they begin with a block, or lie inside one. All values are i64.
  WarpBuilder::Values load(Kind kind, mlir::Value start, mlir::Value first, mlir::Value last,
                           int64_t most);

  /// Writes summary number `index`, an i64.
  void store(Kind kind, mlir::Value start, mlir::Value index, mlir::ValueRange summary);

  /// The number of summaries of an owner.
  mlir::Value count(Kind kind);

  /// Of two summaries, that of what both are of.
  WarpBuilder::Values join(mlir::ValueRange lhs, mlir::ValueRange rhs);

  /// The values of a summary.
  int64_t getNumValues(Kind kind) const {
    return kind == Kind::Queries ? facts.queryValues : facts.keyValues;
  }

private:
  /// The address of summary number `index`.
  mlir::Value getPlace(Kind kind, mlir::Value start, mlir::Value index);

  WarpBuilder &code;
  ArgumentReader &arguments;
  mlir::Value parameter;
  TableSummaries facts;
};

/// Builds NAME_summarize of `kernel` into the entry block of `function`, whose arguments are the
/// array of slots and WorkspaceSlots. A thread summarizes a block of keys or of queries, and the
/// keys of a block of threads are summarized once more.
void lowerSummarize(attn::KernelOp kernel, const attn::MaskAnalysis &analysis,
                    const TableSummaries &facts, mlir::LLVM::LLVMFuncOp function);

} // namespace attnc

#endif // COMPILER_CONVERSION_TILETONVVM_SUMMARYTABLES_H
