//===- MaskRangesTest.cpp - Soundness of mask verdicts and key bounds -------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/ArgumentLayout.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/region/MaskCheck.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace attnc;
using namespace attnc::test;

namespace {
class MaskRanges : public testing::TestWithParam<int> {
protected:
  MaskRanges() : context(createContext()), check(*context) {}

  std::unique_ptr<MLIRContext> context;
  MaskCheck check;
};
} // namespace

TEST_P(MaskRanges, RandomMasksAreSound) {
  RandomBody random(static_cast<uint64_t>(GetParam()));
  EXPECT_EQ(MaskCheck::checkRandomMasks(random, 40).value_or(""), "");
}

// Where all masks were simplified away, as the only one of a fuzzer's input may be, nothing is
// compiled and nothing is wrong.
TEST_F(MaskRanges, NoMasksAreSound) {
  RandomBody random(uint64_t(0));
  EXPECT_EQ(MaskCheck::checkRandomMasks(random, 0).value_or(""), "");
}

namespace {
/// A mask of which all that is true of blocks is found.
struct TightMask {
  const char *name;
  const char *declarations;
  const char *body;
  /// What the verdict finds, runs of keys find too.
  bool closedForm = true;
  /// Only the verdict that solves cases finds it.
  bool needsCases = false;
};

const TightMask tightMasks[] = {{"causal", "", "%m = arith.cmpi sge, %q, %kv : i64"},
                                {"bottom_right", "", R"(
      %nk = attn.dim "KV" : i64
      %nq = attn.dim "Q" : i64
      %last = arith.addi %q, %nk : i64
      %shifted = arith.subi %last, %nq : i64
      %m = arith.cmpi sge, %shifted, %kv : i64)"},
                                {"window", "", R"(
      %five = arith.constant 5 : i64
      %zero = arith.constant 0 : i64
      %back = arith.subi %q, %kv : i64
      %near = arith.cmpi slt, %back, %five : i64
      %causal = arith.cmpi sge, %back, %zero : i64
      %m = arith.andi %near, %causal : i1)"},
                                {"window_argument", "attn.scalar @n : i32", R"(
      %n = attn.get @n : i64
      %back = arith.subi %q, %kv : i64
      %distance = math.absi %back : i64
      %m = arith.cmpi sle, %distance, %n : i64)"},
                                {"far_from_diagonal", "", R"(
      %nine = arith.constant 9 : i64
      %back = arith.subi %q, %kv : i64
      %distance = math.absi %back : i64
      %m = arith.cmpi sgt, %distance, %nine : i64)"},
                                {"window_and_sinks", "", R"(
      %five = arith.constant 5 : i64
      %nine = arith.constant 9 : i64
      %back = arith.subi %q, %kv : i64
      %near = arith.cmpi slt, %back, %nine : i64
      %causal = arith.cmpi sge, %q, %kv : i64
      %sink = arith.cmpi slt, %kv, %five : i64
      %some = arith.ori %near, %sink : i1
      %m = arith.andi %some, %causal : i1)"},
                                {"globals_at_both_ends", "attn.scalar @n : i32", R"(
      %n = attn.get @n : i64
      %nk = attn.dim "KV" : i64
      %three = arith.constant 3 : i64
      %back = arith.subi %q, %kv : i64
      %distance = math.absi %back : i64
      %near = arith.cmpi sle, %distance, %three : i64
      %first = arith.cmpi slt, %kv, %n : i64
      %end = arith.subi %nk, %n : i64
      %last = arith.cmpi sge, %kv, %end : i64
      %query = arith.cmpi slt, %q, %n : i64
      %ends = arith.ori %first, %last : i1
      %more = arith.ori %ends, %near : i1
      %m = arith.ori %more, %query : i1)"},
                                {"runs_that_cross", "", R"(
      %two = arith.constant 2 : i64
      %nine = arith.constant 9 : i64
      %thirty = arith.constant 30 : i64
      %twice = arith.muli %q, %two : i64
      %a = arith.cmpi slt, %kv, %nine : i64
      %steep = arith.subi %twice, %kv : i64
      %distance = math.absi %steep : i64
      %c = arith.cmpi slt, %distance, %two : i64
      %e = arith.cmpi sge, %kv, %thirty : i64
      %ac = arith.ori %c, %a : i1
      %m = arith.ori %ac, %e : i1)"},
                                {"prefix", "attn.capture @len : i32[\"B\"]", R"(
      %len = attn.load @len[inside %b] : i64
      %seen = arith.cmpi slt, %kv, %len : i64
      %causal = arith.cmpi sge, %q, %kv : i64
      %m = arith.ori %seen, %causal : i1)"},
                                {"padding", "attn.capture @len : i32[\"B\"]", R"(
      %len = attn.load @len[inside %b] : i64
      %key = arith.cmpi slt, %kv, %len : i64
      %query = arith.cmpi slt, %q, %len : i64
      %m = arith.andi %key, %query : i1)"},
                                {"block_causal", "", R"(
      %six = arith.constant 6 : i64
      %qb = attn.floordiv %q, %six : i64
      %kb = attn.floordiv %kv, %six : i64
      %m = arith.cmpi sge, %qb, %kb : i64)"},
                                {"chunked", "", R"(
      %six = arith.constant 6 : i64
      %qb = attn.floordiv %q, %six : i64
      %kb = attn.floordiv %kv, %six : i64
      %same = arith.cmpi eq, %qb, %kb : i64
      %causal = arith.cmpi sge, %q, %kv : i64
      %m = arith.andi %same, %causal : i1)",
                                 /*closedForm=*/false},
                                {"slanted", "", R"(
      %two = arith.constant 2 : i64
      %three = arith.constant 3 : i64
      %seven = arith.constant 7 : i64
      %a = arith.muli %q, %two : i64
      %c = arith.muli %kv, %three : i64
      %d = arith.subi %c, %a : i64
      %m = arith.cmpi slt, %d, %seven : i64)"},
                                {"not_causal_window", "", R"(
      %true = arith.constant true
      %five = arith.constant 5 : i64
      %back = arith.subi %q, %kv : i64
      %near = arith.cmpi sge, %back, %five : i64
      %future = arith.cmpi slt, %q, %kv : i64
      %some = arith.ori %near, %future : i1
      %m = arith.xori %some, %true : i1)"},
                                {"odd_difference_of_even_numbers", "attn.scalar @n : i32", R"(
      %n = attn.get @n : i64
      %three = arith.constant 3 : i64
      %two = arith.constant 2 : i64
      %four = arith.constant 4 : i64
      %a = arith.muli %q, %two : i64
      %c = arith.muli %kv, %four : i64
      %odd = arith.addi %n, %three : i64
      %d = arith.addi %c, %odd : i64
      %m = arith.cmpi eq, %a, %d : i64)",
                                 /*closedForm=*/false},
                                {"no_such_residue", "", R"(
      %six = arith.constant 6 : i64
      %three = arith.constant 3 : i64
      %one = arith.constant 1 : i64
      %ninety = arith.constant 90 : i64
      %a = arith.muli %q, %six : i64
      %c = arith.muli %kv, %three : i64
      %d = arith.addi %a, %c : i64
      %e = arith.addi %d, %one : i64
      %r = attn.floormod %e, %ninety : i64
      %m = arith.cmpi slt, %r, %one : i64)",
                                 /*closedForm=*/false},
                                {"residues", "attn.scalar @n : i32", R"(
      %n = attn.get @n : i64
      %ten = arith.constant 10 : i64
      %five = arith.constant 5 : i64
      %twohundred = arith.constant 200 : i64
      %a = arith.muli %q, %ten : i64
      %c = arith.muli %kv, %five : i64
      %d = arith.subi %a, %c : i64
      %e = arith.subi %d, %n : i64
      %r = attn.floormod %e, %twohundred : i64
      %m = arith.cmpi sge, %r, %n : i64)",
                                 /*closedForm=*/false},
                                {"same_residue", "", R"(
      %eighteen = arith.constant 18 : i64
      %a = attn.floormod %q, %eighteen : i64
      %c = attn.floormod %kv, %eighteen : i64
      %m = arith.cmpi eq, %a, %c : i64)",
                                 /*closedForm=*/false},
                                {"square_is_not_negative", "", R"(
      %zero = arith.constant 0 : i64
      %back = arith.subi %q, %kv : i64
      %square = arith.muli %back, %back : i64
      %m = arith.cmpi slt, %square, %zero : i64)",
                                 /*closedForm=*/false},
                                {"condition_used_twice", "", R"(
      %n = arith.constant 18 : i64
      %five = arith.constant 5 : i64
      %second = arith.cmpi sge, %q, %n : i64
      %other = arith.cmpi sge, %kv, %n : i64
      %q1 = arith.subi %q, %n : i64
      %k1 = arith.subi %kv, %n : i64
      %qa = attn.floordiv %q, %five : i64
      %qb = attn.floordiv %q1, %five : i64
      %ka = attn.floordiv %kv, %five : i64
      %kb = attn.floordiv %k1, %five : i64
      %qs = arith.select %second, %qb, %qa : i64
      %ks = arith.select %other, %kb, %ka : i64
      %same = arith.cmpi eq, %qs, %ks : i64
      %part = arith.cmpi eq, %second, %other : i1
      %m = arith.andi %same, %part : i1)",
                                 /*closedForm=*/false, /*needsCases=*/true},
                                {"sorted_documents", "attn.capture @doc : i32[\"KV\"]", R"(
      %dq = attn.load @doc[%q] : i64
      %dk = attn.load @doc[%kv] : i64
      %m = arith.cmpi eq, %dq, %dk : i64)",
                                 /*closedForm=*/false},
                                {"positions", "attn.capture @doc : i32[\"KV\"]", R"(
      %dk = attn.load @doc[%kv] : i64
      %m = arith.cmpi sle, %dk, %q : i64)",
                                 /*closedForm=*/false},
                                {"picked_key", "attn.capture @doc : i32[\"Q\"]", R"(
      %pick = attn.load @doc[%q] : i64
      %m = arith.cmpi sge, %pick, %kv : i64)"},
                                {"pages", "attn.capture @doc : i32[\"KV\"]", R"(
      %four = arith.constant 4 : i64
      %page = attn.floordiv %kv, %four : i64
      %home = attn.load @doc[%page] : i64
      %begin = arith.muli %home, %four : i64
      %rest = attn.floormod %kv, %four : i64
      %place = arith.addi %begin, %rest : i64
      %m = arith.cmpi sle, %place, %q : i64)",
                                 /*closedForm=*/false}};

class TightMasks : public MaskRanges {};
} // namespace

TEST_P(TightMasks, FindAllEmptyAndFullBlocks) {
  const TightMask &mask = tightMasks[GetParam()];
  std::string source = "attn.kernel @mask dtype(f32) head_dim(8) value_dim(8) {\n" +
                       std::string(mask.declarations) + "\nattn.mask(%b, %h, %q, %kv) {\n" +
                       mask.body + "\nattn.yield %m : i1\n}\n}";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, context.get());
  ASSERT_TRUE(module);
  attn::KernelOp kernel = *module->getOps<attn::KernelOp>().begin();
  check.add(kernel);
  ASSERT_TRUE(check.compile());

  constexpr int64_t size = 40, block = 4;
  Arguments arguments(1, 1, size, size);
  std::vector<int64_t> documents(size);
  for (int64_t i = 0; i < size; ++i)
    documents[i] = i / 7;
  if (kernel.lookupCapture("doc"))
    arguments.addCapture("doc", ElementType::I32, {size}, documents);
  if (kernel.lookupCapture("len"))
    arguments.addCapture("len", ElementType::I32, {1}, std::vector<int64_t>{17});
  if (kernel.lookupScalar("n"))
    arguments.launch.scalars["n"] = int64_t(6);
  BoundArguments bound = bind(kernel, arguments);
  Oracle oracle(kernel.getMask(), kernel, arguments, bound);
  PairCounts pairs(oracle, 0, 0, size, size);
  for (int64_t q = 0; q < size; q += block)
    for (int64_t k = 0; k < size; k += block) {
      Span queries = {q, q + block}, keys = {k, k + block};
      Rectangle found = check.run("mask", bound, 0, 0, queries, keys);
      EXPECT_EQ(findUnsound(found, pairs, queries, keys, size).value_or(""), "");
      int64_t count = pairs.count(queries, keys);
      EXPECT_EQ(found.summarizedMay, count != 0) << mask.name << " at " << q << ", " << k;
      EXPECT_EQ(found.summarizedMust, count == block * block)
          << mask.name << " at " << q << ", " << k;
      if (!mask.needsCases) {
        EXPECT_EQ(found.may, count != 0) << mask.name << " at " << q << ", " << k;
        EXPECT_EQ(found.must, count == block * block) << mask.name << " at " << q << ", " << k;
      }
      if (!mask.closedForm)
        continue;
      bool inside = false, full = false;
      for (const FoundRun &run : llvm::ArrayRef(found.runs).take_front(found.numRuns)) {
        inside |= std::max(run.lo, k) < std::min(run.hi, k + block);
        full |= run.fullLo <= k && k + block <= run.fullHi;
      }
      EXPECT_EQ(inside, count != 0) << mask.name << " at " << q << ", " << k;
      EXPECT_EQ(full, count == block * block) << mask.name << " at " << q << ", " << k;
    }
}
INSTANTIATE_TEST_SUITE_P(Families, TightMasks,
                         testing::Range(0, static_cast<int>(std::size(tightMasks))),
                         [](const auto &info) { return tightMasks[info.param].name; });

// Nothing is claimed of sizes that the arithmetic is not made for, and what is claimed just below
// them is right.
TEST_F(MaskRanges, HugeSizesAreSound) {
  const char *const source = R"mlir(
    attn.kernel @mask dtype(f32) head_dim(8) value_dim(8) {
      attn.scalar @n : i64
      attn.mask(%b, %h, %q, %kv) {
        %three = arith.constant 3 : i64
        %n = attn.get @n : i64
        %a = arith.muli %q, %three : i64
        %c = arith.addi %a, %n : i64
        %d = arith.subi %c, %kv : i64
        %m = arith.cmpi sge, %d, %a : i64
        attn.yield %m : i1
      }
    })mlir";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, context.get());
  ASSERT_TRUE(module);
  attn::KernelOp kernel = *module->getOps<attn::KernelOp>().begin();
  check.add(kernel);
  ASSERT_TRUE(check.compile());
  int64_t limit = attn::MaskValues::maxSize;
  constexpr int64_t smallest = std::numeric_limits<int64_t>::min();
  constexpr int64_t largest = std::numeric_limits<int64_t>::max();
  for (int64_t size : {limit, limit + 1})
    for (int64_t n : {int64_t(0), limit, smallest, smallest + limit, largest, largest - limit,
                      largest - 2 * limit, largest / 3, int64_t(1) << 61}) {
      Arguments arguments(1, 1, 3, 3);
      arguments.launch.scalars["n"] = n;
      BoundArguments bound = bind(kernel, arguments);
      // No launch has such sizes, but the code need not know that.
      bound.Q = bound.KV = size;
      bound.slots[ArgumentLayout::Q] = bound.slots[ArgumentLayout::KV] = size;
      Oracle oracle(kernel.getMask(), kernel, arguments, bound);
      for (int64_t q : {int64_t(0), size / 2, size - 3})
        for (int64_t k : {int64_t(0), size / 2, size - 3}) {
          Rectangle found = check.run("mask", bound, 0, 0, {q, q + 3}, {k, k + 3});
          for (int64_t i = q; i < q + 3; ++i)
            for (int64_t j = k; j < k + 3; ++j) {
              bool takesPart = oracle.evaluateMask(0, 0, i, j);
              EXPECT_TRUE(found.may || !takesPart);
              EXPECT_TRUE(!found.must || takesPart);
              EXPECT_TRUE((found.lo <= j && j < found.hi) || !takesPart);
              EXPECT_TRUE(found.fullLo > j || j >= found.fullHi || takesPart);
            }
          if (size > limit) {
            EXPECT_TRUE(found.may && !found.must);
          }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MaskRanges, testing::Range(0, 10));
