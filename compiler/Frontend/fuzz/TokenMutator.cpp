//===- TokenMutator.cpp - Programs changed word by word ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/fuzz/TokenMutator.h"
#include <string_view>

using namespace attnc;

static const std::vector<std::string> numbers = {
    "0",   "1",     "2",      "3",     "7",    "63",  "64", "1.0", "0.5", "1e300", "2**31", "2**62",
    "inf", "2**63", "-2**63", "1e-45", "-0.0", "nan", "-1", "-5",  "D",   "255",   "65504", "True"};
static const std::vector<std::string> operators = {
    "+", "-", "*",  "/",  "//", "%",  "**", "<<", ">>",    "&",    "|",    "^",
    "<", ">", "<=", ">=", "==", "!=", "=",  "+=", " and ", " or ", " is ", ", "};
static const std::vector<std::string> words = {
    "q_idx", "kv_idx", "score", "b",     "h",      "KV",    "Q",    "Hq",    "D",     "i8",
    "u8",    "i32",    "i64",   "f16",   "bf16",   "f32",   "bool", "int",   "float", "abs",
    "min",   "max",    "clamp", "exp",   "log",    "floor", "ceil", "round", "trunc", "sign",
    "where", "pow",    "len",   "range", "causal", "alibi", "None", "True",  "isnan", "sum"};
/// How values are made of values: `$` is one.
static const std::vector<std::string> shapes = {"abs($)",
                                                "min($, 3)",
                                                "max($, $)",
                                                "int($)",
                                                "float($)",
                                                "bool($)",
                                                "exp($)",
                                                "floor($)",
                                                "math.floor($)",
                                                "torch.round($)",
                                                "sign($)",
                                                "pow($, 2)",
                                                "clamp($, -1, 1)",
                                                "$.to(torch.int8)",
                                                "$.to(f16)",
                                                "isnan($)",
                                                "where($ > 0, $, 1)",
                                                "($ if $ else $)",
                                                "(-$)",
                                                "(~$)",
                                                "(not $)",
                                                "($ // 3)",
                                                "($ % -7)",
                                                "($ << 2)",
                                                "($ >> $)",
                                                "($ ** 3)",
                                                "($ ** $)",
                                                "($ / $)",
                                                "($ & $)",
                                                "($ == $)",
                                                "($ < $ <= $)",
                                                "($ and $)",
                                                "($, $)",
                                                "[$, $][0]",
                                                "(lambda x: x)($)",
                                                "$[0]",
                                                "$[-1]",
                                                "$[$]",
                                                "sum([$, $])",
                                                "torch.remainder($, 4)",
                                                "f(x=$)",
                                                "not_mask($)",
                                                "int(int($))",
                                                "compose($, $)",
                                                "and_masks($, $)",
                                                "or_masks($, $)"};

static bool isWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

std::vector<TokenMutator::Token> TokenMutator::split(const std::string &text) {
  constexpr std::string_view spaces = " \t\r\n()[]{}:,", signs = "+-*/%&|^~<>=!@";
  std::vector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t begin = i++;
    char c = text[begin];
    if (isWordCharacter(c)) {
      while (i < text.size() && isWordCharacter(text[i]))
        ++i;
      Kind kind = c >= '0' && c <= '9' ? Kind::Number : Kind::Word;
      tokens.push_back({kind, begin, i - begin});
    } else if (signs.find(c) != signs.npos) {
      while (i < text.size() && signs.find(text[i]) != signs.npos)
        ++i;
      tokens.push_back({Kind::Operator, begin, i - begin});
    } else if (spaces.find(c) != spaces.npos) {
      tokens.push_back({Kind::Space, begin, 1});
    }
  }
  return tokens;
}

std::string TokenMutator::makeExpression(const std::string &operand) {
  std::string result;
  bool isFirst = true;
  for (char c : pick(shapes))
    if (c != '$') {
      result += c;
    } else {
      result += isFirst || pick(2) ? operand : pick(2) ? pick(words) : pick(numbers);
      isFirst = false;
    }
  return result;
}

void TokenMutator::changeToken(std::string &text) {
  std::vector<Token> tokens = split(text);
  if (tokens.empty())
    return;
  Token token = tokens[pick(tokens.size())];
  // Nothing is gained by other white space.
  for (unsigned tries = 0; token.kind == Kind::Space && tries < 10; ++tries)
    token = tokens[pick(tokens.size())];
  const Token &other = tokens[pick(tokens.size())];
  std::string replacement = text.substr(token.begin, token.size);
  if (token.kind == other.kind && pick(2))
    replacement = text.substr(other.begin, other.size);
  else if (token.kind == Kind::Operator)
    replacement = pick(operators);
  else if (token.kind != Kind::Space && pick(3))
    replacement = makeExpression(replacement);
  else if (token.kind != Kind::Space)
    replacement = token.kind == Kind::Number ? pick(numbers) : pick(words);
  text.replace(token.begin, token.size, replacement);
}

void TokenMutator::changeLine(std::string &text) {
  std::vector<std::string> lines(1);
  for (char c : text) {
    lines.back() += c;
    if (c == '\n')
      lines.emplace_back();
  }
  size_t from = pick(lines.size()), to = pick(lines.size());
  switch (pick(3)) {
  case 0:
    lines.insert(lines.begin() + to, std::string(lines[from]));
    break;
  case 1:
    lines.erase(lines.begin() + from);
    break;
  case 2:
    lines[from].swap(lines[to]);
    break;
  }
  text.clear();
  for (const std::string &line : lines)
    text += line;
}

std::string TokenMutator::mutate(std::string text) {
  for (size_t i = 0, count = 1 + pick(3); i < count; ++i)
    pick(6) == 0 ? changeLine(text) : changeToken(text);
  return text;
}
