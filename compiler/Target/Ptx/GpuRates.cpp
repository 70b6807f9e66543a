//===- GpuRates.cpp - What a multiprocessor does in a clock -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Ptx/GpuRates.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace attnc;

namespace {
struct Architecture {
  llvm::StringLiteral name;
  double tensor, fp32, cacheBytes;
  int64_t sharedKilobytes, warps, blocks;
};
} // namespace

/// Of the multiply-adds that wgmma has on sm_90, what mma.sync reaches there.
static constexpr double hopperTensor = 0.625 * 2048;

static constexpr Architecture architectures[] = {
    {"sm_80", 1024, 64, 47, 164, 64, 32},           {"sm_86", 512, 128, 32, 100, 48, 16},
    {"sm_87", 1024, 128, 32, 164, 48, 16},          {"sm_89", 512, 128, 32, 100, 48, 24},
    {"sm_90", hopperTensor, 128, 32, 228, 64, 32},  {"sm_90a", hopperTensor, 128, 32, 228, 64, 32},
    {"sm_100", hopperTensor, 128, 32, 228, 64, 32}, {"sm_120", 512, 128, 32, 100, 48, 24},
};

GpuRates GpuRates::get(const PtxTarget &target) {
  const auto *found = llvm::find_if(architectures, [&](const Architecture &architecture) {
    return architecture.name == target.arch;
  });
  if (found == std::end(architectures))
    llvm::reportFatalInternalError(llvm::Twine("no rates of ") + target.arch);
  GpuRates rates;
  rates.tensor = found->tensor;
  rates.fp32 = found->fp32;
  rates.cacheBytes = found->cacheBytes;
  rates.sharedMemory = found->sharedKilobytes * 1024;
  rates.warps = found->warps;
  rates.blocks = found->blocks;
  return rates;
}
