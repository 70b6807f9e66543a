//===- HeaderTest.cpp - Tests of safetensors headers ------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/safetensors/Safetensors.h"
#include <gtest/gtest.h>
#include <random>

using namespace attnc;
using namespace attnc::safetensors;

/// The error for `text` in front of `dataBytes` bytes, or "" if it is accepted.
static std::string parse(std::string_view text, uint64_t dataBytes) {
  std::vector<Entry> entries;
  return parseHeader(text, dataBytes, entries).value_or("");
}

TEST(SafetensorsHeader, DescribesTensorsInOrder) {
  std::vector<Entry> entries;
  auto error = parseHeader(R"({"__metadata__": {"format": "pt"},
      "k": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [4, 16]},
      "q": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]},
      "none": {"dtype": "I64", "shape": [0, 9223372036854775807], "data_offsets": [16, 16]}})",
                           16, entries);
  ASSERT_FALSE(error) << *error;
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].name, "k");
  EXPECT_EQ(entries[0].getElementType(), ElementType::BF16);
  EXPECT_EQ(entries[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(entries[0].begin, 4U);
  EXPECT_EQ(entries[1].shape, std::vector<int64_t>());
}

TEST(SafetensorsHeader, AcceptsTypesThatKernelsDoNotTake) {
  std::vector<Entry> entries;
  ASSERT_FALSE(parseHeader(R"({"x": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]},
      "y": {"dtype": "F6_X", "shape": [3], "data_offsets": [8, 11]}})",
                           11, entries));
  EXPECT_FALSE(entries[0].getElementType());
  EXPECT_FALSE(entries[1].getElementType());
}

TEST(SafetensorsHeader, RejectsWhatIsNoHeader) {
  EXPECT_EQ(parse("", 0), "the header is no JSON text (at byte 1)");
  EXPECT_EQ(parse("{", 0), "the header is no JSON text (at byte 2)");
  EXPECT_EQ(parse("{} x", 0), "the header is no JSON text (at byte 4)");
  EXPECT_EQ(parse("[]", 0), "expected an object as header, got an array");
  EXPECT_EQ(parse("7", 0), "expected an object as header, got 7");
  EXPECT_EQ(parse(R"({"x": []})", 0), "`x`: expected an object, got an array");
  EXPECT_EQ(parse(R"({"x": null})", 0), "`x`: expected an object, got null");
  EXPECT_EQ(parse(R"({"__metadata__": "x"})", 0),
            "`__metadata__`: expected an object, got a string");
  EXPECT_EQ(parse(R"({"__metadata__": {"x": 1}})", 0), "`__metadata__`: expected strings, got 1");
}

TEST(SafetensorsHeader, RejectsIncompleteTensors) {
  EXPECT_EQ(parse(R"({"x": {"dtype": "F32", "shape": [1]}})", 4),
            "`x`: expected dtype, shape and two data_offsets");
  EXPECT_EQ(parse(R"({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0]}})", 4),
            "`x`: expected dtype, shape and two data_offsets");
  EXPECT_EQ(parse(R"({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4, 8]}})", 4),
            "`x`: expected two whole numbers as data_offsets, got 8");
  EXPECT_EQ(parse(R"({"x": {"dtype": 3}})", 4), "`x`: expected dtype to be a string, got 3");
  EXPECT_EQ(parse(R"({"x": {"shape": "3"}})", 4),
            "`x`: expected shape to be an array of whole numbers, got a string");
  EXPECT_EQ(parse(R"({"x": {"stride": 3}})", 4),
            "`x`: expected dtype, shape and data_offsets, got `stride`");
}

TEST(SafetensorsHeader, RejectsBadSizes) {
  auto withShape = [](const std::string &shape, const std::string &offsets = "[0, 4]") {
    return parse(R"({"x": {"dtype": "F32", "shape": )" + shape + R"(, "data_offsets": )" + offsets +
                     "}}",
                 4);
  };
  EXPECT_EQ(withShape("[1]"), "");
  EXPECT_EQ(withShape("[-1]"), "`x`: expected sizes of at least 0 as shape, got -1");
  EXPECT_EQ(withShape("[1.5]"), "`x`: expected sizes of at least 0 as shape, got 1.5");
  EXPECT_EQ(withShape("[[1]]"), "`x`: expected sizes of at least 0 as shape, got an array");
  EXPECT_EQ(withShape("[9223372036854775808]"),
            "`x`: expected sizes below 2^63, got 9223372036854775808");
  EXPECT_EQ(withShape("[4294967296, 4294967296]"), "`x`: its shape asks for more than 2^63 bytes");
  EXPECT_EQ(withShape("[2]"), "`x`: expected 8 bytes for its shape of F32, got 4");
  EXPECT_EQ(withShape("[1]", "[4, 0]"),
            "`x`: expected data_offsets in ascending order, got 4 to 0");
  EXPECT_EQ(withShape("[2]", "[0, 8]"),
            "`x`: its data stands at bytes 0 to 8, but the file holds only 4 bytes of data");
  EXPECT_EQ(withShape("[1]", "[18446744073709551612, 0]"),
            "`x`: expected data_offsets in ascending order, got 18446744073709551612 to 0");
}

TEST(SafetensorsHeader, RejectsDoubles) {
  EXPECT_EQ(parse(R"({"x": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]},
                      "x": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}})",
                  0),
            "`x` stands twice in the header");
  EXPECT_EQ(parse(R"({"x": {"dtype": "U8", "dtype": "I8"}})", 0), "`x`: dtype stands twice");
}

TEST(SafetensorsHeader, RejectsOverlapsAndGaps) {
  auto two = [](const std::string &x, const std::string &y) {
    return parse(R"({"x": {"dtype": "U8", "shape": [4], "data_offsets": )" + x +
                     R"(}, "y": {"dtype": "U8", "shape": [4], "data_offsets": )" + y + "}}",
                 8);
  };
  EXPECT_EQ(two("[4, 8]", "[0, 4]"), "");
  EXPECT_EQ(two("[0, 4]", "[3, 7]"), "the data of `y` overlaps that of `x`");
  EXPECT_EQ(two("[0, 4]", "[0, 4]"), "the data of `y` overlaps that of `x`");
  EXPECT_EQ(parse(R"({"x": {"dtype": "U8", "shape": [4], "data_offsets": [2, 6]}})", 6),
            "bytes 0 to 2 of the data belong to no tensor");
  EXPECT_EQ(parse(R"({"x": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}})", 6),
            "the last 2 bytes of the data belong to no tensor");
}

TEST(SafetensorsHeader, DeepNestingIsAnErrorLikeAnyOther) {
  EXPECT_EQ(parse(std::string(1'000'000, '['), 0), "expected an object as header, got an array");
}

TEST(SafetensorsHeader, NamesStayOnOneLine) {
  EXPECT_EQ(parse("{\"a\\n\\u0000b\": 1}", 0), "`a??b`: expected an object, got 1");
  EXPECT_EQ(parse("{\"" + std::string(5000, 'x') + "\": 1}", 0),
            "`" + std::string(100, 'x') + "...`: expected an object, got 1");
}

// Whatever a header turns into, what is accepted stays inside the data.
TEST(SafetensorsHeader, MutationsNeverEscapeTheData) {
  const std::string seed =
      R"({"__metadata__":{"a":"b"},"q":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
      R"("ids":{"dtype":"I64","shape":[],"data_offsets":[24,32]},)"
      R"("m":{"dtype":"BOOL","shape":[0,5],"data_offsets":[32,32]}})";
  const std::string alphabet = "{}[]\",:-+.eE0123456789FIBOLU_ \\un\xff\n";
  std::mt19937 random(7);
  auto pick = [&](size_t n) { return random() % n; };
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = seed;
    for (size_t edits = 1 + pick(3); edits > 0; --edits) {
      size_t at = pick(text.size());
      switch (pick(4)) {
      case 0:
        text[at] = alphabet[pick(alphabet.size())];
        break;
      case 1:
        text.insert(at, 1, alphabet[pick(alphabet.size())]);
        break;
      case 2:
        text.erase(at, 1 + pick(8));
        break;
      default:
        text.insert(at, text.substr(pick(text.size()), pick(60)));
        break;
      }
      if (text.empty())
        text = "{";
    }
    std::vector<Entry> entries;
    uint64_t dataBytes = 32;
    if (auto error = parseHeader(text, dataBytes, entries)) {
      EXPECT_NE(*error, "");
      EXPECT_EQ(error->find('\n'), std::string::npos);
      continue;
    }
    ++accepted;
    for (const Entry &entry : entries) {
      EXPECT_LE(entry.begin, entry.end);
      EXPECT_LE(entry.end, dataBytes);
    }
  }
  EXPECT_GT(accepted, 100);
}
