//===- EvaluateOperators.cpp - Types of operators and what they give --------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Evaluator.h"
#include "llvm/ADT/StringExtras.h"

using namespace attnc;
using ast::BinaryOp;
using ast::CompareOp;

//===------------------------------------------------------------------------===//
// What an operand must be
//===------------------------------------------------------------------------===//

void Evaluator::reportBoolOperand(llvm::StringRef user, SourceRange range) {
  DiagnosticBuilder builder = report(range, DiagId::bool_arithmetic, user);
  suggestWrap(builder, "int", range);
}

bool Evaluator::requireScalar(Operand &operand, llvm::StringRef user) {
  operand.value = load(operand.value, operand.range);
  if (operand.value.isScalar())
    return true;
  if (!operand.value.isPoison())
    reportOperand(operand, user, "a number or bool");
  return false;
}

bool Evaluator::requireNumber(Operand &operand, llvm::StringRef user) {
  operand.value = load(operand.value, operand.range);
  if (operand.value.isScalarOf(ScalarKind::Bool)) {
    reportBoolOperand(user, operand.range);
    return false;
  }
  if (operand.value.isScalar())
    return true;
  if (!operand.value.isPoison())
    reportOperand(operand, user, "a number");
  return false;
}

bool Evaluator::requireInt(Operand &operand, llvm::StringRef user) {
  operand.value = load(operand.value, operand.range);
  if (operand.value.isScalarOf(ScalarKind::Int))
    return true;
  if (operand.value.isPoison())
    return false;
  DiagnosticBuilder builder = reportOperand(operand, user, "an int");
  if (operand.value.isScalar())
    suggestWrap(builder, "int", operand.range);
  return false;
}

bool Evaluator::requireBool(Operand &operand, llvm::StringRef user) {
  operand.value = load(operand.value, operand.range);
  if (operand.value.isScalarOf(ScalarKind::Bool))
    return true;
  if (operand.value.isPoison())
    return false;
  DiagnosticBuilder builder = reportOperand(operand, user, "a bool");
  if (operand.value.isScalar())
    suggest(builder, "compare with 0",
            {Edit{operand.range.beginning(), "("}, Edit{operand.range.ending(), " != 0)"}});
  return false;
}

DiagnosticBuilder Evaluator::reportOperand(Operand operand, llvm::StringRef user,
                                           llvm::StringRef expected) {
  if (operand.value.is(Value::Kind::Tensor)) {
    const TensorRef &tensor = operand.value.getTensor();
    std::string example = operand.range.text().str() + "[";
    for (unsigned i = 0; i < tensor.getRank(); ++i) {
      const Value &size = tensor.getSizes()[i];
      bool isSingle = size.is(Value::Kind::Int) && size.getInt() == 1;
      example += std::string(i ? ", " : "") + (isSingle ? "0" : "...");
    }
    DiagnosticBuilder builder =
        report(operand.range, DiagId::tensor_not_indexed, user, operand.value.describe());
    builder.hint("index it: `" + example + "]`");
    return builder.note(tensor.declaration->range, DiagId::note_declared_here,
                        tensor.declaration->name);
  }
  DiagnosticBuilder builder =
      report(operand.range, DiagId::operand_type, user, expected, operand.value.describe());
  if (operand.value.is(Value::Kind::Foreign) && operand.value.getForeignName() == "scale")
    builder.hint("mods cannot read a softmax scale that is a launch argument");
  return builder;
}

//===------------------------------------------------------------------------===//
// Binary and unary operators
//===------------------------------------------------------------------------===//

static bool isBits(BinaryOp op) {
  return op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
}

Value Evaluator::evaluateBinary(const ast::BinaryExpr &expr, const ast::CompareExpr *parent) {
  Operand lhs = evaluateOperand(*expr.getLHS());
  Operand rhs = evaluateOperand(*expr.getRHS());
  if (isBits(expr.getOp())) {
    lhs.value = load(lhs.value, lhs.range);
    rhs.value = load(rhs.value, rhs.range);
    if (lhs.value.isScalar() && rhs.value.isScalar() &&
        lhs.value.isScalarOf(ScalarKind::Bool) != rhs.value.isScalarOf(ScalarKind::Bool)) {
      reportMixedBits(expr, lhs, rhs, parent);
      return Value::poison();
    }
  }
  return binary(expr.getOp(), lhs, rhs, expr.getRange(), ast::getSpelling(expr.getOp()));
}

/// The text of a range on one line, for a message.
static std::string quote(SourceRange range) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(range.text(), words);
  return llvm::join(words, " ");
}

/// The part of `whole` before an operator, and behind it, without the spaces between.
static std::pair<SourceRange, SourceRange> splitAt(SourceRange whole, SourceRange op) {
  SourceRange left = {whole.file, whole.begin, op.begin};
  left.end -= left.text().size() - left.text().rtrim().size();
  SourceRange right = {whole.file, op.end, whole.end};
  right.begin += right.text().size() - right.text().ltrim().size();
  return {left, right};
}

void Evaluator::reportMixedBits(const ast::BinaryExpr &expr, Operand lhs, Operand rhs,
                                const ast::CompareExpr *parent) {
  std::string spelling = ast::getSpelling(expr.getOp()).str();
  bool numberLast = lhs.value.isScalarOf(ScalarKind::Bool);
  SourceRange range = expr.getRange();
  DiagnosticBuilder builder =
      report(range, DiagId::mixed_bits, spelling, lhs.value.describe(), rhs.value.describe());
  if (library.contains(range))
    return;
  if (parent &&
      (numberLast ? parent->getOperands().front() : parent->getOperands().back()) == &expr) {
    // `a & b == c` groups as `(a & b) == c`, and `a == b & c` as `a == (b & c)`.
    SourceRange whole = parent->getRange();
    SourceRange before = {whole.file, whole.begin, range.begin};
    SourceRange behind = {whole.file, range.end, whole.end};
    auto [left, right] = splitAt(whole, expr.getOpRange());
    SourceRange compared = numberLast ? right : left;
    builder.hint("this means `" + before.text().str() + "(" + quote(range) + ")" +
                 behind.text().str() + "`");
    suggest(builder,
            numberLast ? "write `" + quote(left) + " " + spelling + " (" + quote(right) + ")`"
                       : "write `(" + quote(left) + ") " + spelling + " " + quote(right) + "`",
            {Edit{compared.beginning(), "("}, Edit{compared.ending(), ")"}});
    return;
  }
  auto [left, right] = splitAt(range, expr.getOpRange());
  SourceRange number = numberLast ? right : left;
  suggest(builder, "write `(" + quote(number) + " != 0)`",
          {Edit{number.beginning(), "("}, Edit{number.ending(), " != 0)"}});
  suggestWrap(builder, "int", numberLast ? lhs.range : rhs.range);
}

/// Whether `value` is a constant zero.
static bool isZero(Value value) {
  return (value.is(Value::Kind::Int) && value.getInt() == 0) ||
         (value.is(Value::Kind::Float) && value.getReal() == 0);
}

bool Evaluator::checkDivision(BinaryOp op, Operand lhs, Operand rhs, llvm::StringRef spelling) {
  bool isDivision = op == BinaryOp::FloorDiv || op == BinaryOp::Mod ||
                    (op == BinaryOp::Div && lhs.value.isConstant());
  if (isDivision && isZero(rhs.value)) {
    DiagnosticBuilder builder = report(rhs.range, DiagId::division_by_zero, spelling);
    if (op == BinaryOp::Div && !isZero(lhs.value))
      builder.hint("infinity is written `inf`");
    return false;
  }
  if (op != BinaryOp::Pow || !isZero(lhs.value) || !rhs.value.isConstant())
    return true;
  double exponent = rhs.value.is(Value::Kind::Int) ? static_cast<double>(rhs.value.getInt())
                                                   : rhs.value.getReal();
  if (!(exponent < 0))
    return true;
  report(rhs.range, DiagId::power_of_zero, rhs.range.text()).hint("infinity is written `inf`");
  return false;
}

Value Evaluator::binary(BinaryOp op, Operand lhs, Operand rhs, SourceRange range,
                        llvm::StringRef spelling) {
  if (lhs.value.isPoison() || rhs.value.isPoison())
    return Value::poison();
  if (lhs.value.is(Value::Kind::Tuple) || rhs.value.is(Value::Kind::Tuple))
    return tupleOperation(op, lhs, rhs, range, spelling);
  SourceRange place = getUserRange(range);
  switch (op) {
  case BinaryOp::BitAnd:
  case BinaryOp::BitOr:
  case BinaryOp::BitXor: {
    if (!requireScalar(lhs, spelling) || !requireScalar(rhs, spelling))
      return Value::poison();
    if (lhs.value.getScalarKind() != rhs.value.getScalarKind() ||
        lhs.value.isScalarOf(ScalarKind::Float)) {
      const Operand &odd = lhs.value.isScalarOf(ScalarKind::Float)   ? lhs
                           : rhs.value.isScalarOf(ScalarKind::Float) ? rhs
                                                                     : lhs;
      if (odd.value.isScalarOf(ScalarKind::Float))
        report(odd.range, DiagId::operand_type, spelling, "ints or bools", "a float");
      else
        report(range, DiagId::mixed_bits, spelling, lhs.value.describe(), rhs.value.describe());
      return Value::poison();
    }
    return ops.bitwise(op, lhs.value, rhs.value, place);
  }
  case BinaryOp::ShiftLeft:
  case BinaryOp::ShiftRight:
    if (!requireInt(lhs, spelling) || !requireInt(rhs, spelling))
      return Value::poison();
    if (rhs.value.is(Value::Kind::Int) && (rhs.value.getInt() < 0 || rhs.value.getInt() > 63)) {
      report(rhs.range, DiagId::shift_amount, rhs.value.getInt());
      return Value::poison();
    }
    return ops.shift(op, lhs.value, rhs.value, place);
  case BinaryOp::MatMul:
    report(range, DiagId::matrix_product);
    return Value::poison();
  default:
    break;
  }
  bool fits = requireNumber(lhs, spelling);
  if (!requireNumber(rhs, spelling) || !fits)
    return Value::poison();
  if (!checkDivision(op, lhs, rhs, spelling))
    return Value::poison();
  return ops.arithmetic(op, lhs.value, rhs.value, place,
                        op == BinaryOp::Pow && isApproximate("pow"));
}

Value Evaluator::tupleOperation(BinaryOp op, Operand lhs, Operand rhs, SourceRange range,
                                llvm::StringRef spelling) {
  bool both = lhs.value.is(Value::Kind::Tuple) && rhs.value.is(Value::Kind::Tuple);
  llvm::SmallVector<Value> elements;
  if (op == BinaryOp::Add && both) {
    elements.append(lhs.value.getElements().begin(), lhs.value.getElements().end());
    elements.append(rhs.value.getElements().begin(), rhs.value.getElements().end());
    return makeTuple(elements, range);
  }
  if (lhs.value.is(Value::Kind::Int))
    std::swap(lhs, rhs);
  if (op == BinaryOp::Mul && rhs.value.is(Value::Kind::Int)) {
    llvm::ArrayRef<Value> part = lhs.value.getElements();
    uint64_t times = std::max<int64_t>(rhs.value.getInt(), 0);
    if (part.empty() || times == 0)
      return makeTuple({}, range);
    if (times > maxTupleWeight || part.size() * times > maxTupleWeight) {
      stop(range, DiagId::tuple_too_large, maxTupleWeight);
      return Value::poison();
    }
    for (uint64_t i = 0; i < times; ++i)
      elements.append(part.begin(), part.end());
    return makeTuple(elements, range);
  }
  const Operand &tuple = lhs.value.is(Value::Kind::Tuple) ? lhs : rhs;
  report(tuple.range, DiagId::operand_type, spelling, "a number", tuple.value.describe());
  return Value::poison();
}

Value Evaluator::unary(ast::UnaryOp op, Operand operand, SourceRange range) {
  if (operand.value.isPoison())
    return Value::poison();
  llvm::StringRef spelling = ast::getSpelling(op);
  SourceRange place = getUserRange(range);
  switch (op) {
  case ast::UnaryOp::Plus:
    return requireNumber(operand, spelling) ? operand.value : Value::poison();
  case ast::UnaryOp::Minus:
    return requireNumber(operand, spelling) ? ops.negate(operand.value, place) : Value::poison();
  case ast::UnaryOp::Invert:
    if (!requireScalar(operand, spelling))
      return Value::poison();
    if (operand.value.isScalarOf(ScalarKind::Float)) {
      report(operand.range, DiagId::operand_type, spelling, "an int or a bool", "a float");
      return Value::poison();
    }
    return ops.invert(operand.value, place);
  case ast::UnaryOp::Not: {
    if (std::optional<bool> truth = getTruth(operand.value))
      return Value::boolean(!*truth);
    return requireBool(operand, spelling) ? ops.logicalNot(operand.value, place) : Value::poison();
  }
  }
  llvm_unreachable("unknown operator");
}

//===------------------------------------------------------------------------===//
// Conditions
//===------------------------------------------------------------------------===//

/// The truth of what is known and no number: a bool, None, a tuple, a string, a function.
std::optional<bool> Evaluator::getTruth(const Value &value) const {
  switch (value.getKind()) {
  case Value::Kind::Bool:
    return value.getBool();
  case Value::Kind::None:
    return false;
  case Value::Kind::Tuple:
    return !value.getElements().empty();
  case Value::Kind::String:
    return !value.getString().empty();
  case Value::Kind::Function:
  case Value::Kind::Builtin:
    return true;
  default:
    return std::nullopt;
  }
}

Value Evaluator::condition(Operand operand) {
  if (std::optional<bool> truth = getTruth(operand.value))
    return Value::boolean(*truth);
  operand.value = load(operand.value, operand.range);
  if (operand.value.isScalarOf(ScalarKind::Bool) || operand.value.isPoison())
    return operand.value;
  if (operand.value.is(Value::Kind::Tensor)) {
    reportOperand(operand, "a condition", "a bool");
    return Value::poison();
  }
  DiagnosticBuilder builder =
      report(operand.range, DiagId::condition_type, operand.value.describe());
  if (operand.value.isScalar())
    suggest(builder, "compare with 0",
            {Edit{operand.range.beginning(), "("}, Edit{operand.range.ending(), ") != 0"}});
  return Value::poison();
}

Value Evaluator::evaluateBool(const ast::BoolExpr &expr) {
  bool isAnd = expr.getOp() == ast::BoolOp::And;
  llvm::StringRef spelling = ast::getSpelling(expr.getOp());
  SourceRange place = getUserRange(expr.getRange());
  std::optional<Value> result;
  unsigned outerConditions = conditionDepth;
  for (const ast::Expr *part : expr.getOperands()) {
    Operand operand = evaluateOperand(*part);
    bool isLast = part == expr.getOperands().back();
    std::optional<bool> truth = getTruth(operand.value);
    if (truth && !operand.value.is(Value::Kind::Bool) && !result) {
      // As in Python: the operand that decides is the result.
      if (*truth != isAnd || isLast)
        return operand.value;
      continue;
    }
    if (!requireBool(operand, spelling)) {
      conditionDepth = outerConditions;
      return Value::poison();
    }
    result = !result ? operand.value
                     : ops.bitwise(isAnd ? BinaryOp::BitAnd : BinaryOp::BitOr, *result,
                                   operand.value, place);
    if (result->is(Value::Kind::Bool) && result->getBool() != isAnd)
      break;
    if (result->isRuntime())
      conditionDepth = outerConditions + 1;
  }
  conditionDepth = outerConditions;
  return *result;
}

//===------------------------------------------------------------------------===//
// Comparisons
//===------------------------------------------------------------------------===//

/// Operand `i` of a comparison if it is `&`, `|` or `^` without parentheses around it.
static const ast::BinaryExpr *getBareBits(const ast::CompareExpr &compare, size_t i) {
  const auto *binary = llvm::dyn_cast<ast::BinaryExpr>(compare.getOperands()[i]);
  if (!binary || !isBits(binary->getOp()))
    return nullptr;
  SourceRange whole = compare.getRange(), operand = binary->getRange();
  uint32_t before = i == 0 ? whole.begin : compare.getOps()[i - 1].range.end;
  bool isBare = !SourceRange{whole.file, before, operand.begin}.text().contains('(');
  return isBare ? binary : nullptr;
}

/// `a > 0 & b > 0` is `a > (0 & b) > 0`, which nobody means.
void Evaluator::warnOfPrecedence(const ast::CompareExpr &expr) {
  for (size_t i = 1; i + 1 < expr.getOperands().size(); ++i) {
    const ast::BinaryExpr *binary = getBareBits(expr, i);
    if (!binary || binary->getOp() == BinaryOp::BitXor)
      continue;
    std::string spelling = ast::getSpelling(binary->getOp()).str();
    auto [left, right] = splitAt(expr.getRange(), binary->getOpRange());
    DiagnosticBuilder builder = report(binary->getRange(), DiagId::comparison_precedence, spelling);
    suggest(builder, "write `(" + quote(left) + ") " + spelling + " (" + quote(right) + ")`",
            {Edit{left.beginning(), "("}, Edit{left.ending(), ")"}, Edit{right.beginning(), "("},
             Edit{right.ending(), ")"}});
  }
}

Value Evaluator::evaluateCompare(const ast::CompareExpr &expr) {
  auto evaluateAt = [&](size_t i) -> Operand {
    const ast::Expr &part = *expr.getOperands()[i];
    if (const ast::BinaryExpr *bits = getBareBits(expr, i))
      return {evaluateBinary(*bits, &expr), part.getRange()};
    return evaluateOperand(part);
  };
  if (expr.getOps().size() > 1)
    warnOfPrecedence(expr);
  Operand lhs = evaluateAt(0);
  Value result = Value::boolean(true);
  unsigned outerConditions = conditionDepth;
  for (size_t i = 0; i < expr.getOps().size() && !lhs.value.isPoison(); ++i) {
    Operand rhs = evaluateAt(i + 1);
    SourceRange range = expr.getOps().size() == 1 ? expr.getRange() : lhs.range.to(rhs.range);
    Value part = compare(expr.getOps()[i].op, lhs, rhs, range);
    if (part.isPoison()) {
      conditionDepth = outerConditions;
      return part;
    }
    result = ops.bitwise(BinaryOp::BitAnd, result, part, getUserRange(expr.getRange()));
    if (result.is(Value::Kind::Bool) && !result.getBool())
      break;
    if (result.isRuntime())
      conditionDepth = outerConditions + 1;
    lhs = rhs;
  }
  conditionDepth = outerConditions;
  return lhs.value.isPoison() ? Value::poison() : result;
}

Value Evaluator::compare(CompareOp op, Operand lhs, Operand rhs, SourceRange range) {
  if (lhs.value.isPoison() || rhs.value.isPoison())
    return Value::poison();
  switch (op) {
  case CompareOp::Is:
  case CompareOp::IsNot:
    return compareIdentity(op, lhs, rhs, range);
  case CompareOp::In:
  case CompareOp::NotIn:
    return compareMembership(op, lhs, rhs, range);
  default:
    break;
  }
  bool isEquality = op == CompareOp::Eq || op == CompareOp::Ne;
  lhs.value = load(lhs.value, lhs.range);
  rhs.value = load(rhs.value, rhs.range);
  if (isEquality && !lhs.value.is(Value::Kind::Tensor) && !rhs.value.is(Value::Kind::Tensor) &&
      (!lhs.value.isScalar() || !rhs.value.isScalar())) {
    std::optional<Value> same = compareWhole(lhs, rhs, range);
    if (!same)
      return Value::poison();
    return op == CompareOp::Eq ? *same : ops.logicalNot(*same, getUserRange(range));
  }
  llvm::StringRef spelling = ast::getSpelling(op);
  if (!requireScalar(lhs, spelling) || !requireScalar(rhs, spelling))
    return Value::poison();
  bool leftBool = lhs.value.isScalarOf(ScalarKind::Bool);
  bool rightBool = rhs.value.isScalarOf(ScalarKind::Bool);
  if (leftBool != rightBool || (leftBool && !isEquality)) {
    DiagnosticBuilder builder =
        report(range, DiagId::bool_compare, spelling, lhs.value.describe(), rhs.value.describe());
    suggestWrap(builder, "int", leftBool ? lhs.range : rhs.range);
    return Value::poison();
  }
  return ops.compare(op, lhs.value, rhs.value, getUserRange(range));
}

/// `==` where one side is no number or bool; nothing after an error.
std::optional<Value> Evaluator::compareWhole(Operand lhs, Operand rhs, SourceRange range) {
  if (!lhs.value.is(Value::Kind::Tuple) || !rhs.value.is(Value::Kind::Tuple))
    return Value::boolean(lhs.value.isIdenticalTo(rhs.value));
  llvm::ArrayRef<Value> a = lhs.value.getElements(), b = rhs.value.getElements();
  if (a.size() != b.size())
    return Value::boolean(false);
  if (!spend(a.size(), range))
    return std::nullopt;
  Value all = Value::boolean(true);
  for (size_t i = 0; i < a.size(); ++i) {
    Value same = compare(CompareOp::Eq, {a[i], lhs.range}, {b[i], rhs.range}, range);
    if (same.isPoison())
      return std::nullopt;
    all = ops.bitwise(BinaryOp::BitAnd, all, same, getUserRange(range));
  }
  return all;
}

Value Evaluator::compareIdentity(CompareOp op, Operand lhs, Operand rhs, SourceRange range) {
  bool isNone = lhs.value.is(Value::Kind::None) || rhs.value.is(Value::Kind::None);
  if (!isNone && (lhs.value.isRuntime() || rhs.value.isRuntime() ||
                  lhs.value.is(Value::Kind::Int) || lhs.value.is(Value::Kind::Float))) {
    SourceRange between = {range.file, lhs.range.end, rhs.range.begin};
    DiagnosticBuilder builder = report(range, DiagId::identity_of_number, ast::getSpelling(op));
    suggest(builder, op == CompareOp::Is ? "write `==`" : "write `!=`",
            {Edit{between, op == CompareOp::Is ? " == " : " != "}});
    return Value::poison();
  }
  bool same = lhs.value.isIdenticalTo(rhs.value);
  return Value::boolean(same == (op == CompareOp::Is));
}

Value Evaluator::compareMembership(CompareOp op, Operand lhs, Operand rhs, SourceRange range) {
  if (!rhs.value.is(Value::Kind::Tuple)) {
    report(rhs.range, DiagId::operand_type, ast::getSpelling(op), "a tuple on its right",
           rhs.value.describe());
    return Value::poison();
  }
  Value any = Value::boolean(false);
  for (const Value &element : rhs.value.getElements()) {
    if (!spend(1, range))
      return Value::poison();
    Value same = compare(CompareOp::Eq, lhs, {element, rhs.range}, range);
    if (same.isPoison())
      return same;
    any = ops.bitwise(BinaryOp::BitOr, any, same, getUserRange(range));
  }
  return op == CompareOp::In ? any : ops.logicalNot(any, getUserRange(range));
}
