//===- ParseExpr.cpp - The parser's expressions ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Literals.h"
#include "compiler/Frontend/ParserImpl.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace attnc;
using namespace attnc::ast;

bool Parser::atExprStart() const {
  switch (peek().kind) {
  case Kind::identifier:
  case Kind::integer:
  case Kind::floating:
  case Kind::string:
  case Kind::kw_False:
  case Kind::kw_None:
  case Kind::kw_True:
  case Kind::kw_await:
  case Kind::kw_lambda:
  case Kind::kw_not:
  case Kind::kw_yield:
  case Kind::l_paren:
  case Kind::l_square:
  case Kind::l_brace:
  case Kind::ellipsis:
  case Kind::plus:
  case Kind::minus:
  case Kind::star:
  case Kind::tilde:
    return true;
  default:
    return false;
  }
}

//===------------------------------------------------------------------------===//
// From the loosest to the tightest operator
//===------------------------------------------------------------------------===//

const Expr *Parser::parseExprList() {
  uint32_t begin = peek().begin;
  const Expr *first = parseExpr();
  if (!first || !at(Kind::comma))
    return first;
  Exprs elements = {first};
  while (consumeIf(Kind::comma) && atExprStart()) {
    elements.push_back(parseExpr());
    if (!elements.back())
      return nullptr;
  }
  return make<TupleExpr>(rangeFrom(begin), save(elements));
}

const Expr *Parser::parseAnnotation() {
  llvm::SaveAndRestore scope(inAnnotation, true);
  return parseExpr();
}

const Expr *Parser::parseExpr() {
  llvm::SaveAndRestore scope(depth, depth + 1);
  if (depth > maxDepth && tooDeep(getRange(peek())))
    return nullptr;
  uint32_t begin = peek().begin;
  switch (peek().kind) {
  case Kind::kw_lambda:
    return parseLambda();
  case Kind::star:
    return rejectPrefix("starred values outside of a call", "");
  case Kind::kw_await:
    return rejectPrefix("`await` expressions", "");
  case Kind::kw_yield:
    return rejectPrefix("`yield` expressions", "use `return`");
  default:
    break;
  }
  const Expr *value = parseOr();
  if (!value)
    return nullptr;
  if (at(Kind::colon_equal)) {
    consume();
    if (parseExpr())
      diagnostics.report(rangeFrom(begin), DiagId::unsupported_expression, "assignments by `:=`")
          .hint("assign in a statement before");
    return nullptr;
  }
  if (!consumeIf(Kind::kw_if))
    return value;
  const Expr *condition = parseOr();
  if (!condition || !expect(Kind::kw_else))
    return nullptr;
  const Expr *falseValue = parseExpr();
  if (!falseValue)
    return nullptr;
  return make<ConditionalExpr>(rangeFrom(begin), condition, value, falseValue);
}

const Expr *Parser::parseLambda() {
  uint32_t begin = consume().begin;
  Params params;
  if (!parseParams(params, Kind::colon, /*hasAnnotations=*/false) || !expect(Kind::colon))
    return nullptr;
  const Expr *body = parseExpr();
  if (!body)
    return nullptr;
  return make<LambdaExpr>(rangeFrom(begin), save(params.list), body);
}

const Expr *Parser::parseOr() {
  uint32_t begin = peek().begin;
  Exprs operands;
  do {
    operands.push_back(parseAnd());
    if (!operands.back())
      return nullptr;
  } while (consumeIf(Kind::kw_or));
  if (operands.size() == 1)
    return operands.front();
  return make<BoolExpr>(rangeFrom(begin), BoolOp::Or, save(operands));
}

const Expr *Parser::parseAnd() {
  uint32_t begin = peek().begin;
  Exprs operands;
  do {
    operands.push_back(parseNot());
    if (!operands.back())
      return nullptr;
  } while (consumeIf(Kind::kw_and));
  if (operands.size() == 1)
    return operands.front();
  return make<BoolExpr>(rangeFrom(begin), BoolOp::And, save(operands));
}

const Expr *Parser::parseNot() {
  if (!at(Kind::kw_not))
    return parseComparison();
  llvm::SaveAndRestore scope(depth, depth + 1);
  if (depth > maxDepth && tooDeep(getRange(peek())))
    return nullptr;
  uint32_t begin = consume().begin;
  const Expr *operand = parseNot();
  return operand ? make<UnaryExpr>(rangeFrom(begin), UnaryOp::Not, operand) : nullptr;
}

std::optional<CompareExpr::Op> Parser::parseCompareOp() {
  uint32_t begin = peek().begin;
  auto take = [&](CompareOp op, unsigned count = 1) {
    for (unsigned i = 0; i < count; ++i)
      consume();
    return CompareExpr::Op{op, rangeFrom(begin)};
  };
  switch (peek().kind) {
  case Kind::equal_equal:
    return take(CompareOp::Eq);
  case Kind::exclaim_equal:
    return take(CompareOp::Ne);
  case Kind::less:
    return take(CompareOp::Lt);
  case Kind::less_equal:
    return take(CompareOp::Le);
  case Kind::greater:
    return take(CompareOp::Gt);
  case Kind::greater_equal:
    return take(CompareOp::Ge);
  case Kind::kw_in:
    return take(CompareOp::In);
  case Kind::kw_is:
    if (peek(1).kind == Kind::kw_not)
      return take(CompareOp::IsNot, 2);
    return take(CompareOp::Is);
  case Kind::kw_not:
    if (peek(1).kind == Kind::kw_in)
      return take(CompareOp::NotIn, 2);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

const Expr *Parser::parseComparison() {
  uint32_t begin = peek().begin;
  Exprs operands = {parseBinary(1)};
  llvm::SmallVector<CompareExpr::Op, 2> ops;
  while (operands.back()) {
    std::optional<CompareExpr::Op> op = parseCompareOp();
    if (!op)
      break;
    ops.push_back(*op);
    operands.push_back(parseBinary(1));
  }
  if (!operands.back() || ops.empty())
    return operands.back();
  return make<CompareExpr>(rangeFrom(begin), save(operands), save(ops));
}

namespace {
struct BinaryOpInfo {
  /// 0 for what is no binary operator.
  unsigned precedence = 0;
  BinaryOp op = BinaryOp::Add;
};
} // namespace

/// `**` is not among them: it binds tighter than the sign on its left.
static BinaryOpInfo getBinaryOp(Token::Kind kind) {
  switch (kind) {
  case Token::Kind::pipe:
    return {1, BinaryOp::BitOr};
  case Token::Kind::caret:
    return {2, BinaryOp::BitXor};
  case Token::Kind::amp:
    return {3, BinaryOp::BitAnd};
  case Token::Kind::less_less:
    return {4, BinaryOp::ShiftLeft};
  case Token::Kind::greater_greater:
    return {4, BinaryOp::ShiftRight};
  case Token::Kind::plus:
    return {5, BinaryOp::Add};
  case Token::Kind::minus:
    return {5, BinaryOp::Sub};
  case Token::Kind::star:
    return {6, BinaryOp::Mul};
  case Token::Kind::slash:
    return {6, BinaryOp::Div};
  case Token::Kind::slash_slash:
    return {6, BinaryOp::FloorDiv};
  case Token::Kind::percent:
    return {6, BinaryOp::Mod};
  case Token::Kind::at:
    return {6, BinaryOp::MatMul};
  default:
    return {};
  }
}

const Expr *Parser::parseBinary(unsigned minPrecedence) {
  uint32_t begin = peek().begin;
  const Expr *lhs = parseUnary();
  while (lhs) {
    BinaryOpInfo info = getBinaryOp(peek().kind);
    if (info.precedence < minPrecedence)
      break;
    SourceRange opRange = getRange(consume());
    const Expr *rhs = parseBinary(info.precedence + 1);
    if (!rhs)
      return nullptr;
    lhs = make<BinaryExpr>(rangeFrom(begin), info.op, opRange, lhs, rhs);
  }
  return lhs;
}

const Expr *Parser::parseUnary() {
  UnaryOp op;
  switch (peek().kind) {
  case Kind::plus:
    op = UnaryOp::Plus;
    break;
  case Kind::minus:
    op = UnaryOp::Minus;
    break;
  case Kind::tilde:
    op = UnaryOp::Invert;
    break;
  default:
    return parsePower();
  }
  llvm::SaveAndRestore scope(depth, depth + 1);
  if (depth > maxDepth && tooDeep(getRange(peek())))
    return nullptr;
  uint32_t begin = consume().begin;
  const Expr *operand = parseUnary();
  return operand ? make<UnaryExpr>(rangeFrom(begin), op, operand) : nullptr;
}

const Expr *Parser::parsePower() {
  uint32_t begin = peek().begin;
  const Expr *base = parsePostfix();
  if (!base || !at(Kind::star_star))
    return base;
  llvm::SaveAndRestore scope(depth, depth + 1);
  if (depth > maxDepth && tooDeep(getRange(peek())))
    return nullptr;
  SourceRange opRange = getRange(consume());
  const Expr *exponent = parseUnary();
  if (!exponent)
    return nullptr;
  return make<BinaryExpr>(rangeFrom(begin), BinaryOp::Pow, opRange, base, exponent);
}

//===------------------------------------------------------------------------===//
// Calls, indices and attributes
//===------------------------------------------------------------------------===//

const Expr *Parser::parsePostfix() {
  uint32_t begin = peek().begin;
  const Expr *expr = parseAtom();
  while (expr) {
    if (at(Kind::l_paren)) {
      expr = parseCall(expr, begin);
    } else if (at(Kind::l_square)) {
      expr = parseSubscript(expr, begin);
    } else if (consumeIf(Kind::period)) {
      if (!at(Kind::identifier)) {
        failExpected(describe(Kind::identifier));
        return nullptr;
      }
      Name name = getName(consume());
      expr = make<AttributeExpr>(rangeFrom(begin), expr, name);
    } else {
      break;
    }
  }
  return expr;
}

const Expr *Parser::parseCall(const Expr *callee, uint32_t begin) {
  const Token &open = consume();
  Arguments arguments;
  while (!at(Kind::r_paren)) {
    if (!parseArgument(arguments))
      return nullptr;
    if (!consumeIf(Kind::comma))
      break;
  }
  if (!expectClosing(Kind::r_paren, open))
    return nullptr;
  return make<CallExpr>(rangeFrom(begin), callee, save(arguments.list));
}

bool Parser::parseArgument(Arguments &arguments) {
  Argument argument;
  const Token &first = peek();
  if (at(Kind::star) || at(Kind::star_star)) {
    argument.kind = at(Kind::star) ? Argument::Kind::Star : Argument::Kind::DoubleStar;
    consume();
  } else if (at(Kind::identifier) && peek(1).kind == Kind::equal) {
    argument.kind = Argument::Kind::Keyword;
    argument.keyword = getName(consume());
    consume();
  }
  argument.value = parseExpr();
  if (!argument.value)
    return false;
  if (at(Kind::kw_for)) {
    ComprehensionClauses clauses;
    if (!parseComprehensionClauses(clauses))
      return false;
    argument.value = make<ComprehensionExpr>(rangeFrom(first.begin), /*isList=*/false,
                                             argument.value, save(clauses));
    if (!argument.value)
      return false;
  }
  argument.range = rangeFrom(first.begin);
  if (!checkArgument(arguments, argument))
    return false;
  arguments.list.push_back(argument);
  return true;
}

bool Parser::checkArgument(Arguments &arguments, const Argument &argument) {
  switch (argument.kind) {
  case Argument::Kind::Star:
    return true;
  case Argument::Kind::DoubleStar:
    arguments.hasDoubleStar = true;
    return true;
  case Argument::Kind::Positional:
    if (arguments.keywords.empty() && !arguments.hasDoubleStar)
      return true;
    diagnostics.report(argument.range, DiagId::positional_after_keyword);
    return false;
  case Argument::Kind::Keyword:
    break;
  }
  llvm::StringRef name = argument.keyword.text;
  auto [known, isNew] = arguments.keywords.try_emplace(name, argument.keyword.range);
  if (!isNew)
    diagnostics.report(argument.keyword.range, DiagId::repeated_argument, name)
        .note(known->second, DiagId::first_argument, name);
  return isNew;
}

const Expr *Parser::parseSubscript(const Expr *base, uint32_t begin) {
  const Token &open = consume();
  Exprs indices;
  while (!at(Kind::r_square)) {
    indices.push_back(parseIndex());
    if (!indices.back())
      return nullptr;
    if (!consumeIf(Kind::comma))
      break;
  }
  if (!expectClosing(Kind::r_square, open))
    return nullptr;
  if (indices.empty() && !inAnnotation) {
    diagnostics.report(rangeFrom(open.begin), DiagId::empty_index);
    return nullptr;
  }
  return make<SubscriptExpr>(rangeFrom(begin), base, save(indices));
}

const Expr *Parser::parseIndex() {
  uint32_t begin = peek().begin;
  auto parsePart = [&](const Expr *&part) {
    bool isPresent = !at(Kind::colon) && !at(Kind::comma) && !at(Kind::r_square);
    if (isPresent)
      part = parseExpr();
    return !isPresent || part;
  };
  const Expr *parts[3] = {};
  if (at(Kind::comma)) {
    failExpected("an index");
    return nullptr;
  }
  if (!parsePart(parts[0]))
    return nullptr;
  if (!at(Kind::colon))
    return parts[0];
  for (unsigned i = 1; i < 3 && consumeIf(Kind::colon); ++i)
    if (!parsePart(parts[i]))
      return nullptr;
  return make<SliceExpr>(rangeFrom(begin), parts[0], parts[1], parts[2]);
}

//===------------------------------------------------------------------------===//
// Atoms
//===------------------------------------------------------------------------===//

const Expr *Parser::parseAtom() {
  SourceRange range = getRange(peek());
  switch (peek().kind) {
  case Kind::identifier:
    return make<NameExpr>(range, getName(consume()).text);
  case Kind::integer:
  case Kind::floating:
    return parseNumber();
  case Kind::string:
    return parseString();
  case Kind::kw_None:
    consume();
    return make<NoneLiteral>(range);
  case Kind::kw_True:
  case Kind::kw_False:
    return make<BoolLiteral>(range, consume().kind == Kind::kw_True);
  case Kind::ellipsis:
    consume();
    return make<EllipsisLiteral>(range);
  case Kind::l_paren:
    return parseParenthesised();
  case Kind::l_square:
    return parseListDisplay();
  case Kind::l_brace:
    return parseBraces();
  default:
    failExpected("an expression");
    return nullptr;
  }
}

const Expr *Parser::parseNumber() {
  const Token &token = consume();
  if (token.kind == Kind::floating)
    return make<FloatLiteral>(getRange(token), getFloatValue(getText(token)));
  std::optional<uint64_t> value = getIntegerValue(getText(token));
  if (!value)
    diagnostics.report(getRange(token), DiagId::integer_too_large);
  return value ? make<IntLiteral>(getRange(token), *value) : nullptr;
}

const Expr *Parser::parseString() {
  uint32_t begin = peek().begin;
  std::string text;
  bool isFormat = false;
  while (at(Kind::string)) {
    const Token &token = consume();
    StringValue value = getStringValue(getText(token));
    if (!value.invalidEscape.empty()) {
      auto offset = static_cast<uint32_t>(value.invalidEscape.data() - file.getText().data());
      diagnostics.report(
          file.getRange(offset, offset + static_cast<uint32_t>(value.invalidEscape.size())),
          DiagId::invalid_escape, value.invalidEscape);
      return nullptr;
    }
    text += value.text;
    isFormat |= value.isFormat;
  }
  return make<StringLiteral>(rangeFrom(begin), context.copyString(text), isFormat);
}

bool Parser::parseElements(Exprs &elements, bool &hasComma, Kind close) {
  hasComma = false;
  while (!at(close)) {
    elements.push_back(parseExpr());
    if (!elements.back())
      return false;
    if (!consumeIf(Kind::comma))
      break;
    hasComma = true;
  }
  return true;
}

const Expr *Parser::parseParenthesised() {
  const Token &open = consume();
  Exprs elements;
  bool hasComma;
  if (!parseElements(elements, hasComma, Kind::r_paren))
    return nullptr;
  if (at(Kind::kw_for) && elements.size() == 1 && !hasComma)
    return parseComprehension(open, Kind::r_paren, elements.front());
  if (!expectClosing(Kind::r_paren, open))
    return nullptr;
  if (elements.size() == 1 && !hasComma)
    return elements.front();
  return make<TupleExpr>(rangeFrom(open.begin), save(elements));
}

const Expr *Parser::parseListDisplay() {
  const Token &open = consume();
  Exprs elements;
  bool hasComma;
  if (!parseElements(elements, hasComma, Kind::r_square))
    return nullptr;
  if (at(Kind::kw_for) && elements.size() == 1 && !hasComma)
    return parseComprehension(open, Kind::r_square, elements.front());
  if (!expectClosing(Kind::r_square, open))
    return nullptr;
  return make<ListExpr>(rangeFrom(open.begin), save(elements));
}

const Expr *Parser::parseComprehension(const Token &open, Kind close, const Expr *element) {
  ComprehensionClauses clauses;
  if (!parseComprehensionClauses(clauses) || !expectClosing(close, open))
    return nullptr;
  return make<ComprehensionExpr>(rangeFrom(open.begin), close == Kind::r_square, element,
                                 save(clauses));
}

bool Parser::parseComprehensionClauses(ComprehensionClauses &clauses) {
  while (consumeIf(Kind::kw_for)) {
    ComprehensionExpr::Clause clause;
    clause.target = parseLoopTarget();
    if (!clause.target || !expect(Kind::kw_in))
      return false;
    clause.iterable = parseOr();
    if (!clause.iterable)
      return false;
    Exprs conditions;
    while (consumeIf(Kind::kw_if)) {
      conditions.push_back(parseOr());
      if (!conditions.back())
        return false;
    }
    clause.conditions = save(conditions);
    clauses.push_back(clause);
  }
  return true;
}

const Expr *Parser::parseBraces() {
  uint32_t begin = peek().begin;
  skipBrackets();
  if (!at(Kind::error))
    diagnostics.report(rangeFrom(begin), DiagId::unsupported_expression, "dictionaries and sets")
        .hint("use a tuple, or keyword arguments");
  return nullptr;
}

//===------------------------------------------------------------------------===//
// What Python has and the language has not
//===------------------------------------------------------------------------===//

void Parser::skipBrackets() {
  unsigned open = 0;
  while (!at(Kind::newline) && !at(Kind::end_of_file) && !at(Kind::error)) {
    Kind kind = consume().kind;
    if (kind == Kind::l_paren || kind == Kind::l_square || kind == Kind::l_brace)
      ++open;
    else if ((kind == Kind::r_paren || kind == Kind::r_square || kind == Kind::r_brace) &&
             --open == 0)
      return;
  }
}

const Expr *Parser::rejectPrefix(llvm::StringRef what, llvm::StringRef hint) {
  uint32_t begin = consume().begin;
  if (at(Kind::kw_from))
    consume();
  if (atExprStart() && !parseExpr())
    return nullptr;
  diagnostics.report(rangeFrom(begin), DiagId::unsupported_expression, what).hint(hint.str());
  return nullptr;
}
