//===- SourceFileTest.cpp - Lines, columns and bytes ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/SourceFile.h"
#include <gtest/gtest.h>

using namespace attnc;

TEST(SourceFile, LinesEndInThreeWays) {
  SourceFile file("f", "a\nbc\r\nd\re");
  ASSERT_EQ(file.getNumLines(), 4u);
  EXPECT_EQ(file.getLine(1).text(), "a");
  EXPECT_EQ(file.getLine(2).text(), "bc");
  EXPECT_EQ(file.getLine(3).text(), "d");
  EXPECT_EQ(file.getLine(4).text(), "e");
  EXPECT_EQ(file.getLineNumber(0), 1u);
  EXPECT_EQ(file.getLineNumber(1), 1u);
  EXPECT_EQ(file.getLineNumber(2), 2u);
  EXPECT_EQ(file.getLineNumber(static_cast<uint32_t>(file.getText().size())), 4u);
}

TEST(SourceFile, EmptyTextHasOneLine) {
  SourceFile file("f", "");
  EXPECT_EQ(file.getNumLines(), 1u);
  EXPECT_EQ(file.getLineColumn(0), (LineColumn{1, 1}));
}

// Columns count characters: one for a sequence of UTF-8, one for a byte that belongs to none.
TEST(SourceFile, ColumnsCountCharacters) {
  SourceFile file("f", "x\n\té→b\xff"
                       "c");
  EXPECT_EQ(file.getLineColumn(2), (LineColumn{2, 1}));
  EXPECT_EQ(file.getLineColumn(3), (LineColumn{2, 2}));
  EXPECT_EQ(file.getLineColumn(5), (LineColumn{2, 3}));
  EXPECT_EQ(file.getLineColumn(8), (LineColumn{2, 4}));
  EXPECT_EQ(file.getLineColumn(10), (LineColumn{2, 6}));
  for (uint32_t offset : {0, 1, 2, 3, 5, 8, 9, 10, 11})
    EXPECT_EQ(file.getOffset(file.getLineColumn(offset)), offset);
}

// So they do far into a long line, wherever characters begin.
TEST(SourceFile, ColumnsInLongLines) {
  for (unsigned shift : {0u, 1u, 2u, 3u}) {
    std::string text = "é\n" + std::string(shift, 'a');
    std::vector<std::pair<uint32_t, unsigned>> places;
    unsigned column = shift + 1;
    for (unsigned i = 0; i < 1000; ++i) {
      for (const char *character : {"b", "é", "→", "\U0001F600", "\xff"}) {
        places.emplace_back(static_cast<uint32_t>(text.size()), column++);
        text += character;
      }
    }
    SourceFile file("f", text);
    for (auto [offset, expected] : places)
      ASSERT_EQ(file.getLineColumn(offset), (LineColumn{2, expected})) << offset;
  }
}

TEST(SourceFile, PlacesOutsideAreTheNearest) {
  SourceFile file("f", "ab\ncd");
  EXPECT_EQ(file.getOffset({1, 99}), 2u);
  EXPECT_EQ(file.getOffset({99, 1}), 3u);
  EXPECT_EQ(file.getOffset({0, 0}), 0u);
}

TEST(SourceManager, FindsRangesByName) {
  SourceManager sources;
  const SourceFile &first = sources.add("a.attn", "x = 1\ny = 2\n");
  const SourceFile &second = sources.add("b.attn", "z");
  EXPECT_EQ(sources.find("a.attn"), &first);
  EXPECT_EQ(sources.find("c.attn"), nullptr);
  EXPECT_EQ(sources.getOrder(&second), 1u);
  EXPECT_EQ(sources.getRange("a.attn", {2, 5}, {2, 6}).text(), "2");
  EXPECT_FALSE(sources.getRange("c.attn", {1, 1}, {1, 2}).isValid());
}

TEST(SourceRange, CoversBoth) {
  SourceFile file("f", "abcdef");
  EXPECT_EQ(file.getRange(1, 2).to(file.getRange(4, 5)).text(), "bcde");
  EXPECT_EQ(file.getRange(4, 5).to(file.getRange(1, 2)).text(), "bcde");
  EXPECT_EQ(SourceRange().to(file.getRange(1, 2)).text(), "b");
  EXPECT_EQ(file.getRange(1, 3).beginning(), file.getRange(1, 1));
  EXPECT_EQ(file.getRange(1, 3).ending(), file.getRange(3, 3));
}
