//===- WarpLowering.h - From a tile.kernel to a GPU kernel --------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_TILETONVVM_WARPLOWERING_H
#define COMPILER_CONVERSION_TILETONVVM_WARPLOWERING_H

#include "compiler/Conversion/Bodies/ArgumentReader.h"
#include "compiler/Conversion/Bodies/RegionVectorizer.h"
#include "compiler/Conversion/TileToNvvm/Combine.h"
#include "compiler/Conversion/TileToNvvm/SummaryTables.h"
#include "compiler/Conversion/TileToNvvm/ThreadOpEmitter.h"
#include "compiler/Conversion/TileToNvvm/WarpBuilder.h"
#include "compiler/Conversion/TileToNvvm/Workspace.h"
#include "dialect/Attn/Analysis/LinearScore.h"
#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "dialect/Tile/Analysis/SharedLayout.h"
#include <optional>

namespace attnc {

/// Lowers one tile.kernel to the code of a thread of a GPU kernel.
///
/// A block of threads has a block of queries, each warp some of its rows. Scores and output stay in
/// registers, in the layout of the accumulators of mma.sync m16n8k16 (PTX ISA, "Matrix fragments
/// for mma.m16n8k16"): lane 4 g + i of a warp owns the rows g, g + 8, g + 16, … of its warp, its
/// *row slots*, and of each row the columns 8 j + 2 i and 8 j + 2 i + 1. So a row is spread over
/// the four lanes of a quad. Kernels of f32, with and without tensor cores, keep that layout for
/// scores, and have columns 16 j + 4 i to + 3 of the output.
///
/// Keys and values have one buffer each in shared memory, and copies run while the other one is
/// used: the values of a block while scores are computed, the keys of the next block from then on.
///
/// With a schedule for short grids, the rows of a block are pairs of a query and a head of a group:
/// row r of all that share the keys is query r / heads and head r % heads. Each split takes every
/// splits-th block of keys. Of several splits, each leaves output, sum and maximum in the
/// workspace, of which Combine.cpp makes the output.
class WarpLowering {
public:
  /// The address of all shared memory.
  static mlir::Value createSharedBase(WarpBuilder &builder);

  /// Builds into the entry block of `function`, whose argument is the array of slots. With a
  /// schedule for short grids, or with summaries of tables, a second one is WorkspaceSlots.
  WarpLowering(tile::KernelOp kernel, mlir::LLVM::LLVMFuncOp function);

  void lower();

  int64_t getSharedBytes() const { return layout.totalBytes; }
  /// Whether blocks mix rows of several heads.
  bool packsHeads() const;
  /// What scores are stored as, once code has been lowered.
  ScoreUnits getUnits() const { return units; }

private:
  using Values = WarpBuilder::Values;

  /// Rows of q, k, v, o or lse of one batch and head in global memory; the stride is in bytes.
  struct Rows {
    mlir::Value base;
    mlir::Value stride;
    /// The low half of the stride, i32, which is all of it where rows are aligned.
    mlir::Value narrowStride;
    /// From a head to the next, in bytes, where heads are packed: `base` is then of the first one.
    mlir::Value headStride;
    /// Whether every row starts at a multiple of 16 bytes, and the stride is below 2^24: 256 rows
    /// are then less than 2^32 bytes.
    mlir::Value aligned;
  };
  /// All i32.
  struct ThreadPosition {
    mlir::Value thread, lane, warp;
    /// Of this lane: its first row of the warp, and its place in the quad.
    mlir::Value quadRow, quadLane;
    /// The warp's first row in the block.
    mlir::Value warpRow;
  };
  /// What the loops carry, in f32, for each row slot: the maximum, the sum over this lane's
  /// columns, and the output's columns.
  struct State {
    llvm::SmallVector<Values, 4> output;
    Values maxima, sums;

    Values flatten() const;
    State unflatten(mlir::ValueRange values) const;
  };
  /// A score for each row slot and column of this lane.
  using Scores = llvm::SmallVector<Values, 4>;
  /// The keys that a block of queries attends to, all i32: masked blocks `begin` to `end` - 1, of
  /// which the blocks of keys `fullBegin` to `fullEnd` - 1 are full.
  struct KeyBlocks {
    mlir::Value begin, end, fullBegin, fullEnd;
  };
  /// The first keys of these blocks, unsigned: the one after the last block may be 2^31. `first` is
  /// that of the first masked block that is not full. They are emitted where they are asked for.
  struct KeyPlaces {
    std::function<mlir::Value()> first, end, fullBegin, fullEnd;
  };
  /// Blocks of keys: how many, and the first key of each; all i32.
  struct BlockList {
    mlir::Value count;
    std::function<mlir::Value(mlir::Value)> getFirstKey;
  };
  /// Blocks of keys to visit, by their places: the first one, a place behind all of them, the one
  /// after another, and the first key there. All i32, and unsigned: the first key behind the last
  /// block may be 2^31.
  struct Run {
    mlir::Value first;
    std::function<mlir::Value()> getEnd;
    std::function<mlir::Value(mlir::Value)> getNext, getFirstKey;
  };

  //===--------------------------------------------------------------------===//
  // WarpLowering.cpp: the frame
  //===--------------------------------------------------------------------===//

  /// Reads where this thread is.
  ThreadPosition getPosition();
  void placeBlock();
  void preparePairs();
  Rows getRows(int64_t tensor, int64_t elementBytes, mlir::Value tensorHead);
  /// Rows of q, o or lse.
  Rows getQueryRows(int64_t tensor, int64_t elementBytes);
  /// The address of byte `byte` of row `row`, an i32, of `rows`.
  mlir::Value getRow(const Rows &rows, mlir::Value row);
  /// The same of getQueryRows.
  mlir::Value getQueryRow(const Rows &rows, mlir::Value row);
  /// The query of a row, i32, and its head, i64.
  mlir::Value getQuery(mlir::Value row);
  mlir::Value getHead(mlir::Value row);
  /// The address of shared memory at `offset` bytes.
  mlir::Value getShared(int64_t offset);
  mlir::Value getShared(mlir::Value offset, int64_t constantOffset = 0);
  /// The same in the buffers of keys and values.
  mlir::Value getKeyShared(mlir::Value offset, int64_t constantOffset);
  /// Element `index`, an i32, of an array of i32 or f32 in shared memory.
  mlir::Value loadShared(mlir::Type type, int64_t array, mlir::Value index);
  void storeShared(mlir::Value value, int64_t array, mlir::Value index);
  State createState();
  /// Stores the results of rows without keys.
  void emitEmptyRows();
  int64_t getNumSlots() const { return schedule.getWarpRows() / 8; }
  int64_t getKeyBlock(bool masked) const {
    return masked ? schedule.getMaskedKeyBlock() : schedule.getKeyBlock();
  }
  int64_t getNumOutputs() const { return layout.valueDim / 4; }
  /// How many columns of the output in a lane are neighbours.
  int64_t getOutputGroup() const { return attn::KernelOp(attn).getDtype().isF32() ? 4 : 2; }
  /// From one lane of a quad to the next, the distance of their first keys; the place of key `n`
  /// of a lane behind its first.
  int64_t getLaneKeys(int64_t keyBlock) const {
    return schedule.getTensorCores() ? keyBlock / 4 : 2;
  }
  int64_t getColumn(int64_t n) const { return schedule.getTensorCores() ? n : 8 * (n / 2) + n % 2; }

  //===--------------------------------------------------------------------===//
  // Tiles.cpp: tile.load_queries, tile.load_keys, tile.load_values
  //===--------------------------------------------------------------------===//

  /// A tile in shared memory: of the columns those up to `paddedColumns` are used.
  struct Tile {
    int64_t rows, columns, paddedColumns, offset;
  };
  /// What a thread copies of a tile: the offset in the tile at which its first chunk lies, and the
  /// row it is in; both i32.
  struct CopyPlace {
    mlir::Value target, row;
  };
  CopyPlace getCopyPlace(const tile::TileCopy &copy);
  /// The first byte of a thread's first chunk in its row, i32.
  mlir::Value getChunkOffset(const tile::TileCopy &copy);
  /// Where that chunk is in global memory, if the tile's first row is row 0.
  mlir::Value getCopySource(const tile::TileCopy &copy, const CopyPlace &place, const Rows &rows);
  /// Copies rows to `tile`; `getSource` gives where the thread's first chunk is after that many
  /// rows. There are `count` rows (i32), and zeros behind; without `count` they fill the tile.
  void copyAligned(const tile::TileCopy &copy, const CopyPlace &place, const Tile &tile,
                   mlir::Value count, llvm::function_ref<mlir::Value(int64_t)> getSource);
  void copyQueries();
  /// Aligned rows of a masked or full block of keys, all of which there are if it is `whole`.
  void copyKeyTile(const Rows &rows, const Tile &tile, mlir::Value firstKey, bool masked,
                   bool whole);
  void copyKeys(mlir::Value firstKey, bool masked, bool whole = true);
  void copyValues(mlir::Value firstKey, bool masked, bool whole = true);

  /// Copies keys and values of the masked block from `firstKey` on, whatever their rows are.
  void copyBlock(mlir::Value firstKey);
  mlir::LLVM::LLVMFuncOp getBlockFunction();
  /// Where keys and values are is kept in shared memory for code outside the main loops.
  void storeBlockSource();
  void loadBlockSource();

  /// Puts into shared memory what a thread needs to know of itself in each step of the loops over
  /// keys.
  void storePlaces();
  std::array<mlir::Value, 2> loadPlaces(bool masked, int64_t array);
  mlir::Value getPlaceAddress(bool masked, int64_t array, mlir::Value thread);
  /// Where the thread's fragments of queries and of keys lie in their tiles, i32.
  std::array<mlir::Value, 2> getProductPlaces(bool masked);
  /// The same of its fragments of values.
  mlir::Value getValuePlace(bool masked);

  //===--------------------------------------------------------------------===//
  // Runs.cpp: tile.for_keys, tile.for_queries
  //===--------------------------------------------------------------------===//

  State emitRuns(const State &initial);
  /// The blocks of keys of a run, of which keys are to be visited and are full as given, all i32.
  KeyBlocks placeRun(mlir::Value lo, mlir::Value hi, mlir::Value fullLo, mlir::Value fullHi);
  /// The blocks of each of `bounds`, without those of the runs before it.
  llvm::SmallVector<KeyBlocks, attn::maxKeyRuns> placeRuns(llvm::ArrayRef<attn::KeyBounds> bounds);
  /// The places of `blocks`: first, end, fullBegin and fullEnd.
  std::array<mlir::Value, 4> getPlaces(const KeyBlocks &blocks);
  State visitBlocks(const State &initial, const KeyPlaces &places);
  /// Visits the blocks of several runs, whose ends are read from shared memory where they are
  /// needed.
  State visitSeveral(const State &initial, llvm::ArrayRef<KeyBlocks> runs);
  /// As emitRuns where blocks of keys have to be classified: as many at a time as there are
  /// threads.
  State emitClassifiedRuns(const State &initial, const KeyBlocks &blocks);
  /// Prepares what is known of the mask's head, of the queries of the block, and of at most `most`
  /// keys, `first` to `last`, i32, which begin with a multiple of `most`, a power of two; of
  /// captured tables, what summaries of `kind` say.
  void prepareMaskHead();
  attn::MaskRanges::PreparedRange prepareBlockQueries();
  /// Puts the summary of the block's queries, and where those of keys are, into shared memory.
  void storeSummaries();
  attn::MaskRanges::PreparedRange prepareKeys(SummaryTables::Kind kind, mlir::Value first,
                                              mlir::Value last, int64_t most);
  /// The first round of classification, from the one that begins with block `first` on, whose keys
  /// are not known to be excluded; `end`, or a round behind it, if there is none.
  mlir::Value findRound(mlir::Value first, mlir::Value end);
  void classifyBlocks(mlir::Value first, const KeyBlocks &blocks);
  State visitRuns(const State &initial, const Run &partial, const Run &full);
  /// The same in short grids, which have a buffer more for keys and values: those of a block are
  /// copied while the block before is used. Warps without rows only copy.
  State visitShortRun(const State &initial, const BlockList &blocks);
  /// The blocks of keys of this split: their number, and the one in place `n`; all i32.
  void placeSplit(llvm::ArrayRef<KeyBlocks> runs);
  mlir::Value getSplitBlock(mlir::Value n);
  State visitBlock(const State &before, mlir::Value firstKey, bool masked,
                   llvm::function_ref<void()> copyNextKeys);
  Scores emitDot(bool masked);
  /// From products to the state after the block.
  void emitWeights(Scores &scores, mlir::Value firstKey, bool masked, State &state);

  //===--------------------------------------------------------------------===//
  // MatrixProducts.cpp, Tf32Products.cpp and FmaProducts.cpp: tile.dot, tile.dot_acc
  //===--------------------------------------------------------------------===//

  /// Adds a * b of mma.sync to two columns of this lane in two row slots, 8 rows apart.
  void addProduct(llvm::ArrayRef<mlir::Value> a, llvm::ArrayRef<mlir::Value> b, mlir::Value *upper,
                  mlir::Value *lower);
  /// The offsets in tiles at which a lane reads its part of the first fragments.
  struct Fragments {
    mlir::Value queries, keys, values;
  };
  Fragments getFragments(int64_t keyBlock);
  /// Scores of a block of keys in shared memory.
  Scores emitMatrixDot(bool masked);
  void emitMatrixDotAcc(bool masked, const Scores &weights, const Values &factors, State &state);

  /// Operands of tf32, i32 each; `small` is what rounding has left, if operands are split.
  struct Tf32Operand {
    Values big, small;
  };
  /// Rounds the tile of queries to tf32.
  void roundQueries();
  Tf32Operand makeTf32Operand(llvm::ArrayRef<mlir::Value> values);
  /// Four matrices of f32, which `isRounded` to tf32 or not yet.
  Tf32Operand loadTf32Operand(mlir::Value address, bool isRounded);
  /// Adds the products of each of `a` with each of `b` to `sums`.
  void addTf32Products(llvm::ArrayRef<Tf32Operand> a, llvm::ArrayRef<Tf32Operand> b,
                       llvm::MutableArrayRef<std::array<mlir::Value, 4>> sums);
  Scores emitTf32Dot(bool masked);
  void emitTf32DotAcc(bool masked, const Scores &weights, const Values &factors, State &state);
  /// For each row slot 0, or NaN where a product is not finite, which may be because an operand was
  /// rounded to infinity: a score of -inf leaves no trace in the output. Nothing where such
  /// products are NaN.
  Values checkProducts(const Scores &scores);

  Scores emitFmaDot(int64_t keyBlock);
  void emitFmaDotAcc(const Scores &weights, const Values &factors, State &state);

  //===--------------------------------------------------------------------===//
  // RowRanges.cpp: what of a mask is a range of keys for each query
  //===--------------------------------------------------------------------===//

  bool hasRowRanges() const { return mask && !maskAnalysis->getRangeConditions().empty(); }
  /// Puts the ranges of the block's queries into shared memory.
  void storeRowRanges();
  void storeForQuad(mlir::Value key, int64_t array, mlir::Value row);
  /// The place of row `row` of the block, an i32, in an array that has `quadWords` words for each
  /// quad: row 8 s + g of a warp is word s of quad g.
  mlir::Value getQuadPlace(mlir::Value row, int64_t quadWords);
  /// The keys of a lane that its rows attend to, as far as ranges tell, for each row slot: begin
  /// and end relative to the lane's first key of the block, i32; no begins are 0.
  /// On tensor cores also as bits, one a column.
  struct LaneRanges {
    Values begins, ends;
    llvm::SmallVector<Values, 4> bits;
    /// Without tensor cores the conditions of keys: bits of the columns behind the lane's first
    /// one, 32 a word.
    Values conditions;
  };
  LaneRanges getLaneRanges(mlir::Value firstKey);
  void makeBits(LaneRanges &ranges, int64_t columns);
  mlir::Value isInRange(const LaneRanges &ranges, int64_t slot, int64_t n);

  //===--------------------------------------------------------------------===//
  // SharedValues.cpp: what bodies compute of a key or a query alone
  //===--------------------------------------------------------------------===//

  /// What a thread has computed of one key of a block: the values, i32 or f32, of key number `key`,
  /// an i32, and what the conditions of the keys of its warp say, bits of an i32. Where there are
  /// more threads than keys, of a key that another thread has too.
  struct KeyWords {
    mlir::Value key;
    Values values;
    mlir::Value conditions;
  };
  /// Those of `values` that are in shared memory, in the order of their arrays.
  Values getSharedValues(const attn::SharedValues::OfBodies &values, bool masked) const;
  void storeQueryValues();
  /// For each row slot.
  llvm::SmallVector<StageValues> loadQueryValues(bool masked);
  llvm::SmallVector<KeyWords> computeKeyValues(mlir::Value firstKey, bool masked);
  void storeKeyValues(llvm::ArrayRef<KeyWords> words, bool masked);
  /// The place of the lane's first key, i32.
  mlir::Value getLaneKeyPlace(bool masked);
  /// How many columns of a lane are neighbours.
  int64_t getKeyGroup() const { return schedule.getTensorCores() ? 4 : 2; }
  /// layout.getKeyPlace for a key that is known at run time.
  mlir::Value getKeyPlace(mlir::Value key);
  /// The values of `count` keys from the one in `place` on.
  llvm::SmallVector<StageValues> loadKeyValues(mlir::Value place, int64_t count, bool masked);
  llvm::SmallVector<StageValues> loadSharedValues(llvm::ArrayRef<mlir::Value> values,
                                                  mlir::Value place, int64_t count,
                                                  llvm::function_ref<int64_t(int64_t)> getArray);
  /// Leaves in ranges only keys for which the conditions hold.
  void restrictToConditions(LaneRanges &ranges);

  //===--------------------------------------------------------------------===//
  // Softmax.cpp: tile.map, tile.mask, tile.softmax_step
  //===--------------------------------------------------------------------===//

  /// Whether loops evaluate the score body pair by pair.
  bool evaluatesScore() const { return score && !linearScore; }
  LaneRanges emitPairs(Scores &scores, mlir::Value firstKey, bool masked);
  using CombineFn = llvm::function_ref<mlir::Value(int64_t slot, mlir::Value taken)>;
  /// What has been emitted for the query of each row slot.
  struct QueryStages {
    llvm::SmallVector<StageValues, 4> score, mask;
  };
  QueryStages emitQueries(bool masked);
  /// Turns products of one key, one a row slot, into scores, which a linear body has done before;
  /// `known` is what is known of the key. With `combine`, those for which it gives false for what
  /// the conditions of pairs say become -inf.
  void emitColumn(llvm::MutableArrayRef<mlir::Value> scores, const QueryStages &queries,
                  mlir::Value key, const StageValues &known, CombineFn combine);
  /// Turns scores, relative to `shifts` if there are any, into weights; gives what the output has
  /// to be multiplied by.
  Values emitSoftmaxStep(Scores &scores, const LaneRanges &ranges, mlir::ValueRange shifts,
                         State &state);
  /// Puts maxima and sums into the state, and takes them out of it, where they are kept in shared
  /// memory in between.
  void loadStatistics(State &state);
  void storeStatistics(State &state);
  /// What is subtracted from scaled scores where `maximum` is the largest score.
  mlir::Value emitReference(mlir::Value maximum);
  mlir::Value emitWeight(mlir::Value score, mlir::Value reference);
  /// Whether a row with this maximum has to be computed by emitExactRows.
  mlir::Value hasLargeScores(mlir::Value maximum);

  //===--------------------------------------------------------------------===//
  // LinearScores.cpp: score bodies that add a multiple of a distance
  //===--------------------------------------------------------------------===//

  void storeSlope();
  mlir::Value loadSlope();
  /// Makes products of a block scores, relative to its shifts.
  void addDistances(Scores &scores);
  /// What the body gives a score of 0 at the lane's first key of the block, for each row slot;
  /// nothing for other bodies.
  Values emitShifts(mlir::Value firstKey, bool masked);
  /// Whether the slope is too large for sums, or not a number.
  mlir::Value isSteep();

  //===--------------------------------------------------------------------===//
  // RolledBodies.cpp: bodies in a loop over the keys of a thread
  //===--------------------------------------------------------------------===//

  /// getColumn for a number that is known at run time.
  mlir::Value getColumn(mlir::Value n);
  /// What emitColumn does, for all columns.
  void emitRolledColumns(Scores &scores, mlir::Value firstKey, bool masked);

  //===--------------------------------------------------------------------===//
  // Epilogue.cpp: tile.epilogue
  //===--------------------------------------------------------------------===//

  void emitEpilogue(State &state);
  /// The largest score and the sum of exp(score - maximum) give the LSE of row `row` (i32).
  void storeLse(mlir::Value row, mlir::Value maximum, mlir::Value sum, float storedScale);
  /// Output and log-sum-exp of rows that have seen all keys, with their sums.
  void storeRows(const State &state, const Values &sums);
  void stageOutput(const State &state, const Values &inverses);
  void copyOutput();

  //===--------------------------------------------------------------------===//
  // ExactRows.cpp: rows that the main loops cannot compute
  //===--------------------------------------------------------------------===//

  /// Computes the rows with a flag once more.
  void emitExactRows(const Values &flags);
  void storeExactRow(mlir::Value row, const Values &results);
  /// The columns of the output that this lane has, the sum of weights, and the largest score, to
  /// which weights are relative.
  Values computeExactRow(mlir::Value row);
  /// Element `part` of this lane of the row at `start`.
  mlir::Value loadElement(mlir::Value start, int64_t part, int64_t columns);
  /// Calls `body` for each key that the block, or the split, may attend to.
  Values visitKeys(const Values &initial,
                   llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);

  //===--------------------------------------------------------------------===//
  // ShortRows.cpp: the end of rows in short grids
  //===--------------------------------------------------------------------===//

  void emitShortEpilogue(const State &state);
  /// Puts output and statistics of the warp's rows where tiles were.
  void stageShortRows(const State &state);
  /// Finishes and stores row `row` of the block.
  void storeShortRow(mlir::Value row);

  tile::KernelOp kernel;
  mlir::LLVM::LLVMFuncOp function;
  attn::KernelOp attn;
  tile::WarpScheduleAttr schedule;
  tile::SharedLayout layout;
  VectorFeatures features;
  WarpBuilder code;
  ArgumentReader arguments;
  ThreadOpEmitter emitter;
  /// The mask, and what of it is not a range of keys for each query.
  std::optional<RegionVectorizer> score, mask, pairMask;
  /// Conditions that need no query, where they are not among those of `pairMask`.
  std::optional<RegionVectorizer> keyConditions;
  /// A score body that is linear, and its distance.
  std::optional<attn::LinearScore> linearScore;
  std::optional<RegionVectorizer> distance;
  std::optional<attn::MaskAnalysis> maskAnalysis;
  std::optional<attn::MaskRanges> maskRanges;
  std::optional<SummaryTables> summaries;
  /// Whether ranges are not always known.
  bool rowsMayBeUnknown = false;
  /// One, or one a row slot where heads are packed and the score body uses them.
  llvm::SmallVector<StageValues, 4> scoreHeads;
  StageValues maskHead;
  /// One a row slot, i64, and what is kept in registers of them.
  Values rowQueries;
  QueryStages queries;

  ThreadPosition self;
  /// All i32: the number of keys, the first row of the block and how many it has.
  mlir::Value numKeys, firstRow, rowCount;
  /// i64; the first head where heads are packed.
  mlir::Value batch, head;
  /// The heads of a group, i32; null where blocks have rows of one head.
  mlir::Value packedHeads;
  /// For short grids; i32.
  std::optional<Workspace> workspace;
  /// Where the buffers in use for keys and values start behind the first ones, in bytes; null in
  /// kernels that have no others.
  mlir::Value stage;
  mlir::Value split, firstSplitBlock, numSplitBlocks;
  /// A run of keys behind the first: which of the blocks of all splits is its first one, and how
  /// far behind that number its blocks are; i32.
  struct LaterRun {
    mlir::Value first, offset;
  };
  llvm::SmallVector<LaterRun, attn::maxKeyRuns> laterRuns;
  mlir::Value shared;
  /// Whether all rows of keys and values are aligned.
  mlir::Value alignedKeys;
  /// The loops copy masked blocks with first keys up to this, an i32; others are copied by
  /// copyBlock().
  mlir::Value lastWholeKey;
  Rows q, k, v, o;
  /// Keys that the block attends to, i32.
  mlir::Value keyBegin, keyEnd;
  /// What products are multiplied by to give scores; null if that is part of the units.
  mlir::Value scoreScale;
  /// Of what a score body gives, and of scores in the loops.
  ScoreUnits bodyUnits, units;
};

} // namespace attnc

#endif // COMPILER_CONVERSION_TILETONVVM_WARPLOWERING_H
