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

using namespace mlir;
using namespace attnc;
using tile::SharedLayout;
using tile::TileCopy;
using tile::TileOrder;

//===------------------------------------------------------------------------===//
// Rows that start at multiples of 16 bytes
//===------------------------------------------------------------------------===//

static SmallVector<int64_t> getTargets(const TileCopy &copy) {
  SmallVector<int64_t> targets;
  for (auto [row, chunk] : llvm::zip(copy.threadRows, copy.threadChunks))
    targets.push_back(copy.order.getPlace(row, chunk));
  return targets;
}

WarpLowering::CopyPlace WarpLowering::getCopyPlace(const TileCopy &copy, const Rows &rows) {
  CopyPlace place;
  place.row = code.mapBits(self.thread, copy.threadRows);
  place.target = code.mapBits(self.thread, getTargets(copy));
  Value chunk = code.mapBits(self.thread, copy.threadChunks);
  place.source =
      code.add(code.mul(code.widen(place.row), rows.stride), code.widen(code.shiftLeft(chunk, 4)));
  return place;
}

void WarpLowering::copyAligned(const TileCopy &copy, const CopyPlace &place, const Rows &rows,
                               Value first, Value count, int64_t tileRows, int64_t columns,
                               int64_t offset) {
  int64_t rowBytes = columns * layout.elementBytes;
  // Bits of a target that differ between threads; the others can be added to an address.
  int64_t threadBits = 0;
  for (int64_t target : getTargets(copy))
    threadBits |= target;
  Value none = code.i32(0), all = code.i32(SharedLayout::chunkBytes);
  // One multiplication: strides of aligned rows fit in 32 bits.
  Value row = code.mul(code.widenUnsigned(first), code.widenUnsigned(code.narrow(rows.stride)));
  Value start = code.address(code.address(rows.base, place.source), row);
  Value left = count ? code.sub(count, place.row) : Value();
  auto copyRows = [&] {
    for (int64_t passRow : copy.passRows) {
      Value source = passRow ? code.address(start, code.mul(rows.stride, passRow)) : start;
      if (rows.headStride)
        source = code.address(
            getQueryRow(rows, code.add(first, code.add(place.row, passRow))),
            code.widen(code.shiftLeft(code.mapBits(self.thread, copy.threadChunks), 4)));
      Value inside = count ? code.less(code.i32(passRow), left) : Value();
      for (int64_t passChunk : copy.passChunks) {
        int64_t moved = copy.order.getPlace(passRow, passChunk);
        Value inTile = code.bitXor(place.target, moved & threadBits);
        for (int64_t panel = 0; panel < layout.getNumPanels(columns); ++panel) {
          int64_t begin = panel * SharedLayout::panelBytes + passChunk * SharedLayout::chunkBytes;
          // The bytes of this thread's chunk that the row has.
          Value bytes;
          if ((panel + 1) * SharedLayout::panelBytes > rowBytes) {
            Value chunk = code.mapBits(self.thread, copy.threadChunks);
            Value rest = code.sub(code.i32(rowBytes - begin), code.shiftLeft(chunk, 4));
            bytes = code.maximum(code.minimum(rest, all), none);
          }
          if (inside)
            bytes = code.select(inside, bytes ? bytes : all, none);
          code.copyAsync(getKeyShared(inTile, offset + (moved & ~threadBits) +
                                                  panel * tileRows * SharedLayout::panelBytes),
                         code.address(source, begin), bytes);
        }
      }
    }
  };
  if (copy.usedThreads < schedule.getNumThreads())
    code.ifTrue(code.less(self.thread, code.i32(copy.usedThreads)), copyRows);
  else
    copyRows();
}

//===------------------------------------------------------------------------===//
// Places in shared memory
//===------------------------------------------------------------------------===//

std::array<Value, 4> WarpLowering::loadPlaces(bool full, int64_t part) {
  const int64_t *offsets = full ? layout.fullPlaces : layout.maskedPlaces;
  Value words = code.load(VectorType::get(4, code.getI32Type()),
                          getShared(code.shiftLeft(code.threadIndex(), 4), offsets[part]), 16);
  std::array<Value, 4> places;
  for (int64_t i = 0; i < 4; ++i)
    places[i] = LLVM::ExtractElementOp::create(code, words, code.i32(i));
  return places;
}

void WarpLowering::storePlaces() {
  auto store = [&](int64_t offset, ArrayRef<Value> words) {
    Value all = LLVM::PoisonOp::create(code, VectorType::get(4, code.getI32Type()));
    for (auto [i, word] : llvm::enumerate(words))
      all = LLVM::InsertElementOp::create(code, all, word, code.i32(i));
    code.store(all, getShared(code.shiftLeft(self.thread, 4), offset), 16);
  };
  SmallVector<bool, 2> kinds = {true};
  if (schedule.getMaskedBlocks() != 1)
    kinds.push_back(false);
  for (bool full : kinds) {
    int64_t keyBlock = getKeyBlock(/*masked=*/!full);
    TileCopy copy(layout.getKeyOrder(keyBlock), keyBlock, schedule.getNumThreads());
    CopyPlace keys = getCopyPlace(copy, k), values = getCopyPlace(copy, v);
    Fragments fragments = getFragments(keyBlock);
    const int64_t *offsets = full ? layout.fullPlaces : layout.maskedPlaces;
    store(offsets[0], {fragments.queries, fragments.keys, keys.target, code.narrow(values.source)});
    store(offsets[1], {code.narrow(keys.source), fragments.values, keys.row, code.i32(0)});
  }
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

/// Does what copyAligned does for rows that start anywhere, element by element.
static void copyElements(WarpBuilder &code, const ElementRows &rows, Type element,
                         int64_t numThreads, int64_t tileRows, TileOrder order) {
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  int64_t chunkElements = SharedLayout::chunkBytes / elementBytes;
  int64_t panelElements = SharedLayout::panelBytes / elementBytes;
  Type bits = code.getIntegerType(8 * elementBytes);
  SmallVector<int64_t> swizzles;
  for (int64_t bit = 1; bit < tileRows; bit *= 2)
    swizzles.push_back(order.getSwizzle(bit));
  Value panels = code.divide(code.add(rows.columns, panelElements - 1), panelElements);
  Value end = code.mul(panels, tileRows * panelElements);
  code.loop(code.threadIndex(), end, numThreads, [&](Value index) {
    Value column = code.bitAnd(index, panelElements - 1);
    Value panelRow = code.divide(index, panelElements);
    Value panel = code.divide(panelRow, tileRows), row = code.bitAnd(panelRow, tileRows - 1);
    Value chunk = code.bitXor(code.divide(column, chunkElements), code.mapBits(row, swizzles));
    Value inChunk = code.mul(code.bitAnd(column, chunkElements - 1), elementBytes);
    Value place =
        code.add(code.shiftLeft(panelRow, 7), code.add(code.shiftLeft(chunk, 4), inChunk));
    Value fullColumn = code.add(code.mul(panel, panelElements), column);
    Value present = code.andOf(code.less(row, rows.count), code.less(fullColumn, rows.columns));
    Value value = code.choose(
        present, bits,
        [&] {
          Value byte = code.widen(code.mul(fullColumn, elementBytes));
          return code.load(bits, code.address(rows.getStart(row), byte), elementBytes);
        },
        [&] { return code.integer(bits, 0); });
    code.store(value, code.address(rows.target, place), elementBytes);
  });
}

/// What the function that copies a block of keys and values element by element reads in shared
/// memory, for keys and then for values: the address of the first row and the stride, i64, the
/// elements of a row and the offset of the tile, i32.
namespace {
enum BlockSource : int64_t {
  FirstRow = 0,
  Stride = 8,
  Columns = 16,
  Target = 20,
  SourceBytes = 24
};
} // namespace

void WarpLowering::storeBlockSource() {
  code.ifTrue(code.andOf(code.notOf(alignedKeys), code.equal(self.thread, code.i32(0))), [&] {
    int64_t place = layout.blockSource;
    auto store = [&](const Rows &rows, int64_t columns, int64_t target) {
      Value firstRow = LLVM::PtrToIntOp::create(code, code.getI64Type(), rows.base);
      code.store(firstRow, getShared(place + FirstRow), 8);
      code.store(rows.stride, getShared(place + Stride), 8);
      code.store(code.i32(columns), getShared(place + Columns), 4);
      code.store(code.i32(target), getShared(place + Target), 4);
      place += SourceBytes;
    };
    store(k, attn.getHeadDim(), layout.keys);
    store(v, attn.getValueDim(), layout.values);
  });
}

/// The function of this kernel that copies keys and values of a masked block element by element,
/// given the first key and how many there are from it on. A call in the loop costs it little; the
/// code itself would not, and neither would a function that calls another.
LLVM::LLVMFuncOp WarpLowering::getBlockFunction() {
  auto module = kernel->getParentOfType<ModuleOp>();
  std::string name = ("attnc_copy_block_" + function.getSymName()).str();
  if (auto existing = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return existing;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  // The last argument is where the buffers in use start, where there are several.
  SmallVector<Type> types(stage ? 3 : 2, i32);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), types);
  auto copy =
      LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type, LLVM::Linkage::Internal);
  copy.setNoInline(true);
  Block *body = copy.addEntryBlock(builder);
  static constexpr llvm::StringLiteral names[] = {"first_key", "count", "stage"};
  for (auto [i, argument] : llvm::enumerate(body->getArguments()))
    copy.setArgAttr(static_cast<unsigned>(i), parameterNameAttrName,
                    builder.getStringAttr(names[i]));
  Value firstKey = body->getArgument(0), count = body->getArgument(1);
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
    rows.count = count;
    rows.target = inner.address(base, load(i32, Target, 4));
    if (stage)
      rows.target = inner.address(rows.target, body->getArgument(2));
    copyElements(inner, rows, attn.getDtype(), schedule.getNumThreads(), keyBlock,
                 layout.getKeyOrder(keyBlock));
  });
  LLVM::ReturnOp::create(inner, ValueRange());
  return copy;
}

void WarpLowering::copyBlockElements(Value firstKey) {
  WarpBuilder::PhaseScope phase(code, "load K and V");
  Values operands = {firstKey, code.sub(numKeys, firstKey)};
  if (stage)
    operands.push_back(stage);
  LLVM::CallOp::create(code, getBlockFunction(), operands);
}

//===------------------------------------------------------------------------===//
// Tiles
//===------------------------------------------------------------------------===//

void WarpLowering::copyQueries() {
  WarpBuilder::PhaseScope phase(code, "load Q");
  int64_t tileRows = schedule.getQueryBlock(), columns = attn.getHeadDim();
  TileOrder order;
  code.ifElse(
      q.aligned,
      [&] {
        TileCopy copy(order, tileRows, schedule.getNumThreads());
        copyAligned(copy, getCopyPlace(copy, q), q, firstRow, rowCount, tileRows, columns,
                    layout.queries);
      },
      [&] {
        ElementRows rows{[&](Value row) { return getQueryRow(q, code.add(firstRow, row)); },
                         code.i32(columns), rowCount, getShared(layout.queries)};
        copyElements(code, rows, attn.getDtype(), schedule.getNumThreads(), tileRows, order);
      });
  code.commitCopies();
}

void WarpLowering::copyKeyTile(const Rows &rows, Value firstKey, bool full, int64_t columns,
                               int64_t offset) {
  int64_t keyBlock = getKeyBlock(/*masked=*/!full);
  TileCopy copy(layout.getKeyOrder(keyBlock), keyBlock, schedule.getNumThreads());
  CopyPlace place;
  if (schedule.getTensorCores()) {
    auto first = loadPlaces(full, 0), second = loadPlaces(full, 1);
    place.target = first[2];
    place.source = code.widenUnsigned(&rows == &k ? second[0] : first[3]);
    place.row = second[2];
  } else {
    place = getCopyPlace(copy, rows);
  }
  Value count = full ? Value() : code.sub(numKeys, firstKey);
  copyAligned(copy, place, rows, firstKey, count, keyBlock, columns, offset);
  code.commitCopies();
}

void WarpLowering::copyKeys(Value firstKey, bool full) {
  WarpBuilder::PhaseScope phase(code, "load K");
  copyKeyTile(k, firstKey, full, attn.getHeadDim(), layout.keys);
}

void WarpLowering::copyValues(Value firstKey, bool full) {
  WarpBuilder::PhaseScope phase(code, "load V");
  copyKeyTile(v, firstKey, full, attn.getValueDim(), layout.values);
}
