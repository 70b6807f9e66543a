//===- Probe.cpp - Tensors for the test kernels ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/api/Probe.h"
#include <fstream>
#include <sstream>

using namespace attnc;
using namespace attnc::test;

const std::string &test::getProbe() {
  static const std::string bytes = [] {
    std::ifstream file(ATTNC_PROBE, std::ios::binary);
    std::stringstream stream;
    stream << file.rdbuf();
    return stream.str();
  }();
  return bytes;
}

Probe::Probe(int64_t headDim, int64_t queries)
    : headDim(headDim), valueDim(headDim == 4 ? 2 : headDim), queries(queries),
      q(static_cast<size_t>(8 * queries * headDim)), k(static_cast<size_t>(12 * headDim)),
      v(static_cast<size_t>(12 * valueDim)), o(static_cast<size_t>(8 * queries * valueDim)),
      lse(static_cast<size_t>(8 * queries)) {
  for (size_t i = 0; i < q.size(); ++i)
    q[i] = static_cast<float>(i);
  for (size_t i = 0; i < k.size(); ++i)
    k[i] = static_cast<float>(10 * i);
}

Launch Probe::bind(const Kernel &kernel) {
  Launch launch = kernel.bind(getQ(), getK(), getV(), getO());
  launch.set("doc", Tensor(doc.data(), {2, 3}))
      .set("pos", Tensor(&pos, {}))
      .set("on", Tensor(on, {2, 3}))
      .set("cap", cap)
      .set("shift", shift)
      .set("flag", flag);
  if (headDim == 4)
    launch.set("lse", getLse()).set("scale", scale);
  return launch;
}

float Probe::getExpected(int64_t b, int64_t h, int64_t row) const {
  float first = q[static_cast<size_t>(((b * 4 + h) * queries + row) * headDim)];
  float key = k[static_cast<size_t>((b * 2 + h / 2) * 3 * headDim)];
  constexpr float extent = 2;
  return cap * first + scale + key + static_cast<float>(doc[static_cast<size_t>(b * 3 + 2)]) +
         static_cast<float>(pos + shift) + extent + (flag && on[0] ? 1000.0f : 0.0f);
}

bool Probe::isRight() const {
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t h = 0; h < 4; ++h)
      for (int64_t row = 0; row < queries; ++row) {
        size_t place = static_cast<size_t>((b * 4 + h) * queries + row);
        float expected = getExpected(b, h, row);
        for (int64_t c = 0; c < valueDim; ++c)
          if (o[place * static_cast<size_t>(valueDim) + static_cast<size_t>(c)] != expected)
            return false;
        if (headDim == 4 && lse[place] != -expected)
          return false;
      }
  return true;
}
