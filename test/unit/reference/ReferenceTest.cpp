//===- ReferenceTest.cpp - Tests of the reference device --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/reference/TestKernel.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace attnc;

static constexpr float infinity = std::numeric_limits<float>::infinity();
static const float nan_ = std::numeric_limits<float>::quiet_NaN();

static const char *causal = R"(
  attn.mask(%b, %h, %q, %kv) {
    %m = arith.cmpi sge, %q, %kv : i64
    attn.yield %m : i1
  })";

/// A mask that excludes key 1.
static const char *notKeyOne = R"(
  attn.mask(%b, %h, %q, %kv) {
    %one = arith.constant 1 : i64
    %m = arith.cmpi ne, %kv, %one : i64
    attn.yield %m : i1
  })";

/// A score that reads bias[kv].
static std::string addBias(const std::string &check = "") {
  return R"(
  attn.capture @bias : f32["N"]
  attn.score(%score, %b, %h, %q, %kv) {
    %x = attn.load @bias[)" +
         check + R"( %kv] : f32
    %r = arith.addf %score, %x : f32
    attn.yield %r : f32
  })";
}

// Scores 2, 1, 0 by hand.
TEST(Reference, WeightsAreTheSoftmaxOfTheScores) {
  TestKernel test("", 1, 3);
  test.setSizes(1, 1, 1, 1, 3);
  test.q = {1};
  test.k = {2, 1, 0};
  test.v = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  ASSERT_TRUE(test.run());
  EXPECT_NEAR(test.o[0], 0.66524096, 1e-7);
  EXPECT_NEAR(test.o[1], 0.24472847, 1e-7);
  EXPECT_NEAR(test.o[2], 0.09003057, 1e-7);
  EXPECT_EQ(test.weights, test.o);
  EXPECT_NEAR(test.lse[0], std::log(std::exp(2.0) + std::exp(1.0) + 1), 1e-6);
  EXPECT_EQ(test.summary.pairs, 3);
  EXPECT_EQ(test.summary.largestScore, 2);
}

TEST(Reference, TheScaleIsOneOverTheRootOfTheHeadDim) {
  TestKernel test("", 16);
  test.setSizes(1, 1, 1, 1, 1);
  test.q.assign(16, 1);
  std::fill(test.k.begin(), test.k.end(), 1.F);
  ASSERT_TRUE(test.run());
  EXPECT_FLOAT_EQ(test.lse[0], 4);
}

TEST(Reference, TheScaleIsTheConstantOrTheArgument) {
  TestKernel constant("", 1, 1, "scale(3.0)");
  constant.q = constant.k = {2};
  ASSERT_TRUE(constant.run());
  EXPECT_FLOAT_EQ(constant.lse[0], 12);
  TestKernel argument("", 1, 1, "scale_argument");
  std::fill(argument.q.begin(), argument.q.end(), 2.F);
  std::fill(argument.k.begin(), argument.k.end(), 2.F);
  argument.arguments.scale = -1.5F;
  ASSERT_TRUE(argument.run());
  EXPECT_FLOAT_EQ(argument.lse[0], -6);
}

TEST(Reference, QueryHeadsShareKeyHeads) {
  TestKernel test("");
  test.setSizes(2, 6, 2, 1, 1);
  test.v = {0, 1, 100, 101};
  test.arguments.v.data = test.v.data();
  ASSERT_TRUE(test.run());
  EXPECT_EQ(test.o, (std::vector<float>{0, 0, 0, 1, 1, 1, 100, 100, 100, 101, 101, 101}));
}

TEST(Reference, OnlyPairsOfTheMaskTakePart) {
  TestKernel test(causal);
  test.setSizes(1, 1, 1, 3, 5);
  ASSERT_TRUE(test.run());
  EXPECT_EQ(test.o, (std::vector<float>{0, 0.5, 1}));
  EXPECT_FLOAT_EQ(test.lse[2], std::log(3.0F));
  EXPECT_EQ(test.summary.pairs, 6);
  EXPECT_EQ(test.weights[1], 0);
}

TEST(Reference, ARowWithoutPairsIsEmpty) {
  TestKernel test(R"(
    attn.mask(%b, %h, %q, %kv) {
      %false = arith.constant false
      attn.yield %false : i1
    })");
  test.setSizes(1, 1, 1, 2, 2);
  test.k = test.v = {nan_, nan_};
  ASSERT_TRUE(test.run());
  EXPECT_EQ(test.o, (std::vector<float>{0, 0}));
  EXPECT_EQ(test.lse, (std::vector<float>{-infinity, -infinity}));
}

TEST(Reference, NoKeysAndNoQueries) {
  TestKernel noKeys("");
  noKeys.setSizes(1, 2, 1, 1, 0);
  ASSERT_TRUE(noKeys.run());
  EXPECT_EQ(noKeys.o, (std::vector<float>{0, 0}));
  EXPECT_EQ(noKeys.lse, (std::vector<float>{-infinity, -infinity}));
  TestKernel noQueries("");
  noQueries.setSizes(2, 2, 1, 0, 3);
  EXPECT_TRUE(noQueries.run());
  TestKernel noHeads("");
  noHeads.setSizes(2, 0, 0, 3, 3);
  EXPECT_TRUE(noHeads.run());
}

TEST(Reference, NothingOfAnExcludedKeyShows) {
  for (float poison : {nan_, infinity, -infinity}) {
    TestKernel test(notKeyOne);
    test.setSizes(1, 1, 1, 1, 3);
    std::fill(test.q.begin(), test.q.end(), 1.F);
    test.k[1] = test.v[1] = poison;
    ASSERT_TRUE(test.run());
    EXPECT_EQ(test.o[0], 1);
    EXPECT_FLOAT_EQ(test.lse[0], std::log(2.0F));
    EXPECT_EQ(test.weights[1], 0);
  }
}

TEST(Reference, NaNInAKeyReachesItsRows) {
  TestKernel test(causal);
  test.setSizes(1, 1, 1, 2, 2);
  test.k[1] = nan_;
  ASSERT_TRUE(test.run());
  EXPECT_EQ(test.o[0], 0);
  EXPECT_TRUE(std::isnan(test.o[1]));
  EXPECT_TRUE(std::isnan(test.lse[1]));
}

TEST(Reference, NaNInAValueReachesItsColumnOnly) {
  TestKernel test("", 1, 2);
  test.setSizes(1, 1, 1, 1, 2);
  test.v[1] = nan_;
  ASSERT_TRUE(test.run());
  EXPECT_EQ(test.o[0], 0.5);
  EXPECT_TRUE(std::isnan(test.o[1]));
  EXPECT_FLOAT_EQ(test.lse[0], std::log(2.0F));
}

TEST(Reference, AScoreOfMinusInfinityHasWeightZero) {
  TestKernel test(addBias());
  test.setSizes(1, 1, 1, 1, 3);
  test.addCapture("bias", {3}, {0, -infinity, 0});
  test.v[1] = nan_;
  ASSERT_TRUE(test.run());
  EXPECT_EQ(test.o[0], 1);
  EXPECT_FLOAT_EQ(test.lse[0], std::log(2.0F));
  test.addCapture("bias", {3}, {-infinity, -infinity, -infinity});
  ASSERT_TRUE(test.run());
  EXPECT_EQ(test.o[0], 0);
  EXPECT_EQ(test.lse[0], -infinity);
}

TEST(Reference, AScoreOfInfinityMakesItsRowNaN) {
  TestKernel test(addBias());
  test.setSizes(1, 1, 1, 1, 2);
  test.addCapture("bias", {2}, {0, infinity});
  ASSERT_TRUE(test.run());
  EXPECT_TRUE(std::isnan(test.o[0]));
  EXPECT_TRUE(std::isnan(test.lse[0]));
}

TEST(Reference, AScoreBeyondF32IsInfinite) {
  TestKernel test("");
  test.q = test.k = {3e30F};
  test.arguments.q.data = test.q.data();
  test.arguments.k.data = test.k.data();
  ASSERT_TRUE(test.run());
  EXPECT_TRUE(std::isnan(test.o[0]));
}

TEST(Reference, LargeScoresDoNotOverflow) {
  TestKernel test(addBias());
  test.setSizes(1, 1, 1, 1, 2);
  test.addCapture("bias", {2}, {-1e30F, -1e30F});
  ASSERT_TRUE(test.run());
  EXPECT_EQ(test.o[0], 0.5);
  EXPECT_EQ(test.lse[0], -1e30F);
}

TEST(Reference, AWeightThatUnderflowsMeetsInfinityAsF32Does) {
  TestKernel test(addBias());
  test.setSizes(1, 1, 1, 1, 2);
  test.addCapture("bias", {2}, {0, -200});
  test.v[1] = infinity;
  ASSERT_TRUE(test.run());
  EXPECT_TRUE(std::isnan(test.o[0]));
  test.v[1] = 1e30F;
  ASSERT_TRUE(test.run());
  EXPECT_EQ(test.o[0], 0);
}

TEST(Reference, StridesMayBeAny) {
  TestKernel test("");
  test.setSizes(1, 1, 1, 2, 2);
  std::vector<float> gaps = {nan_, 5, nan_, 7, nan_};
  test.arguments.v.data = gaps.data() + 1;
  test.arguments.v.strides = {0, 0, 2, 1};
  ASSERT_TRUE(test.run());
  EXPECT_EQ(test.o, (std::vector<float>{6, 6}));
}

TEST(Reference, AnUnfusedRunRoundsWeightsAndOutputs) {
  TestKernel test(addBias());
  test.setSizes(1, 1, 1, 1, 3);
  test.info.dtype = ElementType::BF16;
  std::vector<uint16_t> zeros(3, 0), values = {convertFloatToBF16(1), convertFloatToBF16(2), 0};
  auto rows = [](void *data, int64_t n) {
    return TensorView{data, ElementType::BF16, {1, 1, n, 1}, {n, n, 1, 1}};
  };
  test.arguments.q = rows(zeros.data(), 1);
  test.arguments.k = rows(zeros.data(), 3);
  test.arguments.v = rows(values.data(), 3);
  std::vector<uint16_t> o(1);
  test.arguments.o = rows(o.data(), 1);
  test.addCapture("bias", {3}, {0, 0, 0});
  ASSERT_TRUE(test.run(reference::Precision::Unfused));
  EXPECT_EQ(test.weights[0], convertBF16ToFloat(convertFloatToBF16(1.0F / 3)));
  EXPECT_EQ(convertBF16ToFloat(o[0]), convertBF16ToFloat(convertFloatToBF16(1)));
}

// Adding and taking away 2^23 rounds in f32, and only there.
TEST(Reference, BodiesMayBeComputedInF32) {
  TestKernel test(R"(
    attn.score(%score, %b, %h, %q, %kv) {
      %c = arith.constant 8388608.0 : f32
      %large = arith.addf %score, %c : f32
      %r = arith.subf %large, %c : f32
      attn.yield %r : f32
    })");
  std::fill(test.q.begin(), test.q.end(), 2.25F);
  std::fill(test.k.begin(), test.k.end(), 1.F);
  ASSERT_TRUE(test.run());
  EXPECT_EQ(test.lse[0], 2.25);
  ASSERT_TRUE(test.run(reference::Precision::F32Bodies));
  EXPECT_EQ(test.lse[0], 2);
}

//===------------------------------------------------------------------------===//
// Captured tensors
//===------------------------------------------------------------------------===//

TEST(Reference, AnIndexWrapsOnceAndIsThenClamped) {
  TestKernel test(R"(
    attn.capture @t : f32["N"]
    attn.score(%score, %b, %h, %q, %kv) {
      %c = arith.constant 4 : i64
      %i = arith.subi %kv, %c : i64
      %x = attn.load @t[%i] : f32
      attn.yield %x : f32
    })");
  test.addCapture("t", {3}, {10, 11, 12});
  // Indices -4 to 4.
  const double expected[] = {10, 10, 11, 12, 10, 11, 12, 12, 12};
  for (int64_t kv = 0; kv < 9; ++kv)
    EXPECT_EQ(test.evaluateScore(0, 0, kv), expected[kv]) << kv;
}

TEST(Reference, ATensorWithoutElementsGivesZero) {
  TestKernel test(addBias());
  test.addCapture("bias", {0}, {});
  EXPECT_EQ(test.evaluateScore(5), 5);
}

TEST(Reference, TheFirstClampedIndexIsReported) {
  TestKernel test(addBias() + causal);
  test.setSizes(2, 1, 1, 40, 40);
  test.addCapture("bias", {30}, std::vector<float>(30, 0));
  ASSERT_TRUE(test.run());
  ASSERT_TRUE(test.summary.clamped);
  const reference::ClampedIndex &clamped = *test.summary.clamped;
  EXPECT_EQ(std::tuple(clamped.b, clamped.h, clamped.q, clamped.kv), std::tuple(0, 0, 30, 30));
  EXPECT_EQ(std::tuple(clamped.dim, clamped.index, clamped.size), std::tuple(0, 30, 30));
  EXPECT_TRUE(clamped.loc->findInstanceOf<mlir::FileLineColLoc>());
}

TEST(Reference, AClampedIndexAtAnExcludedPairIsNotReported) {
  TestKernel test(addBias() + causal);
  test.setSizes(1, 1, 1, 4, 8);
  test.addCapture("bias", {4}, {0, 0, 0, 0});
  ASSERT_TRUE(test.run());
  EXPECT_FALSE(test.summary.clamped);
}

TEST(Reference, ABrokenPromiseOfALoadIsAnError) {
  TestKernel test(addBias("inside"));
  test.setSizes(1, 1, 1, 1, 4);
  test.addCapture("bias", {3}, {0, 0, 0});
  EXPECT_FALSE(test.run());
  EXPECT_EQ(test.error, "internal error: the index 3 into a dimension of size 3 breaks what the "
                        "load promises");
}

TEST(Reference, TablesAndDimensionsAndScalars) {
  TestKernel test(R"(
    attn.capture @bias : f32["N"]
    attn.scalar @n : i32
    attn.table @t = dense<[[1, 2], [-3, 4]]> : tensor<2x2xi8>
    attn.score(%score, %b, %h, %q, %kv) {
      %x = attn.load @t[%q, %kv] : i64
      %n = attn.get @n : i64
      %N = attn.dim "N" : i64
      %sum = arith.addi %x, %n : i64
      %all = arith.muli %sum, %N : i64
      %r = arith.sitofp %all : i64 to f32
      attn.yield %r : f32
    })");
  test.addCapture("bias", {5}, {0, 0, 0, 0, 0});
  test.arguments.scalars["n"] = int64_t(10);
  EXPECT_EQ(test.evaluateScore(0, 0, 1), 60);
  EXPECT_EQ(test.evaluateScore(0, 1, 0), 35);
}

TEST(Reference, AnUnknownOpIsNamed) {
  TestKernel test(R"(
    attn.score(%score, %b, %h, %q, %kv) {
      %r = math.erfc %score : f32
      attn.yield %r : f32
    })");
  EXPECT_FALSE(test.run());
  EXPECT_EQ(test.error, "the reference device does not know `math.erfc`");
}
