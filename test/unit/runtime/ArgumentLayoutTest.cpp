//===- ArgumentLayoutTest.cpp - Tests of where launch arguments lie ---------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/ArgumentLayout.h"
#include <gtest/gtest.h>

using namespace attnc;

TEST(ArgumentLayout, PlacesExtentsCapturesAndScalars) {
  ArgumentLayout layout(/*extents=*/2, /*captureRanks=*/{0, 3}, /*scalars=*/2);
  EXPECT_EQ(layout.getExtent(1), 27);
  EXPECT_EQ(layout.getCapturePointer(0), 28);
  EXPECT_EQ(layout.getCapturePointer(1), 29);
  EXPECT_EQ(layout.getCaptureSize(1, 0), 30);
  EXPECT_EQ(layout.getCaptureStride(1, 0), 33);
  EXPECT_EQ(layout.getCaptureStride(1, 2), 35);
  EXPECT_EQ(layout.getScalar(0), 36);
  EXPECT_EQ(layout.getNumSlots(), 38);
}
