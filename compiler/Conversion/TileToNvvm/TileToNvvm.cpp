//===- TileToNvvm.cpp - Lowers tile.kernel to GPU kernels ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/GpuKernel.h"
#include "compiler/Conversion/TileToNvvm/Combine.h"
#include "compiler/Conversion/TileToNvvm/Passes.h"
#include "compiler/Conversion/TileToNvvm/Summary.h"
#include "compiler/Conversion/TileToNvvm/SummaryTables.h"
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

/// An empty kernel `name` in place of `kernel`, whose parameter is the array of slots; a second
/// one, where it has a use, is WorkspaceSlots.
static LLVM::LLVMFuncOp createFunction(tile::KernelOp kernel, StringRef name, int64_t threads,
                                       bool hasWorkspace) {
  OpBuilder builder(kernel);
  MLIRContext *context = builder.getContext();
  SmallVector<int64_t> parameters = {getArgumentLayout(kernel.getAttnKernel()).getNumSlots()};
  if (hasWorkspace)
    parameters.push_back(GpuKernel::workspaceParameterBytes / 8);
  SmallVector<Type> types(parameters.size(), LLVM::LLVMPointerType::get(context));
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types);
  auto function = LLVM::LLVMFuncOp::create(builder, kernel.getLoc(), name, type);
  for (auto [i, slots] : llvm::enumerate(parameters)) {
    auto array = LLVM::LLVMArrayType::get(builder.getI64Type(), slots);
    function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(array));
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(8));
    function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(), builder.getUnitAttr());
    function.setArgAttr(i, parameterNameAttrName,
                        builder.getStringAttr(i == 0 ? "arguments" : "workspace"));
  }
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    builder.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  function.addEntryBlock(builder);
  return function;
}

/// Adds what a launch must know of `function`, and says whose entry it is if that is not its name.
static void describe(LLVM::LLVMFuncOp function, int64_t queryBlock, int64_t sharedBytes,
                     StringRef entryOf = "") {
  Builder builder(function.getContext());
  function->setAttr(queryBlockAttrName, builder.getI64IntegerAttr(queryBlock));
  function->setAttr(sharedBytesAttrName, builder.getI64IntegerAttr(sharedBytes));
  if (!entryOf.empty())
    function->setAttr(entryOfAttrName, builder.getStringAttr(entryOf));
}

/// Adds NAME_summarize of `kernel`.
static void addSummarize(tile::KernelOp kernel, const attn::MaskAnalysis &analysis,
                         const TableSummaries &facts) {
  Builder builder(kernel.getContext());
  StringRef name = kernel.getSymName();
  LLVM::LLVMFuncOp function =
      createFunction(kernel, (name + GpuKernel::summarizeSuffix).str(), facts.threads,
                     /*hasWorkspace=*/true);
  lowerSummarize(kernel.getAttnKernel(), analysis, facts, function);
  describe(function, /*queryBlock=*/facts.blockSize, facts.sharedBytes, name);
  function->setAttr(
      summariesAttrName,
      builder.getDictionaryAttr({
          builder.getNamedAttr("key_values", builder.getI64IntegerAttr(facts.keyValues)),
          builder.getNamedAttr("query_values", builder.getI64IntegerAttr(facts.queryValues)),
          builder.getNamedAttr("per_batch", builder.getBoolAttr(facts.perBatch)),
          builder.getNamedAttr("per_head", builder.getBoolAttr(facts.perHead)),
      }));
}

static void lowerKernel(tile::KernelOp kernel) {
  tile::WarpScheduleAttr schedule = kernel.getWarpScheduleAttr();
  attn::KernelOp attnKernel = kernel.getAttnKernel();
  StringRef name = kernel.getSymName();
  std::optional<attn::MaskAnalysis> analysis;
  std::optional<TableSummaries> summaries;
  if (attn::MaskOp mask = attnKernel.getMask()) {
    analysis.emplace(mask);
    summaries = getTableSummaries(*analysis);
  }
  bool hasWorkspace = schedule.getShortGrid() || summaries;
  LLVM::LLVMFuncOp function = createFunction(kernel, name, schedule.getNumThreads(), hasWorkspace);
  WarpLowering lowering(kernel, function);
  lowering.lower();
  if (!schedule.getShortGrid()) {
    SmallVector<std::string> summary = summariseKernel(kernel);
    function->setAttr(
        summaryAttrName,
        Builder(function.getContext()).getStrArrayAttr(llvm::to_vector_of<StringRef>(summary)));
    describe(function, schedule.getQueryBlock(), lowering.getSharedBytes());
    if (schedule.getTf32() != tile::Tf32::None)
      function->setAttr(
          productsAttrName,
          Builder(function.getContext())
              .getStringAttr(schedule.getTf32() == tile::Tf32::Split ? "tf32x3" : "tf32"));
    if (summaries)
      addSummarize(kernel, *analysis, *summaries);
    return;
  }
  name.consume_back(GpuKernel::shortSuffix);
  describe(function, schedule.getQueryBlock(), lowering.getSharedBytes(), name);
  if (lowering.packsHeads())
    function->setAttr(packsHeadsAttrName, UnitAttr::get(function.getContext()));
  std::string combineName = (name + GpuKernel::combineSuffix).str();
  LLVM::LLVMFuncOp combine =
      createFunction(kernel, combineName, combineThreads, /*hasWorkspace=*/true);
  lowerCombine(attnKernel, lowering.getUnits(), combine);
  describe(combine, /*queryBlock=*/1, getCombineSharedBytes(attnKernel), name);
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
    createSharedMemory(getOperation());
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>())) {
      if (!kernel.getWarpScheduleAttr()) {
        kernel.emitOpError("expected a warp_schedule, got a schedule for CPUs");
        return signalPassFailure();
      }
      if (kernel.getWarpScheduleAttr().getShortGrid() &&
          !kernel.getSymName().ends_with(GpuKernel::shortSuffix)) {
        kernel.emitOpError("expected a name that ends with `")
            << GpuKernel::shortSuffix << "` with `short_grid`";
        return signalPassFailure();
      }
      lowerKernel(kernel);
      kernel.erase();
    }
  }
};
} // namespace
