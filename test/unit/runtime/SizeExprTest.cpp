//===- SizeExprTest.cpp - Tests of sizes as expressions ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/KernelInfo.h"
#include <gtest/gtest.h>
#include <limits>
#include <map>

using namespace attnc;
using Kind = SizeExpr::Kind;

static SizeExpr::Step constant(int64_t value) { return {Kind::Constant, value, {}}; }
static SizeExpr::Step symbol(std::string name) { return {Kind::Symbol, 0, std::move(name)}; }
static SizeExpr::Step apply(Kind kind) { return {kind, 0, {}}; }

static SizeExpr::Lookup with(std::map<std::string, int64_t, std::less<>> values) {
  return [values](std::string_view name) -> std::optional<int64_t> {
    auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

static int64_t divide(Kind kind, int64_t a, int64_t b) {
  return SizeExpr({constant(a), constant(b), apply(kind)}).evaluate(with({})).value();
}

TEST(SizeExpr, EvaluatesAndPrints) {
  SizeExpr diagonals({symbol("Q"), symbol("KV"), apply(Kind::Add), constant(-1), apply(Kind::Add)});
  EXPECT_EQ(diagonals.evaluate(with({{"Q", 3}, {"KV", 8}})), 10);
  EXPECT_EQ(diagonals.evaluate(with({{"Q", 3}})), std::nullopt);
  EXPECT_EQ(diagonals.print(), "Q + KV - 1");
  SizeExpr nested({symbol("N"), constant(1), apply(Kind::Add), constant(2), apply(Kind::Mul),
                   symbol("B"), apply(Kind::FloorDiv)});
  EXPECT_EQ(nested.evaluate(with({{"N", 4}, {"B", 3}})), 3);
  EXPECT_EQ(nested.print(), "((N + 1) * 2) // B");
}

TEST(SizeExpr, DividesTowardsMinusInfinityAndByZero) {
  EXPECT_EQ(divide(Kind::FloorDiv, -7, 2), -4);
  EXPECT_EQ(divide(Kind::CeilDiv, -7, 2), -3);
  EXPECT_EQ(divide(Kind::CeilDiv, 7, 2), 4);
  EXPECT_EQ(divide(Kind::Mod, -7, 2), 1);
  EXPECT_EQ(divide(Kind::Mod, 7, -2), -1);
  for (Kind kind : {Kind::FloorDiv, Kind::CeilDiv, Kind::Mod})
    EXPECT_EQ(divide(kind, 7, 0), 0);
}

TEST(SizeExpr, OverflowIsNoValue) {
  constexpr int64_t max = std::numeric_limits<int64_t>::max();
  auto evaluate = [](int64_t a, int64_t b, Kind kind) {
    return SizeExpr({constant(a), constant(b), apply(kind)}).evaluate(with({}));
  };
  EXPECT_EQ(evaluate(max, 1, Kind::Add), std::nullopt);
  EXPECT_EQ(evaluate(max, 2, Kind::Mul), std::nullopt);
  EXPECT_EQ(evaluate(-max - 1, -1, Kind::FloorDiv), std::nullopt);
  EXPECT_EQ(evaluate(-max - 1, -1, Kind::CeilDiv), std::nullopt);
  EXPECT_EQ(evaluate(-max - 1, -1, Kind::Mod), 0);
}

TEST(SizeExpr, SolvesForTheOneUnknown) {
  auto known = with({{"Q", 5}});
  auto solved = [](const char *name, int64_t value) {
    return std::pair<std::string, int64_t>(name, value);
  };
  EXPECT_EQ(SizeExpr::symbol("N").solve(7, known), solved("N", 7));
  SizeExpr linear({constant(2), symbol("N"), apply(Kind::Mul), symbol("Q"), apply(Kind::Add)});
  EXPECT_EQ(linear.solve(11, known), solved("N", 3));
  EXPECT_EQ(linear.solve(12, known), std::nullopt);
  SizeExpr negated({symbol("N"), constant(-1), apply(Kind::Mul)});
  EXPECT_EQ(negated.solve(-4, known), solved("N", 4));
  // Nothing unknown, two unknowns, the same twice, below a division.
  EXPECT_EQ(SizeExpr::symbol("Q").solve(5, known), std::nullopt);
  EXPECT_EQ(SizeExpr({symbol("N"), symbol("M"), apply(Kind::Add)}).solve(5, known), std::nullopt);
  EXPECT_EQ(SizeExpr({symbol("N"), symbol("N"), apply(Kind::Add)}).solve(4, known), std::nullopt);
  EXPECT_EQ(SizeExpr({symbol("N"), constant(2), apply(Kind::FloorDiv)}).solve(4, known),
            std::nullopt);
}

TEST(SizeExpr, IllFormedStepsAreNoValue) {
  for (SizeExpr expr :
       {SizeExpr(), SizeExpr({apply(Kind::Add)}), SizeExpr({constant(1), constant(2)}),
        SizeExpr({constant(1), apply(Kind::Mul), constant(1)})}) {
    EXPECT_FALSE(expr.isWellFormed());
    EXPECT_EQ(expr.evaluate(with({})), std::nullopt);
    EXPECT_EQ(expr.solve(1, with({})), std::nullopt);
    EXPECT_EQ(expr.print(), "?");
  }
}

// What is printed is read back, with the same values.
TEST(SizeExpr, ReadsWhatItPrints) {
  auto lookup = with({{"N", 7}, {"Q", 5}, {"ceildiv", 3}});
  const SizeExpr exprs[] = {
      SizeExpr::constant(0),
      SizeExpr::constant(-4),
      SizeExpr::symbol("ceildiv"),
      SizeExpr({symbol("N"), symbol("Q"), apply(Kind::Add), constant(-1), apply(Kind::Add)}),
      SizeExpr({symbol("N"), constant(2), apply(Kind::Mul), constant(3), apply(Kind::FloorDiv)}),
      SizeExpr({symbol("N"), constant(-1), apply(Kind::Mul), symbol("Q"), apply(Kind::Add)}),
      SizeExpr({symbol("N"), symbol("N"), symbol("Q"), apply(Kind::Add), apply(Kind::Add)}),
      SizeExpr(
          {symbol("N"), symbol("ceildiv"), apply(Kind::CeilDiv), constant(2), apply(Kind::Mod)}),
      SizeExpr::constant(std::numeric_limits<int64_t>::min()),
      SizeExpr({symbol("N"), constant(std::numeric_limits<int64_t>::min()), apply(Kind::Add)}),
  };
  for (const SizeExpr &expr : exprs) {
    std::optional<SizeExpr> parsed = SizeExpr::parse(expr.print());
    ASSERT_TRUE(parsed) << expr.print();
    EXPECT_EQ(parsed->print(), expr.print());
    EXPECT_EQ(parsed->evaluate(lookup), expr.evaluate(lookup)) << expr.print();
  }
}

TEST(SizeExpr, ReadsAsPythonDoes) {
  auto lookup = with({{"N", 7}, {"Q", 5}});
  const std::pair<const char *, int64_t> cases[] = {
      {"N + Q * 2", 17}, {"N*2-1", 13}, {"(N+Q)%5", 2}, {"N // 2 // 2", 1}, {"((N))", 7}};
  for (auto [text, value] : cases) {
    std::optional<SizeExpr> parsed = SizeExpr::parse(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->evaluate(lookup), value) << text;
  }
  for (const char *text : {"", " ", "N +", "+ N", "(N", "N)", "N N", "N - Q", "3N", "N / 2", "()",
                           "9223372036854775808", "N ** 2", "-", "N - -1"})
    EXPECT_FALSE(SizeExpr::parse(text)) << text;
  EXPECT_FALSE(SizeExpr::parse(std::string(1000, '(') + "N" + std::string(1000, ')')));
}
