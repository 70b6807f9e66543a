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
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using tile::SharedLayout;

/// Threads t to t + 7 copy the chunks of one row of a panel, all threads some rows after another.
void WarpLowering::copyAligned(const Rows &rows, Value first, Value count, int64_t tileRows,
                               int64_t columns, int64_t offset) {
  Value row = code.shiftRight(self.thread, 3);
  Value chunk = code.bitAnd(self.thread, 7);
  // 128 row + 16 chunk is 16 thread.
  Value place = code.bitXor(code.shiftLeft(self.thread, 4), code.shiftLeft(code.bitAnd(row, 7), 4));
  auto getTarget = [&](int64_t pass) {
    // A single warp copies four rows at a time, and chunks are swizzled by the row modulo 8.
    Value start = pass % 8 ? code.bitXor(place, (pass % 8) << 4) : place;
    return getKeyShared(start, offset + pass * SharedLayout::panelBytes);
  };
  Value none = code.i32(0), all = code.i32(SharedLayout::chunkBytes);
  int64_t rowBytes = columns * layout.elementBytes;
  int64_t rowsPerPass = schedule.getNumThreads() / 8;
  Value chunkOffset = code.widen(code.shiftLeft(chunk, 4));
  Value threadOffset = code.add(code.mul(code.widen(row), rows.stride), chunkOffset);
  Value source = code.address(getRow(rows, first), threadOffset);
  Value step = code.mul(rows.stride, rowsPerPass);
  auto copyRows = [&] {
    for (int64_t pass = 0; pass < tileRows; pass += rowsPerPass) {
      Value target = getTarget(pass);
      Value inside = count ? code.less(code.add(row, pass), count) : Value();
      if (rows.headStride)
        source = code.address(getQueryRow(rows, code.add(code.add(first, row), pass)), chunkOffset);
      for (int64_t panel = 0; panel < layout.getNumPanels(columns); ++panel) {
        int64_t begin = panel * SharedLayout::panelBytes;
        // The bytes of this thread's chunk that the row has.
        Value bytes;
        if (begin + SharedLayout::panelBytes > rowBytes) {
          Value left = code.sub(code.i32(rowBytes - begin), code.shiftLeft(chunk, 4));
          bytes = code.maximum(code.minimum(left, all), none);
        }
        if (inside)
          bytes = code.select(inside, bytes ? bytes : all, none);
        code.copyAsync(code.address(target, panel * tileRows * SharedLayout::panelBytes),
                       code.address(source, begin), bytes);
      }
      if (!rows.headStride && pass + rowsPerPass < tileRows)
        source = code.address(source, step);
    }
  };
  if (rowsPerPass > tileRows)
    code.ifTrue(code.less(row, code.i32(tileRows)), copyRows);
  else
    copyRows();
}

/// What copyAligned does for rows that start anywhere, element by element: `count` rows of
/// `columns` elements, which start at `getStart`, to a tile of `rows` rows at `target`.
static void emitElementCopies(WarpBuilder &code, int64_t elementBytes, int64_t numThreads,
                              Value columns, Value count, Value rows, Value target,
                              llvm::function_ref<Value(Value)> getStart) {
  int64_t chunkElements = SharedLayout::chunkBytes / elementBytes;
  int64_t panelElements = SharedLayout::panelBytes / elementBytes;
  Type bits = code.getIntegerType(8 * elementBytes);
  Value zero = code.integer(bits, 0);
  Value panels = code.divide(code.add(columns, panelElements - 1), panelElements);
  Value panelRows = code.mul(panels, rows);
  Value end = code.mul(panelRows, panelElements);
  code.loop(code.threadIndex(), end, numThreads, [&](Value index) {
    Value column = code.bitAnd(index, panelElements - 1);
    Value panelRow = code.divide(index, panelElements);
    Value panel = code.divide(panelRow, rows);
    Value row = code.sub(panelRow, code.mul(panel, rows));
    Value chunk = code.bitXor(code.divide(column, chunkElements), code.bitAnd(row, 7));
    Value inChunk = code.mul(code.bitAnd(column, chunkElements - 1), elementBytes);
    Value place =
        code.add(code.shiftLeft(panelRow, 7), code.add(code.shiftLeft(chunk, 4), inChunk));
    Value fullColumn = code.add(code.mul(panel, panelElements), column);
    Value present = code.andOf(code.less(row, count), code.less(fullColumn, columns));
    Value value = code.choose(
        present, bits,
        [&] {
          Value byte = code.widen(code.mul(fullColumn, elementBytes));
          return code.load(bits, code.address(getStart(row), byte), elementBytes);
        },
        [&] { return zero; });
    code.store(value, code.address(target, place), elementBytes);
  });
}

/// A function of the module that does emitElementCopies. Its arguments: the first row in global
/// memory, the stride in bytes, the row's elements, the rows to copy, those of the tile, and where
/// the tile starts in shared memory. A call in the loops costs them little; the code itself would
/// not.
static LLVM::LLVMFuncOp getCopyFunction(ModuleOp module, Type element, int64_t numThreads) {
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  std::string name =
      llvm::formatv("attnc_copy_elements_b{0}_t{1}", 8 * elementBytes, numThreads).str();
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  MLIRContext *context = builder.getContext();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto getPointer = [&](NVVM::NVVMMemorySpace space) {
    return LLVM::LLVMPointerType::get(context, static_cast<unsigned>(space));
  };
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {getPointer(NVVM::NVVMMemorySpace::Global), i64, i32, i32,
                                           i32, getPointer(NVVM::NVVMMemorySpace::Shared)});
  auto function =
      LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type, LLVM::Linkage::Internal);
  function.setNoInline(true);
  static constexpr llvm::StringLiteral names[] = {"source", "stride", "columns",
                                                  "count",  "rows",   "target"};
  for (auto [i, parameter] : llvm::enumerate(names))
    function.setArgAttr(i, parameterNameAttrName, builder.getStringAttr(parameter));
  Block *body = function.addEntryBlock(builder);
  Value source = body->getArgument(0), stride = body->getArgument(1),
        columns = body->getArgument(2), count = body->getArgument(3), rows = body->getArgument(4),
        target = body->getArgument(5);

  WarpBuilder code(function);
  emitElementCopies(code, elementBytes, numThreads, columns, count, rows, target, [&](Value row) {
    return code.address(source, code.mul(code.widen(row), stride));
  });
  LLVM::ReturnOp::create(code, ValueRange());
  return function;
}

void WarpLowering::copyElements(const Rows &rows, Value first, Value count, int64_t tileRows,
                                int64_t columns, int64_t offset) {
  if (rows.headStride) {
    emitElementCopies(code, layout.elementBytes, schedule.getNumThreads(), code.i32(columns), count,
                      code.i32(tileRows), getShared(offset),
                      [&](Value row) { return getQueryRow(rows, code.add(first, row)); });
    return;
  }
  LLVM::LLVMFuncOp function = getCopyFunction(kernel->getParentOfType<ModuleOp>(), attn.getDtype(),
                                              schedule.getNumThreads());
  Value allRows = code.i32(tileRows);
  LLVM::CallOp::create(code, function,
                       ValueRange{getRow(rows, first), rows.stride, code.i32(columns), count,
                                  allRows, stage ? getShared(stage, offset) : getShared(offset)});
}

void WarpLowering::copyTile(const Rows &rows, Value first, Value count, int64_t tileRows,
                            int64_t columns, int64_t offset) {
  code.ifElse(
      rows.aligned, [&] { copyAligned(rows, first, count, tileRows, columns, offset); },
      [&] { copyElements(rows, first, count, tileRows, columns, offset); });
  code.commitCopies();
}

void WarpLowering::copyKeyTile(const Rows &rows, Value firstKey, bool full, int64_t columns,
                               int64_t offset) {
  int64_t keyBlock = getKeyBlock(/*masked=*/!full);
  if (!full) {
    copyTile(rows, firstKey, code.sub(numKeys, firstKey), keyBlock, columns, offset);
    return;
  }
  copyAligned(rows, firstKey, /*count=*/Value(), keyBlock, columns, offset);
  code.commitCopies();
}

void WarpLowering::copyQueries() {
  WarpBuilder::PhaseScope phase(code, "load Q");
  copyTile(q, firstRow, rowCount, schedule.getQueryBlock(), attn.getHeadDim(), layout.queries);
}

void WarpLowering::copyKeys(Value firstKey, bool full) {
  WarpBuilder::PhaseScope phase(code, "load K");
  copyKeyTile(k, firstKey, full, attn.getHeadDim(), layout.keys);
}

void WarpLowering::copyValues(Value firstKey, bool full) {
  WarpBuilder::PhaseScope phase(code, "load V");
  copyKeyTile(v, firstKey, full, attn.getValueDim(), layout.values);
}
