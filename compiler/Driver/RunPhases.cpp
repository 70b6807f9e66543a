//===- RunPhases.cpp - From one form of MLIR to a later one -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/RunPhases.h"
#include "compiler/Target/Ptx/PtxLimits.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

llvm::LogicalResult driver::runPhases(ModuleOp module, Phase from, Phase to, const Target &target,
                                      StageTimes &times) {
  for (const PhaseInfo &info : getPhases()) {
    if (info.phase <= from || info.phase > to || info.form != PhaseForm::Mlir ||
        !info.isTakenBy(target.getKind()))
      continue;
    if (info.phase == Phase::Tile && target.getKind() == TargetKind::Ptx &&
        failed(checkPtxLimits(module)))
      return failure();
    StageTimes::Scope stage = times.start(info.name);
    PassManager passes(module.getContext());
#ifdef NDEBUG
    passes.enableVerifier(false);
#endif
    passes.addInstrumentation(times.createPassInstrumentation());
    addPassesTo(info.phase, passes, target.getPipelineOptions());
    if (failed(passes.run(module)))
      return failure();
  }
  return success();
}
