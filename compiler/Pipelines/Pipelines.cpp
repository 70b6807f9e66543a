//===- Pipelines.cpp - Passes from phase to phase ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Pipelines/Pipelines.h"
#include "compiler/Conversion/AttnToCheck/Passes.h"
#include "compiler/Conversion/AttnToPlan/Passes.h"
#include "compiler/Conversion/AttnToTile/Passes.h"
#include "compiler/Conversion/ScalarToLlvm/Passes.h"
#include "compiler/Conversion/TileToNvvm/Passes.h"
#include "compiler/Conversion/TileToVector/Passes.h"
#include "compiler/Target/KernelInfo/Passes.h"
#include "dialect/Attn/Transforms/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attnc;

static void addCleanup(OpPassManager &passes) {
  // Blocks are as they should be.
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  passes.addPass(createCanonicalizerPass(config));
  passes.addPass(createCSEPass());
}

static bool hasFeature(const PipelineOptions &options, StringRef feature) {
  auto names = llvm::split(options.features, ',');
  // All that is asked for below, AArch64 has.
  return options.target == TargetKind::Ptx || llvm::is_contained(names, "+neon") ||
         llvm::is_contained(names, ("+" + feature).str());
}

/// From the attn dialect as written to what can be lowered.
static void addAttnPasses(OpPassManager &passes, const PipelineOptions &options) {
  passes.addPass(attn::createExtractMaskPass());
  addCleanup(passes);
  // While sums are still 64 bits wide and do not wrap around.
  passes.addPass(attn::createElideIndexChecksPass());
  passes.addPass(attn::createNarrowIntegersPass());
  attn::ExpandMathPassOptions math;
  math.noFma = !hasFeature(options, "fma");
  math.approximations = options.target == TargetKind::Ptx;
  math.expandRounding = !hasFeature(options, "sse4.1");
  passes.addPass(attn::createExpandMathPass(math));
  addCleanup(passes);
}

/// From `scf`, `arith` and `vector`, or `nvvm`, to the LLVM dialect.
static void addLoweringToLlvm(OpPassManager &passes, TargetKind target) {
  // Cleanup comes after nested regions are gone: at each change inside a loop, canonicalization
  // would ask of every op in it whether the loop is dead.
  passes.addPass(createSCFToControlFlowPass());
  addCleanup(passes);
  if (target == TargetKind::Ptx) {
    // LLVM's own combining of instructions cleans up.
    passes.addPass(createConvertScalarToLlvmPass());
    return;
  }
  ConvertVectorToLLVMPassOptions vector;
  vector.x86Vector = true;
  passes.addPass(createConvertVectorToLLVMPass(vector));
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  addCleanup(passes);
  passes.addPass(createReconcileUnrealizedCastsPass());
}

void attnc::addPassesTo(Phase phase, OpPassManager &passes, const PipelineOptions &options) {
  switch (phase) {
  case Phase::Attn:
    addCleanup(passes);
    return;
  case Phase::Expanded:
    addAttnPasses(passes.nest<attn::KernelOp>(), options);
    return;
  case Phase::Tile:
    passes.addPass(createDescribeKernelsPass());
    passes.addPass(
        createConvertAttnToTilePass({options.features, options.sharedMemory, options.tile,
                                     options.target == TargetKind::Ptx, options.tf32}));
    return;
  case Phase::Vector:
    passes.addPass(createGenerateIndexChecksPass());
    passes.addPass(createGeneratePlannersPass());
    passes.addPass(createConvertTileToVectorPass());
    return;
  case Phase::Nvvm:
    passes.addPass(createConvertTileToNvvmPass());
    return;
  case Phase::Llvm:
    addLoweringToLlvm(passes, options.target);
    return;
  case Phase::Ast:
  case Phase::LlvmIr:
  case Phase::Asm:
  case Phase::Obj:
  case Phase::Image:
  case Phase::Ptx:
  case Phase::Cubin:
    return;
  }
}
