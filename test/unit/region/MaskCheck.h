//===- MaskCheck.h - Compares what is emitted for masks with pairs C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_UNIT_REGION_MASKCHECK_H
#define TEST_UNIT_REGION_MASKCHECK_H

#include "dialect/Attn/Analysis/MaskAnalysis.h"
#include "test/unit/region/RandomBody.h"

namespace attnc::test {

/// Keys that are visited, and those of them that are full: a run of what MaskRanges::emitKeyRuns
/// gives.
struct FoundRun {
  int64_t lo, hi, fullLo, fullHi;
};

/// What the function for a mask takes and leaves in its scratch memory.
struct Rectangle {
  int64_t numQueries, numKeys, firstKey, lastKey;
  int64_t may, must;
  /// The same from summaries of both halves of the queries and of the keys, put together, and with
  /// cases solved.
  int64_t summarizedMay, summarizedMust;
  int64_t lo, hi, fullLo, fullHi;
  int64_t numRuns;
  FoundRun runs[attn::maxKeyRuns];
};

/// Queries or keys `begin` to `end` - 1.
struct Span {
  int64_t begin, end;
};

/// Which pairs of one batch and head take part, and how many do in any rectangle.
class PairCounts {
public:
  PairCounts(Oracle &oracle, int64_t b, int64_t h, int64_t queries, int64_t keys);
  int64_t count(Span queries, Span keys) const;

private:
  int64_t width;
  std::vector<int64_t> sums;
};

/// What of `found` is not true of all pairs of queries and keys, of `numKeys`; nothing if all is.
std::optional<std::string> findUnsound(const Rectangle &found, const PairCounts &pairs,
                                       Span queries, Span keys, int64_t numKeys);

/// Compiles what the mask analysis emits for masks, and runs it.
class MaskCheck {
public:
  explicit MaskCheck(mlir::MLIRContext &context)
      : target(llvm::cantFail(HostTarget::get("native"))), runner(context, target) {}

  /// Adds the function of the kernel's name, which tells what is known of a rectangle.
  void add(attn::KernelOp kernel);
  bool compile() { return runner.compile(); }

  Rectangle run(const std::string &name, const BoundArguments &bound, int64_t b, int64_t h,
                Span queries, Span keys);

  /// Runs the function of `kernel` on random arguments and rectangles. Returns what is wrong, with
  /// the kernel, or nothing.
  std::optional<std::string> check(attn::KernelOp kernel, RandomBody &random);

  /// Makes `count` random kernels, compiles them together and checks each.
  static std::optional<std::string> checkRandomMasks(RandomBody &random, int count);

private:
  HostTarget target;
  RegionRunner runner;
};

} // namespace attnc::test

#endif // TEST_UNIT_REGION_MASKCHECK_H
