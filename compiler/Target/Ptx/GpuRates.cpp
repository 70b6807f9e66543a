//===- GpuRates.cpp - What a multiprocessor does in a clock -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Ptx/GpuRates.h"
#include "llvm/Support/ErrorHandling.h"

using namespace attnc;

GpuRates GpuRates::get(const PtxTarget &target) {
  GpuRates rates;
  auto set = [&](double tensor, double fp32, double cacheBytes, int64_t sharedKilobytes,
                 int64_t warps, int64_t blocks) {
    rates.tensor = tensor;
    rates.fp32 = fp32;
    rates.cacheBytes = cacheBytes;
    rates.sharedMemory = sharedKilobytes * 1024;
    rates.warps = warps;
    rates.blocks = blocks;
  };
  switch (target.getCapability()) {
  case 80:
    set(1024, 64, 47, 164, 64, 32);
    break;
  case 86:
    set(512, 128, 32, 100, 48, 16);
    break;
  case 87:
    set(1024, 128, 32, 164, 48, 16);
    break;
  case 89:
    set(512, 128, 32, 100, 48, 24);
    break;
  case 90:
  case 100:
    set(0.625 * 2048, 128, 32, 228, 64, 32);
    break;
  case 120:
    set(512, 128, 32, 100, 48, 24);
    break;
  default:
    llvm_unreachable("every architecture has rates");
  }
  return rates;
}
