//===- OverlapTest.cpp - Tests of overlapping tensors ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/Overlap.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace attnc;

static char memory[4096];

static TensorView makeView(int64_t offset, std::vector<int64_t> sizes, std::vector<int64_t> strides,
                           ElementType type = ElementType::F32) {
  return {memory + offset, type, std::move(sizes), std::move(strides)};
}

static void addBytes(const TensorView &view, size_t dim, int64_t offset, std::set<int64_t> &bytes) {
  if (dim == view.sizes.size()) {
    for (int64_t i = 0; i < getSize(view.type); ++i)
      bytes.insert(static_cast<char *>(view.data) - memory + offset * getSize(view.type) + i);
    return;
  }
  for (int64_t i = 0; i < view.sizes[dim]; ++i)
    addBytes(view, dim + 1, offset + i * view.strides[dim], bytes);
}

static bool overlaps(const TensorView &a, const TensorView &b) {
  std::set<int64_t> x, y;
  addBytes(a, 0, 0, x);
  addBytes(b, 0, 0, y);
  for (int64_t byte : x)
    if (y.count(byte))
      return true;
  return false;
}

TEST(Overlap, WhatIsCommon) {
  TensorView a = makeView(0, {4, 8}, {8, 1});
  EXPECT_TRUE(api::mayOverlap(a, a));
  EXPECT_FALSE(api::mayOverlap(a, makeView(128, {4, 8}, {8, 1})));
  EXPECT_TRUE(api::mayOverlap(a, makeView(124, {4, 8}, {8, 1})));
  // Columns of one matrix, and q, k, v and o of one buffer.
  EXPECT_FALSE(api::mayOverlap(makeView(0, {4, 4}, {8, 1}), makeView(16, {4, 4}, {8, 1})));
  EXPECT_TRUE(api::mayOverlap(makeView(0, {4, 4}, {8, 1}), makeView(12, {4, 4}, {8, 1})));
  EXPECT_FALSE(api::mayOverlap(makeView(0, {2, 3, 4, 2}, {96, 8, 24, 1}),
                               makeView(8, {2, 3, 4, 2}, {96, 8, 24, 1})));
  // Other types, nothing at all, and one element.
  EXPECT_TRUE(api::mayOverlap(makeView(8, {1}, {1}), makeView(0, {9}, {1}, ElementType::U8)));
  EXPECT_FALSE(api::mayOverlap(makeView(8, {1}, {1}), makeView(0, {8}, {1}, ElementType::U8)));
  EXPECT_FALSE(api::mayOverlap(a, makeView(0, {0, 8}, {8, 1})));
  EXPECT_TRUE(api::mayOverlap(a, makeView(4, {}, {})));
}

// It never says that tensors lie apart which do not.
TEST(Overlap, AgreesWithEveryByte) {
  std::mt19937 random(1);
  auto draw = [&](int64_t min, int64_t max) {
    return std::uniform_int_distribution<int64_t>(min, max)(random);
  };
  int apart = 0, seen = 0;
  for (int i = 0; i < 20000; ++i) {
    TensorView views[2];
    for (TensorView &view : views) {
      std::vector<int64_t> sizes, strides;
      for (int64_t dim = draw(0, 3); dim > 0; --dim) {
        sizes.push_back(draw(1, 4));
        strides.push_back(draw(0, 1) ? draw(0, 12) : 4 * draw(1, 6));
      }
      view = makeView(4 * draw(0, 20), sizes, strides,
                      draw(0, 1) ? ElementType::F32 : ElementType::U8);
    }
    bool truth = overlaps(views[0], views[1]), answer = api::mayOverlap(views[0], views[1]);
    ASSERT_TRUE(answer || !truth) << i;
    EXPECT_EQ(answer, api::mayOverlap(views[1], views[0]));
    apart += !truth;
    seen += !answer;
  }
  // Most of what lies apart is seen.
  EXPECT_GT(seen * 2, apart);
}
