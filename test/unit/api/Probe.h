//===- Probe.h - Tensors for the test kernels -------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_UNIT_API_PROBE_H
#define TEST_UNIT_API_PROBE_H

#include "attnc/attnc.hpp"
#include <vector>

namespace attnc::test {

/// The bytes of the image that probe.c was compiled to.
const std::string &getProbe();

/// Arguments of a probe kernel with B = 2, Hq = 4, Hkv = 2, KV = 3 and N = 2.
struct Probe {
  explicit Probe(int64_t headDim = 4, int64_t queries = 20);

  int64_t headDim, valueDim, queries;
  std::vector<float> q, k, v, o, lse;
  std::vector<int32_t> doc = {0, 0, 7, 0, 0, 9};
  int32_t pos = 100;
  bool on[6] = {true};

  Tensor getQ() const { return bhsd(q.data(), 2, 4, queries, headDim); }
  Tensor getK() const { return bhsd(k.data(), 2, 2, 3, headDim); }
  Tensor getV() const { return bhsd(v.data(), 2, 2, 3, valueDim); }
  Tensor getO() { return bhsd(o.data(), 2, 4, queries, valueDim); }
  Tensor getLse() { return Tensor(lse.data(), {2, 4, queries}); }

  /// All arguments of the kernel for `headDim`.
  Launch bind(const Kernel &kernel);

  /// The number that the kernel makes of the arguments that bind() sets, for a row of o.
  float getExpected(int64_t b, int64_t h, int64_t row) const;
  /// Whether all of o, and of lse where the kernel has it, are what they should be.
  bool isRight() const;

  float cap = 2, scale = 0.5f;
  int shift = -3;
  bool flag = false;
};

} // namespace attnc::test

#endif // TEST_UNIT_API_PROBE_H
