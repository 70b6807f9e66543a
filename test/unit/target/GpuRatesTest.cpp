//===- GpuRatesTest.cpp - Tests of the rates of architectures ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Ptx/GpuRates.h"
#include <gtest/gtest.h>

using namespace attnc;

TEST(GpuRates, EveryArchitectureHasRates) {
  for (const std::string &name : PtxTarget::getNames()) {
    PtxTarget target = llvm::cantFail(PtxTarget::get(name));
    GpuRates rates = GpuRates::get(target);
    EXPECT_GT(rates.tensor, 0) << name;
    EXPECT_GT(rates.fp32, 0) << name;
    EXPECT_GT(rates.cacheBytes, 0) << name;
    EXPECT_GE(rates.warps, rates.blocks) << name;
    // A block can have all shared memory of a multiprocessor but the 1 KiB that it takes beside.
    EXPECT_EQ(rates.sharedMemory, target.sharedBytes + 1024) << name;
  }
}
