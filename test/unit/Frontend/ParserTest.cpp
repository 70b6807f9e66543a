//===- ParserTest.cpp - Trees and recovery --------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/Frontend/SyntaxTree.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace attnc;
using namespace attnc::ast;
using namespace attnc::test;

/// The lines and names of the errors in `text`.
static std::string getErrorIds(std::string text) {
  Parsed parsed(std::move(text));
  std::string result;
  for (const Diagnostic *diagnostic : parsed.diagnostics.getSorted()) {
    LineColumn place = diagnostic->range.file->getLineColumn(diagnostic->range.begin);
    result += std::to_string(place.line) + ":" + getName(diagnostic->id).str() + " ";
  }
  return llvm::StringRef(result).rtrim().str();
}

//===------------------------------------------------------------------------===//
// Expressions
//===------------------------------------------------------------------------===//

TEST(Parser, BinaryOperatorsBindAsInPython) {
  EXPECT_EQ(dumpExpr("a | b ^ c & d << e + f * g"), "(| a (^ b (& c (<< d (+ e (* f g))))))");
  EXPECT_EQ(dumpExpr("a * b + c << d & e ^ f | g"), "(| (^ (& (<< (+ (* a b) c) d) e) f) g)");
  EXPECT_EQ(dumpExpr("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(dumpExpr("a / b // c % d @ e"), "(@ (% (// (/ a b) c) d) e)");
  EXPECT_EQ(dumpExpr("a >> b << c"), "(<< (>> a b) c)");
  EXPECT_EQ(dumpExpr("a & b % 2 == 0"), "(compare:== (& a (% b 2)) 0)");
}

TEST(Parser, PowerAndSigns) {
  EXPECT_EQ(dumpExpr("-a ** b"), "(- (** a b))");
  EXPECT_EQ(dumpExpr("a ** -b ** c"), "(** a (- (** b c)))");
  EXPECT_EQ(dumpExpr("a ** b ** c"), "(** a (** b c))");
  EXPECT_EQ(dumpExpr("-+~a * b"), "(* (- (+ (~ a))) b)");
  EXPECT_EQ(dumpExpr("-a.b(c)[d] ** e"), "(- (** (index (call (. a b) c) d) e))");
  EXPECT_EQ(dumpExpr("1 - -1"), "(- 1 (- 1))");
}

TEST(Parser, BoolsAndComparisons) {
  EXPECT_EQ(dumpExpr("not a == b and c or d"), "(or (and (not (compare:== a b)) c) d)");
  EXPECT_EQ(dumpExpr("a or b or c and d and e"), "(or a b (and c d e))");
  EXPECT_EQ(dumpExpr("0 <= a - b < c"), "(compare:<=:< 0 (- a b) c)");
  EXPECT_EQ(dumpExpr("a is not None, a is None, a not in b, not a in b"),
            "(tuple (compare:is not a none) (compare:is a none) (compare:not in a b) "
            "(not (compare:in a b)))");
  EXPECT_EQ(dumpExpr("a < b | c"), "(compare:< a (| b c))");
  EXPECT_EQ(dumpExpr("not not a"), "(not (not a))");
}

TEST(Parser, ConditionalsAndLambdas) {
  EXPECT_EQ(dumpExpr("a if b else c if d else e"), "(if b a (if d c e))");
  EXPECT_EQ(dumpExpr("a or b if c or d else e or f"), "(if (or c d) (or a b) (or e f))");
  EXPECT_EQ(dumpExpr("lambda a, b=1, *c, d: a if b else c"),
            "(lambda [ a - - b - 1 *c - - =d - -] (if b a c))");
  EXPECT_EQ(dumpExpr("lambda: lambda: 1"), "(lambda [] (lambda [] 1))");
}

TEST(Parser, CallsAndIndices) {
  EXPECT_EQ(dumpExpr("f(a, *b, c=d, **e)"), "(call f a *b c=d **e)");
  EXPECT_EQ(dumpExpr("f()(a,)[b](c)"), "(call (index (call (call f) a) b) c)");
  EXPECT_EQ(dumpExpr("t[a, b:c, :, ::d, (e, f)]"),
            "(index t a (slice b c -) (slice - - -) (slice - - d) (tuple e f))");
  EXPECT_EQ(dumpExpr("masks[1:]"), "(index masks (slice 1 - -))");
}

TEST(Parser, Comprehensions) {
  EXPECT_EQ(dumpExpr("all(callable(m) for m in masks)"),
            "(call all (each (call callable m) (for m masks)()))");
  EXPECT_EQ(dumpExpr("[a + i for i, x in b if x if i or c for y in i]"),
            "(each-list (+ a i) (for (tuple i x) b)( x (or i c)) (for y i)())");
  EXPECT_EQ(dumpExpr("(a for a in b)"), "(each a (for a b)())");
}

TEST(Parser, TuplesAndLiterals) {
  EXPECT_EQ(dumpExpr("(), (a,), (a), [a, b,], []"),
            "(tuple (tuple) (tuple a) a (list a b) (list))");
  EXPECT_EQ(dumpExpr("a,"), "(tuple a)");
  EXPECT_EQ(dumpExpr("True, False, None, ..., 0x10, 'a' f'b'"),
            "(tuple true false none ... 16 f'ab')");
}

//===------------------------------------------------------------------------===//
// Statements
//===------------------------------------------------------------------------===//

TEST(Parser, Declarations) {
  EXPECT_EQ(Parsed("t: f32[Hq, Q + KV - 1]\np: i32[]\nw: i32 = 1\n").dump(),
            "(declare t (index f32 Hq (- (+ Q KV) 1)) -)\n"
            "(declare p (index i32) -)\n"
            "(declare w i32 1)\n");
}

TEST(Parser, ForeignAnnotations) {
  EXPECT_EQ(getErrorIds("def f(score: torch.Tensor, b: 'Tensor', h: int | None = None,\n"
                        "      g: Callable[[int], bool] = h, *m: Optional[int],\n"
                        "      k: tuple[int, ...] = ()) -> Callable[..., Tensor]: return b\n"),
            "");
}

TEST(Parser, Blocks) {
  EXPECT_EQ(Parsed("if a: b; c = d;\nelif e:\n  pass\nelse: f()\n").dump(),
            "(if a\n((do b))\n((set c)d)\n e\n(pass)\nelse\n((do (call f)))\n)\n");
  EXPECT_EQ(Parsed("for i, x in enumerate(y):\n  a += i\n").dump(),
            "((for (tuple i x) (call enumerate y))\n((+ a i)=)\n)\n");
  EXPECT_EQ(Parsed("def f(a, /, b, *, c):\n  'doc'\n  return a, b\n").dump(),
            "(def f [ /a - - b - - =c - -]-'doc'\n((return (tuple a b)))\n)\n");
}

TEST(Parser, RangesCoverWhatWasWritten) {
  Parsed parsed("x = (a + b) * c\nif x:\n  y = f(1)\n");
  ASSERT_EQ(parsed.getErrors(), "");
  const auto *assign = llvm::cast<AssignStmt>(parsed.module->getBody()[0]);
  const auto *product = llvm::cast<BinaryExpr>(assign->getValue());
  EXPECT_EQ(assign->getRange().text(), "x = (a + b) * c");
  EXPECT_EQ(product->getRange().text(), "(a + b) * c");
  EXPECT_EQ(product->getOpRange().text(), "*");
  EXPECT_EQ(product->getLHS()->getRange().text(), "a + b");
  EXPECT_EQ(parsed.module->getBody()[1]->getRange().text().str(), "if x:\n  y = f(1)");
}

//===------------------------------------------------------------------------===//
// Errors and recovery
//===------------------------------------------------------------------------===//

TEST(Parser, ReportsOneErrorPerMistake) {
  EXPECT_EQ(getErrorIds("x = = 1\ny = 2 3\nz = (4\ndef f(:\n  return )\nw = 5\n"),
            "1:expected_token 2:expected_token 3:unclosed_bracket 4:unclosed_bracket "
            "5:expected_token");
  EXPECT_EQ(getErrorIds("def f(a)\n  return a\n\ndef g():\nreturn 1\n"),
            "1:expected_token 4:expected_block");
  EXPECT_EQ(getErrorIds("if a b:\n  c\nelif d:\n  e e\nelse:\n  f\n"),
            "1:expected_token 4:expected_token");
  EXPECT_EQ(getErrorIds("  a = 1\n  b = 2\nc = 3\n"), "1:unexpected_indent");
  EXPECT_EQ(getErrorIds("f(a\nb = 3\nc = 4\n"), "1:unclosed_bracket");
}

TEST(Parser, SkipsWhatTheLanguageHasNot) {
  EXPECT_EQ(getErrorIds("try:\n  a = 1 1\nexcept E as e:\n  b\nelse:\n  c\nfinally:\n  d\ne = 1\n"),
            "1:unsupported_statement");
  EXPECT_EQ(getErrorIds("class A:\n  def f(self):\n    while True: break\nx: y z\n"),
            "1:unsupported_statement 4:expected_token");
  EXPECT_EQ(getErrorIds("@a\n@b(c)\ndef f(x):\n  return await x\n"),
            "1:decorator 2:decorator 4:unsupported_expression");
  EXPECT_EQ(getErrorIds("for a in b:\n  continue\nelse:\n  c\n"),
            "2:unsupported_statement 3:loop_else");
}

TEST(Parser, AssignmentTargets) {
  for (const char *text : {"f() = 1", "1 = a", "[a, b] = c", "t[0] = 1", "t[0] += 1", "a.b += 1",
                           "a + b = c", "a = 1 = b", "lambda: a = 1", "for 1 in a: pass"})
    EXPECT_EQ(getErrorIds(text), "1:invalid_target") << text;
  EXPECT_EQ(getErrorIds("a.b: int = 1"), "1:invalid_declaration");
}

TEST(Parser, NestingIsBounded) {
  std::string open(100000, '('), minus(100000, '-'), chain = "a", calls = "f", nots, lambdas;
  for (unsigned i = 0; i < 5000; ++i) {
    chain += " + a";
    calls += "(1)";
    nots += "not ";
    lambdas += "lambda: ";
  }
  for (const std::string &text : {minus + "a", chain, calls, nots + "a", lambdas + "a",
                                  open + "a" + std::string(100000, ')')})
    EXPECT_EQ(getErrorIds(text), "1:nested_too_deeply");
  std::string flat = "a";
  for (unsigned i = 0; i < 5000; ++i)
    flat += " and a < a";
  EXPECT_EQ(getErrorIds(flat), "");
}

//===------------------------------------------------------------------------===//
// FlexAttention's own style
//===------------------------------------------------------------------------===//

TEST(Parser, PastedMods) {
  EXPECT_EQ(getErrorIds(R"(
"""Masks for packed sequences."""
from __future__ import annotations
)"),
            "3:unsupported_import");
  EXPECT_EQ(getErrorIds(R"(
import math
import torch
from torch import Tensor
from torch.nn.attention.flex_attention import (
    _mask_mod_signature,
    create_block_mask as cbm,
)

def make_window(size: int, *, sinks: int = 0) -> _mask_mod_signature:
    """A window of ``size`` keys.

    Args:
        size: how far back a query sees
    """

    def window(b, h, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        near = (q_idx - kv_idx).abs() <= size
        return near | (kv_idx < sinks)

    window.__name__ = f"window_{size}_{sinks}"
    return window

def all_of(*mask_mods: _mask_mod_signature) -> _mask_mod_signature:
    if not all(callable(arg) for arg in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")
    return mask_mods[0]
)"),
            "");
  EXPECT_EQ(getErrorIds(R"(
def all_of(*mask_mods):
    def joined(b, h, q_idx, kv_idx):
        result = b.new_ones((), dtype=torch.bool)
        for mask in mask_mods:
            result = result & mask(b, h, q_idx, kv_idx)
        return result
    return joined

mask_mod = all_of(
    lambda b, h, q, k: q >= k,
    make_window(1024, sinks=4),
)
)"),
            "");
}
