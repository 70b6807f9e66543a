//===- RandomBody.h - Random bodies of masks and scores -----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_UNIT_REGION_RANDOMBODY_H
#define TEST_UNIT_REGION_RANDOMBODY_H

#include "dialect/Attn/IR/AttnOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/unit/region/RegionRunner.h"
#include <random>

namespace attnc::test {

/// Sizes of the tensors of a random kernel.
struct RandomSizes {
  int64_t batches = 2, heads = 2, queries = 0, keys = 0, extent = 0;
};

/// Makes kernels with one random mask or score each, over captured tensors of all kinds, and
/// arguments for them with small, negative and huge values.
class RandomBody {
public:
  explicit RandomBody(uint64_t seed) : random(std::mt19937_64(seed)) {}
  /// Makes its choices by what `random` gives.
  explicit RandomBody(std::function<uint64_t()> random) : random(std::move(random)) {}

  /// A module with the kernel `name`, with a mask.
  mlir::OwningOpRef<mlir::ModuleOp> makeMask(mlir::MLIRContext &context, const std::string &name);
  /// The same with a score; its floats are exact in any order of evaluation that keeps each op.
  mlir::OwningOpRef<mlir::ModuleOp> makeScore(mlir::MLIRContext &context, const std::string &name);

  std::unique_ptr<Arguments> makeArguments(const RandomSizes &sizes);

  int64_t below(int64_t limit) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
  }
  bool oneIn(int64_t n) { return below(n) == 0; }

private:
  mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context, const std::string &name,
                                          const std::string &arguments,
                                          const std::function<std::string()> &body,
                                          const std::string &type);
  /// Append ops to `text` and return the name of the result.
  std::string emit(const std::string &op);
  std::string constant(int64_t value);
  std::string integer(int depth);
  std::string integerOp(int depth);
  std::string integerLeaf();
  std::string linear();
  std::string load(int depth);
  std::string condition(int depth);
  /// Bounds on the query, the key and their difference, joined by and and or.
  std::string bounds(int depth);
  /// Conditions that are a few runs of keys for each query, joined by and, or, not and select.
  std::string runs(int depth);
  std::string runLeaf();
  std::string real(int depth);
  int64_t number();
  /// A small number, or, with a chance of `wildness` in 8, any.
  int64_t element(int64_t wildness);

  std::function<uint64_t()> random;
  std::string text;
  int next = 0;
  bool hasScore = false;
};

} // namespace attnc::test

#endif // TEST_UNIT_REGION_RANDOMBODY_H
