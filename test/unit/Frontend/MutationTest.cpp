//===- MutationTest.cpp - No input breaks the parser ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// A short, repeatable replay of what the fuzzer does: the files of the test tree, each changed at
// random from a fixed seed.
//
//===------------------------------------------------------------------------===//

#include "test/unit/Frontend/Mutator.h"
#include "test/unit/Frontend/SyntaxTree.h"
#include <gtest/gtest.h>

using namespace attnc::test;

static constexpr unsigned mutationsPerFile = 40;

TEST(Mutation, ParserStandsAnyText) {
  std::vector<std::string> corpus;
  for (const std::string &file : findVariants("test"))
    corpus.push_back(readFile(file));
  ASSERT_FALSE(corpus.empty());
  Mutator mutator(corpus);
  unsigned sound = 0;
  for (const std::string &text : corpus) {
    for (unsigned i = 0; i < mutationsPerFile; ++i) {
      std::string mutated = mutator.mutate(text);
      Parsed parsed(mutated);
      if (parsed.diagnostics.hasErrors()) {
        EXPECT_FALSE(parsed.getErrors().empty());
        continue;
      }
      ++sound;
      Parsed again(parsed.print());
      EXPECT_EQ(again.getErrors(), "") << mutated;
      EXPECT_EQ(again.dump(), parsed.dump()) << mutated;
    }
  }
  EXPECT_GT(sound, 0u);
}
