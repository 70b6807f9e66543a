//===- NearestNameTest.cpp - Tests of suggestions for misspelt names --------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/NearestName.h"
#include <gtest/gtest.h>

using namespace attnc;

TEST(NearestName, FindsMisspellings) {
  std::vector<std::string> names = {"slopes", "doc", "window"};
  EXPECT_EQ(findNearestName("slope", names), "slopes");
  EXPECT_EQ(findNearestName("windw", names), "window");
  EXPECT_EQ(findNearestName("docs", names), "doc");
  EXPECT_EQ(findNearestName("bias", names), std::nullopt);
  EXPECT_EQ(findNearestName("", names), std::nullopt);
  EXPECT_EQ(findNearestName("slope", {}), std::nullopt);
}

// One letter is not a misspelling of any other letter.
TEST(NearestName, LeavesShortNamesAlone) {
  EXPECT_EQ(findNearestName("q", {"k", "v"}), std::nullopt);
}
