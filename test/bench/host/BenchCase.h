//===- BenchCase.h - One variant, compiled and bound --------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_BENCH_HOST_BENCHCASE_H
#define TEST_BENCH_HOST_BENCHCASE_H

#include "attnc/HostKernel.h"
#include "compiler/Driver/TensorSource.h"
#include "test/bench/host/Variants.h"
#include <memory>

namespace attnc::bench {

/// One batch of `heads` heads, with as many queries as keys.
struct Shape {
  ElementType dtype = ElementType::F32;
  int64_t headDim = 64, heads = 8, length = 4096;
};

/// Random q, k and v of a shape, and room for o.
class MainTensors {
public:
  explicit MainTensors(const Shape &shape);

  const LaunchArguments &getArguments() const { return arguments; }
  const Shape &getShape() const { return shape; }

private:
  Shape shape;
  driver::RunOptions options;
  std::unique_ptr<driver::TensorSource> source;
  driver::TensorBuffer o;
  LaunchArguments arguments;
};

/// A variant, compiled for the shape of `tensors` and this CPU and bound to them. What is wrong
/// ends the process: everything here is our own.
class BenchCase {
public:
  BenchCase(const Variant &variant, const MainTensors &tensors);

  const Variant &getVariant() const { return variant; }
  const Shape &getShape() const { return shape; }
  const HostKernel &getKernel() const { return kernel; }
  const LaunchArguments &getArguments() const { return arguments; }
  const BoundArguments &getBound() const { return bound; }

  /// The floating point operations of the pairs that take part.
  double getFlops() const;
  /// How much of all pairs takes part.
  double getPairShare() const;
  /// How much of all blocks of 128 queries and 128 keys holds a pair that takes part.
  double getBlockShare() const { return blockShare; }

  /// Computes everything once and gives the seconds that took.
  double run(int threads) const;

private:
  const Variant &variant;
  Shape shape;
  driver::RunOptions options;
  std::unique_ptr<driver::TensorSource> source;
  LaunchArguments arguments;
  BoundArguments bound;
  HostKernel kernel;
  int64_t pairs = 0;
  double blockShare = 1;
};

} // namespace attnc::bench

#endif // TEST_BENCH_HOST_BENCHCASE_H
