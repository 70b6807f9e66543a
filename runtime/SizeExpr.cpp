//===- SizeExpr.cpp - Sizes of captured tensors as expressions --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/KernelInfo.h"
#include <memory>

using namespace attnc;

namespace {
using Kind = SizeExpr::Kind;

/// Quotient rounded towards minus infinity; the divisor is neither 0 nor the overflowing -1.
int64_t divideDown(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

std::optional<int64_t> apply(Kind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (kind) {
  case Kind::Add:
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Kind::Mul:
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  default:
    break;
  }
  if (b == 0)
    return 0;
  if (b == -1) {
    if (kind == Kind::Mod)
      return 0;
    return __builtin_sub_overflow(int64_t(0), a, &result) ? std::nullopt : std::optional(result);
  }
  int64_t down = divideDown(a, b);
  switch (kind) {
  case Kind::FloorDiv:
    return down;
  case Kind::CeilDiv:
    return down + (a % b != 0);
  default:
    return a - down * b;
  }
}

/// The expression as a tree.
struct Node {
  const SizeExpr::Step *step;
  std::unique_ptr<Node> lhs, rhs;
};

/// The tree of well-formed steps.
std::unique_ptr<Node> buildTree(const std::vector<SizeExpr::Step> &steps) {
  std::vector<std::unique_ptr<Node>> stack;
  for (const SizeExpr::Step &step : steps) {
    auto node = std::make_unique<Node>();
    node->step = &step;
    if (step.kind != Kind::Constant && step.kind != Kind::Symbol) {
      node->rhs = std::move(stack.back());
      stack.pop_back();
      node->lhs = std::move(stack.back());
      stack.pop_back();
    }
    stack.push_back(std::move(node));
  }
  return std::move(stack.back());
}

std::optional<int64_t> evaluateNode(const Node &node, const SizeExpr::Lookup &lookup) {
  if (node.step->kind == Kind::Constant)
    return node.step->value;
  if (node.step->kind == Kind::Symbol)
    return lookup(node.step->symbol);
  std::optional<int64_t> lhs = evaluateNode(*node.lhs, lookup);
  std::optional<int64_t> rhs = evaluateNode(*node.rhs, lookup);
  return lhs && rhs ? apply(node.step->kind, *lhs, *rhs) : std::nullopt;
}

std::optional<std::pair<std::string, int64_t>> solveNode(const Node &node, int64_t target,
                                                         const SizeExpr::Lookup &lookup) {
  if (node.step->kind == Kind::Symbol)
    return std::pair(node.step->symbol, target);
  if (node.step->kind != Kind::Add && node.step->kind != Kind::Mul)
    return std::nullopt;
  std::optional<int64_t> known = evaluateNode(*node.lhs, lookup);
  const Node &unknown = known ? *node.rhs : *node.lhs;
  if (!known)
    known = evaluateNode(*node.rhs, lookup);
  if (!known)
    return std::nullopt;
  int64_t rest = 0;
  if (node.step->kind == Kind::Add) {
    if (__builtin_sub_overflow(target, *known, &rest))
      return std::nullopt;
    return solveNode(unknown, rest, lookup);
  }
  if (*known == -1)
    return __builtin_sub_overflow(int64_t(0), target, &rest) ? std::nullopt
                                                             : solveNode(unknown, rest, lookup);
  if (*known == 0 || target % *known != 0)
    return std::nullopt;
  return solveNode(unknown, target / *known, lookup);
}

std::string_view getSpelling(Kind kind) {
  switch (kind) {
  case Kind::Add:
    return " + ";
  case Kind::Mul:
    return " * ";
  case Kind::FloorDiv:
    return " // ";
  case Kind::CeilDiv:
    return " ceildiv ";
  default:
    return " % ";
  }
}

std::string printNode(const Node &node, bool nested) {
  if (node.step->kind == Kind::Constant)
    return std::to_string(node.step->value);
  if (node.step->kind == Kind::Symbol)
    return node.step->symbol;
  bool isSum = node.step->kind == Kind::Add;
  // A sum on the left of a sum needs no parentheses.
  std::string text = printNode(*node.lhs, !(isSum && node.lhs->step->kind == Kind::Add));
  const Node &rhs = *node.rhs;
  if (isSum && rhs.step->kind == Kind::Constant && rhs.step->value < 0)
    text += " - " + std::to_string(0 - static_cast<uint64_t>(rhs.step->value));
  else
    text += std::string(getSpelling(node.step->kind)) + printNode(rhs, /*nested=*/true);
  return nested ? "(" + text + ")" : text;
}
} // namespace

bool SizeExpr::isWellFormed() const {
  int64_t depth = 0;
  for (const Step &step : steps) {
    if (step.kind == Kind::Constant || step.kind == Kind::Symbol)
      ++depth;
    else if (--depth < 1)
      return false;
  }
  return depth == 1;
}

std::optional<int64_t> SizeExpr::evaluate(const Lookup &lookup) const {
  return isWellFormed() ? evaluateNode(*buildTree(steps), lookup) : std::nullopt;
}

std::optional<std::pair<std::string, int64_t>> SizeExpr::solve(int64_t target,
                                                               const Lookup &lookup) const {
  if (!isWellFormed())
    return std::nullopt;
  auto solution = solveNode(*buildTree(steps), target, lookup);
  return solution && !lookup(solution->first) ? solution : std::nullopt;
}

std::string SizeExpr::print() const {
  return isWellFormed() ? printNode(*buildTree(steps), /*nested=*/false) : "?";
}
