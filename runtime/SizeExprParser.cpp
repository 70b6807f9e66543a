//===- SizeExprParser.cpp - Reads sizes of captured tensors -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/KernelInfo.h"
#include <charconv>

using namespace attnc;

namespace {
using Kind = SizeExpr::Kind;

/// Parentheses in parentheses that are read; what is deeper is no size.
constexpr int maxDepth = 64;

struct Operator {
  std::string_view spelling;
  Kind kind;
};
/// `//` comes before what begins like it.
constexpr Operator products[] = {
    {"*", Kind::Mul}, {"//", Kind::FloorDiv}, {"%", Kind::Mod}, {"ceildiv ", Kind::CeilDiv}};

bool isNamePart(char c) {
  return std::string_view(" +-*/%()").find(c) == std::string_view::npos && c != '\0';
}

/// Appends the steps of what it reads; each function returns false where the text is wrong.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  std::optional<SizeExpr> parse() {
    if (!parseSum(0) || !text.empty())
      return std::nullopt;
    return SizeExpr(std::move(steps));
  }

private:
  void skipSpaces() {
    while (!text.empty() && text.front() == ' ')
      text.remove_prefix(1);
  }

  bool take(std::string_view token) {
    skipSpaces();
    if (text.substr(0, token.size()) != token)
      return false;
    text.remove_prefix(token.size());
    skipSpaces();
    return true;
  }

  bool parseSum(int depth) {
    if (!parseProduct(depth))
      return false;
    for (;;) {
      if (take("+")) {
        if (!parseProduct(depth))
          return false;
      } else if (take("-")) {
        // Only constants are subtracted.
        if (!parseNumber(/*isNegative=*/true))
          return false;
      } else {
        return true;
      }
      steps.push_back({Kind::Add, 0, {}});
    }
  }

  bool parseProduct(int depth) {
    if (!parseFactor(depth))
      return false;
    for (;;) {
      const Operator *found = nullptr;
      for (const Operator &candidate : products)
        if (!found && take(candidate.spelling))
          found = &candidate;
      if (!found)
        return true;
      if (!parseFactor(depth))
        return false;
      steps.push_back({found->kind, 0, {}});
    }
  }

  bool parseFactor(int depth) {
    if (take("("))
      return depth < maxDepth && parseSum(depth + 1) && take(")");
    if (take("-"))
      return parseNumber(/*isNegative=*/true);
    if (!text.empty() && text.front() >= '0' && text.front() <= '9')
      return parseNumber(/*isNegative=*/false);
    size_t length = 0;
    while (length < text.size() && isNamePart(text[length]))
      ++length;
    if (length == 0)
      return false;
    steps.push_back({Kind::Symbol, 0, std::string(text.substr(0, length))});
    text.remove_prefix(length);
    skipSpaces();
    return true;
  }

  bool parseNumber(bool isNegative) {
    std::string digits = isNegative ? "-" : "";
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
      digits += text.front();
      text.remove_prefix(1);
    }
    int64_t value = 0;
    const char *end = digits.data() + digits.size();
    auto [stop, code] = std::from_chars(digits.data(), end, value);
    if (code != std::errc() || stop != end || (!text.empty() && isNamePart(text.front())))
      return false;
    steps.push_back({Kind::Constant, value, {}});
    skipSpaces();
    return true;
  }

  std::string_view text;
  std::vector<SizeExpr::Step> steps;
};
} // namespace

std::optional<SizeExpr> SizeExpr::parse(std::string_view text) { return Parser(text).parse(); }
