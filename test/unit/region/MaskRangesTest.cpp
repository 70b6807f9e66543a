//===- MaskRangesTest.cpp - Soundness of mask verdicts and key bounds -------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/ArgumentLayout.h"
#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/region/RandomBody.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace attnc;
using namespace attnc::test;

namespace {
/// What the function for a mask takes and leaves in its scratch memory.
struct Rectangle {
  int64_t numQueries, numKeys, firstKey, lastKey;
  int64_t may, must;
  int64_t lo, hi, fullLo, fullHi;
};

class MaskRanges : public testing::TestWithParam<int> {
protected:
  MaskRanges()
      : context(createContext()), target(llvm::cantFail(HostTarget::get("native"))),
        runner(*context, target) {}

  /// Adds the function of the kernel's name, which tells what is known of a rectangle.
  void add(attn::KernelOp kernel) {
    runner.add(kernel.getSymName().str(), kernel,
               [&](OpBuilder &builder, OpEmitter &emitter, const FunctionArguments &arguments) {
                 emitResult(builder, emitter, arguments, kernel);
               });
  }

  static void emitResult(OpBuilder &builder, OpEmitter &emitter, const FunctionArguments &arguments,
                         attn::KernelOp kernel) {
    Location loc = kernel.getLoc();
    Type i64 = builder.getI64Type();
    auto place = [&](int32_t i) -> Value {
      return LLVM::GEPOp::create(builder, loc, arguments.scratch.getType(), i64, arguments.scratch,
                                 ArrayRef<LLVM::GEPArg>{i});
    };
    auto read = [&](int32_t i) -> Value {
      return LLVM::LoadOp::create(builder, loc, i64, place(i));
    };
    attn::MaskAnalysis analysis(kernel.getMask());
    attn::MaskRanges ranges(analysis, emitter);
    ranges.prepareHead(builder, arguments.batch, arguments.head, read(0), read(1));
    auto queries = ranges.prepareQueries(builder, arguments.first, arguments.last);
    auto keys = ranges.prepareKeys(builder, read(2), read(3));
    attn::Verdict verdict = ranges.emitVerdict(builder, queries, keys);
    attn::KeyBounds bounds = ranges.emitKeyBounds(builder, queries);
    Value results[] = {LLVM::ZExtOp::create(builder, loc, i64, verdict.may),
                       LLVM::ZExtOp::create(builder, loc, i64, verdict.must),
                       bounds.lo,
                       bounds.hi,
                       bounds.fullLo,
                       bounds.fullHi};
    for (auto [i, result] : llvm::enumerate(results))
      LLVM::StoreOp::create(builder, loc, result, place(static_cast<int32_t>(i) + 4));
  }

  Rectangle run(const std::string &name, const BoundArguments &bound, int64_t b, int64_t h,
                int64_t firstQuery, int64_t lastQuery, int64_t firstKey, int64_t lastKey) {
    Rectangle result = {bound.Q, bound.KV, firstKey, lastKey, -1, -1, -1, -1, -1, -1};
    runner.get(name)(bound.slots.data(), b, h, firstQuery, lastQuery, &result);
    return result;
  }

  std::unique_ptr<MLIRContext> context;
  HostTarget target;
  RegionRunner runner;
};

/// Which pairs of one batch and head take part, and how many do in any rectangle.
class PairCounts {
public:
  PairCounts(Oracle &oracle, int64_t b, int64_t h, int64_t queries, int64_t keys)
      : width(keys + 1), sums((queries + 1) * width) {
    for (int64_t q = 0; q < queries; ++q)
      for (int64_t kv = 0; kv < keys; ++kv)
        sums[(q + 1) * width + kv + 1] = sums[q * width + kv + 1] + sums[(q + 1) * width + kv] -
                                         sums[q * width + kv] +
                                         (oracle.evaluateMask(b, h, q, kv) ? 1 : 0);
  }
  /// Pairs that take part with queries q0 to q1 - 1 and keys k0 to k1 - 1.
  int64_t count(int64_t q0, int64_t q1, int64_t k0, int64_t k1) const {
    if (k1 <= k0 || q1 <= q0)
      return 0;
    return sums[q1 * width + k1] - sums[q0 * width + k1] - sums[q1 * width + k0] +
           sums[q0 * width + k0];
  }

private:
  int64_t width;
  std::vector<int64_t> sums;
};

/// Checks what was found of queries q0 to q1 - 1 and keys k0 to k1 - 1 against all pairs.
void expectSound(const Rectangle &found, const PairCounts &pairs, int64_t q0, int64_t q1,
                 int64_t k0, int64_t k1, int64_t keys) {
  int64_t count = pairs.count(q0, q1, k0, k1);
  EXPECT_TRUE(found.may || count == 0) << "a block with pairs was found empty";
  EXPECT_TRUE(!found.must || count == (q1 - q0) * (k1 - k0)) << "a block was found full";
  EXPECT_LE(0, found.lo);
  EXPECT_LE(found.lo, found.fullLo);
  EXPECT_LE(found.fullLo, found.fullHi);
  EXPECT_LE(found.fullHi, found.hi);
  EXPECT_LE(found.hi, keys);
  EXPECT_EQ(pairs.count(q0, q1, 0, found.lo), 0);
  EXPECT_EQ(pairs.count(q0, q1, found.hi, keys), 0);
  EXPECT_EQ(pairs.count(q0, q1, found.fullLo, found.fullHi),
            (q1 - q0) * (found.fullHi - found.fullLo));
}
} // namespace

TEST_P(MaskRanges, RandomMasksAreSound) {
  constexpr int programs = 40;
  RandomBody random(GetParam());
  std::vector<OwningOpRef<ModuleOp>> modules;
  while (modules.size() < programs) {
    OwningOpRef<ModuleOp> module =
        random.makeMask(*context, "mask" + std::to_string(modules.size()));
    ASSERT_TRUE(module && prepare(*module, random.oneIn(2)));
    attn::KernelOp kernel = *module->getOps<attn::KernelOp>().begin();
    // A mask that is always true is simplified away.
    if (!kernel.getMask())
      continue;
    add(kernel);
    modules.push_back(std::move(module));
  }
  ASSERT_TRUE(runner.compile());

  for (OwningOpRef<ModuleOp> &module : modules) {
    attn::KernelOp kernel = *module->getOps<attn::KernelOp>().begin();
    RandomSizes sizes;
    sizes.queries = 1 + random.below(30);
    sizes.keys = random.oneIn(2) ? sizes.queries : 1 + random.below(30);
    sizes.extent = random.below(6);
    std::unique_ptr<Arguments> arguments = random.makeArguments(sizes);
    BoundArguments bound = bind(kernel, *arguments);
    Oracle oracle(kernel.getMask(), kernel, *arguments, bound);
    for (int64_t b = 0; b < sizes.batches; ++b)
      for (int64_t h = 0; h < sizes.heads; ++h) {
        PairCounts pairs(oracle, b, h, sizes.queries, sizes.keys);
        for (int i = 0; i < 40; ++i) {
          int64_t q0 = random.below(sizes.queries), k0 = random.below(sizes.keys);
          int64_t q1 = q0 + 1 + random.below(std::min<int64_t>(sizes.queries - q0, 8));
          int64_t k1 = k0 + 1 + random.below(std::min<int64_t>(sizes.keys - k0, 8));
          Rectangle found = run(kernel.getSymName().str(), bound, b, h, q0, q1 - 1, k0, k1 - 1);
          expectSound(found, pairs, q0, q1, k0, k1, sizes.keys);
          if (HasFailure()) {
            std::string text;
            llvm::raw_string_ostream(text) << kernel;
            FAIL() << text << "\nqueries " << q0 << " to " << q1 - 1 << " of " << sizes.queries
                   << ", keys " << k0 << " to " << k1 - 1 << " of " << sizes.keys;
          }
        }
      }
  }
}
namespace {
/// A mask of which all that is true of blocks is found.
struct TightMask {
  const char *name;
  const char *declarations;
  const char *body;
  /// What the verdict finds, key bounds find too.
  bool closedForm = true;
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
      %m = arith.cmpi sgt, %distance, %nine : i64)",
                                 /*closedForm=*/false},
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
  add(kernel);
  ASSERT_TRUE(runner.compile());

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
      Rectangle found = run("mask", bound, 0, 0, q, q + block - 1, k, k + block - 1);
      expectSound(found, pairs, q, q + block, k, k + block, size);
      int64_t count = pairs.count(q, q + block, k, k + block);
      EXPECT_EQ(found.may, count != 0) << mask.name << " at " << q << ", " << k;
      EXPECT_EQ(found.must, count == block * block) << mask.name << " at " << q << ", " << k;
      if (!mask.closedForm)
        continue;
      bool inside = found.lo < k + block && k < found.hi;
      bool full = found.fullLo <= k && k + block <= found.fullHi;
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
  add(kernel);
  ASSERT_TRUE(runner.compile());
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
          Rectangle found = run("mask", bound, 0, 0, q, q + 2, k, k + 2);
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
