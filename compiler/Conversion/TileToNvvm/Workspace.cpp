//===- Workspace.cpp - What splits of the keys leave ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/Workspace.h"
#include "attnc/GpuKernel.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attnc;

/// The bytes of the statistics of a row.
static constexpr int64_t statisticsBytes = 4 * ShortGrid::rowStatistics;

Workspace::Workspace(WarpBuilder &code, ArgumentReader &arguments, Value parameter,
                     int64_t valueDim)
    : code(code), arguments(arguments), parameter(parameter),
      rowBytes(4 * static_cast<int64_t>(llvm::alignTo(valueDim, ShortGrid::columnPadding))),
      numSplits(code.narrow(code.load(code.getI64Type(), code.address(parameter, 8), 8))) {}

Workspace::Row Workspace::getRow(Value split, Value batch, Value head, Value query) {
  auto pointer = LLVM::LLVMPointerType::get(code.getContext(),
                                            static_cast<unsigned>(NVVM::NVVMMemorySpace::Global));
  Value base = LLVM::IntToPtrOp::create(code, pointer, code.load(code.getI64Type(), parameter, 8));
  Value numHeads = arguments.getDim("Hq"), numQueries = arguments.getDim("Q");
  Value numRows = code.mul(code.mul(arguments.getDim("B"), numHeads), numQueries);
  Value row = code.add(code.mul(code.add(code.mul(batch, numHeads), head), numQueries), query);
  row = code.add(row, code.mul(code.widen(split), numRows));
  Value statistics = code.mul(code.mul(code.widen(numSplits), numRows), rowBytes);
  return {code.address(base, code.mul(row, rowBytes)),
          code.address(code.address(base, statistics), code.mul(row, statisticsBytes))};
}

Value Workspace::isShared() { return code.less(code.i32(1), numSplits); }
