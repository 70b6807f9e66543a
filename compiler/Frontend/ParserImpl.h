//===- ParserImpl.h - The parser's state and its functions ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Recursive descent. A function that returns null (or false) has reported an error, or met a token
// that the lexer reported; the statement around it is dropped and parsing goes on behind it.
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_PARSERIMPL_H
#define COMPILER_FRONTEND_PARSERIMPL_H

#include "compiler/Frontend/Lexer.h"
#include "compiler/Frontend/Parser.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace attnc {

class Parser {
public:
  Parser(const SourceFile &file, ast::ASTContext &context, DiagnosticEngine &diagnostics)
      : file(file), context(context), diagnostics(diagnostics), lexed(lex(file, diagnostics)),
        tokens(lexed.tokens) {}

  const ast::Module *parseModule();

private:
  using Kind = Token::Kind;
  using Expr = ast::Expr;
  using Stmt = ast::Stmt;
  using Exprs = llvm::SmallVector<const Expr *, 4>;
  using Stmts = llvm::SmallVector<const Stmt *, 8>;

  /// The nesting of brackets, operators and lambdas that the parser follows.
  static constexpr unsigned maxDepth = 200;

  //===----------------------------------------------------------------------===//
  // Tokens and errors
  //===----------------------------------------------------------------------===//

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(next + ahead, tokens.size() - 1)];
  }
  bool at(Kind kind) const { return peek().kind == kind; }
  const Token &consume() { return tokens[at(Kind::end_of_file) ? next : next++]; }
  bool consumeIf(Kind kind);

  llvm::StringRef getText(const Token &token) const {
    return file.getText().slice(token.begin, token.end);
  }
  SourceRange getRange(const Token &token) const { return file.getRange(token.begin, token.end); }
  /// From `begin` to the end of the last token consumed.
  SourceRange rangeFrom(uint32_t begin) const;
  ast::Name getName(const Token &token) const {
    return {context.copyString(getText(token)), getRange(token)};
  }
  /// "`name`" or what messages call a token without a text.
  std::string describeToken(const Token &token) const;
  /// Where a missing token belongs: the next token, or behind the last one at the end of a line.
  SourceRange getMissingRange() const;

  /// Whether what is missing at the next token is a mistake that the lexer reported.
  bool isReported() const;
  /// Consumes a token of `kind` or reports that `what` was expected.
  bool expect(Kind kind, llvm::StringRef what = "");
  /// Consumes `close` or reports it, with a note about the bracket at `open`.
  bool expectClosing(Kind close, const Token &open);
  /// Reports that `what` was expected here; silent where the lexer did.
  void failExpected(llvm::StringRef what);
  /// Reports an expression that is nested too deeply; always true.
  bool tooDeep(SourceRange range);

  template <typename NodeT, typename... Args> const NodeT *make(Args &&...args) {
    const NodeT *node = context.create<NodeT>(std::forward<Args>(args)...);
    if constexpr (std::is_base_of_v<Expr, NodeT>)
      if (node->getHeight() > Expr::maxHeight && tooDeep(node->getRange()))
        return nullptr;
    return node;
  }
  template <typename T, unsigned N>
  llvm::ArrayRef<T> save(const llvm::SmallVector<T, N> &elements) {
    return context.copyArray(llvm::ArrayRef<T>(elements));
  }

  //===----------------------------------------------------------------------===//
  // Expressions (ParseExpr.cpp)
  //===----------------------------------------------------------------------===//

  bool atExprStart() const;
  /// One expression without commas.
  const Expr *parseExpr();
  /// One expression, or a tuple without parentheses.
  const Expr *parseExprList();
  const Expr *parseAnnotation();
  const Expr *parseLambda();
  const Expr *parseOr();
  const Expr *parseAnd();
  const Expr *parseNot();
  const Expr *parseComparison();
  const Expr *parseBinary(unsigned minPrecedence);
  const Expr *parseUnary();
  const Expr *parsePower();
  const Expr *parsePostfix();
  const Expr *parseAtom();
  const Expr *parseNumber();
  const Expr *parseString();
  const Expr *parseParenthesised();
  const Expr *parseListDisplay();
  const Expr *parseBraces();
  const Expr *parseCall(const Expr *callee, uint32_t begin);
  const Expr *parseSubscript(const Expr *base, uint32_t begin);
  const Expr *parseIndex();
  struct Arguments {
    llvm::SmallVector<ast::Argument, 4> list;
    /// Where each keyword stands.
    llvm::StringMap<SourceRange> keywords;
    bool hasDoubleStar = false;
  };
  bool parseArgument(Arguments &arguments);
  bool checkArgument(Arguments &arguments, const ast::Argument &argument);
  std::optional<ast::CompareExpr::Op> parseCompareOp();
  using ComprehensionClauses = llvm::SmallVector<ast::ComprehensionExpr::Clause, 1>;
  /// One or more `for` clauses behind the element of a comprehension.
  bool parseComprehensionClauses(ComprehensionClauses &clauses);
  /// A comprehension whose element was read, in the bracket at `open`.
  const Expr *parseComprehension(const Token &open, Kind close, const Expr *element);
  /// The names between `for` and `in`.
  const Expr *parseLoopTarget();
  /// Elements separated by commas up to `close`, which is not consumed.
  bool parseElements(Exprs &elements, bool &hasComma, Kind close);
  /// Reports something of Python, consumes its operand and stands for it.
  const Expr *rejectPrefix(llvm::StringRef what, llvm::StringRef hint);
  /// Consumes the bracket at hand and all up to its closing one, or up to the end of the line.
  void skipBrackets();

  //===----------------------------------------------------------------------===//
  // Statements (ParseStmt.cpp)
  //===----------------------------------------------------------------------===//

  void parseStatement(Stmts &stmts);
  void parseStatementsUntilDedent(Stmts &stmts);
  bool parseCompound(Stmts &stmts);
  /// Statements separated by `;` and the end of the line; recovers from errors.
  void parseSimpleLine(Stmts &stmts);
  const Stmt *parseSimpleStatement();
  const Stmt *parseExprOrAssign();
  const Stmt *parseReturn();
  const Stmt *parseAssert();
  const Stmt *parseRaise();
  const Stmt *parseImport();
  const Stmt *parseFromImport();
  const Stmt *parseFunctionDef();
  const Stmt *parseIf();
  const Stmt *parseFor();
  /// `:` and the statements behind it, of the statement that began with `keyword`.
  bool parseBlock(Stmts &stmts, const Token &keyword);
  /// Removes a string that stands first.
  static const ast::StringLiteral *takeDocstring(Stmts &stmts);
  bool checkTarget(const Expr *target);
  bool checkImport(ast::Name module);
  std::optional<ast::Name> parseDottedName();
  using Aliases = llvm::SmallVector<ast::ImportStmt::Alias, 4>;
  bool parseAlias(Aliases &aliases, bool isFrom);
  /// Reports a statement that the language has not and skips it.
  void rejectStatement();
  /// Skips what is left of a line and the blocks that belong to it. They are parsed for more errors
  /// or, if `silent`, not looked into.
  void recover(bool silent = false);

  //===----------------------------------------------------------------------===//
  // Parameters (Parser.cpp)
  //===----------------------------------------------------------------------===//

  struct Params {
    llvm::SmallVector<ast::Param, 6> list;
    /// Where each name stands.
    llvm::StringMap<SourceRange> ranges;
  };
  /// Parameters up to `close`, which is not consumed. Annotations belong to `def` alone.
  bool parseParams(Params &params, Kind close, bool hasAnnotations);
  bool parseParam(Params &params, ast::Param::Kind kind, bool hasAnnotation);
  bool checkParam(Params &params, const ast::Param &param);

  const SourceFile &file;
  ast::ASTContext &context;
  DiagnosticEngine &diagnostics;
  LexedFile lexed;
  llvm::ArrayRef<Token> tokens;
  size_t next = 0;
  unsigned depth = 0;
  unsigned functionDepth = 0;
  bool inAnnotation = false;
  /// Whether a `def` without a block was reported, so that its statements stand elsewhere.
  bool lostFunction = false;
};

} // namespace attnc

#endif // COMPILER_FRONTEND_PARSERIMPL_H
