//===- TextMutationTest.cpp - No text breaks the parser, the decoder or the executor ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

// A short, repeatable replay of what the fuzzer does: the PTX files of the test tree, each changed
// at random from a fixed seed, loaded and run.

#include "EmulatorRun.h"
#include "runtime/emulator/fuzz/RunAnything.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace attnc::emu;

namespace {

std::vector<std::string> readCorpus() {
  std::vector<std::string> texts;
  std::vector<std::filesystem::path> paths;
  for (const char *folder : {"/test/emulator/ptx", "/test/emulator/cuda", "/test/emulator/Inputs"})
    if (std::filesystem::exists(std::string(ATTNC_SOURCE_DIR) + folder))
      for (const auto &entry :
           std::filesystem::directory_iterator(std::string(ATTNC_SOURCE_DIR) + folder))
        if (entry.path().extension() == ".ptx")
          paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto &path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  }
  return texts;
}

/// Changes a few places: cuts, repeats, swaps digits, inserts pieces of the language.
std::string mutate(std::string text, Random &random) {
  constexpr const char *pieces[] = {"{",
                                    "}",
                                    "[",
                                    "]",
                                    "(",
                                    ")",
                                    ";",
                                    ",",
                                    "@",
                                    "!",
                                    "|",
                                    "%",
                                    "%r1",
                                    "%rd1",
                                    "%p1",
                                    "-1",
                                    "0f",
                                    "0x",
                                    "99999999999",
                                    ".v4",
                                    ".u64",
                                    "ret;",
                                    "L:",
                                    "bra L;",
                                    "/*",
                                    "\"",
                                    "_",
                                    "%tid.x",
                                    ".reg",
                                    "exit;",
                                    "bar.sync 0;",
                                    "\n",
                                    "+4",
                                    ".sat",
                                    "trap;",
                                    "0d1",
                                    ".shared .b8 x[64];",
                                    "4294967295",
                                    "call.uni f;"};
  unsigned changes = 1 + random.below(4);
  for (unsigned i = 0; i < changes && !text.empty(); ++i) {
    size_t at = random.next() % text.size();
    size_t size = std::min<size_t>(random.below(30), text.size() - at);
    switch (random.below(5)) {
    case 0:
      text.erase(at, size);
      break;
    case 1:
      text.insert(at, pieces[random.below(std::size(pieces))]);
      break;
    case 2:
      text.insert(random.next() % text.size(), text.substr(at, size));
      break;
    case 3: {
      size_t digit = text.find_first_of("0123456789", at);
      if (digit != std::string::npos)
        text[digit] = static_cast<char>('0' + random.below(10));
      break;
    }
    default:
      text[at] = static_cast<char>(random.below(256));
      break;
    }
  }
  return text;
}

TEST(TextMutation, anyTextIsRejectedWithAMessageOrRuns) {
  std::vector<std::string> corpus = readCorpus();
  ASSERT_FALSE(corpus.empty());
  Random random(3);
  unsigned loaded = 0;
  for (const std::string &text : corpus) {
    for (unsigned i = 0; i < 60; ++i) {
      Outcome outcome = runAnything(mutate(text, random));
      ASSERT_NE(outcome, Outcome::RejectedWithoutMessage);
      loaded += outcome == Outcome::Loaded;
    }
  }
  EXPECT_GT(loaded, 0u);
}

} // namespace
