//===- ParserState.h - The parser's shared state ----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_PARSERSTATE_H
#define RUNTIME_EMULATOR_PARSERSTATE_H

#include "runtime/emulator/Ast.h"
#include "runtime/emulator/Lexer.h"

#include <string>
#include <vector>

namespace attnc::emu {

/// Thrown inside the parser only.
struct ParseError {
  Location location;
  std::string message;
};

/// Recursive-descent parser. Parser.cpp holds files, declarations and directives;
/// ParserStatements.cpp function bodies, operands and constant expressions.
class ModuleParser {
public:
  ModuleParser(std::string_view text, ModuleAst &module, std::vector<Diagnostic> &diagnostics)
      : module(module), diagnostics(diagnostics), lexer(text) {
    token = lexer.next();
    ahead = lexer.next();
  }

  bool parse();

private:
  [[noreturn]] void fail(std::string message) {
    throw ParseError{token.location, std::move(message)};
  }
  [[noreturn]] void failExpected(std::string_view what);
  void take() {
    token = ahead;
    ahead = lexer.next();
  }
  bool is(char punctuation) const {
    return token.kind == TokenKind::Punctuation && token.punctuation == punctuation;
  }
  bool isWord(std::string_view word) const {
    return token.kind == TokenKind::Word && token.text == word;
  }
  bool accept(char punctuation) {
    if (!is(punctuation))
      return false;
    take();
    return true;
  }
  bool acceptWord(std::string_view word) {
    if (!isWord(word))
      return false;
    take();
    return true;
  }
  void expect(char punctuation);
  std::string expectName(std::string_view what);
  uint64_t expectInteger(std::string_view what);
  void record(const ParseError &error);

  // Parser.cpp
  void parseTopLevel();
  void parseVersion();
  void parseFile();
  void parseLoc();
  void skipSection();
  void skipStatement();
  void parseFunction(bool isEntry);
  std::vector<Variable> parseParameterList();
  bool parseFunctionDirective(Function &function);
  std::array<uint64_t, 3> parseTriple();
  Variable parseParameter();
  void parseVariables(Space space, bool isExternal, std::vector<Variable> &out);
  void parseDeclarator(Variable &variable);
  void parseInitializer(Variable &variable);
  void parseInitializerValue(Variable &variable, uint64_t &offset);

  // ParserStatements.cpp
  void parseBody(Function &function);
  void parseStatement();
  bool parseBodyDirective();
  void parseRegisters();
  void parseLabel();
  void parseInstruction();
  AstOperand parseOperand();
  AstOperand parseSimpleOperand();
  AstOperand parseName();
  AstOperand parseAddress();
  AstOperand parseGroup(char close, AstOperand::Kind kind);
  int64_t parseConstant(int minimumPrecedence = 0);
  int64_t parseConstantPrimary();
  bool findRegister(std::string_view name, uint32_t &index) const;

  ModuleAst &module;
  std::vector<Diagnostic> &diagnostics;
  Lexer lexer;
  Token token;
  Token ahead;
  Function *function = nullptr;
  uint32_t scope = 0;
  uint32_t scopeDepth = 0;
  unsigned depth = 0; // of nested operands and expressions
  size_t errors = 0;
  uint32_t sourceFile = 0;
  uint32_t sourceLine = 0;
  uint64_t variableBytes = 0;
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_PARSERSTATE_H
