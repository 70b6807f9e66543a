//===- KernelLowering.h - From a tile.kernel to vector code -----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_TILETOVECTOR_KERNELLOWERING_H
#define COMPILER_CONVERSION_TILETOVECTOR_KERNELLOWERING_H

#include "compiler/Conversion/Bodies/ArgumentReader.h"
#include "compiler/Conversion/Bodies/OpEmitter.h"
#include "compiler/Conversion/Bodies/RegionVectorizer.h"
#include "compiler/Conversion/TileToVector/CodeBuilder.h"
#include "compiler/Conversion/TileToVector/ScratchLayout.h"
#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "dialect/Tile/IR/TileOps.h"
#include <optional>

namespace attnc {

/// Lowers one tile.kernel to a function of (slots, b, h, first row, end of rows, scratch), and of
/// runs of keys too if it has a mask.
///
/// Vectors hold queries: one row of scores holds one key for the queries of a sub-tile, so softmax
/// needs no horizontal operation. Where excluded pairs meet NaN or inf in v, the output is not
/// finite; the steps are then run once more with `exact` set, which makes accumulations masked.
class KernelLowering {
public:
  /// Builds into the entry block of `function`, whose arguments are those named above.
  KernelLowering(tile::KernelOp kernel, mlir::LLVM::LLVMFuncOp function);

  void lower();

  int64_t getScratchBytes() const { return scratch.totalBytes; }

private:
  using Values = CodeBuilder::Values;

  /// Rows of q, k, v or o of one batch and head: their first address and their distance in bytes.
  struct Rows {
    mlir::Value base;
    mlir::Value stride;
  };
  /// A block of keys: [begin, begin + count).
  struct KeyBlock {
    mlir::Value begin;
    mlir::Value count;
    /// Where dot and dot_acc read them: row 0 is key `begin`.
    Rows keys, values;
    attn::MaskRanges::PreparedRange prepared;
    /// Whether a plan says that every pair of the block takes part; of masks only.
    mlir::Value full;
  };
  /// A sub-tile of queries against a block of keys, of which [keyBegin, keyEnd) can take part.
  /// Both are multiples of the row tile; keyEnd may exceed the block's count, keyStop does not.
  struct SubTile {
    mlir::Value index;
    mlir::Value firstRow;
    mlir::Value keyBegin, keyEnd, keyStop;
    mlir::Value queries, output, maxima, sums;
    /// The factor for what came before, one vector for each vector of queries.
    Values factors;
  };

  //===--------------------------------------------------------------------===//
  // KernelLowering.cpp: the frame and the loops
  //===--------------------------------------------------------------------===//

  void lowerSteps();
  void lowerForKeys(tile::ForKeysOp op);
  /// Calls `body` with begin and end of each run of keys of the call, as far as they are in one of
  /// `bounds`, and whether it is full.
  void forRuns(llvm::ArrayRef<attn::KeyBounds> bounds,
               llvm::function_ref<void(mlir::Value, mlir::Value, mlir::Value)> body);
  void lowerBlocks(tile::ForKeysOp op, mlir::Value begin, mlir::Value end, mlir::Value full);
  void lowerForQueries(tile::ForQueriesOp op, const KeyBlock &block);
  /// Keys [lo, hi) of the block without pieces at either end that none of `queries` attends to;
  /// `verdict` is that of the whole block.
  std::pair<mlir::Value, mlir::Value> trimKeys(const KeyBlock &block,
                                               const attn::MaskRanges::PreparedRange &queries,
                                               attn::Verdict verdict, mlir::Value lo,
                                               mlir::Value hi);
  void lowerSubTile(tile::ForQueriesOp op, const KeyBlock &block, SubTile &tile, mlir::Value full);
  void lowerOps(llvm::ArrayRef<mlir::Operation *> ops, const KeyBlock &block, SubTile &tile);
  /// The rows of the tensor at slot `tensor`, whose elements have type `element`, of the call's
  /// batch and `head`.
  Rows getRows(int64_t tensor, mlir::Type element, mlir::Value head);
  /// The queries of vector `v` of the sub-tile that starts at `firstRow`, those past the end
  /// replaced by the last.
  mlir::Value getQueryIndices(mlir::Value firstRow, mlir::Value v);
  /// The number of vectors that hold the queries of a sub-tile.
  int64_t getNumVectors() const { return schedule.getQueryTile() / schedule.getLanes(); }
  /// Calls `body` for each sub-tile of the call's rows with its number.
  void forSubTiles(llvm::function_ref<void(mlir::Value)> body);
  /// The address of row `row` of `rows`.
  mlir::Value getRow(const Rows &rows, mlir::Value row);

  //===--------------------------------------------------------------------===//
  // Pack.cpp: operands in the form of the inner products
  //===--------------------------------------------------------------------===//

  void packQueries();
  void packKeys(KeyBlock &block);
  void packValues(KeyBlock &block);
  void convertRows(const Rows &rows, mlir::Value count, int64_t size, int64_t target);

  //===--------------------------------------------------------------------===//
  // Scores.cpp: tile.dot
  //===--------------------------------------------------------------------===//

  void emitDot(const KeyBlock &block, const SubTile &tile, bool withMaximum);
  Values accumulateScores(llvm::ArrayRef<mlir::Value> keyRows, mlir::Value queries);
  Values addProducts(llvm::ArrayRef<mlir::Value> rows, mlir::Value offset, int64_t bytes,
                     mlir::Value queries, mlir::ValueRange sums);
  void prefetchNext(const KeyBlock &block, const SubTile &tile, mlir::Value key);

  //===--------------------------------------------------------------------===//
  // Pairs.cpp: tile.map and tile.mask
  //===--------------------------------------------------------------------===//

  void emitPairs(const KeyBlock &block, const SubTile &tile, bool map, bool mask);

  //===--------------------------------------------------------------------===//
  // Softmax.cpp: tile.init_state and tile.softmax_step
  //===--------------------------------------------------------------------===//

  void initState();
  void emitSoftmaxStep(SubTile &tile);
  Values emitWeights(const SubTile &tile, mlir::ValueRange maxima);
  Values emitExactWeights(const SubTile &tile, mlir::ValueRange maxima);
  mlir::Value emitExp2(mlir::Value x);

  //===--------------------------------------------------------------------===//
  // Values.cpp: tile.dot_acc
  //===--------------------------------------------------------------------===//

  void emitDotAcc(const KeyBlock &block, const SubTile &tile);
  void accumulateValues(const KeyBlock &block, const SubTile &tile, bool exact);
  void accumulateColumns(const KeyBlock &block, const SubTile &tile, bool exact, mlir::Value column,
                         int64_t numColumns);

  //===--------------------------------------------------------------------===//
  // Epilogue.cpp: tile.epilogue
  //===--------------------------------------------------------------------===//

  /// Stores the results; gives whether an output is not finite.
  mlir::Value emitEpilogue();
  void storeRows(mlir::Value index, mlir::Value inverses);
  void storeLse(mlir::Value index);

  tile::KernelOp kernel;
  attn::KernelOp attn;
  tile::ScheduleAttr schedule;
  ScratchLayout scratch;
  VectorFeatures features;
  CodeBuilder code;
  ArgumentReader arguments;
  OpEmitter emitter;
  std::optional<RegionVectorizer> score, mask;
  std::optional<attn::MaskAnalysis> maskAnalysis;
  std::optional<attn::MaskRanges> maskRanges;
  StageValues scoreHead, maskHead;

  mlir::Value batch, head, rowBegin, rowEnd, scratchBase, runs;
  mlir::Value numKeys;
  Rows q, k, v, o;
  /// Whether this run masks accumulations.
  mlir::Value exact;
  /// What scores are multiplied by as they leave the accumulators; null if that is part of
  /// `exponentScale`.
  mlir::Value scoreScale;
  /// exp(a - b) is exp2((a - b) * exponentScale) for scores a and b as they are stored; a natural
  /// logarithm is a stored score times `storedScale`.
  float exponentScale, storedScale;
  attn::MaskRanges::PreparedRange blockQueries;
};

} // namespace attnc

#endif // COMPILER_CONVERSION_TILETOVECTOR_KERNELLOWERING_H
