//===- MaskRangesTest.cpp - Soundness of mask verdicts and key bounds -------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

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

  OwningOpRef<ModuleOp> parse(const std::string &body) {
    std::string source = "attn.kernel @mask dtype(f32) head_dim(8) value_dim(8) {\n" + body + "}";
    return parseSourceString<ModuleOp>(source, context.get());
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
INSTANTIATE_TEST_SUITE_P(Seeds, MaskRanges, testing::Range(0, 10));
