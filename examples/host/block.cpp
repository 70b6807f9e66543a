//===- block.cpp - The attention block of a transformer -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
//   c++ -std=c++17 block.cpp -o block -lattnc_runtime
//
// Projections, heads in groups that share keys, normalised queries and keys, rotary positions,
// attention with a soft cap and a window, output projection. The projection writes q, k and v into
// one buffer, which the kernel reads as it lies; its output is what the last projection reads. All
// but the attention is plain loops. The result is compared with the same block in double, with
// attention as the textbook has it.
//
//===------------------------------------------------------------------------===//

#include <attnc/attnc.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int64_t batches = 2, length = 70, width = 96, heads = 6, kvHeads = 2, dim = 16;
constexpr int64_t fused = (heads + 2 * kvHeads) * dim; ///< columns of q, k and v together
constexpr double cap = 20, window = 32;

using Matrix = std::vector<double>;

/// A matrix of numbers that look random.
static Matrix makeMatrix(int64_t rows, int64_t columns, double seed) {
  Matrix matrix(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = std::sin(seed + 12.9898 * double(i) + 0.37 * double(i % 97)) / std::sqrt(width);
  return matrix;
}

/// a [rows, inner] times b [inner, columns].
template <typename T>
static std::vector<T> multiply(const std::vector<T> &a, const Matrix &b, int64_t inner,
                               int64_t columns) {
  int64_t rows = int64_t(a.size()) / inner;
  std::vector<T> c(static_cast<size_t>(rows * columns));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < inner; ++k)
      for (int64_t j = 0; j < columns; ++j)
        c[static_cast<size_t>(i * columns + j)] +=
            a[static_cast<size_t>(i * inner + k)] * T(b[static_cast<size_t>(k * columns + j)]);
  return c;
}

/// Normalises and rotates the queries and keys of `qkv` [batches, length, fused].
template <typename T> static void prepareHeads(std::vector<T> &qkv) {
  for (int64_t row = 0; row < batches * length; ++row)
    for (int64_t head = 0; head < heads + kvHeads; ++head) {
      T *x = &qkv[static_cast<size_t>(row * fused + head * dim)];
      T squares = 0;
      for (int64_t d = 0; d < dim; ++d)
        squares += x[d] * x[d];
      T scale = T(2) / std::sqrt(squares / T(dim) + T(1e-6));
      for (int64_t d = 0; d < dim; ++d)
        x[d] *= scale;
      for (int64_t d = 0; d < dim / 2; ++d) {
        double angle = double(row % length) * std::pow(10000.0, -2.0 * double(d) / double(dim));
        T c = T(std::cos(angle)), s = T(std::sin(angle)), a = x[d], b = x[d + dim / 2];
        x[d] = a * c - b * s;
        x[d + dim / 2] = a * s + b * c;
      }
    }
}

/// Attention in double: [batches, length, heads, dim] of `qkv`.
static Matrix attend(const Matrix &qkv) {
  Matrix out(static_cast<size_t>(batches * length * heads * dim));
  auto at = [&](int64_t b, int64_t row, int64_t head) {
    return &qkv[static_cast<size_t>((b * length + row) * fused + head * dim)];
  };
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < length; ++i) {
        int64_t kv = h / (heads / kvHeads);
        double sum = 0, total[dim] = {};
        for (int64_t j = 0; j <= i; ++j) {
          if (double(i - j) >= window)
            continue;
          double score = 0;
          for (int64_t d = 0; d < dim; ++d)
            score += at(b, i, h)[d] * at(b, j, heads + kv)[d];
          double weight = std::exp(cap * std::tanh(score / std::sqrt(double(dim)) / cap));
          sum += weight;
          for (int64_t d = 0; d < dim; ++d)
            total[d] += weight * at(b, j, heads + kvHeads + kv)[d];
        }
        for (int64_t d = 0; d < dim; ++d)
          out[static_cast<size_t>(((b * length + i) * heads + h) * dim + d)] = total[d] / sum;
      }
  return out;
}

int main() try {
  attnc::Options options{"f32", std::to_string(dim)};
  options.defines = {"window=" + std::to_string(int(window))};
  attnc::Kernel kernel = attnc::jit("cap: f32\n"
                                    "window: i32 = 4096\n"
                                    "def score_mod(score, b, h, q_idx, kv_idx):\n"
                                    "    return cap * tanh(score / cap)\n"
                                    "mask_mod = and_masks(causal, sliding_window(window))\n",
                                    options, attnc::Device::host());

  Matrix input = makeMatrix(batches * length, width, 1), wide = makeMatrix(width, fused, 2),
         back = makeMatrix(heads * dim, width, 3);

  // One buffer of [batches, length, heads of q, k and v, dim].
  std::vector<float> x(input.begin(), input.end());
  std::vector<float> qkv = multiply(x, wide, width, fused);
  prepareHeads(qkv);
  std::vector<float> attended(static_cast<size_t>(batches * length * heads * dim));
  auto part = [&](int64_t firstHead, int64_t count) {
    constexpr int64_t bytes = sizeof(float);
    return attnc::Tensor(qkv.data() + firstHead * dim, {batches, count, length, dim},
                         {length * fused * bytes, dim * bytes, fused * bytes, bytes});
  };
  attnc::Launch launch =
      kernel.bind(part(0, heads), part(heads, kvHeads), part(heads + kvHeads, kvHeads),
                  attnc::bshd(attended.data(), batches, length, heads, dim));
  launch.set("cap", cap)();
  std::vector<float> output = multiply(attended, back, heads * dim, width);

  Matrix exact = multiply(input, wide, width, fused);
  prepareHeads(exact);
  exact = multiply(attend(exact), back, heads * dim, width);
  double worst = 0;
  for (size_t i = 0; i < output.size(); ++i)
    worst = std::fmax(worst, std::fabs(output[i] - exact[i]));
  std::puts(worst < 1e-5 ? "right" : "wrong");
  return worst < 1e-5 ? 0 : 1;
} catch (const attnc::Error &error) {
  std::fprintf(stderr, "%s: %s\n", attnc_status_name(error.status()), error.what());
  return 1;
}
