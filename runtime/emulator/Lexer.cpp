//===- Lexer.cpp - Tokens of PTX text -------------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Lexer.h"

#include <bit>
#include <cstdlib>

namespace attnc::emu {
namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordStart(char c) { return isLetter(c) || c == '_' || c == '$' || c == '%' || c == '.'; }
bool isWordPart(char c) { return isLetter(c) || isDigit(c) || c == '_' || c == '$' || c == '.'; }

int digitValue(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 99;
}

} // namespace

void Lexer::advance() {
  if (text[position] == '\n') {
    ++location.line;
    location.column = 1;
  } else {
    ++location.column;
  }
  ++position;
}

void Lexer::skipSpace() {
  while (position < text.size()) {
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      advance();
    } else if (c == '/' && peek(1) == '/') {
      while (position < text.size() && peek() != '\n')
        advance();
    } else if (c == '/' && peek(1) == '*') {
      advance();
      advance();
      while (position < text.size() && !(peek() == '*' && peek(1) == '/'))
        advance();
      if (position >= text.size()) {
        unterminatedComment = true;
        return;
      }
      advance();
      advance();
    } else {
      return;
    }
  }
}

Token Lexer::lexNumber(Token token) {
  size_t start = position;
  auto finish = [&](TokenKind kind) {
    token.kind = kind;
    token.text = text.substr(start, position - start);
    return token;
  };
  if (peek() == '0' && (peek(1) == 'f' || peek(1) == 'F' || peek(1) == 'd' || peek(1) == 'D')) {
    bool isSingle = peek(1) == 'f' || peek(1) == 'F';
    unsigned digits = isSingle ? 8 : 16;
    advance();
    advance();
    for (unsigned i = 0; i < digits; ++i) {
      int digit = digitValue(peek());
      if (digit > 15)
        return finish(TokenKind::Error);
      token.value = token.value << 4 | static_cast<uint64_t>(digit);
      advance();
    }
    return finish(isSingle ? TokenKind::Float32 : TokenKind::Float64);
  }
  unsigned base = 10;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X'))
    base = 16;
  else if (peek() == '0' && (peek(1) == 'b' || peek(1) == 'B'))
    base = 2;
  else if (peek() == '0' && isDigit(peek(1)))
    base = 8;
  if (base == 16 || base == 2) {
    advance();
    advance();
  }
  size_t digitsStart = position;
  bool overflow = false;
  while (digitValue(peek()) < static_cast<int>(base == 8 ? 10 : base)) {
    unsigned digit = static_cast<unsigned>(digitValue(peek()));
    uint64_t scaled = 0;
    overflow |= __builtin_mul_overflow(token.value, uint64_t(base), &scaled);
    overflow |= __builtin_add_overflow(scaled, uint64_t(digit), &token.value);
    overflow |= digit >= base;
    advance();
  }
  if (position == digitsStart)
    return finish(TokenKind::Error);
  bool isReal = base != 16 && base != 2 &&
                ((peek() == '.' && isDigit(peek(1))) || peek() == 'e' || peek() == 'E');
  if (isReal) {
    if (peek() == '.') {
      advance();
      while (isDigit(peek()))
        advance();
    }
    if (peek() == 'e' || peek() == 'E') {
      advance();
      if (peek() == '+' || peek() == '-')
        advance();
      while (isDigit(peek()))
        advance();
    }
    std::string digits(text.substr(start, position - start));
    token.value = std::bit_cast<uint64_t>(std::strtod(digits.c_str(), nullptr));
    return finish(TokenKind::Float64);
  }
  if (peek() == 'U' || peek() == 'u')
    advance();
  if (overflow || isWordStart(peek()))
    return finish(TokenKind::Error);
  return finish(TokenKind::Integer);
}

Token Lexer::next() {
  skipSpace();
  Token token;
  token.location = location;
  size_t start = position;
  if (position >= text.size()) {
    token.kind = unterminatedComment ? TokenKind::Error : TokenKind::End;
    token.text = unterminatedComment ? std::string_view("/*") : std::string_view();
    unterminatedComment = false;
    return token;
  }
  char c = peek();
  if (isDigit(c))
    return lexNumber(token);
  if (isWordStart(c)) {
    advance();
    while (position < text.size()) {
      if (isWordPart(peek()) || (peek() == '%' && text[position - 1] == '.'))
        advance();
      else if (peek() == ':' && peek(1) == ':' && isWordPart(peek(2)) && peek(2) != '.') {
        advance();
        advance();
      } else
        break;
    }
    token.kind = TokenKind::Word;
    token.text = text.substr(start, position - start);
    return token;
  }
  if (c == '"') {
    advance();
    while (position < text.size() && peek() != '"' && peek() != '\n') {
      if (peek() == '\\' && position + 1 < text.size())
        advance();
      advance();
    }
    token.kind = peek() == '"' ? TokenKind::String : TokenKind::Error;
    token.text = text.substr(start, position - start);
    if (peek() == '"')
      advance();
    return token;
  }
  advance();
  token.text = text.substr(start, 1);
  if (std::string_view(";,:(){}[]<>=+-*/&|^~!?@#").find(c) == std::string_view::npos) {
    token.kind = TokenKind::Error;
    return token;
  }
  token.kind = TokenKind::Punctuation;
  token.punctuation = c;
  return token;
}

} // namespace attnc::emu
