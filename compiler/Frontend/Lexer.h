//===- Lexer.h - From text to tokens ----------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_LEXER_H
#define COMPILER_FRONTEND_LEXER_H

#include "compiler/Frontend/Diagnostics.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace attnc {

struct Token {
  enum class Kind : uint8_t {
#define ATTNC_TOKEN_MARKER(NAME, TEXT) NAME,
#define ATTNC_TOKEN_LITERAL(NAME, TEXT) NAME,
#define ATTNC_TOKEN_KEYWORD(SPELLING) kw_##SPELLING,
#define ATTNC_TOKEN_PUNCTUATION(NAME, SPELLING) NAME,
#include "compiler/Frontend/Tokens.def"
  };

  Kind kind = Kind::end_of_file;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// How messages name a kind of token: "a name", "`def`", "`**`".
std::string describe(Token::Kind kind);
/// Whether the kind is a word that cannot be a name.
bool isKeyword(Token::Kind kind);

struct LexedFile {
  /// The last one is `end_of_file`.
  std::vector<Token> tokens;
  /// What stands behind a bracket that is never closed, in order. That was reported, and what the
  /// parser misses there is the same mistake.
  std::vector<SourceRange> unclosed;
};

/// Cuts `file` into tokens. What is no token is reported to `diagnostics` and stands as `error`, so
/// that the parser need not say it again. A file that is no UTF-8 text is reported once and has no
/// tokens. Files are no longer than SourceFile::maxSize.
LexedFile lex(const SourceFile &file, DiagnosticEngine &diagnostics);

} // namespace attnc

#endif // COMPILER_FRONTEND_LEXER_H
