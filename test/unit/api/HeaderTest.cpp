//===- HeaderTest.cpp - Tests of the headers by themselves ----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/attnc.hpp"
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

extern "C" uint32_t getAbiVersion();
attnc_status_t openNothing();

static std::string readFile(const char *path) {
  std::ifstream file(std::string(ATTNC_SOURCE_DIR) + "/" + path);
  std::stringstream stream;
  stream << file.rdbuf();
  return stream.str();
}

static std::set<std::string> findAll(const std::string &text, const char *pattern) {
  std::set<std::string> found;
  std::regex regex(pattern);
  for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i)
    found.insert((*i)[1]);
  return found;
}

TEST(Header, WorksInStrictLanguages) {
  EXPECT_EQ(getAbiVersion(), static_cast<uint32_t>(ATTNC_ABI_VERSION));
  EXPECT_EQ(openNothing(), ATTNC_INVALID_ARGUMENT);
}

TEST(Header, VersionAndStatuses) {
  EXPECT_TRUE(std::regex_match(attnc_version(), std::regex("\\d+\\.\\d+\\.\\d+")));
  EXPECT_STREQ(attnc_status_name(ATTNC_OK), "ATTNC_OK");
  EXPECT_STREQ(attnc_status_name(ATTNC_INTERNAL), "ATTNC_INTERNAL");
  EXPECT_EQ(attnc_status_name(1000), nullptr);
}

// What the library shows is what the header has.
TEST(Header, ExportsAreTheFunctionsOfTheHeader) {
  std::set<std::string> functions = findAll(readFile("runtime/include/attnc/attnc.h"),
                                            "(?:ATTNC_API|\n)[^\n]*\\b(attnc_\\w+)\\(");
  std::set<std::string> exported =
      findAll(readFile("runtime/api/exports.map"), "    (attnc_\\w+);");
  EXPECT_GT(functions.size(), 20u);
  EXPECT_EQ(functions, exported);
}
