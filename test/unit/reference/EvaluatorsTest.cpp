//===- EvaluatorsTest.cpp - Tests of the ops of bodies ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/reference/TestKernel.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace attnc;
using reference::Arithmetic;

/// A score body that yields %r, an f32.
static std::string yieldFloat(const std::string &ops) {
  return "attn.score(%score, %b, %h, %q, %kv) {\n" + ops + "\nattn.yield %r : f32\n}";
}

/// The same for an integer %i of `type`.
static std::string yieldInt(const std::string &ops, const std::string &type) {
  return yieldFloat(ops + "\n%r = arith.sitofp %i : " + type + " to f32");
}

static double evaluate(const std::string &body, double score = 0, int64_t q = 0, int64_t kv = 0,
                       Arithmetic arithmetic = Arithmetic::Double) {
  return TestKernel(body).evaluateScore(score, q, kv, arithmetic);
}

TEST(Evaluators, IntegersWrapAt64Bits) {
  EXPECT_EQ(evaluate(yieldInt("%i = arith.muli %q, %kv : i64", "i64"), 0, 1LL << 62, 4), 0);
  EXPECT_EQ(evaluate(yieldInt("%i = arith.addi %q, %kv : i64", "i64"), 0, INT64_MAX, 1), -0x1p63);
}

TEST(Evaluators, NarrowIntegersWrapAt32Bits) {
  std::string ops = R"(
    %a = arith.trunci %q : i64 to i32
    %b32 = arith.trunci %kv : i64 to i32
    %i = arith.muli %a, %b32 : i32)";
  EXPECT_EQ(evaluate(yieldInt(ops, "i32"), 0, 1 << 16, 1 << 15), -0x1p31);
  EXPECT_EQ(evaluate(yieldInt(ops, "i32"), 0, -3, 5), -15);
}

TEST(Evaluators, DivisionRoundsDownAndIsTotal) {
  std::string quotient = yieldInt("%i = attn.floordiv %q, %kv : i64", "i64");
  std::string remainder = yieldInt("%i = attn.floormod %q, %kv : i64", "i64");
  EXPECT_EQ(evaluate(quotient, 0, -7, 2), -4);
  EXPECT_EQ(evaluate(remainder, 0, -7, 2), 1);
  EXPECT_EQ(evaluate(remainder, 0, 7, -2), -1);
  EXPECT_EQ(evaluate(quotient, 0, 7, 0), 0);
  EXPECT_EQ(evaluate(remainder, 0, 7, 0), 0);
  EXPECT_EQ(evaluate(quotient, 0, INT64_MIN, -1), -0x1p63);
}

TEST(Evaluators, ShiftsBeyondTheWidthAreDefined) {
  EXPECT_EQ(evaluate(yieldInt("%i = arith.shli %q, %kv : i64", "i64"), 0, 3, 2), 12);
  EXPECT_EQ(evaluate(yieldInt("%i = arith.shli %q, %kv : i64", "i64"), 0, 3, 64), 0);
  EXPECT_EQ(evaluate(yieldInt("%i = arith.shrsi %q, %kv : i64", "i64"), 0, -8, 1), -4);
  EXPECT_EQ(evaluate(yieldInt("%i = arith.shrsi %q, %kv : i64", "i64"), 0, -8, 99), -1);
  EXPECT_EQ(evaluate(yieldInt("%i = arith.shrui %q, %kv : i64", "i64"), 0, -1, 63), 1);
}

TEST(Evaluators, BoolsExtendBySign) {
  std::string ops = R"(
    %m = arith.cmpi slt, %q, %kv : i64
    %i = arith.ext%S %m : i1 to i64)";
  auto with = [&](const std::string &sign) {
    std::string text = ops;
    text.replace(text.find("%S"), 2, sign);
    return yieldInt(text, "i64");
  };
  EXPECT_EQ(evaluate(with("si"), 0, 1, 2), -1);
  EXPECT_EQ(evaluate(with("ui"), 0, 1, 2), 1);
  EXPECT_EQ(evaluate(with("si"), 0, 2, 1), 0);
}

TEST(Evaluators, FloatsBecomeIntegersBySaturation) {
  std::string body = yieldInt("%i = attn.to_int %score : f32 to i32", "i32");
  EXPECT_EQ(evaluate(body, -2.9), -2);
  EXPECT_EQ(evaluate(body, 1e20), 0x1p31 - 1);
  EXPECT_EQ(evaluate(body, -INFINITY), -0x1p31);
  EXPECT_EQ(evaluate(body, NAN), 0);
}

TEST(Evaluators, MinimumAndMaximumPropagateNaN) {
  std::string ops = "%c = arith.constant 1.0 : f32\n%r = arith.%Sf %score, %c : f32";
  auto with = [&](const std::string &name) {
    std::string text = ops;
    text.replace(text.find("%S"), 2, name);
    return yieldFloat(text);
  };
  EXPECT_EQ(evaluate(with("maximum"), 3), 3);
  EXPECT_EQ(evaluate(with("minimum"), 3), 1);
  EXPECT_TRUE(std::isnan(evaluate(with("maximum"), NAN)));
  EXPECT_TRUE(std::isnan(evaluate(with("minimum"), NAN)));
}

TEST(Evaluators, ComparisonsWithNaN) {
  std::string ops = R"(
    %m = arith.cmpf %P, %score, %score : f32
    %i = arith.extui %m : i1 to i64)";
  auto with = [&](const std::string &predicate) {
    std::string text = ops;
    text.replace(text.find("%P"), 2, predicate);
    return evaluate(yieldInt(text, "i64"), NAN);
  };
  for (const char *ordered : {"oeq", "one", "olt", "oge", "ord"})
    EXPECT_EQ(with(ordered), 0) << ordered;
  for (const char *unordered : {"ueq", "une", "ult", "uge", "uno"})
    EXPECT_EQ(with(unordered), 1) << unordered;
}

TEST(Evaluators, DoubleKeepsPrecisionButHasTheRangeOfF32) {
  std::string third = yieldFloat("%c = arith.constant 3.0 : f32\n%r = arith.divf %score, %c : f32");
  EXPECT_EQ(evaluate(third, 1), 1.0 / 3);
  EXPECT_EQ(evaluate(third, 1, 0, 0, Arithmetic::F32), double(1.0F / 3));
  std::string square = yieldFloat("%r = arith.mulf %score, %score : f32");
  EXPECT_EQ(evaluate(square, 1e20), INFINITY);
  EXPECT_EQ(evaluate(square, 1e-30), 0);
}

// What works on the bits of floats sees those of f32.
TEST(Evaluators, ABodyWithBitcastsIsComputedInF32) {
  std::string body = yieldFloat(R"(
    %c = arith.constant 3.0 : f32
    %third = arith.divf %score, %c : f32
    %bits = arith.bitcast %third : f32 to i32
    %one = arith.constant 1 : i32
    %next = arith.addi %bits, %one : i32
    %r = arith.bitcast %next : i32 to f32)");
  EXPECT_EQ(evaluate(body, 1), double(std::nextafter(1.0F / 3, 1.0F)));
}

TEST(Evaluators, NarrowFloatsRound) {
  EXPECT_EQ(evaluate(yieldFloat("%n = arith.truncf %score : f32 to f16\n"
                                "%r = arith.extf %n : f16 to f32"),
                     1.0001),
            1);
  EXPECT_EQ(evaluate(yieldFloat("%n = arith.truncf %score : f32 to bf16\n"
                                "%r = arith.extf %n : bf16 to f32"),
                     258.9),
            258);
}

TEST(Evaluators, RoundingIsHalfToEven) {
  std::string body = yieldFloat("%r = math.roundeven %score : f32");
  EXPECT_EQ(evaluate(body, 2.5), 2);
  EXPECT_EQ(evaluate(body, 3.5), 4);
  EXPECT_EQ(evaluate(body, -0.5), 0);
}

TEST(Evaluators, ProductsOfDoubleWidth) {
  std::string ops = R"(
    %a = arith.trunci %q : i64 to i32
    %c = arith.trunci %kv : i64 to i32
    %low, %high = arith.mului_extended %a, %c : i32
    %i = arith.extui %high : i32 to i64)";
  EXPECT_EQ(evaluate(yieldInt(ops, "i64"), 0, -1, -1), 0x1p32 - 2);
}
