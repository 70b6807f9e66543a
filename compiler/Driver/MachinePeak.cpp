//===- MachinePeak.cpp - How fast this machine could be ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/MachinePeak.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>
#ifdef __x86_64__
#include <immintrin.h>
#endif

using namespace attnc::driver;

namespace {
/// Independent sums, enough to hide the latency of one.
constexpr int numSums = 12;

/// Runs `rounds` rounds of numSums instructions.
using Burst = void (*)(int64_t rounds);

#ifdef __x86_64__
// The empty asm keeps every sum alive; unrolled, they are in registers however this is compiled.
#define ATTNC_BURST(VECTOR, ZERO, STEP)                                                            \
  VECTOR sums[numSums];                                                                            \
  _Pragma("GCC unroll 12") for (VECTOR &sum : sums) sum = (ZERO);                                  \
  for (int64_t round = 0; round < rounds; ++round)                                                 \
    _Pragma("GCC unroll 12") for (VECTOR &sum : sums) {                                            \
      sum = (STEP);                                                                                \
      asm volatile("" : "+v"(sum));                                                                \
    }

__attribute__((target("avx512f"))) void burstFma512(int64_t rounds) {
  const __m512 x = _mm512_set1_ps(1e-9F);
  ATTNC_BURST(__m512, _mm512_setzero_ps(), _mm512_fmadd_ps(x, x, sum))
}

__attribute__((target("avx512f,avx512bf16"))) void burstBF16Dot512(int64_t rounds) {
  const __m512bh x = _mm512_cvtne2ps_pbh(_mm512_set1_ps(1e-9F), _mm512_set1_ps(1e-9F));
  ATTNC_BURST(__m512, _mm512_setzero_ps(), _mm512_dpbf16_ps(sum, x, x))
}

__attribute__((target("avx2,fma"))) void burstFma256(int64_t rounds) {
  const __m256 x = _mm256_set1_ps(1e-9F);
  ATTNC_BURST(__m256, _mm256_setzero_ps(), _mm256_fmadd_ps(x, x, sum))
}

void burstMulAdd128(int64_t rounds) {
  const __m128 x = _mm_set1_ps(1e-9F);
  ATTNC_BURST(__m128, _mm_setzero_ps(), _mm_add_ps(sum, _mm_mul_ps(x, sum)))
}
#undef ATTNC_BURST
#else
void burstScalar(int64_t rounds) {
  volatile float sums[numSums] = {};
  for (int64_t round = 0; round < rounds; ++round)
    for (volatile float &sum : sums)
      sum = sum + 1e-9F * sum;
}
#endif

struct Instruction {
  const char *name;
  Burst burst;
  int flops; ///< of one instruction
};

Instruction chooseInstruction(bool bf16) {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (bf16 && __builtin_cpu_supports("avx512bf16"))
    return {"bf16 dot product, 512 bits", burstBF16Dot512, 64};
  if (__builtin_cpu_supports("avx512f"))
    return {"f32 multiply-add, 512 bits", burstFma512, 32};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {"f32 multiply-add, 256 bits", burstFma256, 16};
  return {"f32 multiply and add, 128 bits", burstMulAdd128, 8};
#else
  return {"f32 multiply and add, scalar", burstScalar, 2};
#endif
}

/// Seconds from a common start until the last of `threads` threads has run its rounds.
double timeBurst(Burst burst, int64_t rounds, unsigned threads) {
  using Clock = std::chrono::steady_clock;
  std::atomic<unsigned> ready = 0;
  std::atomic<bool> go = false;
  std::vector<Clock::time_point> ends(threads);
  auto work = [&](unsigned thread) {
    ++ready;
    while (!go)
      std::this_thread::yield();
    burst(rounds);
    ends[thread] = Clock::now();
  };
  std::vector<std::thread> pool;
  for (unsigned i = 1; i < threads; ++i)
    pool.emplace_back(work, i);
  while (ready + 1 < threads)
    std::this_thread::yield();
  Clock::time_point start = Clock::now();
  go = true;
  work(0);
  for (std::thread &thread : pool)
    thread.join();
  return std::chrono::duration<double>(*std::max_element(ends.begin(), ends.end()) - start).count();
}
} // namespace

MachinePeak attnc::driver::measurePeak(bool bf16, unsigned threads) {
  Instruction instruction = chooseInstruction(bf16);
  int64_t rounds = 1000;
  // Bursts are short, so that on a machine with other work some meet none of it.
  while (timeBurst(instruction.burst, rounds, 1) < 1e-3)
    rounds *= 2;
  double best = timeBurst(instruction.burst, rounds, threads);
  for (int i = 0; i < 60; ++i)
    best = std::min(best, timeBurst(instruction.burst, rounds, threads));
  double flops = static_cast<double>(rounds) * numSums * instruction.flops * threads;
  return {flops / best * 1e-9, instruction.name};
}
