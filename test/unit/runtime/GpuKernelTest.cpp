//===- GpuKernelTest.cpp - Tests of what launching a GPU kernel takes -------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/GpuKernel.h"
#include <gtest/gtest.h>

using namespace attnc;

static BoundArguments makeArguments(int64_t b, int64_t hq, int64_t q) {
  BoundArguments arguments;
  arguments.B = b;
  arguments.Hq = hq;
  arguments.Q = q;
  return arguments;
}

TEST(GpuKernel, CountsBlocks) {
  GpuKernel kernel;
  kernel.queryBlock = 128;
  int64_t blocks = -1;
  EXPECT_EQ(countBlocks(kernel, makeArguments(2, 3, 128), blocks), std::nullopt);
  EXPECT_EQ(blocks, 6);
  EXPECT_EQ(countBlocks(kernel, makeArguments(2, 3, 129), blocks), std::nullopt);
  EXPECT_EQ(blocks, 12);
  EXPECT_EQ(countBlocks(kernel, makeArguments(1, 1, GpuKernel::maxBlocks), blocks), std::nullopt);
  EXPECT_EQ(blocks, 16777216);
  // More than 65535 in a dimension other than the first would be refused.
  EXPECT_EQ(countBlocks(kernel, makeArguments(70000, 1, 1), blocks), std::nullopt);
  EXPECT_EQ(blocks, 70000);
  EXPECT_EQ(countBlocks(kernel, makeArguments(4096, 32, 16), blocks), std::nullopt);
  EXPECT_EQ(blocks, 131072);
  for (const BoundArguments &empty :
       {makeArguments(0, 3, 128), makeArguments(2, 0, 128), makeArguments(2, 3, 0)}) {
    EXPECT_EQ(countBlocks(kernel, empty, blocks), std::nullopt);
    EXPECT_EQ(blocks, 0);
  }
}

TEST(GpuKernel, RefusesGridsThatAreTooLarge) {
  GpuKernel kernel;
  kernel.queryBlock = 64;
  int64_t blocks = 0;
  EXPECT_EQ(countBlocks(kernel, makeArguments(65536, 32768, 1), blocks),
            "expected a grid of at most 2147483647 blocks, got B * Hq = 65536 * 32768 heads with 1 "
            "queries in blocks of 64");
  EXPECT_TRUE(
      countBlocks(kernel, makeArguments(int64_t(1) << 31, int64_t(1) << 31, 1 << 20), blocks));
  EXPECT_EQ(countBlocks(kernel, makeArguments(int64_t(1) << 31, int64_t(1) << 40, 0), blocks),
            std::nullopt);
  kernel.queryBlock = 1;
  EXPECT_EQ(countBlocks(kernel, makeArguments(1, 1, GpuKernel::maxBlocks), blocks), std::nullopt);
  EXPECT_TRUE(countBlocks(kernel, makeArguments(2, 1, (int64_t(1) << 30)), blocks));
}

TEST(GpuKernel, RefusesMoreArgumentsThanAKernelTakes) {
  KernelInfo info;
  EXPECT_EQ(getParameterBytes(info), 208);
  // Three slots each.
  for (int i = 0; i < 162; ++i)
    info.captures.push_back({"t" + std::to_string(i), ElementType::F32, {SizeExpr::symbol("Q")}});
  EXPECT_EQ(getParameterBytes(info), 4096);
  EXPECT_EQ(checkParameterBytes(info), std::nullopt);
  info.scalars.push_back({"x", ElementType::F32});
  EXPECT_EQ(checkParameterBytes(info),
            "expected launch arguments of at most 4096 bytes, the most that kernels for GPUs take, "
            "got 4104 with 162 captured tensors and 1 scalars");
}
