//===- Tiles.cpp - Copies tiles to shared memory ------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/WarpLowering.h"

using namespace mlir;
using namespace attnc;
using tile::SharedLayout;

/// Threads t to t + 7 copy the chunks of one row of a panel, all threads some rows after another.
void WarpLowering::copyAligned(const Rows &rows, Value source, Value count, int64_t tileRows,
                               int64_t columns, int64_t offset) {
  Value row = code.shiftRight(thread, 3);
  Value chunk = code.bitAnd(thread, 7);
  Value place =
      code.add(code.shiftLeft(row, 7), code.shiftLeft(code.bitXor(chunk, code.bitAnd(row, 7)), 4));
  Value target = getShared(place, offset);
  Value none = code.i32(0), all = code.i32(SharedLayout::chunkBytes);
  int64_t rowBytes = columns * layout.elementBytes;
  int64_t rowsPerPass = schedule.getNumThreads() / 8;
  for (int64_t first = 0; first < tileRows; first += rowsPerPass) {
    Value inside = count ? code.less(code.add(row, first), count) : Value();
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
      code.copyAsync(code.address(target, panel * tileRows * SharedLayout::panelBytes +
                                              first * SharedLayout::panelBytes),
                     code.address(source, begin), bytes);
    }
    if (first + rowsPerPass < tileRows)
      source = code.address(source, rows.threadStep);
  }
}

/// As copyAligned for rows that start anywhere: element by element, in loops.
void WarpLowering::copyElements(const Rows &rows, Value first, Value count, int64_t tileRows,
                                int64_t columns, int64_t offset) {
  int64_t elementBytes = layout.elementBytes;
  int64_t chunkElements = SharedLayout::chunkBytes / elementBytes;
  int64_t chunks = layout.getNumPanels(columns) * 8;
  Type element = attn.getDtype();
  Value zero = code.round(element, code.f32(0));
  code.loop(thread, code.i32(tileRows * chunks), schedule.getNumThreads(), [&](Value index) {
    Value row = code.divide(index, chunks);
    Value chunk = code.remainder(index, code.i32(chunks));
    Value panel = code.shiftRight(chunk, 3);
    Value swizzled = code.bitXor(code.bitAnd(chunk, 7), code.bitAnd(row, 7));
    Value place = code.add(code.mul(panel, tileRows * SharedLayout::panelBytes),
                           code.add(code.shiftLeft(row, 7), code.shiftLeft(swizzled, 4)));
    Value target = getShared(place, offset);
    Value source = getRow(rows, code.add(first, row));
    Value inside = count ? code.less(row, count) : code.boolean(true);
    code.loop(code.i32(0), code.i32(chunkElements), 1, [&](Value i) {
      Value column = code.add(code.mul(chunk, chunkElements), i);
      Value present = code.andOf(inside, code.less(column, code.i32(columns)));
      Value byte = code.mul(column, elementBytes);
      Value value = code.choose(
          present, element,
          [&] { return code.load(element, code.address(source, code.widen(byte)), elementBytes); },
          [&] { return zero; });
      code.store(value, code.address(target, code.mul(i, elementBytes)), elementBytes);
    });
  });
}

void WarpLowering::copyTile(const Rows &rows, Value first, Value count, int64_t tileRows,
                            int64_t columns, int64_t offset) {
  code.ifElse(
      rows.aligned,
      [&] {
        Value source = code.address(getRow(rows, first), rows.threadOffset);
        copyAligned(rows, source, count, tileRows, columns, offset);
      },
      [&] { copyElements(rows, first, count, tileRows, columns, offset); });
  code.commitCopies();
}

void WarpLowering::copyKeys(Value firstKey, bool whole) {
  copyTile(k, firstKey, whole ? Value() : code.sub(numKeys, firstKey), schedule.getKeyBlock(),
           attn.getHeadDim(), layout.keys);
}

void WarpLowering::copyValues(Value firstKey, bool whole) {
  copyTile(v, firstKey, whole ? Value() : code.sub(numKeys, firstKey), schedule.getKeyBlock(),
           attn.getValueDim(), layout.values);
}
