//===- RegionVectorizerTest.cpp - Bodies on vectors, pair by pair -----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/Bodies/RegionVectorizer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/region/RandomBody.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace attnc;
using namespace attnc::test;

static constexpr int64_t lanes = 16;

namespace {
/// What the function for a body takes and leaves in its scratch memory.
struct alignas(64) Pairs {
  int64_t key, lastQuery;
  alignas(64) float scores[lanes];
  alignas(64) float results[lanes];
  alignas(64) int32_t takesPart[lanes];
};

class RegionVectorizerTest : public testing::TestWithParam<std::tuple<const char *, int>> {
protected:
  RegionVectorizerTest()
      : context(createContext()), target(llvm::cantFail(HostTarget::get(std::get<0>(GetParam())))),
        runner(*context, target) {}

  template <typename BodyOp> void add(attn::KernelOp kernel, BodyOp body) {
    runner.add(kernel.getSymName().str(), kernel,
               [&](OpBuilder &builder, OpEmitter &emitter, const FunctionArguments &arguments) {
                 emitPairs(builder, emitter, arguments, body);
               });
  }

  template <typename BodyOp>
  static void emitPairs(OpBuilder &builder, OpEmitter &emitter, const FunctionArguments &arguments,
                        BodyOp body) {
    Location loc = body.getLoc();
    Type i64 = builder.getI64Type();
    auto place = [&](size_t offset) -> Value {
      return LLVM::GEPOp::create(builder, loc, arguments.scratch.getType(), builder.getI8Type(),
                                 arguments.scratch,
                                 ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    };
    auto read = [&](size_t offset, Type type) -> Value {
      return LLVM::LoadOp::create(builder, loc, type, place(offset));
    };
    auto vectorOf = [](Type type) { return VectorType::get(lanes, type); };

    SmallVector<int64_t> steps = llvm::to_vector(llvm::seq<int64_t>(lanes));
    Value step = arith::ConstantOp::create(builder, loc, builder.getI64VectorAttr(steps));
    Value first = broadcastTo(builder, loc, arguments.first, lanes);
    Value last = broadcastTo(builder, loc, read(offsetof(Pairs, lastQuery), i64), lanes);
    Value queries = arith::MinSIOp::create(builder, loc,
                                           arith::AddIOp::create(builder, loc, first, step), last);

    RegionVectorizer vectorizer(body, emitter);
    StageValues head = vectorizer.emitHead(builder, arguments.batch, arguments.head);
    StageValues query = vectorizer.emitQuery(builder, head, queries);
    StageValues key = vectorizer.emitKey(builder, head, read(offsetof(Pairs, key), i64));
    Value score;
    if constexpr (std::is_same_v<BodyOp, attn::ScoreOp>)
      score = read(offsetof(Pairs, scores), vectorOf(builder.getF32Type()));
    Value result = vectorizer.emitPair(builder, head, query, key, score);
    size_t offset = offsetof(Pairs, results);
    if (!score) {
      result = arith::ExtUIOp::create(builder, loc, vectorOf(builder.getI32Type()), result);
      offset = offsetof(Pairs, takesPart);
    }
    LLVM::StoreOp::create(builder, loc, result, place(offset));
  }

  std::unique_ptr<MLIRContext> context;
  HostTarget target;
  RegionRunner runner;
};

bool isSame(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream(text) << *op;
  return text;
}
} // namespace

TEST_P(RegionVectorizerTest, RandomBodiesAgreeWithTheReference) {
  constexpr size_t programs = 30;
  RandomBody random(std::get<1>(GetParam()));
  std::vector<OwningOpRef<ModuleOp>> modules;
  while (modules.size() < programs) {
    std::string name = "body" + std::to_string(modules.size());
    bool isMask = random.oneIn(3);
    OwningOpRef<ModuleOp> module =
        isMask ? random.makeMask(*context, name) : random.makeScore(*context, name);
    ASSERT_TRUE(module && prepare(*module, random.oneIn(2)));
    attn::KernelOp kernel = *module->getOps<attn::KernelOp>().begin();
    // A mask that is always true, or a score that is as it was, is simplified away.
    if (isMask ? !kernel.getMask() : !kernel.getScore())
      continue;
    if (isMask)
      add(kernel, kernel.getMask());
    else
      add(kernel, kernel.getScore());
    modules.push_back(std::move(module));
  }
  ASSERT_TRUE(runner.compile());

  for (OwningOpRef<ModuleOp> &module : modules) {
    attn::KernelOp kernel = *module->getOps<attn::KernelOp>().begin();
    RandomSizes sizes;
    sizes.queries = 1 + random.below(40);
    sizes.keys = random.oneIn(2) ? sizes.queries : 1 + random.below(40);
    sizes.extent = random.below(6);
    std::unique_ptr<Arguments> arguments = random.makeArguments(sizes);
    BoundArguments bound = bind(kernel, *arguments);
    Operation *body = kernel.getMask() ? kernel.getMask().getOperation() : kernel.getScore();
    Oracle oracle(body, kernel, *arguments, bound);
    for (int i = 0; i < 40; ++i) {
      Pairs pairs = {};
      pairs.key = random.below(sizes.keys);
      pairs.lastQuery = sizes.queries - 1;
      int64_t b = random.below(sizes.batches), h = random.below(sizes.heads);
      int64_t first = random.below(sizes.queries);
      for (float &score : pairs.scores)
        score = static_cast<float>(random.below(4096) - 2048) / 128;
      runner.get(kernel.getSymName().str())(bound.slots.data(), b, h, first, first, &pairs);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        int64_t q = std::min(first + lane, pairs.lastQuery);
        if (kernel.getMask())
          ASSERT_EQ(pairs.takesPart[lane] != 0, oracle.evaluateMask(b, h, q, pairs.key))
              << print(kernel) << "\nb " << b << " h " << h << " q " << q << " kv " << pairs.key;
        else
          ASSERT_PRED2(isSame, pairs.results[lane],
                       oracle.evaluateScore(pairs.scores[lane], b, h, q, pairs.key))
              << print(kernel) << "\nb " << b << " h " << h << " q " << q << " kv " << pairs.key;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, RegionVectorizerTest,
                         testing::Combine(testing::Values("native", "x86-64-v3", "x86-64"),
                                          testing::Range(0, 4)),
                         [](const auto &info) {
                           std::string name = std::get<0>(info.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + std::to_string(std::get<1>(info.param));
                         });
