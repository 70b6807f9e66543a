//===- Random.h - Random choices of the sweep ---------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_SWEEP_RANDOM_H
#define TEST_SWEEP_RANDOM_H

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <string>
#include <vector>

namespace attnc::sweep {

/// SplitMix64 and the choices made with it; the same everywhere.
class Random {
public:
  Random(uint64_t seed, uint64_t stream) : state(seed * 0x9e3779b97f4a7c15 + stream) { next(); }

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In [low, high].
  int64_t range(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return range(0, 99) < percent; }
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
  }
  double normal() {
    double radius = std::sqrt(-2 * std::log(1 - uniform(0, 1)));
    return radius * std::cos(2 * std::numbers::pi * uniform(0, 1));
  }
  template <typename T> T pick(std::initializer_list<T> choices) {
    return choices.begin()[range(0, static_cast<int64_t>(choices.size()) - 1)];
  }
  template <typename T> const T &pick(const std::vector<T> &choices) {
    return choices[range(0, static_cast<int64_t>(choices.size()) - 1)];
  }

private:
  uint64_t state;
};

} // namespace attnc::sweep

#endif // TEST_SWEEP_RANDOM_H
