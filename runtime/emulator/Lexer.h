//===- Lexer.h - Tokens of PTX text -----------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_LEXER_H
#define RUNTIME_EMULATOR_LEXER_H

#include "runtime/emulator/Types.h"

#include <string_view>

namespace attnc::emu {

enum class TokenKind : uint8_t {
  End,
  /// A name, register, directive or opcode with all its modifiers: `%tid.x`, `.reg`,
  /// `ld.global.v2.f32`.
  Word,
  Integer, // 12, 0x1F, 0b11, 017, with an optional U
  Float32, // 0f3F800000
  Float64, // 0d3FF0000000000000, 1.5, 1e-3
  String,
  Punctuation,
  Error,
};

/// One token; `text` points into the source.
struct Token {
  TokenKind kind = TokenKind::End;
  char punctuation = 0;
  Location location;
  std::string_view text;
  uint64_t value = 0; // of a number, floats as bits
};

/// Splits PTX text into tokens; comments and white space are skipped.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}

  Token next();

private:
  void skipSpace();
  char peek(size_t ahead = 0) const {
    return position + ahead < text.size() ? text[position + ahead] : '\0';
  }
  void advance();
  Token lexNumber(Token token);

  std::string_view text;
  size_t position = 0;
  Location location{1, 1};
  bool unterminatedComment = false;
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_LEXER_H
