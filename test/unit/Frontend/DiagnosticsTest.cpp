//===- DiagnosticsTest.cpp - Messages as people and editors see them ------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/Frontend/SyntaxTree.h"
#include "llvm/Support/JSON.h"
#include <gtest/gtest.h>

using namespace attnc;
using namespace attnc::test;

namespace {
class DiagnosticsTest : public testing::Test {
protected:
  /// The range of `part` in a new file of `text`.
  SourceRange find(const std::string &text, llvm::StringRef part) {
    const SourceFile &file = sources.add("gemma2.attn", text);
    auto begin = static_cast<uint32_t>(file.getText().find(part));
    return file.getRange(begin, begin + static_cast<uint32_t>(part.size()));
  }
  std::string getText(bool colors = false) const {
    std::string text;
    llvm::raw_string_ostream os(text);
    diagnostics.printText(os, colors);
    return text;
  }
  std::string getJSON() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    diagnostics.printJSON(os);
    return text;
  }

  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
};
} // namespace

TEST_F(DiagnosticsTest, ShowsTheLineAndTheRange) {
  SourceRange range = find("def mask_mod(b, h, q_idx, kv_idx):\n"
                           "    return q_idx - kv_idx < windw\n",
                           "windw");
  llvm::LogicalResult result =
      diagnostics.report(range, DiagId::unknown_name, "windw").hint("did you mean `window`?");
  EXPECT_TRUE(failed(result));
  EXPECT_TRUE(diagnostics.hasErrors());
  EXPECT_EQ(getText(), "gemma2.attn:2:29: error: unknown name `windw`\n"
                       "    return q_idx - kv_idx < windw\n"
                       "                            ^~~~~ did you mean `window`?\n");
}

TEST_F(DiagnosticsTest, NotesAndFixIts) {
  SourceRange range = find("x = a & b % 2 == 0\n", "a & b % 2 == 0");
  diagnostics.reportOther(range, Severity::Error, "an int is mixed with a bool")
      .note(range, DiagId::first_parameter, "a")
      .fixIt("compare first",
             {{SourceRange{range.file, 8, 8}, "("}, {SourceRange{range.file, 18, 18}, ")"}});
  EXPECT_EQ(getText(), "gemma2.attn:1:5: error: an int is mixed with a bool\n"
                       "x = a & b % 2 == 0\n"
                       "    ^~~~~~~~~~~~~~\n"
                       "gemma2.attn:1:5: note: `a` is first declared here\n"
                       "x = a & b % 2 == 0\n"
                       "    ^~~~~~~~~~~~~~\n"
                       "  fix: compare first\n"
                       "x = a & (b % 2 == 0)\n"
                       "        +          +\n");
}

TEST_F(DiagnosticsTest, TabsAndWideCharactersKeepTheMarksInPlace) {
  diagnostics.reportOther(find("\tx = \"日本\" + é + bad", "bad"), Severity::Warning, "here");
  EXPECT_EQ(getText(), "gemma2.attn:1:17: warning: here\n"
                       "        x = \"日本\" + é + bad\n"
                       "                         ^~~\n");
}

TEST_F(DiagnosticsTest, WhatCannotBePrintedIsReplaced) {
  diagnostics.reportOther(find("a\x01\xff"
                               "b",
                               "b"),
                          Severity::Error, "got \x1b[0m");
  EXPECT_EQ(getText(), "gemma2.attn:1:4: error: got \xef\xbf\xbd[0m\n"
                       "a\xef\xbf\xbd\xef\xbf\xbd"
                       "b\n"
                       "   ^\n");
}

TEST_F(DiagnosticsTest, RangesOverSeveralLinesShowTheFirst) {
  diagnostics.reportOther(find("x = (a +\n  b)\n", "(a +\n  b)"), Severity::Error, "here");
  EXPECT_EQ(getText(), "gemma2.attn:1:5: error: here\nx = (a +\n    ^~~~\n");
  EXPECT_NE(getJSON().find("\"end_line\":2,\"end_column\":5"), std::string::npos);
}

TEST_F(DiagnosticsTest, EmptyRangesAndLineEnds) {
  const SourceFile &file = sources.add("f", "ab\r\n");
  diagnostics.reportOther(file.getRange(2, 2), Severity::Error, "line end");
  diagnostics.reportOther(file.getRange(4, 4), Severity::Error, "file end");
  diagnostics.reportOther(SourceRange(), Severity::Error, "no place").hint("but a hint");
  EXPECT_EQ(getText(), "error: no place\n"
                       "  but a hint\n"
                       "f:1:3: error: line end\nab\n  ^\n"
                       "f:2:1: error: file end\n\n^\n");
}

TEST_F(DiagnosticsTest, LongLinesAreCut) {
  std::string line = std::string(1000, 'a') + "bad" + std::string(1000, 'c');
  diagnostics.reportOther(find(line, "bad"), Severity::Error, "here");
  EXPECT_EQ(getText(), "gemma2.attn:1:1001: error: here\n..." + std::string(80, 'a') + "bad" +
                           std::string(157, 'c') + "...\n" + std::string(83, ' ') + "^~~\n");
}

TEST_F(DiagnosticsTest, SortedAndSaidOnce) {
  const SourceFile &file = sources.add("f", "a\nb\n");
  diagnostics.report(file.getRange(2, 3), DiagId::unknown_name, "b");
  diagnostics.report(file.getRange(0, 1), DiagId::unknown_name, "a");
  diagnostics.report(file.getRange(2, 3), DiagId::unknown_name, "b");
  EXPECT_EQ(getText(), "f:1:1: error: unknown name `a`\na\n^\n"
                       "f:2:1: error: unknown name `b`\nb\n^\n");
  EXPECT_TRUE(diagnostics.hasErrorIn(file.getRange(2, 4)));
  EXPECT_FALSE(diagnostics.hasErrorIn(file.getRange(1, 1)));
}

TEST_F(DiagnosticsTest, ManyErrorsAreCounted) {
  const SourceFile &file = sources.add("f", std::string(5000, 'a'));
  for (uint32_t i = 0; i < 5000; ++i)
    diagnostics.report(file.getRange(i, i + 1), DiagId::unknown_name, "a").hint("a hint");
  EXPECT_EQ(diagnostics.getNumErrors(), 5000u);
  std::string rendering = getText();
  llvm::StringRef text = rendering;
  EXPECT_TRUE(text.ends_with("... and 4980 more errors\n"));
  EXPECT_EQ(text.count(": error: "), 20u);
}

TEST_F(DiagnosticsTest, Colors) {
  diagnostics.reportOther(find("bad", "bad"), Severity::Error, "here");
  EXPECT_EQ(getText(/*colors=*/true),
            "\033[1mgemma2.attn:1:1: \033[1;31merror: \033[0m\033[1mhere\033[0m\n"
            "bad\n"
            "\033[1;32m^~~\033[0m\n");
}

TEST_F(DiagnosticsTest, JSON) {
  SourceRange range = find("é = windw", "windw");
  diagnostics.report(range, DiagId::unknown_name, "windw")
      .hint("did you mean `window`?")
      .note(range, DiagId::first_parameter, "a")
      .fixIt("write `window`", {{range, "window"}});
  EXPECT_EQ(getJSON(),
            R"({"file":"gemma2.attn","line":1,"column":5,"end_line":1,"end_column":10,)"
            R"("begin":5,"end":10,"severity":"error","id":"unknown_name",)"
            R"("message":"unknown name `windw`","hint":"did you mean `window`?","notes":[)"
            R"({"file":"gemma2.attn","line":1,"column":5,"end_line":1,"end_column":10,)"
            R"("begin":5,"end":10,"id":"first_parameter","message":"`a` is first declared here"}],)"
            R"("fixits":[{"title":"write `window`","edits":[)"
            R"({"file":"gemma2.attn","line":1,"column":5,"end_line":1,"end_column":10,)"
            R"("begin":5,"end":10,"text":"window"}]}]})"
            "\n");
}

TEST_F(DiagnosticsTest, JSONIsValidForAnyText) {
  diagnostics.reportOther(find("\xff\"\\\x01", "\""), Severity::Error, "got \xff\"\n");
  std::string text = getJSON();
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  EXPECT_TRUE(static_cast<bool>(value)) << text;
  llvm::consumeError(value.takeError());
}

TEST(Messages, ArgumentsAreFilledIn) {
  EXPECT_EQ(formatMessage("{1} and {0}, {} {a} {", {"a", "b"}), "b and a, {} {a} {");
  EXPECT_EQ(formatMessage("{0}", {std::string(200, 'x')}), std::string(120, 'x') + "...");
  EXPECT_EQ(toDiagnosticArgument(42), "42");
}

// The rules of docs/diagnostics.md that a machine can check.
TEST(Messages, Style) {
  for (unsigned i = 0; i < static_cast<unsigned>(DiagId::other); ++i) {
    llvm::StringRef text = getTemplate(static_cast<DiagId>(i));
    bool isCapital = !text.empty() && text.front() >= 'A' && text.front() <= 'Z';
    EXPECT_FALSE(text.empty() || isCapital) << text.str();
    EXPECT_FALSE(text.ends_with(".") || text.ends_with("!")) << text.str();
    EXPECT_FALSE(text.contains('"')) << text.str();
    EXPECT_EQ(text.count('`') % 2, 0u) << text.str();
  }
}
