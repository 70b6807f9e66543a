//===- Lexer.cpp - From text to tokens ------------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include <cassert>

using namespace attnc;
using Kind = Token::Kind;

std::string attnc::describe(Kind kind) {
  switch (kind) {
#define ATTNC_TOKEN_MARKER(NAME, TEXT)                                                             \
  case Kind::NAME:                                                                                 \
    return TEXT;
#define ATTNC_TOKEN_LITERAL(NAME, TEXT)                                                            \
  case Kind::NAME:                                                                                 \
    return TEXT;
#define ATTNC_TOKEN_KEYWORD(SPELLING)                                                              \
  case Kind::kw_##SPELLING:                                                                        \
    return "`" #SPELLING "`";
#define ATTNC_TOKEN_PUNCTUATION(NAME, SPELLING)                                                    \
  case Kind::NAME:                                                                                 \
    return "`" SPELLING "`";
#include "compiler/Frontend/Tokens.def"
  }
  return "";
}

bool attnc::isKeyword(Kind kind) { return kind >= Kind::kw_False && kind <= Kind::kw_yield; }

namespace {

constexpr unsigned tabStop = 8;
/// As Python's own limit.
constexpr size_t maxIndents = 100;
constexpr size_t maxNumberLength = 1000;

Kind getKeyword(llvm::StringRef word) {
  return llvm::StringSwitch<Kind>(word)
#define ATTNC_TOKEN_KEYWORD(SPELLING) .Case(#SPELLING, Kind::kw_##SPELLING)
#include "compiler/Frontend/Tokens.def"
      .Default(Kind::identifier);
}

Kind getPunctuation(llvm::StringRef text) {
  return llvm::StringSwitch<Kind>(text)
#define ATTNC_TOKEN_PUNCTUATION(NAME, SPELLING) .Case(SPELLING, Kind::NAME)
#include "compiler/Frontend/Tokens.def"
      .Default(Kind::error);
}

/// Words that begin a statement and stand in no expression: where one begins a line within
/// brackets, a bracket before it was not closed.
bool beginsStatement(Kind kind) {
  switch (kind) {
  case Kind::kw_assert:
  case Kind::kw_break:
  case Kind::kw_class:
  case Kind::kw_continue:
  case Kind::kw_def:
  case Kind::kw_del:
  case Kind::kw_elif:
  case Kind::kw_global:
  case Kind::kw_import:
  case Kind::kw_nonlocal:
  case Kind::kw_pass:
  case Kind::kw_raise:
  case Kind::kw_return:
  case Kind::kw_try:
  case Kind::kw_while:
  case Kind::kw_with:
    return true;
  default:
    return false;
  }
}

/// What to write instead of a character that only looks like one of the language.
llvm::StringRef getLookalike(uint32_t character) {
  switch (character) {
  case 0xa0:
  case 0x2002:
  case 0x2003:
  case 0x2009:
  case 0x202f:
  case 0x3000:
  case 0x200b:
  case 0xfeff:
    return " ";
  case 0x2010:
  case 0x2011:
  case 0x2012:
  case 0x2013:
  case 0x2014:
  case 0x2212:
    return "-";
  case 0xd7:
  case 0x2217:
  case 0x22c5:
    return "*";
  case 0xf7:
  case 0x2215:
    return "/";
  case 0x2264:
    return "<=";
  case 0x2265:
    return ">=";
  case 0x2260:
    return "!=";
  case 0x2227:
    return "and";
  case 0x2228:
    return "or";
  case 0xac:
    return "not";
  case 0x2018:
  case 0x2019:
    return "'";
  case 0x201c:
  case 0x201d:
    return "\"";
  case 0x221e:
    return "inf";
  case 0xff08:
    return "(";
  case 0xff09:
    return ")";
  case 0xff0c:
    return ",";
  case 0xff1a:
    return ":";
  default:
    return "";
  }
}

bool isNameStart(char c) { return llvm::isAlpha(c) || c == '_'; }
bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_'; }

class Lexer {
public:
  Lexer(const SourceFile &file, DiagnosticEngine &diagnostics)
      : file(file), diagnostics(diagnostics), text(file.getText()) {}

  LexedFile run() {
    if (isText()) {
      while (position < text.size())
        lexLine();
      finish();
    }
    auto end = static_cast<uint32_t>(text.size());
    tokens.push_back({Kind::end_of_file, end, end});
    return {std::move(tokens), std::move(unclosed)};
  }

private:
  /// The column of the first character of a line, with tabs to multiples of eight and with tabs as
  /// one column. Lines whose order depends on the width of a tab are refused.
  struct Indent {
    unsigned column = 0;
    unsigned narrowColumn = 0;
  };
  struct Bracket {
    char close;
    uint32_t offset;
  };

  char peek(size_t ahead = 0) const {
    return position + ahead < text.size() ? text[position + ahead] : '\0';
  }
  llvm::StringRef rest() const { return text.drop_front(position); }
  bool atLineEnd() const { return position == text.size() || peek() == '\n' || peek() == '\r'; }

  void push(Kind kind, uint32_t begin) { tokens.push_back({kind, begin, position}); }
  template <typename... Args>
  DiagnosticBuilder report(uint32_t begin, uint32_t end, DiagId id, const Args &...args) {
    return diagnostics.report(file.getRange(begin, end), id, args...);
  }
  /// Reports and leaves an `error` token for the characters from `begin` on.
  template <typename... Args>
  DiagnosticBuilder fail(uint32_t begin, DiagId id, const Args &...args) {
    push(Kind::error, begin);
    return report(begin, position, id, args...);
  }

  bool isText();
  void lexLine();
  void finish();
  void setIndent(Indent indent, uint32_t lineBegin);
  Indent skipIndent();
  void skipLineEnd();
  void lexToken();
  void lexNewlineInBrackets();
  void closeBrackets();
  void lexName();
  void lexNumber();
  void lexDigits(bool (*isDigit)(char));
  bool lexString();
  void lexPunctuation();
  void lexUnexpected();

  const SourceFile &file;
  DiagnosticEngine &diagnostics;
  llvm::StringRef text;
  uint32_t position = 0;
  std::vector<Token> tokens;
  std::vector<SourceRange> unclosed;
  std::vector<Indent> indents = {Indent()};
  std::vector<Bracket> brackets;
  bool reportedIndents = false;
};

bool Lexer::isText() {
  assert(text.size() <= SourceFile::maxSize && "the reader of the file refuses it");
  if (text.starts_with("\xef\xbb\xbf"))
    position = 3;
  for (uint32_t i = 0; i < text.size();) {
    unsigned size = llvm::getNumBytesForUTF8(static_cast<llvm::UTF8>(text[i]));
    const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data()) + i;
    if (size > text.size() - i || !llvm::isLegalUTF8Sequence(begin, begin + size)) {
      report(i, i + 1, DiagId::invalid_utf8, llvm::format_hex_no_prefix(*begin, 2));
      return false;
    }
    if (text[i] == '\0') {
      report(i, i + 1, DiagId::null_byte);
      return false;
    }
    i += size;
  }
  return true;
}

Lexer::Indent Lexer::skipIndent() {
  Indent indent;
  for (;; ++position) {
    if (peek() == ' ') {
      ++indent.column;
      ++indent.narrowColumn;
    } else if (peek() == '\t') {
      indent.column += tabStop - indent.column % tabStop;
      ++indent.narrowColumn;
    } else if (peek() == '\f') {
      indent = {};
    } else {
      return indent;
    }
  }
}

void Lexer::skipLineEnd() {
  if (rest().starts_with("\r\n"))
    position += 2;
  else if (position < text.size())
    ++position;
}

void Lexer::lexLine() {
  uint32_t lineBegin = position;
  Indent indent = skipIndent();
  if (atLineEnd() || peek() == '#') {
    while (!atLineEnd())
      ++position;
    skipLineEnd();
    return;
  }
  setIndent(indent, lineBegin);
  while (true) {
    if (peek() == ' ' || peek() == '\t' || peek() == '\f') {
      ++position;
    } else if (peek() == '#') {
      while (!atLineEnd())
        ++position;
    } else if (position == text.size()) {
      return;
    } else if (atLineEnd()) {
      if (brackets.empty())
        break;
      skipLineEnd();
      lexNewlineInBrackets();
    } else {
      lexToken();
    }
  }
  push(Kind::newline, position);
  skipLineEnd();
}

void Lexer::setIndent(Indent indent, uint32_t lineBegin) {
  auto dependsOnTabs = [&](Indent outer) {
    return (indent.column < outer.column) != (indent.narrowColumn < outer.narrowColumn) ||
           (indent.column > outer.column) != (indent.narrowColumn > outer.narrowColumn);
  };
  // A line that belongs to no block for certain is dropped; more of its kind are not reported.
  auto dropLine = [&] {
    bool isFirst = !reportedIndents;
    reportedIndents = true;
    push(Kind::error, lineBegin);
    return isFirst;
  };
  if (dependsOnTabs(indents.back())) {
    if (dropLine())
      report(lineBegin, position, DiagId::inconsistent_tabs).hint("indent with spaces alone");
    return;
  }
  if (indent.column > indents.back().column) {
    if (indents.size() <= maxIndents) {
      indents.push_back(indent);
      push(Kind::indent, lineBegin);
    } else if (dropLine()) {
      report(lineBegin, position, DiagId::too_many_indents, maxIndents);
    }
    return;
  }
  while (indent.column < indents.back().column) {
    Indent outer = indents[indents.size() - 2];
    if (indent.column > outer.column) {
      std::string open =
          std::to_string(outer.column) + " or " + std::to_string(indents.back().column);
      report(lineBegin, position, DiagId::dedent_matches_nothing, open, indent.column);
      indents.back() = indent;
      return;
    }
    indents.pop_back();
    push(Kind::dedent, position);
  }
}

void Lexer::finish() {
  closeBrackets();
  if (!tokens.empty() && tokens.back().kind != Kind::newline)
    push(Kind::newline, position);
  for (size_t i = 1; i < indents.size(); ++i)
    push(Kind::dedent, position);
}

/// Reports the outermost open bracket and forgets the others with it.
void Lexer::closeBrackets() {
  if (brackets.empty())
    return;
  uint32_t offset = brackets.front().offset;
  report(offset, offset + 1, DiagId::unclosed_bracket, text[offset], brackets.front().close);
  unclosed.push_back(file.getRange(offset, position));
  push(Kind::error, position);
  brackets.clear();
}

void Lexer::lexNewlineInBrackets() {
  uint32_t lineBegin = position;
  skipIndent();
  size_t size = rest().find_if_not(isNamePart);
  if (!beginsStatement(getKeyword(rest().take_front(size))))
    return;
  position = lineBegin;
  closeBrackets();
  push(Kind::newline, position);
  Indent indent = skipIndent();
  setIndent(indent, lineBegin);
}

void Lexer::lexToken() {
  char c = peek();
  if (lexString())
    return;
  if (isNameStart(c))
    return lexName();
  if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1))))
    return lexNumber();
  if (c != '\\')
    return lexPunctuation();
  uint32_t begin = position++;
  if (atLineEnd() && position != text.size())
    return skipLineEnd();
  fail(begin, DiagId::stray_backslash);
}

void Lexer::lexName() {
  uint32_t begin = position;
  while (isNamePart(peek()))
    ++position;
  push(getKeyword(text.slice(begin, position)), begin);
}

/// Digits with single underscores between them.
void Lexer::lexDigits(bool (*isDigit)(char)) {
  while (isDigit(peek()) || (peek() == '_' && isDigit(peek(1))))
    ++position;
}

static bool isBinaryDigit(char c) { return c == '0' || c == '1'; }
static bool isOctalDigit(char c) { return c >= '0' && c <= '7'; }
static bool isDecimalDigit(char c) { return llvm::isDigit(c); }
static bool isHexDigit(char c) { return llvm::isHexDigit(c); }

void Lexer::lexNumber() {
  uint32_t begin = position;
  auto lexRadix = [&](bool (*isDigit)(char)) {
    position += 2;
    if (peek() == '_')
      ++position;
    bool hasDigits = isDigit(peek());
    lexDigits(isDigit);
    return hasDigits;
  };
  bool isValid = true, isFloat = false;
  char radix = peek() == '0' ? llvm::toLower(peek(1)) : '\0';
  if (radix == 'x') {
    isValid = lexRadix(isHexDigit);
  } else if (radix == 'o') {
    isValid = lexRadix(isOctalDigit);
  } else if (radix == 'b') {
    isValid = lexRadix(isBinaryDigit);
  } else {
    lexDigits(isDecimalDigit);
    llvm::StringRef digits = text.slice(begin, position);
    if (peek() == '.') {
      isFloat = true;
      ++position;
      lexDigits(isDecimalDigit);
    }
    bool hasSign = peek(1) == '+' || peek(1) == '-';
    if (llvm::toLower(peek()) == 'e' && llvm::isDigit(peek(hasSign ? 2 : 1))) {
      isFloat = true;
      position += hasSign ? 2 : 1;
      lexDigits(isDecimalDigit);
    }
    // Python refuses 012, which C reads as ten.
    isValid = isFloat || digits.front() != '0' || digits.find_first_not_of("0_") == digits.npos;
  }
  bool isImaginary = llvm::toLower(peek()) == 'j' && !isNamePart(peek(1));
  if (isNamePart(peek())) {
    isValid = false;
    while (isNamePart(peek()))
      ++position;
  }
  llvm::StringRef spelling = text.slice(begin, position);
  if (isImaginary)
    fail(begin, DiagId::complex_number, spelling);
  else if (!isValid)
    fail(begin, DiagId::invalid_number, spelling);
  else if (spelling.size() > maxNumberLength)
    fail(begin, DiagId::number_too_long, spelling.size(), maxNumberLength);
  else
    push(isFloat ? Kind::floating : Kind::integer, begin);
}

/// Lexes a string if one begins here.
bool Lexer::lexString() {
  size_t prefix = rest().find_first_not_of("rRbBfFuU");
  if (prefix > 2 || (peek(prefix) != '"' && peek(prefix) != '\''))
    return false;
  uint32_t begin = position;
  position += prefix;
  char quote = peek();
  bool isTriple = peek(1) == quote && peek(2) == quote;
  uint32_t opening = position;
  position += isTriple ? 3 : 1;
  while (position < text.size()) {
    if (peek() == '\\') {
      position = std::min<uint32_t>(position + 2, text.size());
    } else if (peek() == quote && (!isTriple || (peek(1) == quote && peek(2) == quote))) {
      position += isTriple ? 3 : 1;
      push(Kind::string, begin);
      return true;
    } else if (!isTriple && atLineEnd()) {
      break;
    } else {
      ++position;
    }
  }
  push(Kind::error, begin);
  report(opening, isTriple ? opening + 3 : position, DiagId::unclosed_string,
         text.slice(opening, opening + (isTriple ? 3 : 1)));
  return true;
}

void Lexer::lexPunctuation() {
  uint32_t begin = position;
  if (rest().starts_with("&&") || rest().starts_with("||")) {
    position += 2;
    llvm::StringRef spelling = text.slice(begin, position);
    llvm::StringRef word = spelling == "&&" ? "and" : "or";
    fail(begin, DiagId::unexpected_character, "`" + spelling.str() + "`")
        .fixIt(("write `" + word + "`").str(), {{file.getRange(begin, position), word.str()}});
    return;
  }
  for (size_t size : {3, 2, 1}) {
    Kind kind = getPunctuation(rest().take_front(size));
    if (kind == Kind::error)
      continue;
    position += rest().take_front(size).size();
    push(kind, begin);
    if (kind == Kind::l_paren)
      brackets.push_back({')', begin});
    else if (kind == Kind::l_square)
      brackets.push_back({']', begin});
    else if (kind == Kind::l_brace)
      brackets.push_back({'}', begin});
    bool isClosing = kind == Kind::r_paren || kind == Kind::r_square || kind == Kind::r_brace;
    if (isClosing && !brackets.empty())
      brackets.pop_back();
    return;
  }
  lexUnexpected();
}

void Lexer::lexUnexpected() {
  uint32_t begin = position;
  unsigned size = llvm::getNumBytesForUTF8(static_cast<llvm::UTF8>(peek()));
  const auto *source = reinterpret_cast<const llvm::UTF8 *>(text.data()) + position;
  llvm::UTF32 character = 0;
  llvm::convertUTF8Sequence(&source, source + size, &character, llvm::strictConversion);
  llvm::StringRef spelling = text.substr(begin, size);
  std::string name = "`" + spelling.str() + "`";
  if (character < 0x20 || character >= 0x7f)
    llvm::raw_string_ostream(name)
        << " (U+" << llvm::format_hex_no_prefix(character, 4, true) << ')';
  while (rest().starts_with(spelling))
    position += size;
  uint32_t end = position;
  bool isLetter = character >= 0x80 && getLookalike(character).empty();
  // The rest of the word is the same mistake.
  while (isLetter && (isNamePart(peek()) || static_cast<unsigned char>(peek()) >= 0x80))
    ++position;
  push(Kind::error, begin);
  DiagnosticBuilder builder = report(begin, end, DiagId::unexpected_character, name);
  llvm::StringRef instead = character == '!' ? "not " : getLookalike(character);
  if (!instead.empty())
    builder.fixIt(instead == " " ? "write a space" : ("write `" + instead.trim() + "`").str(),
                  {{file.getRange(begin, end), instead.str()}});
  else if (character == '?')
    builder.hint("a choice is written `x if c else y`");
  else if (isLetter)
    builder.hint("names are made of ASCII letters, digits and `_`");
}

} // namespace

LexedFile attnc::lex(const SourceFile &file, DiagnosticEngine &diagnostics) {
  return Lexer(file, diagnostics).run();
}
