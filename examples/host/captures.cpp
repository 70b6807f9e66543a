//===- captures.cpp - Tensors and numbers that a program names ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
//   c++ -std=c++17 captures.cpp -o captures -lattnc_runtime
//
// A program compiled as this one runs, with a tensor and two numbers of its own. They are arguments
// of each launch: other values compile nothing.
//
//===------------------------------------------------------------------------===//

#include <attnc/attnc.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int64_t heads = 4, length = 50, dim = 16;

int main() try {
  std::vector<float> q(heads * length * dim), k(q.size()), v(q.size()), o(q.size()), slopes(heads);
  for (size_t i = 0; i < q.size(); ++i) {
    q[i] = std::sin(float(i));
    k[i] = std::cos(float(i));
    v[i] = std::sin(0.5f * float(i));
  }
  auto view = [](std::vector<float> &data) {
    return attnc::bhsd(data.data(), 1, heads, length, dim);
  };
  attnc::Kernel kernel = attnc::jit("slopes: f32[Hq]\n"
                                    "cap: f32\n"
                                    "window: i32\n"
                                    "def score_mod(score, b, h, q_idx, kv_idx):\n"
                                    "    return cap * tanh(score / cap) + slopes[h] * kv_idx\n"
                                    "def mask_mod(b, h, q_idx, kv_idx):\n"
                                    "    return (q_idx >= kv_idx) & (q_idx - kv_idx < window)\n",
                                    {"f32", "16"}, attnc::Device::host());
  attnc::Launch launch = kernel.bind(view(q), view(k), view(v), view(o));
  launch.set("slopes", attnc::Tensor(slopes.data(), {heads}));

  double worst = 0;
  for (int window : {1, 7, 50})
    for (double cap : {2.0, 30.0}) {
      for (size_t h = 0; h < heads; ++h)
        slopes[h] = float(window) * 0.01f * float(h);
      launch.set("window", window).set("cap", cap)();
      for (size_t h = 0; h < heads; ++h)
        for (size_t i = 0; i < length; ++i) {
          double sum = 0, first = 0;
          for (size_t j = 0; j <= i; ++j) {
            if (i - j >= size_t(window))
              continue;
            double score = 0;
            for (size_t d = 0; d < dim; ++d)
              score += double(q[(h * length + i) * dim + d]) * k[(h * length + j) * dim + d];
            score = cap * std::tanh(score / std::sqrt(double(dim)) / cap);
            double weight = std::exp(score + slopes[h] * double(j));
            sum += weight;
            first += weight * v[(h * length + j) * dim];
          }
          worst = std::fmax(worst, std::fabs(first / sum - o[(h * length + i) * dim]));
        }
    }
  std::puts(worst < 1e-5 ? "right" : "wrong");
  return worst < 1e-5 ? 0 : 1;
} catch (const attnc::Error &error) {
  std::fprintf(stderr, "%s: %s\n", attnc_status_name(error.status()), error.what());
  return 1;
}
