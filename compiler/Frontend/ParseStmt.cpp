//===- ParseStmt.cpp - The parser's statements ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/ParserImpl.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace attnc;
using namespace attnc::ast;

const Module *Parser::parseModule() {
  Stmts stmts;
  while (!at(Kind::end_of_file))
    parseStatement(stmts);
  const StringLiteral *docstring = takeDocstring(stmts);
  return make<Module>(file.getRange(), docstring, save(stmts));
}

const StringLiteral *Parser::takeDocstring(Stmts &stmts) {
  const auto *first = stmts.empty() ? nullptr : llvm::dyn_cast<ExprStmt>(stmts.front());
  const auto *docstring = first ? llvm::dyn_cast<StringLiteral>(first->getExpr()) : nullptr;
  if (!docstring || docstring->isFormat())
    return nullptr;
  stmts.erase(stmts.begin());
  return docstring;
}

//===------------------------------------------------------------------------===//
// Blocks and recovery
//===------------------------------------------------------------------------===//

void Parser::parseStatement(Stmts &stmts) {
  if (consumeIf(Kind::indent)) {
    if (!at(Kind::error))
      diagnostics.report(getRange(peek()), DiagId::unexpected_indent);
    parseStatementsUntilDedent(stmts);
    return;
  }
  const Stmt *stmt = nullptr;
  switch (peek().kind) {
  case Kind::kw_def:
    stmt = parseFunctionDef();
    break;
  case Kind::kw_if:
    stmt = parseIf();
    break;
  case Kind::kw_for:
    stmt = parseFor();
    break;
  case Kind::at:
  case Kind::kw_async:
  case Kind::kw_class:
  case Kind::kw_elif:
  case Kind::kw_else:
  case Kind::kw_except:
  case Kind::kw_finally:
  case Kind::kw_try:
  case Kind::kw_while:
  case Kind::kw_with:
    rejectStatement();
    return;
  default:
    parseSimpleLine(stmts);
    return;
  }
  if (stmt)
    stmts.push_back(stmt);
  else
    recover();
}

void Parser::parseStatementsUntilDedent(Stmts &stmts) {
  while (!at(Kind::dedent) && !at(Kind::end_of_file))
    parseStatement(stmts);
  consumeIf(Kind::dedent);
}

bool Parser::parseBlock(Stmts &stmts, const Token &keyword) {
  if (!expect(Kind::colon))
    return false;
  SourceRange colon = getRange(tokens[next - 1]);
  if (!consumeIf(Kind::newline))
    parseSimpleLine(stmts);
  else if (consumeIf(Kind::indent))
    parseStatementsUntilDedent(stmts);
  else if (!at(Kind::error)) {
    diagnostics.report(colon, DiagId::expected_block, describe(keyword.kind))
        .hint("write `pass` for an empty block");
    lostFunction |= keyword.kind == Kind::kw_def;
  }
  return true;
}

void Parser::recover(bool silent) {
  // The blocks may return: whether they stand in a function is no longer known.
  llvm::SaveAndRestore scope(functionDepth, functionDepth + 1);
  do {
    while (!at(Kind::newline) && !at(Kind::end_of_file))
      consume();
    consumeIf(Kind::newline);
    if (!consumeIf(Kind::indent))
      continue;
    if (!silent) {
      Stmts dropped;
      parseStatementsUntilDedent(dropped);
      continue;
    }
    for (unsigned open = 1; open != 0 && !at(Kind::end_of_file);) {
      Kind kind = consume().kind;
      open += kind == Kind::indent;
      open -= kind == Kind::dedent;
    }
  } while (at(Kind::kw_elif) || at(Kind::kw_else) || at(Kind::kw_except) || at(Kind::kw_finally));
}

void Parser::rejectStatement() {
  SourceRange range = getRange(peek());
  llvm::StringRef text = range.text();
  switch (peek().kind) {
  case Kind::at: {
    // The function behind it is parsed as ever.
    while (!at(Kind::newline) && !at(Kind::end_of_file))
      consume();
    range = range.to(rangeFrom(range.begin));
    diagnostics.report(range, DiagId::decorator).fixIt("remove it", {{range, ""}});
    consumeIf(Kind::newline);
    return;
  }
  case Kind::kw_elif:
  case Kind::kw_else:
    diagnostics.report(range, DiagId::misplaced_clause, text, "`if`");
    break;
  case Kind::kw_except:
  case Kind::kw_finally:
    diagnostics.report(range, DiagId::misplaced_clause, text, "`try`");
    break;
  case Kind::kw_while:
    diagnostics.report(range, DiagId::unsupported_statement, text)
        .hint("`for` over a compile-time range is unrolled");
    break;
  case Kind::kw_class:
    diagnostics.report(range, DiagId::unsupported_statement, text)
        .hint("use a function that returns a function");
    break;
  case Kind::kw_try:
    diagnostics.report(range, DiagId::unsupported_statement, text)
        .hint("nothing is thrown at run time");
    break;
  case Kind::kw_with:
    diagnostics.report(range, DiagId::unsupported_statement, text)
        .hint("write the statements of its block alone");
    break;
  default:
    diagnostics.report(range, DiagId::unsupported_statement, text).hint("write a plain `def`");
    break;
  }
  recover(/*silent=*/true);
}

//===------------------------------------------------------------------------===//
// Statements with a block
//===------------------------------------------------------------------------===//

const Stmt *Parser::parseFunctionDef() {
  const Token &keyword = consume();
  if (!at(Kind::identifier)) {
    failExpected(describe(Kind::identifier));
    return nullptr;
  }
  Name name = getName(consume());
  const Token &open = peek();
  Params params;
  if (!expect(Kind::l_paren) || !parseParams(params, Kind::r_paren, /*hasAnnotations=*/true) ||
      !expectClosing(Kind::r_paren, open))
    return nullptr;
  const Expr *returnAnnotation = nullptr;
  if (consumeIf(Kind::arrow)) {
    returnAnnotation = parseAnnotation();
    if (!returnAnnotation)
      return nullptr;
  }
  Stmts body;
  llvm::SaveAndRestore scope(functionDepth, functionDepth + 1);
  if (!parseBlock(body, keyword))
    return nullptr;
  const StringLiteral *docstring = takeDocstring(body);
  return make<FunctionDefStmt>(rangeFrom(keyword.begin), name, save(params.list), returnAnnotation,
                               docstring, save(body));
}

const Stmt *Parser::parseIf() {
  uint32_t begin = peek().begin;
  llvm::SmallVector<IfStmt::Clause, 2> clauses;
  do {
    const Token &keyword = consume();
    const Expr *condition = parseExpr();
    Stmts body;
    if (!condition || !parseBlock(body, keyword))
      return nullptr;
    clauses.push_back({condition, save(body), rangeFrom(keyword.begin)});
  } while (at(Kind::kw_elif));
  Stmts elseBody;
  bool hasElse = at(Kind::kw_else);
  if (hasElse) {
    const Token &keyword = consume();
    if (at(Kind::kw_if)) {
      diagnostics.report(getRange(peek()), DiagId::expected_token, "`:`", "`if`")
          .fixIt("write `elif`", {{getRange(keyword).to(getRange(peek())), "elif"}});
      return nullptr;
    }
    if (!parseBlock(elseBody, keyword))
      return nullptr;
  }
  return make<IfStmt>(rangeFrom(begin), save(clauses), hasElse, save(elseBody));
}

const Expr *Parser::parseLoopTarget() {
  uint32_t begin = peek().begin;
  // A whole expression would take the `in` of the loop for a comparison.
  Exprs targets;
  bool hasComma = false;
  do {
    hasComma = !targets.empty();
    if (hasComma && !atExprStart())
      break;
    targets.push_back(parsePostfix());
    if (!targets.back())
      return nullptr;
  } while (consumeIf(Kind::comma));
  const Expr *target = targets.front();
  if (hasComma)
    target = make<TupleExpr>(rangeFrom(begin), save(targets));
  return target && checkTarget(target) ? target : nullptr;
}

const Stmt *Parser::parseFor() {
  const Token &keyword = consume();
  const Expr *target = parseLoopTarget();
  if (!target || !expect(Kind::kw_in))
    return nullptr;
  const Expr *iterable = parseExprList();
  Stmts body;
  if (!iterable || !parseBlock(body, keyword))
    return nullptr;
  SourceRange range = rangeFrom(keyword.begin);
  if (at(Kind::kw_else)) {
    diagnostics.report(getRange(peek()), DiagId::loop_else).hint("write its block behind the loop");
    return nullptr;
  }
  return make<ForStmt>(range, target, iterable, save(body));
}

//===------------------------------------------------------------------------===//
// Statements on one line
//===------------------------------------------------------------------------===//

void Parser::parseSimpleLine(Stmts &stmts) {
  do {
    const Stmt *stmt = parseSimpleStatement();
    if (!stmt)
      return recover();
    stmts.push_back(stmt);
  } while (consumeIf(Kind::semicolon) && !at(Kind::newline));
  if (consumeIf(Kind::newline))
    return;
  if (at(Kind::r_paren) || at(Kind::r_square) || at(Kind::r_brace))
    diagnostics.report(getRange(peek()), DiagId::unmatched_bracket, getText(peek()));
  else
    failExpected(describe(Kind::newline));
  recover();
}

const Stmt *Parser::parseSimpleStatement() {
  const Token &token = peek();
  auto reject = [&](llvm::StringRef hint) {
    diagnostics.report(getRange(token), DiagId::unsupported_statement, getText(token))
        .hint(hint.str());
    return nullptr;
  };
  switch (token.kind) {
  case Kind::kw_pass:
    consume();
    return make<PassStmt>(getRange(token));
  case Kind::kw_return:
    return parseReturn();
  case Kind::kw_assert:
    return parseAssert();
  case Kind::kw_raise:
    return parseRaise();
  case Kind::kw_import:
    return parseImport();
  case Kind::kw_from:
    return parseFromImport();
  case Kind::kw_break:
  case Kind::kw_continue:
    return reject("use `where` or `if` in the loop's block");
  case Kind::kw_del:
    return reject("remove it, nothing is kept");
  case Kind::kw_global:
  case Kind::kw_nonlocal:
    return reject("return the value instead");
  default:
    return parseExprOrAssign();
  }
}

const Stmt *Parser::parseReturn() {
  const Token &keyword = consume();
  if (functionDepth == 0 && !lostFunction) {
    diagnostics.report(getRange(keyword), DiagId::return_outside_function);
    return nullptr;
  }
  const Expr *value = nullptr;
  if (!at(Kind::newline) && !at(Kind::semicolon)) {
    value = parseExprList();
    if (!value)
      return nullptr;
  }
  return make<ReturnStmt>(rangeFrom(keyword.begin), value);
}

const Stmt *Parser::parseAssert() {
  uint32_t begin = consume().begin;
  const Expr *condition = parseExpr();
  if (!condition)
    return nullptr;
  const Expr *message = nullptr;
  if (consumeIf(Kind::comma)) {
    message = parseExpr();
    if (!message)
      return nullptr;
  }
  return make<AssertStmt>(rangeFrom(begin), condition, message);
}

const Stmt *Parser::parseRaise() {
  uint32_t begin = consume().begin;
  const Expr *value = nullptr;
  const Expr *cause = nullptr;
  if (!at(Kind::newline) && !at(Kind::semicolon)) {
    value = parseExpr();
    if (!value)
      return nullptr;
    if (consumeIf(Kind::kw_from)) {
      cause = parseExpr();
      if (!cause)
        return nullptr;
    }
  }
  return make<RaiseStmt>(rangeFrom(begin), value, cause);
}

static std::optional<BinaryOp> getAugmentedOp(Token::Kind kind) {
  switch (kind) {
  case Token::Kind::plus_equal:
    return BinaryOp::Add;
  case Token::Kind::minus_equal:
    return BinaryOp::Sub;
  case Token::Kind::star_equal:
    return BinaryOp::Mul;
  case Token::Kind::star_star_equal:
    return BinaryOp::Pow;
  case Token::Kind::slash_equal:
    return BinaryOp::Div;
  case Token::Kind::slash_slash_equal:
    return BinaryOp::FloorDiv;
  case Token::Kind::percent_equal:
    return BinaryOp::Mod;
  case Token::Kind::at_equal:
    return BinaryOp::MatMul;
  case Token::Kind::less_less_equal:
    return BinaryOp::ShiftLeft;
  case Token::Kind::greater_greater_equal:
    return BinaryOp::ShiftRight;
  case Token::Kind::amp_equal:
    return BinaryOp::BitAnd;
  case Token::Kind::pipe_equal:
    return BinaryOp::BitOr;
  case Token::Kind::caret_equal:
    return BinaryOp::BitXor;
  default:
    return std::nullopt;
  }
}

static llvm::StringRef describeExpr(const Expr *expr) {
  switch (expr->getKind()) {
  case Expr::Kind::Name:
    return "a name";
  case Expr::Kind::Tuple:
    return "a tuple";
  case Expr::Kind::List:
    return "a list";
  case Expr::Kind::Attribute:
    return "an attribute";
  case Expr::Kind::Subscript:
    return "an element";
  case Expr::Kind::Call:
    return "a call";
  case Expr::Kind::Lambda:
    return "a `lambda`";
  case Expr::Kind::Compare:
    return "a comparison";
  case Expr::Kind::Comprehension:
    return "a comprehension";
  case Expr::Kind::IntLiteral:
  case Expr::Kind::FloatLiteral:
  case Expr::Kind::BoolLiteral:
  case Expr::Kind::NoneLiteral:
  case Expr::Kind::EllipsisLiteral:
  case Expr::Kind::StringLiteral:
    return "a constant";
  default:
    return "an expression";
  }
}

bool Parser::checkTarget(const Expr *target) {
  if (llvm::isa<NameExpr, AttributeExpr>(target))
    return true;
  if (const auto *tuple = llvm::dyn_cast<TupleExpr>(target))
    return llvm::all_of(tuple->getElements(),
                        [&](const Expr *element) { return checkTarget(element); });
  DiagnosticBuilder builder =
      diagnostics.report(target->getRange(), DiagId::invalid_target, describeExpr(target));
  if (llvm::isa<SubscriptExpr>(target))
    builder.hint("tensors never change; compute it outside and declare the result");
  else if (llvm::isa<ListExpr>(target))
    builder.hint("write the names without brackets");
  return false;
}

const Stmt *Parser::parseExprOrAssign() {
  uint32_t begin = peek().begin;
  const Expr *expr = parseExprList();
  if (!expr)
    return nullptr;
  if (at(Kind::colon)) {
    const auto *name = llvm::dyn_cast<NameExpr>(expr);
    if (!name) {
      diagnostics.report(expr->getRange(), DiagId::invalid_declaration, describeExpr(expr));
      return nullptr;
    }
    consume();
    const Expr *annotation = parseAnnotation();
    const Expr *value = nullptr;
    if (annotation && consumeIf(Kind::equal)) {
      value = parseExprList();
      if (!value)
        return nullptr;
    }
    return annotation ? make<DeclStmt>(rangeFrom(begin), Name{name->getName(), name->getRange()},
                                       annotation, value)
                      : nullptr;
  }
  if (std::optional<BinaryOp> op = getAugmentedOp(peek().kind)) {
    const auto *name = llvm::dyn_cast<NameExpr>(expr);
    if (!name) {
      DiagnosticBuilder builder =
          diagnostics.report(expr->getRange(), DiagId::invalid_target, describeExpr(expr));
      if (llvm::isa<SubscriptExpr>(expr))
        builder.hint("tensors never change; compute it outside and declare the result");
      return nullptr;
    }
    SourceRange opRange = getRange(consume());
    const Expr *value = parseExprList();
    return value ? make<AugAssignStmt>(rangeFrom(begin), name, *op, opRange, value) : nullptr;
  }
  if (!at(Kind::equal))
    return make<ExprStmt>(rangeFrom(begin), expr);
  Exprs targets;
  while (consumeIf(Kind::equal)) {
    if (!checkTarget(expr))
      return nullptr;
    targets.push_back(expr);
    expr = parseExprList();
    if (!expr)
      return nullptr;
  }
  return make<AssignStmt>(rangeFrom(begin), save(targets), expr);
}

//===------------------------------------------------------------------------===//
// Imports
//===------------------------------------------------------------------------===//

std::optional<Name> Parser::parseDottedName() {
  uint32_t begin = peek().begin;
  std::string text;
  do {
    if (!at(Kind::identifier)) {
      failExpected("the name of a module");
      return std::nullopt;
    }
    text += (text.empty() ? "" : ".") + getText(consume()).str();
  } while (consumeIf(Kind::period));
  return Name{context.copyString(text), rangeFrom(begin)};
}

bool Parser::checkImport(Name module) {
  llvm::StringRef root = module.text.split('.').first;
  if (root == "torch" || root == "math" || root == "typing")
    return true;
  diagnostics.report(module.range, DiagId::unsupported_import, module.text)
      .hint("only `torch`, `math` and `typing` can, and there is no need to");
  return false;
}

bool Parser::parseAlias(Aliases &aliases, bool isFrom) {
  ImportStmt::Alias alias;
  if (isFrom) {
    if (!at(Kind::identifier)) {
      failExpected(describe(Kind::identifier));
      return false;
    }
    alias.name = getName(consume());
  } else {
    std::optional<Name> name = parseDottedName();
    if (!name || !checkImport(*name))
      return false;
    alias.name = *name;
  }
  if (consumeIf(Kind::kw_as)) {
    if (!at(Kind::identifier)) {
      failExpected(describe(Kind::identifier));
      return false;
    }
    alias.asName = getName(consume());
  }
  aliases.push_back(alias);
  return true;
}

const Stmt *Parser::parseImport() {
  uint32_t begin = consume().begin;
  Aliases aliases;
  do {
    if (!parseAlias(aliases, /*isFrom=*/false))
      return nullptr;
  } while (consumeIf(Kind::comma));
  return make<ImportStmt>(rangeFrom(begin), Name(), save(aliases));
}

const Stmt *Parser::parseFromImport() {
  uint32_t begin = consume().begin;
  uint32_t moduleBegin = peek().begin;
  while (at(Kind::period) || at(Kind::ellipsis))
    consume();
  if (next > 0 && tokens[next - 1].begin >= moduleBegin) {
    if (at(Kind::identifier) && !parseDottedName())
      return nullptr;
    SourceRange range = rangeFrom(moduleBegin);
    checkImport({range.text(), range});
    return nullptr;
  }
  std::optional<Name> module = parseDottedName();
  if (!module || !checkImport(*module) || !expect(Kind::kw_import))
    return nullptr;
  Aliases aliases;
  const Token &open = peek();
  if (consumeIf(Kind::star)) {
    aliases.push_back({getName(open), Name()});
    return make<ImportStmt>(rangeFrom(begin), *module, save(aliases));
  }
  bool hasParens = consumeIf(Kind::l_paren);
  do {
    if (hasParens && at(Kind::r_paren) && !aliases.empty())
      break;
    if (!parseAlias(aliases, /*isFrom=*/true))
      return nullptr;
  } while (consumeIf(Kind::comma));
  if (hasParens && !expectClosing(Kind::r_paren, open))
    return nullptr;
  return make<ImportStmt>(rangeFrom(begin), *module, save(aliases));
}
