//===- AST.h - The syntax tree of an .attn file -------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// The tree says what was written, nothing of what it means. Nodes live in the arena of an
// ASTContext, never change and are never null unless the comment says so. A tree without syntax
// errors holds only what the language has: classes, loops without a bound and the like were
// reported by the parser.
//
// The file is long because the nodes are one list, in the order of the grammar.
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_AST_H
#define COMPILER_FRONTEND_AST_H

#include "compiler/Frontend/SourceFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"
#include <algorithm>
#include <type_traits>

namespace attnc::ast {

/// An identifier where it was written.
struct Name {
  llvm::StringRef text;
  SourceRange range;
};

//===------------------------------------------------------------------------===//
// Nodes
//===------------------------------------------------------------------------===//

class Node {
public:
  SourceRange getRange() const { return range; }

protected:
  explicit Node(SourceRange range) : range(range) {}

private:
  SourceRange range;
};

class Expr : public Node {
public:
  enum class Kind {
    IntLiteral,
    FloatLiteral,
    BoolLiteral,
    NoneLiteral,
    EllipsisLiteral,
    StringLiteral,
    Name,
    Tuple,
    List,
    Unary,
    Binary,
    Bool,
    Compare,
    Conditional,
    Call,
    Subscript,
    Slice,
    Attribute,
    Lambda,
    Comprehension,
  };

  /// The parser refuses expressions that are deeper, so that walks may recurse.
  static constexpr unsigned maxHeight = 500;

  Kind getKind() const { return kind; }
  /// The number of expressions on the longest way down, this one included.
  unsigned getHeight() const { return height; }

protected:
  Expr(Kind kind, SourceRange range, llvm::ArrayRef<const Expr *> children = {})
      : Node(range), kind(kind) {
    for (const Expr *child : children)
      if (child)
        height = std::max(height, child->height + 1);
  }

private:
  Kind kind;
  unsigned height = 1;
};

class Stmt : public Node {
public:
  enum class Kind {
    FunctionDef,
    Assign,
    AugAssign,
    Decl,
    If,
    For,
    Return,
    Pass,
    Assert,
    Raise,
    Expr,
    Import,
  };

  Kind getKind() const { return kind; }

protected:
  Stmt(Kind kind, SourceRange range) : Node(range), kind(kind) {}

private:
  Kind kind;
};

using Block = llvm::ArrayRef<const Stmt *>;

//===------------------------------------------------------------------------===//
// Leaves
//===------------------------------------------------------------------------===//

/// `12`, `0xff`. A value from 2^63 to 2^64 - 1 stands for its two's complement.
class IntLiteral : public Expr {
public:
  IntLiteral(SourceRange range, uint64_t value) : Expr(Kind::IntLiteral, range), value(value) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::IntLiteral; }

  int64_t getValue() const { return static_cast<int64_t>(value); }
  uint64_t getUnsignedValue() const { return value; }

private:
  uint64_t value;
};

class FloatLiteral : public Expr {
public:
  FloatLiteral(SourceRange range, double value) : Expr(Kind::FloatLiteral, range), value(value) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::FloatLiteral; }

  double getValue() const { return value; }

private:
  double value;
};

class BoolLiteral : public Expr {
public:
  BoolLiteral(SourceRange range, bool value) : Expr(Kind::BoolLiteral, range), value(value) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::BoolLiteral; }

  bool getValue() const { return value; }

private:
  bool value;
};

class NoneLiteral : public Expr {
public:
  explicit NoneLiteral(SourceRange range) : Expr(Kind::NoneLiteral, range) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::NoneLiteral; }
};

/// `...`
class EllipsisLiteral : public Expr {
public:
  explicit EllipsisLiteral(SourceRange range) : Expr(Kind::EllipsisLiteral, range) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::EllipsisLiteral; }
};

/// One or several adjacent strings, escapes resolved. The braces of an f-string stay as written.
class StringLiteral : public Expr {
public:
  StringLiteral(SourceRange range, llvm::StringRef value, bool isFormat)
      : Expr(Kind::StringLiteral, range), value(value), format(isFormat) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::StringLiteral; }

  llvm::StringRef getValue() const { return value; }
  /// Whether a part of it is an f-string.
  bool isFormat() const { return format; }

private:
  llvm::StringRef value;
  bool format;
};

class NameExpr : public Expr {
public:
  NameExpr(SourceRange range, llvm::StringRef name) : Expr(Kind::Name, range), name(name) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::Name; }

  llvm::StringRef getName() const { return name; }

private:
  llvm::StringRef name;
};

//===------------------------------------------------------------------------===//
// Compound expressions
//===------------------------------------------------------------------------===//

/// `(a, b)` or `a, b`; the range includes the parentheses if there are any.
class TupleExpr : public Expr {
public:
  TupleExpr(SourceRange range, llvm::ArrayRef<const Expr *> elements)
      : Expr(Kind::Tuple, range, elements), elements(elements) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::Tuple; }

  llvm::ArrayRef<const Expr *> getElements() const { return elements; }

private:
  llvm::ArrayRef<const Expr *> elements;
};

/// `[a, b]`
class ListExpr : public Expr {
public:
  ListExpr(SourceRange range, llvm::ArrayRef<const Expr *> elements)
      : Expr(Kind::List, range, elements), elements(elements) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::List; }

  llvm::ArrayRef<const Expr *> getElements() const { return elements; }

private:
  llvm::ArrayRef<const Expr *> elements;
};

enum class UnaryOp { Plus, Minus, Invert, Not };

class UnaryExpr : public Expr {
public:
  UnaryExpr(SourceRange range, UnaryOp op, const Expr *operand)
      : Expr(Kind::Unary, range, operand), op(op), operand(operand) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::Unary; }

  UnaryOp getOp() const { return op; }
  const Expr *getOperand() const { return operand; }

private:
  UnaryOp op;
  const Expr *operand;
};

enum class BinaryOp {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  MatMul,
  ShiftLeft,
  ShiftRight,
  BitAnd,
  BitOr,
  BitXor,
};

class BinaryExpr : public Expr {
public:
  BinaryExpr(SourceRange range, BinaryOp op, SourceRange opRange, const Expr *lhs, const Expr *rhs)
      : Expr(Kind::Binary, range, {lhs, rhs}), op(op), opRange(opRange), lhs(lhs), rhs(rhs) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::Binary; }

  BinaryOp getOp() const { return op; }
  SourceRange getOpRange() const { return opRange; }
  const Expr *getLHS() const { return lhs; }
  const Expr *getRHS() const { return rhs; }

private:
  BinaryOp op;
  SourceRange opRange;
  const Expr *lhs;
  const Expr *rhs;
};

enum class BoolOp { And, Or };

/// `a and b and c`: two or more operands joined by one operator.
class BoolExpr : public Expr {
public:
  BoolExpr(SourceRange range, BoolOp op, llvm::ArrayRef<const Expr *> operands)
      : Expr(Kind::Bool, range, operands), op(op), operands(operands) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::Bool; }

  BoolOp getOp() const { return op; }
  llvm::ArrayRef<const Expr *> getOperands() const { return operands; }

private:
  BoolOp op;
  llvm::ArrayRef<const Expr *> operands;
};

enum class CompareOp { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };

/// `a < b <= c`: operator i stands between operands i and i + 1.
class CompareExpr : public Expr {
public:
  struct Op {
    CompareOp op;
    SourceRange range;
  };

  CompareExpr(SourceRange range, llvm::ArrayRef<const Expr *> operands, llvm::ArrayRef<Op> ops)
      : Expr(Kind::Compare, range, operands), operands(operands), ops(ops) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::Compare; }

  llvm::ArrayRef<const Expr *> getOperands() const { return operands; }
  llvm::ArrayRef<Op> getOps() const { return ops; }

private:
  llvm::ArrayRef<const Expr *> operands;
  llvm::ArrayRef<Op> ops;
};

/// `x if c else y`
class ConditionalExpr : public Expr {
public:
  ConditionalExpr(SourceRange range, const Expr *condition, const Expr *trueValue,
                  const Expr *falseValue)
      : Expr(Kind::Conditional, range, {condition, trueValue, falseValue}), condition(condition),
        trueValue(trueValue), falseValue(falseValue) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::Conditional; }

  const Expr *getCondition() const { return condition; }
  const Expr *getTrueValue() const { return trueValue; }
  const Expr *getFalseValue() const { return falseValue; }

private:
  const Expr *condition;
  const Expr *trueValue;
  const Expr *falseValue;
};

/// `value`, `keyword=value`, `*value` or `**value` in a call.
struct Argument {
  enum class Kind { Positional, Keyword, Star, DoubleStar };

  Kind kind = Kind::Positional;
  /// Empty unless this is a keyword argument.
  Name keyword;
  const Expr *value = nullptr;
  /// With the keyword or the stars.
  SourceRange range;
};

class CallExpr : public Expr {
public:
  CallExpr(SourceRange range, const Expr *callee, llvm::ArrayRef<Argument> arguments);
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::Call; }

  const Expr *getCallee() const { return callee; }
  llvm::ArrayRef<Argument> getArguments() const { return arguments; }

private:
  const Expr *callee;
  llvm::ArrayRef<Argument> arguments;
};

/// `t[i]`, `t[i, j]`, `t[1:]`, and `f32[]` in an annotation (no index).
class SubscriptExpr : public Expr {
public:
  SubscriptExpr(SourceRange range, const Expr *base, llvm::ArrayRef<const Expr *> indices);
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::Subscript; }

  const Expr *getBase() const { return base; }
  /// One per comma-separated index; a SliceExpr appears only here. An index that is a parenthesised
  /// tuple is one TupleExpr.
  llvm::ArrayRef<const Expr *> getIndices() const { return indices; }

private:
  const Expr *base;
  llvm::ArrayRef<const Expr *> indices;
};

/// `lower:upper:step`; each may be null.
class SliceExpr : public Expr {
public:
  SliceExpr(SourceRange range, const Expr *lower, const Expr *upper, const Expr *step)
      : Expr(Kind::Slice, range, {lower, upper, step}), lower(lower), upper(upper), step(step) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::Slice; }

  const Expr *getLower() const { return lower; }
  const Expr *getUpper() const { return upper; }
  const Expr *getStep() const { return step; }

private:
  const Expr *lower;
  const Expr *upper;
  const Expr *step;
};

/// `base.name`
class AttributeExpr : public Expr {
public:
  AttributeExpr(SourceRange range, const Expr *base, Name name)
      : Expr(Kind::Attribute, range, base), base(base), name(name) {}
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::Attribute; }

  const Expr *getBase() const { return base; }
  Name getName() const { return name; }

private:
  const Expr *base;
  Name name;
};

/// A parameter of a `def` or a `lambda`.
struct Param {
  enum class Kind {
    /// Before a `/`: cannot be passed by name.
    PositionalOnly,
    Positional,
    /// `*args`; at most one.
    VarArgs,
    /// Behind `*` or `*args`.
    KeywordOnly,
  };

  Kind kind = Kind::Positional;
  Name name;
  /// Null if there is none.
  const Expr *annotation = nullptr;
  /// Null if there is none.
  const Expr *defaultValue = nullptr;
  /// From the star or name to the end of the default.
  SourceRange range;
};

class LambdaExpr : public Expr {
public:
  LambdaExpr(SourceRange range, llvm::ArrayRef<Param> params, const Expr *body);
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::Lambda; }

  llvm::ArrayRef<Param> getParams() const { return params; }
  const Expr *getBody() const { return body; }

private:
  llvm::ArrayRef<Param> params;
  const Expr *body;
};

/// `[element for target in iterable if condition]`, or a generator without the brackets.
class ComprehensionExpr : public Expr {
public:
  /// One `for`, with the `if`s behind it.
  struct Clause {
    /// As in a ForStmt.
    const Expr *target;
    const Expr *iterable;
    llvm::ArrayRef<const Expr *> conditions;
  };

  ComprehensionExpr(SourceRange range, bool isList, const Expr *element,
                    llvm::ArrayRef<Clause> clauses);
  static bool classof(const Expr *expr) { return expr->getKind() == Kind::Comprehension; }

  /// Whether it stands in square brackets.
  bool isList() const { return list; }
  const Expr *getElement() const { return element; }
  /// One or more, the outermost loop first.
  llvm::ArrayRef<Clause> getClauses() const { return clauses; }

private:
  bool list;
  const Expr *element;
  llvm::ArrayRef<Clause> clauses;
};

//===------------------------------------------------------------------------===//
// Statements
//===------------------------------------------------------------------------===//

class FunctionDefStmt : public Stmt {
public:
  FunctionDefStmt(SourceRange range, Name name, llvm::ArrayRef<Param> params,
                  const Expr *returnAnnotation, const StringLiteral *docstring, Block body)
      : Stmt(Kind::FunctionDef, range), name(name), params(params),
        returnAnnotation(returnAnnotation), docstring(docstring), body(body) {}
  static bool classof(const Stmt *stmt) { return stmt->getKind() == Kind::FunctionDef; }

  Name getName() const { return name; }
  llvm::ArrayRef<Param> getParams() const { return params; }
  /// Null if there is none.
  const Expr *getReturnAnnotation() const { return returnAnnotation; }
  /// Null if there is none.
  const StringLiteral *getDocstring() const { return docstring; }
  /// Without the docstring, so possibly empty.
  Block getBody() const { return body; }

private:
  Name name;
  llvm::ArrayRef<Param> params;
  const Expr *returnAnnotation;
  const StringLiteral *docstring;
  Block body;
};

/// `a = value`, `a, b = value`, `a = b = value`, `f.__name__ = value`.
class AssignStmt : public Stmt {
public:
  AssignStmt(SourceRange range, llvm::ArrayRef<const Expr *> targets, const Expr *value)
      : Stmt(Kind::Assign, range), targets(targets), value(value) {}
  static bool classof(const Stmt *stmt) { return stmt->getKind() == Kind::Assign; }

  /// Each a NameExpr, an AttributeExpr, or a TupleExpr of such targets; several for `a = b =
  /// value`.
  llvm::ArrayRef<const Expr *> getTargets() const { return targets; }
  const Expr *getValue() const { return value; }

private:
  llvm::ArrayRef<const Expr *> targets;
  const Expr *value;
};

/// `a += value`
class AugAssignStmt : public Stmt {
public:
  AugAssignStmt(SourceRange range, const NameExpr *target, BinaryOp op, SourceRange opRange,
                const Expr *value)
      : Stmt(Kind::AugAssign, range), target(target), op(op), opRange(opRange), value(value) {}
  static bool classof(const Stmt *stmt) { return stmt->getKind() == Kind::AugAssign; }

  const NameExpr *getTarget() const { return target; }
  BinaryOp getOp() const { return op; }
  /// The range of `+=`.
  SourceRange getOpRange() const { return opRange; }
  const Expr *getValue() const { return value; }

private:
  const NameExpr *target;
  BinaryOp op;
  SourceRange opRange;
  const Expr *value;
};

/// `name: annotation` or `name: annotation = value`, at the top level or in a function.
class DeclStmt : public Stmt {
public:
  DeclStmt(SourceRange range, Name name, const Expr *annotation, const Expr *value)
      : Stmt(Kind::Decl, range), name(name), annotation(annotation), value(value) {}
  static bool classof(const Stmt *stmt) { return stmt->getKind() == Kind::Decl; }

  Name getName() const { return name; }
  const Expr *getAnnotation() const { return annotation; }
  /// Null if there is none.
  const Expr *getValue() const { return value; }

private:
  Name name;
  const Expr *annotation;
  const Expr *value;
};

class IfStmt : public Stmt {
public:
  /// An `if` or `elif` with its block.
  struct Clause {
    const Expr *condition;
    Block body;
    SourceRange range;
  };

  IfStmt(SourceRange range, llvm::ArrayRef<Clause> clauses, bool hasElse, Block elseBody)
      : Stmt(Kind::If, range), clauses(clauses), elseBody(elseBody), elsePresent(hasElse) {}
  static bool classof(const Stmt *stmt) { return stmt->getKind() == Kind::If; }

  /// One or more, in order.
  llvm::ArrayRef<Clause> getClauses() const { return clauses; }
  bool hasElse() const { return elsePresent; }
  Block getElseBody() const { return elseBody; }

private:
  llvm::ArrayRef<Clause> clauses;
  Block elseBody;
  bool elsePresent;
};

class ForStmt : public Stmt {
public:
  ForStmt(SourceRange range, const Expr *target, const Expr *iterable, Block body)
      : Stmt(Kind::For, range), target(target), iterable(iterable), body(body) {}
  static bool classof(const Stmt *stmt) { return stmt->getKind() == Kind::For; }

  /// A NameExpr, or a TupleExpr of targets.
  const Expr *getTarget() const { return target; }
  const Expr *getIterable() const { return iterable; }
  Block getBody() const { return body; }

private:
  const Expr *target;
  const Expr *iterable;
  Block body;
};

class ReturnStmt : public Stmt {
public:
  ReturnStmt(SourceRange range, const Expr *value) : Stmt(Kind::Return, range), value(value) {}
  static bool classof(const Stmt *stmt) { return stmt->getKind() == Kind::Return; }

  /// Null for a bare `return`.
  const Expr *getValue() const { return value; }

private:
  const Expr *value;
};

class PassStmt : public Stmt {
public:
  explicit PassStmt(SourceRange range) : Stmt(Kind::Pass, range) {}
  static bool classof(const Stmt *stmt) { return stmt->getKind() == Kind::Pass; }
};

class AssertStmt : public Stmt {
public:
  AssertStmt(SourceRange range, const Expr *condition, const Expr *message)
      : Stmt(Kind::Assert, range), condition(condition), message(message) {}
  static bool classof(const Stmt *stmt) { return stmt->getKind() == Kind::Assert; }

  const Expr *getCondition() const { return condition; }
  /// Null if there is none.
  const Expr *getMessage() const { return message; }

private:
  const Expr *condition;
  const Expr *message;
};

/// `raise`, `raise value`, `raise value from cause`.
class RaiseStmt : public Stmt {
public:
  RaiseStmt(SourceRange range, const Expr *value, const Expr *cause)
      : Stmt(Kind::Raise, range), value(value), cause(cause) {}
  static bool classof(const Stmt *stmt) { return stmt->getKind() == Kind::Raise; }

  /// Null if there is none.
  const Expr *getValue() const { return value; }
  /// Null if there is none.
  const Expr *getCause() const { return cause; }

private:
  const Expr *value;
  const Expr *cause;
};

class ExprStmt : public Stmt {
public:
  ExprStmt(SourceRange range, const Expr *expr) : Stmt(Kind::Expr, range), expr(expr) {}
  static bool classof(const Stmt *stmt) { return stmt->getKind() == Kind::Expr; }

  const Expr *getExpr() const { return expr; }

private:
  const Expr *expr;
};

/// `import a.b as c, d` or `from a.b import c as d, e`. The parser has refused modules that mean
/// something.
class ImportStmt : public Stmt {
public:
  struct Alias {
    /// A dotted name in `import`, a plain one in `from ... import`, or `*`.
    Name name;
    /// Empty without `as`.
    Name asName;
  };

  ImportStmt(SourceRange range, Name module, llvm::ArrayRef<Alias> aliases)
      : Stmt(Kind::Import, range), module(module), aliases(aliases) {}
  static bool classof(const Stmt *stmt) { return stmt->getKind() == Kind::Import; }

  bool isFrom() const { return !module.text.empty(); }
  /// The dotted name behind `from`; empty for `import`.
  Name getModule() const { return module; }
  llvm::ArrayRef<Alias> getAliases() const { return aliases; }

private:
  Name module;
  llvm::ArrayRef<Alias> aliases;
};

/// A whole file.
class Module : public Node {
public:
  Module(SourceRange range, const StringLiteral *docstring, Block body)
      : Node(range), docstring(docstring), body(body) {}

  /// Null if there is none.
  const StringLiteral *getDocstring() const { return docstring; }
  Block getBody() const { return body; }

private:
  const StringLiteral *docstring;
  Block body;
};

//===------------------------------------------------------------------------===//
// Ownership
//===------------------------------------------------------------------------===//

/// Owns the nodes, arrays and texts of trees.
class ASTContext {
public:
  template <typename NodeT, typename... Args> const NodeT *create(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<NodeT>, "the arena runs no destructors");
    return new (allocator.Allocate<NodeT>()) NodeT(std::forward<Args>(args)...);
  }
  template <typename T> llvm::ArrayRef<T> copyArray(llvm::ArrayRef<T> elements) {
    return elements.copy(allocator);
  }
  llvm::StringRef copyString(llvm::StringRef text) { return text.copy(allocator); }

private:
  llvm::BumpPtrAllocator allocator;
};

/// How an operator is written.
llvm::StringRef getSpelling(UnaryOp op);
llvm::StringRef getSpelling(BinaryOp op);
llvm::StringRef getSpelling(BoolOp op);
llvm::StringRef getSpelling(CompareOp op);

} // namespace attnc::ast

#endif // COMPILER_FRONTEND_AST_H
