//===- varlen.cpp - Sequences of any length, packed -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
//   c++ -std=c++17 varlen.cpp -o varlen -lattnc_runtime
//
// Sequences lie one after the other, [tokens, heads, columns], with their bounds in cu_seqlens, as
// FlashAttention's varlen functions have them. Here they are one batch whose tokens carry the
// number of their sequence, and the mask keeps sequences apart; blocks of keys of other sequences
// cost nothing. The kernel is compiled once for all packings.
//
//===------------------------------------------------------------------------===//

#include <attnc/attnc.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int64_t heads = 4, kvHeads = 2, dim = 32;

/// The largest difference from attention inside each sequence alone.
static double compare(const std::vector<float> &q, const std::vector<float> &k,
                      const std::vector<float> &v, const std::vector<float> &o,
                      const std::vector<int32_t> &bounds) {
  auto row = [](const std::vector<float> &data, int64_t token, int64_t head, int64_t count) {
    return &data[static_cast<size_t>((token * count + head) * dim)];
  };
  double worst = 0;
  for (size_t s = 0; s + 1 < bounds.size(); ++s)
    for (int64_t i = bounds[s]; i < bounds[s + 1]; ++i)
      for (int64_t h = 0; h < heads; ++h) {
        int64_t kv = h / (heads / kvHeads);
        double sum = 0, out[dim] = {};
        for (int64_t j = bounds[s]; j <= i; ++j) {
          double score = 0;
          for (int64_t d = 0; d < dim; ++d)
            score += double(row(q, i, h, heads)[d]) * row(k, j, kv, kvHeads)[d];
          double weight = std::exp(score / std::sqrt(double(dim)));
          sum += weight;
          for (int64_t d = 0; d < dim; ++d)
            out[d] += weight * row(v, j, kv, kvHeads)[d];
        }
        for (int64_t d = 0; d < dim; ++d)
          worst = std::fmax(worst, std::fabs(out[d] / sum - row(o, i, h, heads)[d]));
      }
  return worst;
}

int main() try {
  attnc::Kernel kernel = attnc::jit("ids: i32[KV]\n"
                                    "mask_mod = and_masks(causal, document(ids))\n",
                                    {"f32", std::to_string(dim)}, attnc::Device::host());
  const std::vector<int32_t> packings[] = {
      {0, 5, 6, 70, 200}, {0, 1}, {0, 0, 33, 33, 40}, {0, 128, 256, 300}};
  for (const std::vector<int32_t> &bounds : packings) {
    const int64_t tokens = bounds.back();
    std::vector<float> q(static_cast<size_t>(tokens * heads * dim)), o(q.size());
    std::vector<float> k(static_cast<size_t>(tokens * kvHeads * dim)), v(k.size());
    for (size_t i = 0; i < q.size(); ++i)
      q[i] = std::sin(float(i));
    for (size_t i = 0; i < k.size(); ++i) {
      k[i] = std::cos(float(i));
      v[i] = std::sin(0.5f * float(i));
    }
    std::vector<int32_t> ids(static_cast<size_t>(tokens));
    for (size_t s = 0; s + 1 < bounds.size(); ++s)
      for (int32_t i = bounds[s]; i < bounds[s + 1]; ++i)
        ids[static_cast<size_t>(i)] = int32_t(s);

    attnc::Launch launch = kernel.bind(
        attnc::thd(q.data(), tokens, heads, dim), attnc::thd(k.data(), tokens, kvHeads, dim),
        attnc::thd(v.data(), tokens, kvHeads, dim), attnc::thd(o.data(), tokens, heads, dim));
    launch.set("ids", attnc::Tensor(ids.data(), {tokens}))();
    if (compare(q, k, v, o, bounds) > 1e-5) {
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
