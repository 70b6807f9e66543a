//===- JsonValueTest.cpp - Tests of reading JSON ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/JsonValue.h"
#include <gtest/gtest.h>

using namespace attnc;

static std::string reprint(std::string_view text) {
  JsonValue value;
  std::optional<std::string> error = JsonValue::parse(text, value);
  return error ? *error : value.print();
}

TEST(JsonValue, PrintsWhatItHasRead) {
  for (const char *text :
       {"null", "true", "false", "0", "-7", "18446744073709551615", "1.5", "\"a\\n\\\"b\\\"\"",
        "[]", "{}", "[1,[2,{}],\"x\"]", R"({"a":{"b":[null,-1.5]},"c":""})"})
    EXPECT_EQ(reprint(text), text);
  EXPECT_EQ(reprint(" [ 1 , 2 ] "), "[1,2]");
  for (const char *text : {"", "{", "[1,]", "tru", "{\"a\" 1}", "1 2", "\"\xff\""})
    EXPECT_EQ(reprint(text), "expected JSON") << text;
}

TEST(JsonValue, Numbers) {
  auto parse = [](const char *text) {
    JsonValue value;
    EXPECT_EQ(JsonValue::parse(text, value), std::nullopt);
    return value;
  };
  EXPECT_EQ(parse("9223372036854775807").getInt(), INT64_MAX);
  EXPECT_EQ(parse("-9223372036854775808").getInt(), INT64_MIN);
  EXPECT_EQ(parse("9223372036854775808").getInt(), std::nullopt);
  EXPECT_EQ(parse("1.0").getInt(), std::nullopt);
  EXPECT_EQ(parse("true").getInt(), std::nullopt);
  EXPECT_EQ(parse("0.125").getFloat(), 0.125f);
  EXPECT_EQ(parse("-3").getFloat(), -3.0f);
  EXPECT_EQ(parse("3").getFloat(), 3.0f);
}

// As other readers have it, the last of several members with one name counts.
TEST(JsonValue, Members) {
  JsonValue value;
  ASSERT_EQ(JsonValue::parse(R"({"a":1,"b":2,"a":3})", value), std::nullopt);
  ASSERT_NE(value.find("a"), nullptr);
  EXPECT_EQ(value.find("a")->getInt(), 3);
  EXPECT_EQ(value.find("b")->getInt(), 2);
  EXPECT_EQ(value.find("c"), nullptr);
  EXPECT_EQ(value.find("a")->find("b"), nullptr);
}
