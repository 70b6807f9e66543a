//===- LexerTest.cpp - Tokens, lines and indentation ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Lexer.h"
#include "compiler/Frontend/Literals.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace attnc;

/// The tokens of `text` separated by blanks: their text, or the names of those without; then the
/// errors.
static std::string lexAll(std::string text) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  const SourceFile &file = sources.add("t", std::move(text));
  std::string result;
  llvm::raw_string_ostream os(result);
  for (const Token &token : lex(file, diagnostics).tokens) {
    switch (token.kind) {
    case Token::Kind::newline:
      os << "NL ";
      break;
    case Token::Kind::indent:
      os << "> ";
      break;
    case Token::Kind::dedent:
      os << "< ";
      break;
    case Token::Kind::error:
      os << "ERROR ";
      break;
    case Token::Kind::end_of_file:
      break;
    default:
      os << file.getText().slice(token.begin, token.end) << ' ';
    }
  }
  for (const Diagnostic *diagnostic : diagnostics.getSorted())
    os << diagnostic->range.begin << ':' << getName(diagnostic->id) << ' ';
  return llvm::StringRef(result).rtrim().str();
}

TEST(Lexer, Indentation) {
  EXPECT_EQ(lexAll("a\n  b\n    c\n  d\ne\n"), "a NL > b NL > c NL < d NL < e NL");
  EXPECT_EQ(lexAll("a\n  b\n    c"), "a NL > b NL > c NL < <");
  EXPECT_EQ(lexAll("a\n\tb\n\t c\n\td\n"), "a NL > b NL > c NL < d NL <");
  EXPECT_EQ(lexAll("a\n\n  # comment\n   \n\f\nb # end"), "a NL b NL");
}

TEST(Lexer, InconsistentIndentation) {
  EXPECT_EQ(lexAll("a\n\tb\n        c\n"), "a NL > b NL ERROR c NL < 5:inconsistent_tabs");
  EXPECT_EQ(lexAll("a\n        b\n\tc\n\td\n"),
            "a NL > b NL ERROR c NL ERROR d NL < 12:inconsistent_tabs");
  EXPECT_EQ(lexAll("a\n    b\n  c\n  d\ne\n"),
            "a NL > b NL c NL d NL < e NL 8:dedent_matches_nothing");
}

TEST(Lexer, TooManyIndents) {
  std::string text;
  for (unsigned i = 0; i < 103; ++i)
    text += std::string(i, ' ') + "a\n";
  std::string tokens = lexAll(text);
  EXPECT_NE(tokens.find("ERROR a NL ERROR a NL < <"), tokens.npos);
  EXPECT_NE(tokens.find("too_many_indents"), tokens.npos);
}

TEST(Lexer, LinesAreJoined) {
  EXPECT_EQ(lexAll("f(a,\nb,  # comment\n\n  c)\n  \\\n d"), "f ( a , b , c ) NL > d NL <");
  EXPECT_EQ(lexAll("a + \\\r\n  b\r\nc\rd"), "a + b NL c NL d NL");
  EXPECT_EQ(lexAll("a \\ b"), "a ERROR b NL 2:stray_backslash");
  EXPECT_EQ(lexAll("a \\"), "a ERROR NL 2:stray_backslash");
}

TEST(Lexer, UnclosedBrackets) {
  EXPECT_EQ(lexAll("f(a,\n\ndef g"), "f ( a , ERROR NL def g NL 1:unclosed_bracket");
  EXPECT_EQ(lexAll("def f(a,\n  return b"),
            "def f ( a , ERROR NL > return b NL < 5:unclosed_bracket");
  EXPECT_EQ(lexAll("(["), "( [ ERROR NL 0:unclosed_bracket");
  EXPECT_EQ(lexAll("a) b"), "a ) b NL");
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(lexAll("0 00 1_000 0x_fF 0b10 0o17 1. .5 1.5e-3 1E5 1_0.0_1 9.e1"),
            "0 00 1_000 0x_fF 0b10 0o17 1. .5 1.5e-3 1E5 1_0.0_1 9.e1 NL");
  EXPECT_EQ(lexAll("1..real 1.5.a"), "1. . real 1.5 . a NL");
}

TEST(Lexer, InvalidNumbers) {
  for (const char *text : {"012", "0x", "0xg", "0b2", "0o8", "1__0", "1_", "12abc", "0b", "1.5.5x"})
    EXPECT_NE(lexAll(text).find("invalid_number"), std::string::npos) << text;
  EXPECT_EQ(lexAll("1j 2.5J"), "ERROR ERROR NL 0:complex_number 3:complex_number");
  EXPECT_EQ(lexAll(std::string(1001, '1')), "ERROR NL 0:number_too_long");
}

TEST(Lexer, Strings) {
  EXPECT_EQ(lexAll("'a' \"b'\" '''c\n'd''' rb'e\\'' F\"f\" ''"),
            "'a' \"b'\" '''c\n'd''' rb'e\\'' F\"f\" '' NL");
  EXPECT_EQ(lexAll("'a\nb"), "ERROR NL b NL 0:unclosed_string");
  EXPECT_EQ(lexAll("x = '''a\nb"), "x = ERROR NL 4:unclosed_string");
  EXPECT_EQ(lexAll("'a\\"), "ERROR NL 0:unclosed_string");
  EXPECT_EQ(lexAll("fur'a'"), "fur 'a' NL");
}

TEST(Lexer, Operators) {
  EXPECT_EQ(lexAll("a**=b//c<<=d->e:=...!=f"), "a **= b // c <<= d -> e := ... != f NL");
  EXPECT_EQ(lexAll("a && b || !c"), "a ERROR b ERROR ERROR c NL 2:unexpected_character "
                                    "7:unexpected_character 10:unexpected_character");
  EXPECT_EQ(lexAll("a ?? $"), "a ERROR ERROR NL 2:unexpected_character 5:unexpected_character");
}

TEST(Lexer, WhatIsNoText) {
  EXPECT_EQ(lexAll("\xef\xbb\xbf"
                   "a"),
            "a NL");
  EXPECT_EQ(lexAll(std::string("a\0b", 3)), "1:null_byte");
  EXPECT_EQ(lexAll("a # \xc3"), "4:invalid_utf8");
  EXPECT_EQ(lexAll("\xff\xfe"
                   "a"),
            "0:invalid_utf8");
  EXPECT_EQ(lexAll("'\xed\xa0\x80'"), "1:invalid_utf8");
  EXPECT_EQ(lexAll("é"), "ERROR NL 0:unexpected_character");
  EXPECT_EQ(lexAll(""), "");
}

TEST(Literals, Integers) {
  EXPECT_EQ(getIntegerValue("0"), 0u);
  EXPECT_EQ(getIntegerValue("1_000"), 1000u);
  EXPECT_EQ(getIntegerValue("0xfF"), 255u);
  EXPECT_EQ(getIntegerValue("0b101"), 5u);
  EXPECT_EQ(getIntegerValue("0O17"), 15u);
  EXPECT_EQ(getIntegerValue("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(getIntegerValue("18446744073709551616"), std::nullopt);
}

TEST(Literals, Floats) {
  EXPECT_EQ(getFloatValue("1."), 1.0);
  EXPECT_EQ(getFloatValue(".5"), 0.5);
  EXPECT_EQ(getFloatValue("1_0.2_5e1_0"), 10.25e10);
  EXPECT_EQ(getFloatValue("0.1"), 0.1);
  EXPECT_TRUE(std::isinf(getFloatValue("1e400")));
  EXPECT_EQ(getFloatValue("1e-400"), 0.0);
}

TEST(Literals, Strings) {
  auto getText = [](llvm::StringRef spelling) { return getStringValue(spelling).text; };
  EXPECT_EQ(getText("'a\\tb\\n\\\\\\''"), "a\tb\n\\'");
  EXPECT_EQ(getText("\"\\x41\\u00e9\\101\\0\""), std::string("A\xc3\xa9"
                                                             "A\0",
                                                             5));
  EXPECT_EQ(getText("r'\\n'"), "\\n");
  EXPECT_EQ(getText("'\\d\\\n'"), "\\d");
  EXPECT_EQ(getText("'''a\r\nb\\\r\nc'''"), "a\nbc");
  EXPECT_EQ(getText("''"), "");
  EXPECT_TRUE(getStringValue("rf'x'").isFormat);
  EXPECT_EQ(getStringValue("'a\\x4'").invalidEscape, "\\x4");
  EXPECT_EQ(getStringValue("'\\U00110000'").invalidEscape, "\\U00110000");
  EXPECT_EQ(getStringValue("'\\ud800'").invalidEscape, "\\ud800");
}

TEST(Literals, QuotedStringsHaveTheirValue) {
  for (llvm::StringRef text : {"", "a\"b'c\\d\n\t\x01\x7f", "\xc3\xa9{x}", "\r"}) {
    EXPECT_EQ(getStringValue(quote(text, false)).text, text);
    EXPECT_TRUE(getStringValue(quote(text, true)).isFormat);
  }
}
