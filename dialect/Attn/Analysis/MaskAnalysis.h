//===- MaskAnalysis.h - What a mask lets through ------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_ANALYSIS_MASKANALYSIS_H
#define DIALECT_ATTN_ANALYSIS_MASKANALYSIS_H

#include "dialect/Attn/Analysis/MaskValues.h"
#include "dialect/Attn/Analysis/RunShapes.h"
#include "dialect/Attn/Analysis/ScalarEmitter.h"
#include "dialect/Attn/IR/AttnOps.h"
#include <memory>
#include <string>

namespace attnc::attn {

/// How much is known of one conjunct of a mask without visiting pairs.
enum class ConjunctClass {
  ClosedForm, ///< the keys of a range of queries are a formula of the range
  Intervals,  ///< blocks are classified by the intervals of its values
  Tables,     ///< the same, with the smallest and largest captured value over the block
  PerPair     ///< nothing: every pair is evaluated
};
llvm::StringRef stringifyConjunctClass(ConjunctClass value);

/// One conjunct of a mask, a value of its body, and what people read of it.
struct Conjunct {
  mlir::Value condition;
  mlir::Location loc;
  ConjunctClass kind;
  /// The condition, in the language's syntax: `q_idx - kv_idx < 1024`.
  std::string text;
};

/// Keys that a range of queries attends to; all i64.
struct KeyBounds {
  /// No pair with a key outside [lo, hi) takes part; 0 <= lo <= hi <= KV.
  mlir::Value lo, hi;
  /// Every pair with a key inside [fullLo, fullHi) takes part; lo <= fullLo <= fullHi <= hi.
  mlir::Value fullLo, fullHi;
};

/// The keys that one query attends to: those in [lo, hi), both i64, 0 <= lo <= hi <= KV. Where
/// `known`, an i1, is false, nothing is said; null is true.
struct KeyRange {
  mlir::Value lo, hi;
  mlir::Value known;
};

/// What is known of the pairs of a rectangle; both i1.
struct Verdict {
  /// False: no pair takes part.
  mlir::Value may;
  /// True: every pair takes part.
  mlir::Value must;
};

/// Reads a mask and emits code that tells, without visiting pairs, which keys take part.
///
/// A mask is a conjunction; each conjunct is classified for itself. The emitted code evaluates the
/// mask over a rectangle of pairs, queries q0..q1 and keys k0..k1 (inclusive, inside the tensors,
/// for one batch and head), in three-valued logic on intervals; affine differences such as q - kv
/// are kept exact. It is sound for every input: where 64-bit arithmetic might wrap around it says
/// that nothing is known. Nothing is claimed where Q or KV is above 2^48.
///
///     MaskAnalysis analysis(kernel.getMask());
///     MaskRanges ranges(analysis, emitter);
///     ranges.prepareHead(builder, b, h, numQueries, numKeys);     // once a task
///     auto queries = ranges.prepareQueries(builder, q0, q1);      // once a block of queries
///     auto runs = ranges.emitKeyRuns(builder, queries);
///     auto keys = ranges.prepareKeys(builder, k0, k1);            // once a block of keys
///     if (analysis.needsVerdict())
///       Verdict verdict = ranges.emitVerdict(builder, queries, keys);
class MaskAnalysis {
public:
  explicit MaskAnalysis(MaskOp mask);

  llvm::ArrayRef<Conjunct> getConjuncts() const { return conjuncts; }

  /// False if emitKeyRuns() says all there is to know about blocks of keys: a block inside some
  /// [fullLo, fullHi) is full, one that overlaps some [lo, hi) is not known to be empty, and
  /// emitVerdict() adds nothing.
  bool needsVerdict() const { return !runs; }

  /// How many runs emitKeyRuns() gives.
  size_t getNumKeyRuns() const { return runs ? runs->size() : 1; }

  /// The conjuncts for which the keys of one query are a range with a formula, and the others: a
  /// pair takes part if its key is in the range and all of the others hold.
  llvm::ArrayRef<mlir::Value> getRangeConditions() const { return rangeConditions; }
  llvm::ArrayRef<mlir::Value> getPairConditions() const { return pairConditions; }

  /// Whether some ranges of getRangeConditions() begin behind key 0.
  bool rangesHaveBegins() const { return haveBegins; }

  /// Prints one line a conjunct: its class and its text.
  void print(llvm::raw_ostream &os) const;

  MaskOp getMask() const { return values.getMask(); }
  const MaskValues &getValues() const { return values; }

private:
  MaskValues values;
  llvm::SmallVector<Conjunct> conjuncts;
  llvm::SmallVector<mlir::Value> rangeConditions, pairConditions;
  bool haveBegins = false;
  std::optional<llvm::SmallVector<RunShape, maxKeyRuns>> runs;
};

/// Emits code for one mask and one batch and head, stage by stage. Each function emits at the
/// builder's insertion point, which the points of the stages before must dominate. As every read of
/// captured tensors, none of it may run where Q or KV is 0.
class MaskRanges {
public:
  MaskRanges(const MaskAnalysis &analysis, ScalarEmitter &emitter);
  ~MaskRanges();

  /// What is known of the mask's values over a range of queries or keys.
  class Prepared;
  using PreparedRange = std::shared_ptr<const Prepared>;

  /// What does not depend on query or key. `batch`, `head`, `numQueries` (Q) and `numKeys` (KV) are
  /// i64.
  void prepareHead(mlir::OpBuilder &builder, mlir::Value batch, mlir::Value head,
                   mlir::Value numQueries, mlir::Value numKeys);

  /// What depends on queries `first`..`last` (i64, inclusive, first <= last). Captured tables cost
  /// one pass over the range.
  PreparedRange prepareQueries(mlir::OpBuilder &builder, mlir::Value first, mlir::Value last);

  /// What depends on keys `first`..`last` (i64, inclusive, first <= last).
  PreparedRange prepareKeys(mlir::OpBuilder &builder, mlir::Value first, mlir::Value last);

  /// What captured tables say of queries or keys (`stage`, Query or Key) `first`..`last`: for each
  /// of MaskValues::getTabulated() the smallest and the largest value, i64, where a condition
  /// counts as 0 or 1. One pass over the range. The summary of several ranges is made of the
  /// smallest and largest values of theirs.
  llvm::SmallVector<mlir::Value> emitSummary(mlir::OpBuilder &builder, Stage stage,
                                             mlir::Value first, mlir::Value last);

  /// What depends on queries or keys `first`..`last`, given their summary.
  PreparedRange prepareSummarized(mlir::OpBuilder &builder, Stage stage, mlir::Value first,
                                  mlir::Value last, mlir::ValueRange summary);

  /// The keys that the queries attend to, from what has a closed form: a few instructions, no loop.
  KeyBounds emitKeyBounds(mlir::OpBuilder &builder, const PreparedRange &queries);

  /// The same as MaskAnalysis::getNumKeyRuns() runs, some of which may be empty. They ascend and do
  /// not overlap, and no query attends to keys between them.
  llvm::SmallVector<KeyBounds, maxKeyRuns> emitKeyRuns(mlir::OpBuilder &builder,
                                                       const PreparedRange &queries);

  /// The keys for which all of getRangeConditions() hold for `query`, an i64. All keys where there
  /// are none.
  KeyRange emitKeyRange(mlir::OpBuilder &builder, mlir::Value query);

  /// Whether pairs of the queries and the keys take part. With `solveCases` conditions that may
  /// hold each for itself and never together are found too, which takes more code and registers,
  /// and matters at corners only.
  Verdict emitVerdict(mlir::OpBuilder &builder, const PreparedRange &queries,
                      const PreparedRange &keys, bool solveCases = false);

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace attnc::attn

#endif // DIALECT_ATTN_ANALYSIS_MASKANALYSIS_H
