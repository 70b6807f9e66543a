//===- TileToVector.cpp - Lowers tile.kernel to functions for CPUs --------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToVector/KernelLowering.h"
#include "compiler/Conversion/TileToVector/Passes.h"
#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {
#define GEN_PASS_DEF_CONVERTTILETOVECTORPASS
#include "compiler/Conversion/TileToVector/Passes.h.inc"
} // namespace attnc

using namespace mlir;
using namespace attnc;

/// An empty function with the interface of host kernels.
static LLVM::LLVMFuncOp createFunction(tile::KernelOp kernel) {
  OpBuilder builder(kernel);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                          {pointer, i64, i64, i64, i64, pointer, pointer});
  auto function = LLVM::LLVMFuncOp::create(builder, kernel.getLoc(), kernel.getSymName(), type);
  for (unsigned i : {0u, 5u})
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  function.addEntryBlock(builder);
  return function;
}

namespace {
struct ConvertTileToVector : attnc::impl::ConvertTileToVectorPassBase<ConvertTileToVector> {
  void runOnOperation() override {
    Builder builder(&getContext());
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>())) {
      if (!kernel.getScheduleAttr()) {
        kernel.emitOpError("expected a schedule for CPUs, got a warp_schedule");
        return signalPassFailure();
      }
      LLVM::LLVMFuncOp function = createFunction(kernel);
      KernelLowering lowering(kernel, function);
      lowering.lower();
      function->setAttr(queryBlockAttrName,
                        builder.getI64IntegerAttr(kernel.getScheduleAttr().getQueryBlock()));
      function->setAttr(scratchBytesAttrName,
                        builder.getI64IntegerAttr(lowering.getScratchBytes()));
      if (Attribute planner = kernel->getAttr(plannerAttrName))
        function->setAttr(plannerAttrName, planner);
      kernel.erase();
    }
  }
};
} // namespace
