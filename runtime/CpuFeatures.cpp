//===- CpuFeatures.cpp - What CPUs have that code is made for ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/CpuFeatures.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace attnc;

namespace {
/// Registers that the system must save, as bits of XCR0.
enum State : uint32_t { None = 0, Avx = 0x6, Avx512 = 0xe6, Amx = 0x60000, Apx = 0x80000 };

constexpr auto Eax = CpuFeature::Eax, Ebx = CpuFeature::Ebx, Ecx = CpuFeature::Ecx,
               Edx = CpuFeature::Edx;

constexpr CpuFeature features[] = {
    {"sse3", 1, 0, Ecx, 0, None},
    {"pclmul", 1, 0, Ecx, 1, None},
    {"ssse3", 1, 0, Ecx, 9, None},
    {"fma", 1, 0, Ecx, 12, Avx},
    {"cx16", 1, 0, Ecx, 13, None},
    {"sse4.1", 1, 0, Ecx, 19, None},
    {"sse4.2", 1, 0, Ecx, 20, None},
    {"movbe", 1, 0, Ecx, 22, None},
    {"popcnt", 1, 0, Ecx, 23, None},
    {"aes", 1, 0, Ecx, 25, None},
    {"avx", 1, 0, Ecx, 28, Avx},
    {"f16c", 1, 0, Ecx, 29, Avx},
    {"bmi", 7, 0, Ebx, 3, None},
    {"avx2", 7, 0, Ebx, 5, Avx},
    {"bmi2", 7, 0, Ebx, 8, None},
    {"avx512f", 7, 0, Ebx, 16, Avx512},
    {"avx512dq", 7, 0, Ebx, 17, Avx512},
    {"adx", 7, 0, Ebx, 19, None},
    {"avx512ifma", 7, 0, Ebx, 21, Avx512},
    {"avx512cd", 7, 0, Ebx, 28, Avx512},
    {"sha", 7, 0, Ebx, 29, None},
    {"avx512bw", 7, 0, Ebx, 30, Avx512},
    {"avx512vl", 7, 0, Ebx, 31, Avx512},
    {"avx512vbmi", 7, 0, Ecx, 1, Avx512},
    {"avx512vbmi2", 7, 0, Ecx, 6, Avx512},
    {"gfni", 7, 0, Ecx, 8, None},
    {"vaes", 7, 0, Ecx, 9, Avx},
    {"vpclmulqdq", 7, 0, Ecx, 10, Avx},
    {"avx512vnni", 7, 0, Ecx, 11, Avx512},
    {"avx512bitalg", 7, 0, Ecx, 12, Avx512},
    {"avx512vpopcntdq", 7, 0, Ecx, 14, Avx512},
    {"avx512vp2intersect", 7, 0, Edx, 8, Avx512},
    {"amx-bf16", 7, 0, Edx, 22, Amx},
    {"avx512fp16", 7, 0, Edx, 23, Avx512},
    {"amx-tile", 7, 0, Edx, 24, Amx},
    {"amx-int8", 7, 0, Edx, 25, Amx},
    {"avxvnni", 7, 1, Eax, 4, Avx},
    {"avx512bf16", 7, 1, Eax, 5, Avx512},
    {"amx-fp16", 7, 1, Eax, 21, Amx},
    {"avxifma", 7, 1, Eax, 23, Avx},
    {"avxvnniint8", 7, 1, Edx, 4, Avx},
    {"avxneconvert", 7, 1, Edx, 5, Avx},
    {"avxvnniint16", 7, 1, Edx, 10, Avx},
    {"avx10.1", 7, 1, Edx, 19, Avx512},
    {"egpr", 7, 1, Edx, 21, Apx},
    {"ndd", 7, 1, Edx, 21, Apx},
    {"lzcnt", 0x80000001, 0, Ecx, 5, None},
    {"sse4a", 0x80000001, 0, Ecx, 6, None},
    {"xop", 0x80000001, 0, Ecx, 11, Avx},
    {"fma4", 0x80000001, 0, Ecx, 16, Avx},
    {"tbm", 0x80000001, 0, Ecx, 21, None},
};

#if defined(__x86_64__)
/// XCR0, or 0 where the system does not let programs read it.
uint64_t getSavedStates() {
  constexpr unsigned osxsave = 1U << 27;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & osxsave))
    return 0;
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<uint64_t>(high) << 32 | low;
}

bool isThere(const CpuFeature &feature) {
  unsigned registers[4] = {};
  if (!__get_cpuid_count(feature.leaf, feature.subleaf, &registers[Eax], &registers[Ebx],
                         &registers[Ecx], &registers[Edx]))
    return false;
  return registers[feature.place] >> feature.bit & 1 &&
         (getSavedStates() & feature.state) == feature.state;
}
#else
bool isThere(const CpuFeature &) { return false; }
#endif
} // namespace

const std::vector<std::string_view> &attnc::getCpuFeatures() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> result;
    for (const CpuFeature &feature : features)
      result.push_back(feature.name);
    return result;
  }();
  return names;
}

const CpuFeature *attnc::findCpuFeature(std::string_view name) {
  for (const CpuFeature &feature : features)
    if (feature.name == name)
      return &feature;
  return nullptr;
}

bool attnc::hasCpuFeature(std::string_view name) {
  const CpuFeature *feature = findCpuFeature(name);
  return feature && isThere(*feature);
}

std::string attnc::describeCpu() {
  std::string text;
#if defined(__x86_64__)
  // The maker's name and the model.
  for (unsigned leaf : {0U, 1U}) {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    __get_cpuid(leaf, &eax, &ebx, &ecx, &edx);
    text += std::to_string(eax) + " ";
    if (leaf == 0)
      text += std::to_string(ebx) + " " + std::to_string(ecx) + " " + std::to_string(edx) + " ";
  }
#endif
  for (std::string_view feature : getCpuFeatures())
    if (hasCpuFeature(feature))
      text += "+" + std::string(feature);
  return text;
}
