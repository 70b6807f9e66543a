//===- Registration.cpp - Dialects, passes and pipelines by name ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/AttnToCheck/Passes.h"
#include "compiler/Conversion/AttnToPlan/Passes.h"
#include "compiler/Conversion/AttnToTile/Passes.h"
#include "compiler/Conversion/ScalarToLlvm/Passes.h"
#include "compiler/Conversion/TileToNvvm/Passes.h"
#include "compiler/Conversion/TileToVector/Passes.h"
#include "compiler/Pipelines/Pipelines.h"
#include "compiler/Target/Host/HostTarget.h"
#include "compiler/Target/KernelInfo/Passes.h"
#include "dialect/Attn/IR/AttnDialect.h"
#include "dialect/Attn/Transforms/Passes.h"
#include "dialect/Tile/IR/TileDialect.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace attnc;

void attnc::insertAllDialects(DialectRegistry &registry) {
  registry.insert<attn::AttnDialect, tile::TileDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  NVVM::NVVMDialect, scf::SCFDialect, ub::UBDialect, vector::VectorDialect,
                  x86vector::X86VectorDialect>();
}

void attnc::registerAllPasses() {
  registerTransformsPasses();
  attn::registerAttnPasses();
  registerAttnToCheckPasses();
  registerAttnToPlanPasses();
  registerAttnToTilePasses();
  registerScalarToLlvmPasses();
  registerTileToNvvmPasses();
  registerTileToVectorPasses();
  registerKernelInfoPasses();
}

namespace {
struct CpuOptions : PassPipelineOptions<CpuOptions> {
  Option<std::string> cpu{*this, "cpu", llvm::cl::desc("native, x86-64-v3 or x86-64"),
                          llvm::cl::init("native")};
};
} // namespace

/// Registers the passes that lead from the attn dialect to `last`, with an option for the CPU.
static void registerPipelineTo(Phase last, StringRef name, StringRef description) {
  registerPassPipeline(
      name, description,
      [last](OpPassManager &passes, StringRef text,
             function_ref<LogicalResult(const Twine &)> report) -> LogicalResult {
        CpuOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        llvm::Expected<HostTarget> target = HostTarget::get(options.cpu);
        if (!target)
          return report(llvm::toString(target.takeError()));
        PipelineOptions pipeline;
        pipeline.features = target->features;
        for (const PhaseInfo &info : getPhases())
          if (info.phase <= last && info.isTakenBy(TargetKind::Host))
            addPassesTo(info.phase, passes, pipeline);
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)> handler) { handler(CpuOptions()); });
}

namespace {
struct GpuOptions : PassPipelineOptions<GpuOptions> {
  Option<int64_t> sharedMemory{*this, "shared-memory",
                               llvm::cl::desc("bytes of shared memory of a block of threads"),
                               llvm::cl::init(163 << 10)};
};
} // namespace

void attnc::registerPipelines() {
  registerPipelineTo(Phase::Expanded, "attn-pipeline", "All passes over the attn dialect");
  registerPipelineTo(Phase::Llvm, "host-pipeline", "From the attn dialect to the LLVM dialect");
  PassPipelineRegistration<GpuOptions>(
      "ptx-pipeline", "From the attn dialect to the LLVM and NVVM dialects",
      [](OpPassManager &passes, const GpuOptions &options) {
        PipelineOptions pipeline;
        pipeline.target = TargetKind::Ptx;
        pipeline.sharedMemory = options.sharedMemory;
        for (const PhaseInfo &info : getPhases())
          if (info.phase <= Phase::Llvm && info.isTakenBy(TargetKind::Ptx))
            addPassesTo(info.phase, passes, pipeline);
      });
}
