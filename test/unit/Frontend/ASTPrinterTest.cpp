//===- ASTPrinterTest.cpp - The printed tree parses back ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/Frontend/SyntaxTree.h"
#include <gtest/gtest.h>

using namespace attnc::test;

/// Expects that `text` has no errors, that its print has the same tree and that it prints itself.
static void expectRoundTrip(const std::string &text, const std::string &name = "test.attn") {
  Parsed first(text, name);
  ASSERT_EQ(first.getErrors(), "");
  Parsed second(first.print());
  EXPECT_EQ(second.getErrors(), "") << first.print();
  EXPECT_EQ(second.dump(), first.dump()) << first.print();
  EXPECT_EQ(second.print(), first.print());
}

TEST(ASTPrinter, GoldenVariants) {
  std::vector<std::string> files = findVariants("test/goldens");
  ASSERT_GT(files.size(), 70u);
  for (const std::string &file : files)
    expectRoundTrip(readFile(file), file);
}

TEST(ASTPrinter, Canonical) {
  EXPECT_EQ(Parsed("import torch\n"
                   "from typing import (Callable, Any as A,)\n"
                   "t : f32 [Hq,Q+KV-1]\n"
                   "pos:i32[]=[1,2]\n"
                   "x=y=(1,)\n"
                   "def f(a,b:int=3,*rest,c=None)->bool:\n"
                   "  '''Doc \"quoted\"\n  more.'''\n"
                   "  if a : return True\n"
                   "  elif b:\n"
                   "    a,b=b,a; a+=1\n"
                   "  else:\n"
                   "    pass\n"
                   "  for i,(j,k) in enumerate(rest): raise ValueError(f'{i}') from None\n"
                   "  assert a<b, 'message'\n"
                   "  f.__name__=f\"g{a}\"\n"
                   "  return lambda q,*,k=1:rest[1:][0](q,*rest,k=k)\n")
                .print(),
            "import torch\n"
            "from typing import Callable, Any as A\n"
            "t: f32[Hq, Q + KV - 1]\n"
            "pos: i32[] = [1, 2]\n"
            "x = y = (1,)\n"
            "\n"
            "def f(a, b: int = 3, *rest, c=None) -> bool:\n"
            "    \"Doc \\\"quoted\\\"\\n  more.\"\n"
            "    if a:\n"
            "        return True\n"
            "    elif b:\n"
            "        (a, b) = (b, a)\n"
            "        a += 1\n"
            "    else:\n"
            "        pass\n"
            "    for (i, (j, k)) in enumerate(rest):\n"
            "        raise ValueError(f\"{i}\") from None\n"
            "    assert a < b, \"message\"\n"
            "    f.__name__ = f\"g{a}\"\n"
            "    return lambda q, *, k=1: rest[1:][0](q, *rest, k=k)\n");
}

TEST(ASTPrinter, ParenthesesOnlyWhereNeeded) {
  EXPECT_EQ(Parsed("((a + b)) * (c) - (d - e)").print(), "(a + b) * c - (d - e)\n");
  EXPECT_EQ(Parsed("(a ** b) ** (c ** d)").print(), "(a ** b) ** c ** d\n");
  EXPECT_EQ(Parsed("(-a) ** -b, -(a ** b)").print(), "((-a) ** -b, -a ** b)\n");
  EXPECT_EQ(Parsed("(a == b) == c, a == (b == c), a == b == c").print(),
            "((a == b) == c, a == (b == c), a == b == c)\n");
  EXPECT_EQ(Parsed("not (a and b), (not a) and b, -(not a)").print(),
            "(not (a and b), not a and b, -(not a))\n");
  EXPECT_EQ(Parsed("(a or b) or c, a or b or c").print(), "((a or b) or c, a or b or c)\n");
  EXPECT_EQ(Parsed("(a if b else c) if (d if e else f) else (lambda: g)").print(),
            "(a if b else c) if (d if e else f) else lambda: g\n");
  EXPECT_EQ(Parsed("(lambda: a)(b), (a + b).c, (1).d, 1.5.d, (a, b)[0]").print(),
            "((lambda: a)(b), (a + b).c, (1).d, 1.5.d, (a, b)[0])\n");
}

TEST(ASTPrinter, RoundTrips) {
  for (const char *text : {"a & b % 2 == 0",
                           "~a | b ^ c << 1 + 2",
                           "a[(1, 2)], a[1, 2], a[1:2:3, ::, 4:]",
                           "1e999, 1e-320, 0.1, 1e22, 123456789.0, 5.",
                           "18446744073709551615, 0xff, 0b11, 0o17",
                           "'a\\tb\\\\\\'\"\\x41\\u00e9\\n' f'{x!r}' r'\\d'",
                           "x = lambda a, /, b, *c, d: ...",
                           "def f(a, b, /, *, c: 'str | None' = None): ...",
                           "a is not b is c not in d in e",
                           "f(*a, b, c=d, **e)",
                           "def f():\n '''doc'''\n",
                           "'module'\n'second'\n",
                           "def f():\n  f'no docstring'\n  'nor this'\n",
                           "if a: pass\nelif b: pass\nelif c: pass\n",
                           "(a.b, (c, d)), e = x",
                           "for x, in y: pass",
                           "from torch.nn import *",
                           "raise",
                           "x: int",
                           "a if b else c if d else e",
                           "not not a",
                           "- - + ~a",
                           "a @ b"})
    expectRoundTrip(text);
}
