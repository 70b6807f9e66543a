//===- decode.cpp - A thousand steps of decoding, bound once --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
//   attnc ../decode.attn --dtype f32 --head-dim 64 -o decode.so
//   c++ -std=c++17 decode.cpp -o decode -lattnc_runtime
//   ./decode decode.so
//
// The cache is as long as it will ever be. Its first pos + 1 slots are filled, and the kernel reads
// the position from memory at each launch, so that nothing is set, checked or allocated between the
// steps.
//
//===------------------------------------------------------------------------===//

#include <attnc/attnc.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int heads = 8, kvHeads = 2, steps = 1000, dim = 64;

/// The largest difference of the step's output from attention as the textbook has it.
static double compare(const std::vector<float> &q, const std::vector<float> &keys,
                      const std::vector<float> &values, const std::vector<float> &o, int position) {
  double worst = 0;
  for (int h = 0; h < heads; ++h) {
    size_t cache = static_cast<size_t>(h / (heads / kvHeads)) * steps * dim;
    const float *query = &q[static_cast<size_t>(h) * dim];
    std::vector<double> out(dim, 0.0);
    double sum = 0;
    for (int j = 0; j <= position; ++j) {
      const size_t row = cache + static_cast<size_t>(j) * dim;
      double score = 0;
      for (int d = 0; d < dim; ++d)
        score += double(query[d]) * keys[row + static_cast<size_t>(d)];
      double weight = std::exp(score / std::sqrt(dim));
      sum += weight;
      for (int d = 0; d < dim; ++d)
        out[static_cast<size_t>(d)] += weight * values[row + static_cast<size_t>(d)];
    }
    for (int d = 0; d < dim; ++d)
      worst = std::fmax(worst, std::fabs(out[static_cast<size_t>(d)] / sum -
                                         o[static_cast<size_t>(h * dim + d)]));
  }
  return worst;
}

int main(int count, char **arguments) try {
  if (count != 2) {
    std::fprintf(stderr, "usage: decode KERNEL.so\n");
    return 2;
  }
  std::vector<float> q(heads * dim), o(heads * dim);
  std::vector<float> keys(kvHeads * steps * dim), values(kvHeads * steps * dim);
  int32_t position = 0;

  attnc::Kernel kernel = attnc::Kernel::loadFile(attnc::Device::host(), arguments[1]);
  attnc::Launch launch = kernel.bind(
      attnc::bhsd(q.data(), 1, heads, 1, dim), attnc::bhsd(keys.data(), 1, kvHeads, steps, dim),
      attnc::bhsd(values.data(), 1, kvHeads, steps, dim), attnc::bhsd(o.data(), 1, heads, 1, dim));
  launch.set("pos", attnc::Tensor(&position, {})).prepare();

  for (; position < steps; ++position) {
    for (size_t i = 0; i < q.size(); ++i)
      q[i] = std::sin(float(i) + float(position));
    for (int h = 0; h < kvHeads; ++h)
      for (int d = 0; d < dim; ++d) {
        size_t place = static_cast<size_t>((h * steps + position) * dim + d);
        keys[place] = std::cos(float(place));
        values[place] = std::sin(0.5f * float(place));
      }
    launch();
    if (position % 111 == 0 && compare(q, keys, values, o, position) > 1e-5) {
      std::puts("wrong");
      return 1;
    }
  }
  std::puts("right");
  return 0;
} catch (const attnc::Error &error) {
  std::fprintf(stderr, "%s: %s\n", attnc_status_name(error.status()), error.what());
  return 1;
}
