//===- CpuFeaturesTest.cpp - Tests of what CPUs have ------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/CpuFeatures.h"
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace attnc;

TEST(CpuFeatures, NamesAreThereOnce) {
  std::vector<std::string_view> names = getCpuFeatures();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_FALSE(hasCpuFeature("never-heard-of"));
  EXPECT_FALSE(hasCpuFeature(""));
}

#if defined(__x86_64__)
// What the system says of its CPU, in its own names.
TEST(CpuFeatures, AgreeWithTheSystem) {
  std::ifstream file("/proc/cpuinfo");
  std::string line, flags;
  while (std::getline(file, line))
    if (line.rfind("flags", 0) == 0)
      flags = line + " ";
  if (flags.empty())
    GTEST_SKIP() << "no flags in /proc/cpuinfo";
  const std::pair<const char *, const char *> names[] = {
      {"sse3", " pni "},          {"ssse3", " ssse3 "},       {"sse4.1", " sse4_1 "},
      {"sse4.2", " sse4_2 "},     {"popcnt", " popcnt "},     {"avx", " avx "},
      {"f16c", " f16c "},         {"fma", " fma "},           {"avx2", " avx2 "},
      {"bmi", " bmi1 "},          {"bmi2", " bmi2 "},         {"lzcnt", " abm "},
      {"avx512f", " avx512f "},   {"avx512bw", " avx512bw "}, {"avx512vl", " avx512vl "},
      {"avx512dq", " avx512dq "}, {"avx512cd", " avx512cd "}, {"avx512bf16", " avx512_bf16 "},
      {"gfni", " gfni "},         {"vaes", " vaes "},         {"avx512vnni", " avx512_vnni "},
      {"amx-tile", " amx_tile "}, {"movbe", " movbe "},       {"avx512fp16", " avx512_fp16 "}};
  for (auto [name, flag] : names)
    EXPECT_EQ(hasCpuFeature(name), flags.find(flag) != std::string::npos) << name;
}
#endif
