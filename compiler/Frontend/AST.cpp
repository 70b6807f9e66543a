//===- AST.cpp - The syntax tree of an .attn file ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/AST.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ErrorHandling.h"

using namespace attnc::ast;

using Children = llvm::SmallVector<const Expr *, 8>;

static Children getChildren(const Expr *callee, llvm::ArrayRef<Argument> arguments) {
  Children children = {callee};
  for (const Argument &argument : arguments)
    children.push_back(argument.value);
  return children;
}

static Children getChildren(llvm::ArrayRef<Param> params, const Expr *body) {
  Children children = {body};
  for (const Param &param : params)
    children.push_back(param.defaultValue);
  return children;
}

static Children getChildren(const Expr *base, llvm::ArrayRef<const Expr *> indices) {
  Children children = {base};
  children.append(indices.begin(), indices.end());
  return children;
}

static Children getChildren(const Expr *element,
                            llvm::ArrayRef<ComprehensionExpr::Clause> clauses) {
  Children children = {element};
  for (const ComprehensionExpr::Clause &clause : clauses) {
    children.append({clause.target, clause.iterable});
    children.append(clause.conditions.begin(), clause.conditions.end());
  }
  return children;
}

CallExpr::CallExpr(SourceRange range, const Expr *callee, llvm::ArrayRef<Argument> arguments)
    : Expr(Kind::Call, range, getChildren(callee, arguments)), callee(callee),
      arguments(arguments) {}

SubscriptExpr::SubscriptExpr(SourceRange range, const Expr *base,
                             llvm::ArrayRef<const Expr *> indices)
    : Expr(Kind::Subscript, range, getChildren(base, indices)), base(base), indices(indices) {}

LambdaExpr::LambdaExpr(SourceRange range, llvm::ArrayRef<Param> params, const Expr *body)
    : Expr(Kind::Lambda, range, getChildren(params, body)), params(params), body(body) {}

ComprehensionExpr::ComprehensionExpr(SourceRange range, bool isList, const Expr *element,
                                     llvm::ArrayRef<Clause> clauses)
    : Expr(Kind::Comprehension, range, getChildren(element, clauses)), list(isList),
      element(element), clauses(clauses) {}

llvm::StringRef attnc::ast::getSpelling(UnaryOp op) {
  switch (op) {
  case UnaryOp::Plus:
    return "+";
  case UnaryOp::Minus:
    return "-";
  case UnaryOp::Invert:
    return "~";
  case UnaryOp::Not:
    return "not";
  }
  llvm_unreachable("unknown unary operator");
}

llvm::StringRef attnc::ast::getSpelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return "+";
  case BinaryOp::Sub:
    return "-";
  case BinaryOp::Mul:
    return "*";
  case BinaryOp::Div:
    return "/";
  case BinaryOp::FloorDiv:
    return "//";
  case BinaryOp::Mod:
    return "%";
  case BinaryOp::Pow:
    return "**";
  case BinaryOp::MatMul:
    return "@";
  case BinaryOp::ShiftLeft:
    return "<<";
  case BinaryOp::ShiftRight:
    return ">>";
  case BinaryOp::BitAnd:
    return "&";
  case BinaryOp::BitOr:
    return "|";
  case BinaryOp::BitXor:
    return "^";
  }
  llvm_unreachable("unknown binary operator");
}

llvm::StringRef attnc::ast::getSpelling(BoolOp op) { return op == BoolOp::And ? "and" : "or"; }

llvm::StringRef attnc::ast::getSpelling(CompareOp op) {
  switch (op) {
  case CompareOp::Eq:
    return "==";
  case CompareOp::Ne:
    return "!=";
  case CompareOp::Lt:
    return "<";
  case CompareOp::Le:
    return "<=";
  case CompareOp::Gt:
    return ">";
  case CompareOp::Ge:
    return ">=";
  case CompareOp::Is:
    return "is";
  case CompareOp::IsNot:
    return "is not";
  case CompareOp::In:
    return "in";
  case CompareOp::NotIn:
    return "not in";
  }
  llvm_unreachable("unknown comparison");
}
