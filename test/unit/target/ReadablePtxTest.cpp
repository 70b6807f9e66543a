//===- ReadablePtxTest.cpp - Tests of the PTX for people --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Ptx/ReadablePtx.h"
#include "compiler/Target/Ptx/SourceLocations.h"
#include "gtest/gtest.h"

using namespace attnc;

namespace {
class ReadablePtx : public testing::Test {
protected:
  ReadablePtx() { form.phases = {"", "load", "score", "mask"}; }

  /// `count` instructions at line 7, column 3 in `phase`.
  static std::string makeRun(unsigned phase, int count) {
    std::string text = "\t.loc\t1 7 " + std::to_string(PhaseColumn::encode(phase, 3)) + "\n";
    for (int i = 0; i < count; ++i)
      text += "\tadd.s32 \t%r1, %r1, 1;\n";
    return text;
  }

  std::string writeParts(const std::vector<std::string> &parts) const {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeReadablePtx(parts, form, os);
    return text;
  }

  /// What becomes of the lines of a function.
  std::string write(const std::string &ptx) const {
    const std::string start = ".func f()\n", text = writeParts({start + ptx});
    EXPECT_EQ(text.substr(0, start.size() + 1), "\n" + start);
    return text.substr(start.size() + 1);
  }

  /// The text without instructions.
  std::string getComments(const std::string &ptx) const {
    std::string rest, text = write(ptx);
    for (size_t begin = 0; begin < text.size();) {
      size_t end = text.find('\n', begin) + 1;
      std::string line = text.substr(begin, end - begin);
      if (line.find("add.s32") == std::string::npos)
        rest += line;
      begin = end;
    }
    return rest;
  }

  ReadableForm form;
};
} // namespace

TEST_F(ReadablePtx, CommentsWherePhasesBegin) {
  EXPECT_EQ(getComments(makeRun(1, 20) + makeRun(2, 20) + makeRun(2, 20) + makeRun(1, 20)),
            "\t// load\n\t// score\n\t// load\n");
}

TEST_F(ReadablePtx, NamesPhasesThatTakeTurnsOnce) {
  std::string pairs;
  for (int i = 0; i < 10; ++i)
    pairs += makeRun(2, 3) + makeRun(3, 4);
  EXPECT_EQ(getComments(makeRun(1, 20) + pairs + makeRun(1, 20)),
            "\t// load\n\t// score, mask\n\t// load\n");
}

TEST_F(ReadablePtx, LeavesInstructionsWithoutAPhaseToTheOneBefore) {
  EXPECT_EQ(getComments(makeRun(0, 20) + makeRun(1, 20) + makeRun(0, 20) + makeRun(1, 20)),
            "\t// load\n");
}

TEST_F(ReadablePtx, StartsAnewInEachFunction) {
  EXPECT_EQ(getComments(makeRun(1, 20) + "}\n" + makeRun(0, 20) + "}\n" + makeRun(1, 20)),
            "\t// load\n}\n}\n\t// load\n");
}

TEST_F(ReadablePtx, KeepsLinesIfAsked) {
  form.lineInfo = true;
  EXPECT_EQ(getComments(makeRun(1, 20) + makeRun(2, 20) + "\t.loc\t1 0 0\n\t.file\t1 \"a.attn\"\n"),
            "\t.loc\t1 7 3\n\t// load\n\t// score\n\t.file\t1 \"a.attn\"\n");
}

TEST_F(ReadablePtx, DropsWhatOnlyLocationsNeed) {
  EXPECT_EQ(
      write(
          "$L__tmp4:\n$L__func_begin0:\n\t// begin inline asm\n\tret;\n\t// end inline asm\n"
          "$L__func_end0:\n\t.section\t.debug_macinfo\t{\t}\n\t.file\t1 \"a.attn\"\n$L__BB0_1:\n"),
      "\tret;\n$L__BB0_1:\n");
}

TEST_F(ReadablePtx, NamesParameters) {
  form.parameters["f_param_1"] = {"rows", {}};
  form.parameters["f_param_0"] = {"arguments", {"B", "Hq"}};
  EXPECT_EQ(write("\t.param .align 8 .b8 f_param_0[16],\n\tld.param.b64 \t%rd1, [f_param_0+8];\n"
                  "\tld.param.b64 \t%rd1, [f_param_0];\n\tld.param.b64 \t%rd1, [f_param_0+16];\n"
                  "\tld.param.b32 \t%r1, [f_param_1];\n\tld.param.b32 \t%r1, [f_param_10];\n"),
            "\t.param .align 8 .b8 arguments[16],\n\tld.param.b64\t%rd1, [arguments+8]; // Hq\n"
            "\tld.param.b64\t%rd1, [arguments]; // B\n\tld.param.b64\t%rd1, [arguments+16];\n"
            "\tld.param.b32\t%r1, [rows];\n\tld.param.b32\t%r1, [f_param_10];\n");
}

TEST_F(ReadablePtx, WritesAnInstructionInALine) {
  EXPECT_EQ(write("\tmma.sync\n\t\t{%r1, %r2},\n\t\t{%r3, %r4},\n\t\t{%r5};\n\tret;\n"),
            "\tmma.sync {%r1,%r2}, {%r3,%r4}, {%r5};\n\tret;\n");
}

TEST_F(ReadablePtx, WritesPartsAsOneFile) {
  form.lineInfo = true;
  auto makePart = [](const std::string &name, const std::string &global, const char *file) {
    return "//\n// by LLVM\n//\n\n.version 8.0\n.target sm_80\n\n.extern .shared .b8 s[];\n" +
           global + "\n.func " + name + "()\n{\n$L__BB0_1:\n\t.loc\t1 7 3\n\t{ // callseq 0, 0\n" +
           "\t} // callseq 0\n\tbra.uni \t$L__BB0_1;\n}\n\t.file\t1 \"" + file + "\"\n";
  };
  std::string once = makePart("h", "", "b.attn"),
              first = makePart("f", ".global .u64 z;\n", "a.attn");
  auto getFunction = [](const std::string &name, int number, int file) {
    std::string label = "$L__BB" + std::to_string(number) + "_1";
    return ".func " + name + "()\n{\n" + label + ":\n\t.loc\t" + std::to_string(file) +
           " 7 3\n\t{\n\t}\n\tbra.uni\t" + label + ";\n}\n";
  };
  EXPECT_EQ(writeParts({first, makePart("g", ".global .u64 y;\n", "a.attn"), once}),
            "//\n// by LLVM\n//\n.version 8.0\n.target sm_80\n.extern .shared .b8 s[];\n"
            ".global .u64 z;\n.global .u64 y;\n\n" +
                getFunction("f", 0, 1) + getFunction("g", 1, 1) + getFunction("h", 2, 2) +
                "\t.file\t1 \"a.attn\"\n\t.file\t2 \"b.attn\"\n");
}

TEST(PhaseColumn, HoldsAPhaseAndAColumn) {
  unsigned encoded = PhaseColumn::encode(31, 2047);
  EXPECT_LT(encoded, 1U << 16);
  EXPECT_EQ(PhaseColumn::getPhase(encoded), 31U);
  EXPECT_EQ(PhaseColumn::getColumn(encoded), 2047U);
  EXPECT_EQ(PhaseColumn::getColumn(PhaseColumn::encode(1, 2048)), 0U);
}
