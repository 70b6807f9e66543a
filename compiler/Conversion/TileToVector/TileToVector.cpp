//===- TileToVector.cpp - Lowers tile.kernel to functions for CPUs --------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/ArgumentLayout.h"
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

/// An empty function with the interface of host kernels; with `runs` it takes runs of keys too.
static LLVM::LLVMFuncOp createFunction(tile::KernelOp kernel, const std::string &name, bool runs) {
  OpBuilder builder(kernel);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  SmallVector<Type> arguments = {pointer, i64, i64, i64, i64, pointer};
  if (runs)
    arguments.push_back(pointer);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), arguments);
  auto function = LLVM::LLVMFuncOp::create(builder, kernel.getLoc(), name, type);
  for (unsigned i : {0u, 5u})
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  function.addEntryBlock(builder);
  return function;
}

/// The function of the kernel that calls `planned` with one run of all keys.
static LLVM::LLVMFuncOp createWithoutPlan(tile::KernelOp kernel, LLVM::LLVMFuncOp planned) {
  LLVM::LLVMFuncOp function = createFunction(kernel, kernel.getSymName().str(), /*runs=*/false);
  KernelBuilder code(function);
  auto pointer = LLVM::LLVMPointerType::get(code.getContext());
  // A KeyRun of block 0 that is not full, and KeyRuns of it, where a block is all keys.
  Value run = LLVM::AllocaOp::create(code, pointer, code.getI64Type(), code.i64(1));
  Value runs = LLVM::AllocaOp::create(code, pointer, code.getI64Type(), code.i64(3));
  code.store(code.i64(0), run, 8);
  code.store(run, runs, 8);
  code.store(code.i64(1), code.address(runs, 8), 8);
  Value numKeys = code.load(code.getI64Type(),
                            code.address(function.getArgument(0), 8 * ArgumentLayout::KV), 8);
  code.store(numKeys, code.address(runs, 16), 8);
  SmallVector<Value> arguments(function.getArguments());
  arguments.push_back(runs);
  LLVM::CallOp::create(code, planned, arguments);
  LLVM::ReturnOp::create(code, ValueRange());
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
      bool hasMask = static_cast<bool>(kernel.getAttnKernel().getMask());
      std::string name = kernel.getSymName().str() + (hasMask ? "_planned" : "");
      LLVM::LLVMFuncOp function = createFunction(kernel, name, hasMask);
      KernelLowering lowering(kernel, function);
      lowering.lower();
      if (hasMask)
        function = createWithoutPlan(kernel, function);
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
