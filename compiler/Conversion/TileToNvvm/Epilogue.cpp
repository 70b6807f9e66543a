//===- Epilogue.cpp - Normalises, rounds and stores the output -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/ArgumentLayout.h"
#include "compiler/Conversion/TileToNvvm/WarpLowering.h"

using namespace mlir;
using namespace attnc;
using tile::SharedLayout;

void WarpLowering::storeLse(Value row, Value maximum, Value sum, float storedScale) {
  Rows lse = getQueryRows(ArgumentLayout::LseTensor, 4);
  code.store(code.naturalLog(maximum, code.f32(storedScale), sum), getQueryRow(lse, row), 4);
}

/// Puts the output, rounded, where the queries of the warp were.
void WarpLowering::stageOutput(const State &state, const Values &inverses) {
  Type element = attn.getDtype();
  int64_t panelBytes = schedule.getQueryBlock() * SharedLayout::panelBytes;
  // The row's bits 0 to 2 are those of quadRow.
  Value start = code.add(code.shiftLeft(code.add(self.warpRow, self.quadRow), 7),
                         code.shiftLeft(self.quadRow, 4));
  for (int64_t slot = 0; slot < getNumSlots(); ++slot) {
    int64_t offset = layout.queries + slot * 8 * SharedLayout::panelBytes;
    auto normalise = [&](int64_t n) { return code.mulF(state.output[slot][n], inverses[slot]); };
    if (getOutputGroup() == 2) {
      // Columns 8 j + 2 i and the next: four bytes of chunk j.
      for (int64_t n = 0; n < getNumOutputs(); n += 2) {
        int64_t chunk = n / 2;
        Value place = code.add(code.bitXor(start, chunk % 8 * SharedLayout::chunkBytes),
                               code.shiftLeft(self.quadLane, 2));
        code.store(code.packPair(element, normalise(n), normalise(n + 1)),
                   getShared(place, offset + chunk / 8 * panelBytes), 4);
      }
      continue;
    }
    // Columns 16 j + 4 i to + 3: chunk 4 j + i.
    for (int64_t n = 0; n < getNumOutputs(); n += 4) {
      Value place = code.bitXor(code.bitXor(start, code.shiftLeft(self.quadLane, 4)),
                                n % 8 * SharedLayout::chunkBytes);
      Values four;
      for (int64_t i = 0; i < 4; ++i)
        four.push_back(normalise(n + i));
      code.store(code.packVector(four), getShared(place, offset + n / 8 * panelBytes),
                 SharedLayout::chunkBytes);
    }
  }
}

/// Copies the rows of the warp from shared memory: lanes l to l + 7 the chunks of one row of a
/// panel.
void WarpLowering::copyOutput() {
  int64_t elementBytes = layout.elementBytes, valueDim = attn.getValueDim();
  int64_t panelBytes = schedule.getQueryBlock() * SharedLayout::panelBytes;
  Type element = attn.getDtype();
  auto words = VectorType::get(4, code.getI32Type());
  Value chunk = code.bitAnd(self.lane, 7);
  code.loop(
      code.shiftRight(self.lane, 3), code.i32(schedule.getWarpRows()), 4, [&](Value rowOfWarp) {
        Value row = code.add(self.warpRow, rowOfWarp);
        Value place = code.add(code.shiftLeft(row, 7),
                               code.shiftLeft(code.bitXor(chunk, code.bitAnd(row, 7)), 4));
        Value source = getShared(place, layout.queries);
        code.ifTrue(code.less(row, rowCount), [&] {
          Value target = code.address(getQueryRow(o, code.add(firstRow, row)),
                                      code.widen(code.shiftLeft(chunk, 4)));
          for (int64_t panel = 0; panel < layout.getNumPanels(valueDim); ++panel) {
            Value from = code.address(source, panel * panelBytes);
            Value to = code.address(target, panel * SharedLayout::panelBytes);
            // The elements of this chunk that the row has.
            Value left =
                code.sub(code.i32(valueDim - panel * SharedLayout::panelBytes / elementBytes),
                         code.mul(chunk, SharedLayout::chunkBytes / elementBytes));
            int64_t chunkElements = SharedLayout::chunkBytes / elementBytes;
            Value whole = code.andOf(o.aligned, code.lessEqual(code.i32(chunkElements), left));
            code.ifElse(
                whole,
                [&] {
                  code.store(code.load(words, from, SharedLayout::chunkBytes), to,
                             SharedLayout::chunkBytes);
                },
                [&] {
                  Value count = code.minimum(left, code.i32(chunkElements));
                  code.loop(code.i32(0), count, 1, [&](Value i) {
                    Value byte = code.mul(i, elementBytes);
                    code.store(code.load(element, code.address(from, byte), elementBytes),
                               code.address(to, code.widen(byte)), elementBytes);
                  });
                });
          }
        });
      });
}

void WarpLowering::storeRows(const State &state, const Values &sums) {
  Values inverses;
  for (Value sum : sums)
    inverses.push_back(code.invert(sum));
  if (attn.getLse()) {
    Value first = code.equal(self.quadLane, code.i32(0));
    for (int64_t slot = 0; slot < getNumSlots(); ++slot) {
      Value row = code.add(code.add(self.warpRow, self.quadRow), 8 * slot);
      code.ifTrue(code.andOf(first, code.less(row, rowCount)), [&] {
        // The sum of weights of which the largest is 1; 0 without any.
        Value maximum = state.maxima[slot], sum = sums[slot];
        Value largest = emitWeight(maximum, emitReference(maximum));
        Value empty = code.compareF(arith::CmpFPredicate::OEQ, sum, code.f32(0));
        sum = code.select(empty, code.f32(0), arith::DivFOp::create(code, sum, largest));
        storeLse(code.add(firstRow, row), maximum, sum, units.storedScale);
      });
    }
  }
  stageOutput(state, inverses);
  code.syncWarp();
  copyOutput();
}

void WarpLowering::emitEpilogue(State &state) {
  WarpBuilder::PhaseScope phase(code, "epilogue");
  Value zero = code.f32(0);
  // Computed anew, and not kept through the loops.
  self = getPosition();
  if (!schedule.getShortGrid())
    placeBlock();
  // Without any block of keys, copies of queries may still be on their way.
  code.waitForCopies();
  code.barrier();
  loadStatistics(state);
  if (workspace) {
    emitShortEpilogue(state);
    return;
  }
  Values sums, flags;
  Value steep = linearScore ? isSteep() : Value();
  for (int64_t slot = 0; slot < getNumSlots(); ++slot) {
    Value sum = state.sums[slot];
    // Products with 0 are 0, or NaN where an output is not finite.
    Value check = zero;
    for (Value value : state.output[slot])
      check = code.fma(value, zero, check);
    for (int64_t laneMask : {1, 2}) {
      sum = code.addF(sum, code.shuffleXor(sum, laneMask));
      check = code.addF(check, code.shuffleXor(check, laneMask));
    }
    sums.push_back(sum);
    Value notFinite = code.compareF(arith::CmpFPredicate::UNE, check, zero);
    Value flag = code.orOf(notFinite, hasLargeScores(state.maxima[slot]));
    if (rowsMayBeUnknown) {
      Value row = code.add(code.add(self.warpRow, self.quadRow), 8 * slot);
      Value unknown = loadShared(code.getI32Type(), layout.flags, row);
      flag = code.orOf(flag, code.less(code.i32(0), unknown));
    }
    if (steep)
      flag = code.orOf(flag, steep);
    flags.push_back(flag);
  }
  storeRows(state, sums);
  emitExactRows(flags);
}
