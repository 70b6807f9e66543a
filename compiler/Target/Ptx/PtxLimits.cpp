//===- PtxLimits.cpp - What kernels for GPUs cannot be ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Ptx/PtxLimits.h"
#include "attnc/GpuKernel.h"
#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "compiler/Target/Ptx/PtxTarget.h"

using namespace mlir;
using namespace attnc;

/// The first reason why no kernel for GPUs can be made of `kernel`.
static LogicalResult checkKernel(attn::KernelOp kernel) {
  KernelInfo info = getKernelInfo(kernel);
  for (auto [what, dim] : {std::pair("head dim", info.headDim), {"value dim", info.valueDim}})
    if (dim > PtxTarget::maxHeadDim)
      return kernel.emitError("expected a ")
             << what << " of at most " << PtxTarget::maxHeadDim << " in a kernel for GPUs, got "
             << dim << "; kernels for the host can have it";
  if (info.checked)
    return kernel.emitError("expected a kernel for GPUs without checks of indices; kernels for the "
                            "host can have them");
  if (std::optional<std::string> error = checkParameterBytes(info))
    return kernel.emitError(*error);
  return success();
}

llvm::LogicalResult attnc::checkPtxLimits(ModuleOp module) {
  LogicalResult result = success();
  for (auto kernel : module.getOps<attn::KernelOp>())
    if (failed(checkKernel(kernel)))
      result = failure();
  return result;
}
