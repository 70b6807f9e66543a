//===- Tiles.cpp - Copies tiles to shared memory ------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"
#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/SaveAndRestore.h"
#include <map>
#include <optional>

using namespace mlir;
using namespace attnc;
using tile::SharedLayout;
using tile::TileCopy;
using tile::TileOrder;

//===------------------------------------------------------------------------===//
// Rows that start at multiples of 16 bytes
//===------------------------------------------------------------------------===//

namespace {
/// Addresses of rows, by how far they are behind the first one.
class RowSteps {
public:
  /// In steps, rows follow one another; they are mostly equally far apart, so that one
  /// multiplication is all that it takes. Without, each is an address for itself, and none is kept
  /// in registers that products need.
  RowSteps(WarpBuilder &code, Value start, Value stride, bool inSteps)
      : code(code), start(start), last(start), stride(stride), inSteps(inSteps) {}

  Value get(int64_t row) {
    if (row == 0)
      return start;
    if (!inSteps)
      return code.address(start, code.mul(stride, row));
    Value &step = steps[row - lastRow];
    if (!step)
      step = code.mul(stride, row - lastRow);
    last = code.address(last, step);
    lastRow = row;
    return last;
  }

private:
  WarpBuilder &code;
  Value start, last, stride;
  bool inSteps;
  int64_t lastRow = 0;
  std::map<int64_t, Value> steps;
};
} // namespace

static SmallVector<int64_t> getTargets(const TileCopy &copy) {
  SmallVector<int64_t> targets;
  for (auto [row, chunk] : llvm::zip(copy.threadRows, copy.threadChunks))
    targets.push_back(copy.order.getPlace(row, chunk));
  return targets;
}

WarpLowering::CopyPlace WarpLowering::getCopyPlace(const TileCopy &copy) {
  return {code.mapBits(self.thread, getTargets(copy)), code.mapBits(self.thread, copy.threadRows)};
}

Value WarpLowering::getChunkOffset(const TileCopy &copy) {
  return code.shiftLeft(code.mapBits(self.thread, copy.threadChunks), 4);
}

void WarpLowering::copyAligned(const TileCopy &copy, const CopyPlace &place, const Tile &tile,
                               Value count, llvm::function_ref<Value(int64_t)> getSource) {
  int64_t rowBytes = tile.columns * layout.elementBytes;
  int64_t paddedBytes = tile.paddedColumns * layout.elementBytes;
  // Bits of a target that differ between threads; the others can be added to an address.
  int64_t threadBits = 0;
  for (int64_t target : getTargets(copy))
    threadBits |= target;
  // What the threads of a row copy at once.
  int64_t groupBytes = SharedLayout::chunkBytes;
  for (int64_t chunk : copy.threadChunks)
    groupBytes += chunk * SharedLayout::chunkBytes;
  Value none = code.i32(0), all = code.i32(SharedLayout::chunkBytes);
  Value left = count ? code.sub(count, place.row) : Value();
  auto copyChunk = [&](Value source, Value inside, int64_t begin, Value target) {
    // The bytes of this thread's chunk that the row has, if not all.
    Value bytes;
    if (begin + groupBytes > rowBytes) {
      Value rest = code.sub(code.i32(rowBytes - begin), getChunkOffset(copy));
      bytes = code.maximum(code.minimum(rest, all), none);
    }
    if (inside)
      bytes = code.select(inside, bytes ? bytes : all, none);
    code.copyAsync(target, code.address(source, begin), bytes);
  };
  auto copyRows = [&] {
    for (int64_t passRow : copy.passRows) {
      Value source = getSource(passRow);
      Value inside = count ? code.less(code.i32(passRow), left) : Value();
      for (int64_t passChunk : copy.passChunks) {
        int64_t moved = copy.order.getPlace(passRow, passChunk);
        Value inTile = code.bitXor(place.target, moved & threadBits);
        for (int64_t panel = 0; panel < layout.getNumPanels(tile.columns); ++panel) {
          int64_t begin = panel * SharedLayout::panelBytes + passChunk * SharedLayout::chunkBytes;
          if (begin >= paddedBytes)
            continue;
          int64_t offset = tile.offset + panel * tile.rows * SharedLayout::panelBytes;
          copyChunk(source, inside, begin, getKeyShared(inTile, offset + (moved & ~threadBits)));
        }
      }
    }
  };
  if (copy.usedThreads < schedule.getNumThreads())
    code.ifTrue(code.less(self.thread, code.i32(copy.usedThreads)), copyRows);
  else
    copyRows();
}

Value WarpLowering::getCopySource(const TileCopy &copy, const CopyPlace &place, const Rows &rows) {
  return code.address(getRow(rows, place.row), code.widen(getChunkOffset(copy)));
}

//===------------------------------------------------------------------------===//
// Places in shared memory
//===------------------------------------------------------------------------===//

namespace {
/// The arrays of places: where the thread's fragments of queries and of keys lie; where its
/// fragments of values lie, and its target in tiles of keys and values; its sources in the keys and
/// in the values. Two i32, or an address.
enum PlaceArray : int64_t { ProductPlaces, ValuePlaces, KeySource, ValueSource };
} // namespace

Value WarpLowering::getPlaceAddress(bool masked, int64_t array, Value thread) {
  int64_t places = masked ? layout.maskedPlaces : layout.fullPlaces;
  return getShared(code.shiftLeft(thread, 3), places + array * schedule.getNumThreads() * 8);
}

void WarpLowering::storePlaces() {
  if (!layout.hasPlaces)
    return;
  SmallVector<bool, 2> kinds = {true};
  if (schedule.getMaskedBlocks() != 1)
    kinds.push_back(false);
  for (bool masked : kinds) {
    auto store = [&](PlaceArray array, Value first, Value second) {
      code.store(code.packVector({first, second}), getPlaceAddress(masked, array, self.thread), 8);
    };
    int64_t keyBlock = getKeyBlock(masked);
    TileCopy copy(layout.getKeyOrder(keyBlock), keyBlock, schedule.getNumThreads());
    CopyPlace place = getCopyPlace(copy);
    Fragments fragments = getFragments(keyBlock);
    store(ProductPlaces, fragments.queries, fragments.keys);
    store(ValuePlaces, fragments.values, place.target);
    code.store(getCopySource(copy, place, k), getPlaceAddress(masked, KeySource, self.thread), 8);
    code.store(getCopySource(copy, place, v), getPlaceAddress(masked, ValueSource, self.thread), 8);
  }
}

std::array<Value, 2> WarpLowering::loadPlaces(bool masked, int64_t array) {
  Value address = getPlaceAddress(masked, array, code.threadIndex());
  Values words = code.unpackVector(code.load(VectorType::get(2, code.getI32Type()), address, 8));
  return {words[0], words[1]};
}

std::array<Value, 2> WarpLowering::getProductPlaces(bool masked) {
  if (layout.hasPlaces)
    return loadPlaces(masked, ProductPlaces);
  llvm::SaveAndRestore guard(self, getPosition());
  Fragments fragments = getFragments(getKeyBlock(masked));
  return {fragments.queries, fragments.keys};
}

Value WarpLowering::getValuePlace(bool masked) {
  if (layout.hasPlaces)
    return loadPlaces(masked, ValuePlaces)[0];
  llvm::SaveAndRestore guard(self, getPosition());
  return getFragments(getKeyBlock(masked)).values;
}

//===------------------------------------------------------------------------===//
// Rows that start anywhere
//===------------------------------------------------------------------------===//

namespace {
/// Rows in global memory and their tile in shared memory: where a row starts, the elements of a
/// row, how many rows there are, and the start of the tile.
struct ElementRows {
  std::function<Value(Value)> getStart;
  Value columns, count, target;
};
} // namespace

/// Does what copyAligned does for rows that start anywhere, element by element; or in pieces of 16
/// bytes if they are `aligned`.
static void copyPieces(WarpBuilder &code, const ElementRows &rows, Type element, bool aligned,
                       int64_t numThreads, int64_t tileRows, TileOrder order) {
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  int64_t pieceBytes = aligned ? SharedLayout::chunkBytes : elementBytes;
  int64_t chunkPieces = SharedLayout::chunkBytes / pieceBytes;
  int64_t panelPieces = SharedLayout::panelBytes / pieceBytes;
  Type bits = code.getIntegerType(static_cast<unsigned>(8 * elementBytes));
  SmallVector<int64_t> swizzles;
  for (int64_t bit = 1; bit < tileRows; bit *= 2)
    swizzles.push_back(order.getSwizzle(bit));
  Value rowBytes = code.mul(rows.columns, elementBytes);
  Value panels =
      code.divide(code.add(rowBytes, SharedLayout::panelBytes - 1), SharedLayout::panelBytes);
  Value end = code.mul(panels, tileRows * panelPieces);
  code.loop(code.threadIndex(), end, numThreads, [&](Value index) {
    Value piece = code.bitAnd(index, panelPieces - 1);
    Value panelRow = code.divide(index, panelPieces);
    Value panel = code.divide(panelRow, tileRows), row = code.bitAnd(panelRow, tileRows - 1);
    Value chunk = code.bitXor(code.divide(piece, chunkPieces), code.mapBits(row, swizzles));
    Value inChunk = code.mul(code.bitAnd(piece, chunkPieces - 1), pieceBytes);
    Value place =
        code.add(code.shiftLeft(panelRow, 7), code.add(code.shiftLeft(chunk, 4), inChunk));
    Value target = code.address(rows.target, place);
    Value inRow = code.add(code.mul(panel, SharedLayout::panelBytes), code.mul(piece, pieceBytes));
    Value inside = code.less(row, rows.count);
    auto getSource = [&] { return code.address(rows.getStart(row), code.widen(inRow)); };
    if (aligned) {
      Value left = code.minimum(code.sub(rowBytes, inRow), code.i32(pieceBytes));
      Value none = code.i32(0);
      code.copyAsync(target, getSource(), code.select(inside, code.maximum(left, none), none));
      return;
    }
    Value value = code.choose(
        code.andOf(inside, code.less(inRow, rowBytes)), bits,
        [&] { return code.load(bits, getSource(), elementBytes); },
        [&] { return code.integer(bits, 0); });
    code.store(value, target, elementBytes);
  });
}

/// What the function that copies a block of keys and values reads in shared memory, for keys and
/// then for values: the address of the first row and the stride, i64, the elements of a row, the
/// offset of the tile, and the number of rows, i32.
namespace {
enum BlockSource : int64_t {
  FirstRow = 0,
  Stride = 8,
  Columns = 16,
  Target = 20,
  Count = 24,
  SourceBytes = 32
};
} // namespace

void WarpLowering::storeBlockSource() {
  code.ifTrue(code.equal(self.thread, code.i32(0)), [&] {
    int64_t place = layout.blockSource;
    auto store = [&](const Rows &rows, int64_t columns, int64_t target) {
      Value firstRow = LLVM::PtrToIntOp::create(code, code.getI64Type(), rows.base);
      code.store(firstRow, getShared(place + FirstRow), 8);
      code.store(rows.stride, getShared(place + Stride), 8);
      code.store(code.i32(columns), getShared(place + Columns), 4);
      code.store(code.i32(target), getShared(place + Target), 4);
      code.store(numKeys, getShared(place + Count), 4);
      place += SourceBytes;
    };
    store(k, attn.getHeadDim(), layout.keys);
    store(v, attn.getValueDim(), layout.values);
  });
}

void WarpLowering::loadBlockSource() {
  int64_t place = layout.blockSource;
  for (Rows *rows : {&k, &v}) {
    rows->base = code.load(rows->base.getType(), getShared(place + FirstRow), 8);
    rows->stride = code.load(code.getI64Type(), getShared(place + Stride), 8);
    place += SourceBytes;
  }
}

/// The function of this kernel that copies keys and values of a masked block, given the first
/// key: in pieces of 16 bytes where the loop does so too for blocks that are whole, else element by
/// element. Where there is one buffer it waits for all threads. A call in the loop costs it little;
/// the code itself would not, and neither would a function that calls another.
LLVM::LLVMFuncOp WarpLowering::getBlockFunction() {
  auto module = kernel->getParentOfType<ModuleOp>();
  std::string name = ("attnc_copy_block_" + function.getSymName()).str();
  if (auto existing = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return existing;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  // The last argument is where the buffers in use start, where there are several.
  SmallVector<Type> types(stage ? 2 : 1, i32);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), types);
  auto copy =
      LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type, LLVM::Linkage::Internal);
  copy.setNoInline(true);
  Block *body = copy.addEntryBlock(builder);
  static constexpr llvm::StringLiteral names[] = {"first_key", "stage"};
  for (auto [i, argument] : llvm::enumerate(body->getArguments()))
    copy.setArgAttr(static_cast<unsigned>(i), parameterNameAttrName,
                    builder.getStringAttr(names[i]));
  Value firstKey = body->getArgument(0);
  int64_t keyBlock = getKeyBlock(/*masked=*/true);
  WarpBuilder inner(copy);
  Value base = createSharedBase(inner);
  inner.loop(inner.i32(0), inner.i32(2 * SourceBytes), SourceBytes, [&](Value source) {
    Value place = inner.address(inner.address(base, source), layout.blockSource);
    auto load = [&](Type loaded, int64_t offset, int64_t bytes) {
      return inner.load(loaded, inner.address(place, offset), bytes);
    };
    ElementRows rows;
    Value stride = load(i64, Stride, 8);
    Value first = LLVM::IntToPtrOp::create(inner, k.base.getType(), load(i64, FirstRow, 8));
    Value start = inner.address(first, inner.mul(inner.widen(firstKey), stride));
    rows.getStart = [=, &inner](Value row) {
      return inner.address(start, inner.mul(inner.widen(row), stride));
    };
    rows.columns = load(i32, Columns, 4);
    rows.count = inner.sub(load(i32, Count, 4), firstKey);
    rows.target = inner.address(base, load(i32, Target, 4));
    if (stage)
      rows.target = inner.address(rows.target, body->getArgument(1));
    auto copyRows = [&](bool aligned) {
      copyPieces(inner, rows, attn.getDtype(), aligned, schedule.getNumThreads(), keyBlock,
                 layout.getKeyOrder(keyBlock));
    };
    if (stage) {
      copyRows(/*aligned=*/false);
      return;
    }
    Value address = LLVM::PtrToIntOp::create(inner, i64, first);
    Value low = inner.bitAnd(arith::OrIOp::create(inner, address, stride), 15);
    inner.ifElse(
        inner.equal(low, inner.i64(0)), [&] { copyRows(/*aligned=*/true); },
        [&] { copyRows(/*aligned=*/false); });
  });
  if (!stage) {
    inner.commitCopies();
    inner.waitForCopies();
    inner.barrier();
  }
  LLVM::ReturnOp::create(inner, ValueRange());
  return copy;
}

void WarpLowering::copyBlock(Value firstKey) {
  WarpBuilder::PhaseScope phase(code, "load K and V");
  Values operands = {firstKey};
  if (stage)
    operands.push_back(stage);
  LLVM::CallOp::create(code, getBlockFunction(), operands);
}

//===------------------------------------------------------------------------===//
// Tiles
//===------------------------------------------------------------------------===//

void WarpLowering::copyQueries() {
  WarpBuilder::PhaseScope phase(code, "load Q");
  int64_t headDim = attn.getHeadDim();
  Tile tile{schedule.getQueryBlock(), headDim, layout.headDim, layout.queries};
  TileOrder order;
  code.ifElse(
      q.aligned,
      [&] {
        TileCopy copy(order, tile.rows, schedule.getNumThreads());
        CopyPlace place = getCopyPlace(copy);
        Value first = code.add(firstRow, place.row), chunkOffset = code.widen(getChunkOffset(copy));
        std::optional<RowSteps> steps;
        if (!packedHeads)
          steps.emplace(code, code.address(getRow(q, first), chunkOffset), q.stride,
                        /*inSteps=*/true);
        copyAligned(copy, place, tile, rowCount, [&](int64_t passRow) {
          if (steps)
            return steps->get(passRow);
          return code.address(getQueryRow(q, code.add(first, passRow)), chunkOffset);
        });
      },
      [&] {
        ElementRows rows{[&](Value row) { return getQueryRow(q, code.add(firstRow, row)); },
                         code.i32(tile.columns), rowCount, getShared(tile.offset)};
        copyPieces(code, rows, attn.getDtype(), /*aligned=*/false, schedule.getNumThreads(),
                   tile.rows, order);
      });
  code.commitCopies();
}

void WarpLowering::copyKeyTile(const Rows &rows, const Tile &tile, Value firstKey, bool masked,
                               bool whole) {
  TileCopy copy(layout.getKeyOrder(tile.rows), tile.rows, schedule.getNumThreads());
  CopyPlace place;
  Value source;
  llvm::SaveAndRestore guard(self, self);
  if (layout.hasPlaces) {
    place.target = loadPlaces(masked, ValuePlaces)[1];
    place.row = code.shiftRight(place.target, llvm::Log2_64(SharedLayout::panelBytes));
    source = code.load(
        rows.base.getType(),
        getPlaceAddress(masked, &rows == &k ? KeySource : ValueSource, code.threadIndex()), 8);
  } else {
    if (schedule.getTensorCores())
      self = getPosition();
    place = getCopyPlace(copy);
    source = getCopySource(copy, place, rows);
  }
  Value count = whole ? Value() : code.sub(numKeys, firstKey);
  // One multiplication: strides of aligned rows fit in 32 bits.
  Value row = code.mul(code.widenUnsigned(firstKey), code.widenUnsigned(rows.narrowStride));
  RowSteps steps(code, code.address(source, row), rows.stride, schedule.getTensorCores());
  copyAligned(copy, place, tile, count, [&](int64_t passRow) { return steps.get(passRow); });
  code.commitCopies();
}

void WarpLowering::copyKeys(Value firstKey, bool masked, bool whole) {
  WarpBuilder::PhaseScope phase(code, "load K");
  int64_t headDim = attn.getHeadDim();
  copyKeyTile(k, {getKeyBlock(masked), headDim, layout.headDim, layout.keys}, firstKey, masked,
              whole);
}

void WarpLowering::copyValues(Value firstKey, bool masked, bool whole) {
  WarpBuilder::PhaseScope phase(code, "load V");
  int64_t valueDim = attn.getValueDim();
  copyKeyTile(v, {getKeyBlock(masked), valueDim, layout.valueDim, layout.values}, firstKey, masked,
              whole);
}
