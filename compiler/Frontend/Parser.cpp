//===- Parser.cpp - From text to the syntax tree --------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Parser.h"
#include "compiler/Frontend/ParserImpl.h"

using namespace attnc;
using namespace attnc::ast;

const Module *attnc::parse(const SourceFile &file, ASTContext &context,
                           DiagnosticEngine &diagnostics) {
  return Parser(file, context, diagnostics).parseModule();
}

//===------------------------------------------------------------------------===//
// Tokens and errors
//===------------------------------------------------------------------------===//

bool Parser::consumeIf(Kind kind) {
  if (!at(kind))
    return false;
  consume();
  return true;
}

SourceRange Parser::rangeFrom(uint32_t begin) const {
  size_t last = next;
  auto isLayout = [](Kind kind) { return kind == Kind::newline || kind == Kind::dedent; };
  while (last > 0 && isLayout(tokens[last - 1].kind))
    --last;
  uint32_t end = last == 0 ? begin : tokens[last - 1].end;
  return file.getRange(begin, std::max(begin, end));
}

std::string Parser::describeToken(const Token &token) const {
  llvm::StringRef text = getText(token);
  bool hasText = token.kind >= Kind::identifier;
  if (!hasText || text.contains('\n') || text.contains('\r'))
    return describe(token.kind);
  return "`" + text.str() + "`";
}

SourceRange Parser::getMissingRange() const {
  bool isLineEnd = at(Kind::newline) || at(Kind::end_of_file) || at(Kind::dedent);
  if (!isLineEnd || next == 0)
    return getRange(peek());
  uint32_t end = tokens[next - 1].end;
  return file.getRange(end, end);
}

bool Parser::isReported() const {
  auto isBehind = [](uint32_t offset, SourceRange range) { return offset < range.begin; };
  auto it = llvm::upper_bound(lexed.unclosed, peek().begin, isBehind);
  return at(Kind::error) || (it != lexed.unclosed.begin() && peek().begin <= std::prev(it)->end);
}

void Parser::failExpected(llvm::StringRef what) {
  if (isReported())
    return;
  DiagnosticBuilder builder =
      diagnostics.report(getMissingRange(), DiagId::expected_token, what, describeToken(peek()));
  if (at(Kind::equal))
    builder.hint("`==` compares");
}

bool Parser::expect(Kind kind, llvm::StringRef what) {
  if (consumeIf(kind))
    return true;
  failExpected(what.empty() ? llvm::StringRef(describe(kind)) : what);
  return false;
}

bool Parser::expectClosing(Kind close, const Token &open) {
  if (consumeIf(close))
    return true;
  if (isReported())
    return false;
  DiagnosticBuilder builder = diagnostics.report(getMissingRange(), DiagId::expected_token,
                                                 describe(close), describeToken(peek()));
  if (at(Kind::equal))
    builder.hint("`==` compares");
  builder.note(getRange(open), DiagId::bracket_opened, getText(open));
  return false;
}

bool Parser::tooDeep(SourceRange range) {
  if (isReported())
    return true;
  diagnostics.report(range.beginning(), DiagId::nested_too_deeply)
      .hint("compute parts of it in statements of their own");
  return true;
}

//===------------------------------------------------------------------------===//
// Parameters
//===------------------------------------------------------------------------===//

bool Parser::parseParams(Params &params, Kind close, bool hasAnnotations) {
  bool afterStar = false, afterSlash = false;
  while (!at(close)) {
    const Token &first = peek();
    auto misplaced = [&] {
      diagnostics.report(getRange(first), DiagId::misplaced_parameter, describe(first.kind));
      return false;
    };
    if (at(Kind::star_star)) {
      consume();
      if (!at(Kind::identifier)) {
        failExpected(describe(Kind::identifier));
        return false;
      }
      llvm::StringRef name = getText(consume());
      diagnostics.report(rangeFrom(first.begin), DiagId::keyword_parameters, name)
          .hint("name each parameter");
      return false;
    }
    if (at(Kind::slash)) {
      consume();
      if (afterStar || afterSlash || params.list.empty())
        return misplaced();
      afterSlash = true;
      for (Param &param : params.list)
        param.kind = Param::Kind::PositionalOnly;
    } else if (at(Kind::star)) {
      consume();
      if (afterStar)
        return misplaced();
      afterStar = true;
      if (at(Kind::identifier)) {
        if (!parseParam(params, Param::Kind::VarArgs, hasAnnotations))
          return false;
      } else if (!at(Kind::comma) || peek(1).kind != Kind::identifier) {
        return misplaced();
      }
    } else {
      Param::Kind kind = afterStar ? Param::Kind::KeywordOnly : Param::Kind::Positional;
      if (!parseParam(params, kind, hasAnnotations))
        return false;
    }
    if (!consumeIf(Kind::comma))
      break;
  }
  return true;
}

bool Parser::parseParam(Params &params, Param::Kind kind, bool hasAnnotation) {
  Param param;
  param.kind = kind;
  uint32_t begin = kind == Param::Kind::VarArgs ? tokens[next - 1].begin : peek().begin;
  if (!at(Kind::identifier)) {
    failExpected("a parameter");
    return false;
  }
  param.name = getName(consume());
  if (hasAnnotation && consumeIf(Kind::colon)) {
    param.annotation = parseAnnotation();
    if (!param.annotation)
      return false;
  }
  if (kind != Param::Kind::VarArgs && consumeIf(Kind::equal)) {
    param.defaultValue = parseExpr();
    if (!param.defaultValue)
      return false;
  }
  param.range = rangeFrom(begin);
  if (!checkParam(params, param))
    return false;
  params.list.push_back(param);
  return true;
}

bool Parser::checkParam(Params &params, const Param &param) {
  auto [known, isNew] = params.ranges.try_emplace(param.name.text, param.name.range);
  if (!isNew) {
    diagnostics.report(param.name.range, DiagId::duplicate_parameter, param.name.text)
        .note(known->second, DiagId::first_parameter, param.name.text);
    return false;
  }
  bool needsDefault = param.kind == Param::Kind::Positional && !param.defaultValue &&
                      !params.list.empty() && params.list.back().defaultValue;
  if (needsDefault)
    diagnostics.report(param.name.range, DiagId::missing_default, param.name.text);
  return !needsDefault;
}
