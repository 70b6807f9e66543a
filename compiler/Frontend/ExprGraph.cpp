//===- ExprGraph.cpp - What a program computes at run time ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/ExprGraph.h"
#include "llvm/ADT/bit.h"
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>

using namespace attnc;

void ExprNode::Profile(llvm::FoldingSetNodeID &profile) const {
  profile.AddInteger(static_cast<unsigned>(op));
  profile.AddInteger(static_cast<unsigned>(kind));
  profile.AddBoolean(approximate);
  profile.AddInteger(payload);
  profile.AddString(name);
  for (ExprId operand : operands)
    profile.AddInteger(operand);
}

ExprId ExprGraph::insert(ExprNode prototype) {
  llvm::FoldingSetNodeID profile;
  prototype.Profile(profile);
  void *position = nullptr;
  if (ExprNode *existing = unique.FindNodeOrInsertPos(profile, position))
    return existing->id;
  prototype.id = static_cast<ExprId>(nodes.size());
  prototype.operands = prototype.operands.copy(allocator);
  auto *node = new (allocator.Allocate<ExprNode>()) ExprNode(prototype);
  unique.InsertNode(node, position);
  nodes.push_back(node);
  return node->id;
}

static ExprNode makeNode(ExprOp op, ScalarKind kind, SourceRange range, uint64_t payload = 0) {
  ExprNode node;
  node.op = op;
  node.kind = kind;
  node.range = range;
  node.payload = payload;
  return node;
}

ExprId ExprGraph::getInt(int64_t value, SourceRange range) {
  return insert(makeNode(ExprOp::IntConstant, ScalarKind::Int, range, value));
}

/// `value` as f32; beyond its range an infinity.
static float toFloat(double value) {
  // The largest double that still rounds to a finite f32 is just below this.
  const double limit = std::ldexp(1.0 - std::ldexp(1.0, -25), 128);
  if (value >= limit)
    return std::numeric_limits<float>::infinity();
  if (value <= -limit)
    return -std::numeric_limits<float>::infinity();
  return static_cast<float>(value);
}

ExprId ExprGraph::getFloat(double value, SourceRange range) {
  return insert(makeNode(ExprOp::FloatConstant, ScalarKind::Float, range,
                         llvm::bit_cast<uint32_t>(toFloat(value))));
}

ExprId ExprGraph::getBool(bool value, SourceRange range) {
  return insert(makeNode(ExprOp::BoolConstant, ScalarKind::Bool, range, value));
}

ExprId ExprGraph::getArgument(PairArgument argument, SourceRange range) {
  ScalarKind kind = argument == PairArgument::Score ? ScalarKind::Float : ScalarKind::Int;
  return insert(makeNode(ExprOp::Argument, kind, range, static_cast<uint64_t>(argument)));
}

ExprId ExprGraph::getDimension(llvm::StringRef name, SourceRange range) {
  ExprNode node = makeNode(ExprOp::Dimension, ScalarKind::Int, range);
  node.name = name;
  return insert(node);
}

ExprId ExprGraph::getScalar(llvm::StringRef name, ScalarKind kind, SourceRange range) {
  ExprNode node = makeNode(ExprOp::Scalar, kind, range);
  node.name = name;
  return insert(node);
}

ExprId ExprGraph::getLoad(llvm::StringRef source, ScalarKind kind, llvm::ArrayRef<ExprId> indices,
                          SourceRange range) {
  ExprNode node = makeNode(ExprOp::Load, kind, range);
  node.name = source;
  node.operands = indices;
  return insert(node);
}

static ScalarKind getResultKind(ExprOp op, ScalarKind last) {
  switch (op) {
  case ExprOp::Eq:
  case ExprOp::Ne:
  case ExprOp::Lt:
  case ExprOp::Le:
  case ExprOp::Gt:
  case ExprOp::Ge:
  case ExprOp::LtUnsigned:
    return ScalarKind::Bool;
  case ExprOp::IntToFloat:
  case ExprOp::BoolToFloat:
    return ScalarKind::Float;
  case ExprOp::FloatToInt:
  case ExprOp::BoolToInt:
    return ScalarKind::Int;
  default:
    return last;
  }
}

ExprId ExprGraph::get(ExprOp op, llvm::ArrayRef<ExprId> operands, SourceRange range,
                      bool approximate) {
  assert(!operands.empty() && "leaves have functions of their own");
  ExprNode node = makeNode(op, getResultKind(op, nodes[operands.back()]->kind), range);
  node.approximate = approximate;
  node.operands = operands;
  return insert(node);
}

bool ExprGraph::isBool(ExprId id, bool value) const {
  return nodes[id]->op == ExprOp::BoolConstant && (nodes[id]->payload != 0) == value;
}

ExprId ExprGraph::getAnd(ExprId lhs, ExprId rhs, SourceRange range) {
  if (lhs == rhs || isBool(rhs, true) || isBool(lhs, false))
    return lhs;
  if (isBool(lhs, true) || isBool(rhs, false))
    return rhs;
  return get(ExprOp::And, {lhs, rhs}, range);
}

ExprId ExprGraph::getOr(ExprId lhs, ExprId rhs, SourceRange range) {
  if (lhs == rhs || isBool(rhs, false) || isBool(lhs, true))
    return lhs;
  if (isBool(lhs, false) || isBool(rhs, true))
    return rhs;
  return get(ExprOp::Or, {lhs, rhs}, range);
}

/// The comparison that holds where `op` does not.
static std::optional<ExprOp> getOpposite(ExprOp op, ScalarKind operands) {
  if (op == ExprOp::Eq)
    return ExprOp::Ne;
  if (op == ExprOp::Ne)
    return ExprOp::Eq;
  // With NaN neither of two orders holds.
  if (operands != ScalarKind::Int)
    return std::nullopt;
  switch (op) {
  case ExprOp::Lt:
    return ExprOp::Ge;
  case ExprOp::Le:
    return ExprOp::Gt;
  case ExprOp::Gt:
    return ExprOp::Le;
  case ExprOp::Ge:
    return ExprOp::Lt;
  default:
    return std::nullopt;
  }
}

ExprId ExprGraph::getNot(ExprId operand, SourceRange range) {
  const ExprNode &node = *nodes[operand];
  if (node.op == ExprOp::BoolConstant)
    return getBool(node.payload == 0, range);
  if (node.op == ExprOp::Xor && isBool(node.operands[1], true))
    return node.operands[0];
  ScalarKind operands = node.operands.empty() ? node.kind : nodes[node.operands[0]]->kind;
  if (std::optional<ExprOp> opposite = getOpposite(node.op, operands))
    return get(*opposite, node.operands, range);
  return get(ExprOp::Xor, {operand, getBool(true, range)}, range);
}

ExprId ExprGraph::getSelect(ExprId condition, ExprId trueValue, ExprId falseValue,
                            SourceRange range) {
  if (trueValue == falseValue || isBool(condition, true))
    return trueValue;
  if (isBool(condition, false))
    return falseValue;
  if (isBool(trueValue, true))
    return getOr(condition, falseValue, range);
  if (isBool(falseValue, false))
    return getAnd(condition, trueValue, range);
  if (isBool(trueValue, false))
    return getAnd(getNot(condition, range), falseValue, range);
  if (isBool(falseValue, true))
    return getOr(getNot(condition, range), trueValue, range);
  return get(ExprOp::Select, {condition, trueValue, falseValue}, range);
}

std::vector<ExprId> ExprGraph::getReachable(ExprId root) const {
  std::vector<bool> needed(root + 1);
  needed[root] = true;
  std::vector<ExprId> reachable;
  // Operands have smaller ids than their users.
  for (ExprId id = root + 1; id-- > 0;) {
    if (!needed[id])
      continue;
    reachable.push_back(id);
    for (ExprId operand : nodes[id]->operands)
      needed[operand] = true;
  }
  return {reachable.rbegin(), reachable.rend()};
}
