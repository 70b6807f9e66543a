//===- TileToNvvm.cpp - Lowers tile.kernel to GPU kernels ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNvvm/Passes.h"
#include "compiler/Conversion/TileToNvvm/Summary.h"
#include "compiler/Conversion/TileToNvvm/WarpLowering.h"
#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {
#define GEN_PASS_DEF_CONVERTTILETONVVMPASS
#include "compiler/Conversion/TileToNvvm/Passes.h.inc"
} // namespace attnc

using namespace mlir;
using namespace attnc;

/// An empty kernel whose parameter is the array of slots.
static LLVM::LLVMFuncOp createFunction(tile::KernelOp kernel) {
  OpBuilder builder(kernel);
  MLIRContext *context = builder.getContext();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {LLVM::LLVMPointerType::get(context)});
  auto function = LLVM::LLVMFuncOp::create(builder, kernel.getLoc(), kernel.getSymName(), type);
  auto slots = LLVM::LLVMArrayType::get(builder.getI64Type(),
                                        getArgumentLayout(kernel.getAttnKernel()).getNumSlots());
  function.setArgAttr(0, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(slots));
  function.setArgAttr(0, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(8));
  function.setArgAttr(0, NVVM::NVVMDialect::getGridConstantAttrName(), builder.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  auto threads = static_cast<int32_t>(kernel.getWarpScheduleAttr().getNumThreads());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    builder.getDenseI32ArrayAttr({threads, 1, 1}));
  function.addEntryBlock(builder);
  return function;
}

/// All shared memory of a block of threads: its size is part of the launch.
static void createSharedMemory(ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
  LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false,
                         LLVM::Linkage::External, "attnc_shared", Attribute(), /*alignment=*/128,
                         static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
}

namespace {
struct ConvertTileToNvvm : attnc::impl::ConvertTileToNvvmPassBase<ConvertTileToNvvm> {
  void runOnOperation() override {
    Builder builder(&getContext());
    createSharedMemory(getOperation());
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>())) {
      if (!kernel.getWarpScheduleAttr()) {
        kernel.emitOpError("expected a warp_schedule, got a schedule for CPUs");
        return signalPassFailure();
      }
      LLVM::LLVMFuncOp function = createFunction(kernel);
      SmallVector<std::string> summary = summariseKernel(kernel);
      function->setAttr(summaryAttrName,
                        builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(summary)));
      function.setArgAttr(0, parameterNameAttrName, builder.getStringAttr("arguments"));
      WarpLowering lowering(kernel, function);
      lowering.lower();
      function->setAttr("attnc.query_block",
                        builder.getI64IntegerAttr(kernel.getWarpScheduleAttr().getQueryBlock()));
      function->setAttr("attnc.shared_bytes", builder.getI64IntegerAttr(lowering.getSharedBytes()));
      kernel.erase();
    }
  }
};
} // namespace
