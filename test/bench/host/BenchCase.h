//===- BenchCase.h - A variant, compiled for this CPU -------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_BENCH_HOST_BENCHCASE_H
#define TEST_BENCH_HOST_BENCHCASE_H

#include "attnc/HostKernel.h"
#include "test/bench/BoundVariant.h"

namespace attnc::bench {

/// A variant and its kernel for this CPU.
class BenchCase : public BoundVariant {
public:
  BenchCase(const Variant &variant, const MainTensors &tensors);

  const HostKernel &getKernel() const { return kernel; }

  /// Computes everything once and gives the seconds that took.
  double run(int threads) const;

private:
  HostKernel kernel;
};

} // namespace attnc::bench

#endif // TEST_BENCH_HOST_BENCHCASE_H
