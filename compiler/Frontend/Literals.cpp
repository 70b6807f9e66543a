//===- Literals.cpp - The values of numbers and strings -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Literals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>
#include <limits>

using namespace attnc;

static std::string withoutUnderscores(llvm::StringRef spelling) {
  std::string digits = spelling.str();
  llvm::erase(digits, '_');
  return digits;
}

std::optional<uint64_t> attnc::getIntegerValue(llvm::StringRef spelling) {
  std::string digits = withoutUnderscores(spelling);
  llvm::StringRef rest = digits;
  unsigned radix = 10;
  if (rest.size() > 2 && rest[0] == '0' && llvm::isAlpha(rest[1])) {
    char letter = llvm::toLower(rest[1]);
    radix = letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
    rest = rest.drop_front(2);
  }
  uint64_t value = 0;
  if (rest.getAsInteger(radix, value))
    return std::nullopt;
  return value;
}

double attnc::getFloatValue(llvm::StringRef spelling) {
  double value = 0;
  bool failed = llvm::StringRef(withoutUnderscores(spelling)).getAsDouble(value);
  assert(!failed && "the lexer lets only numbers pass");
  return failed ? std::numeric_limits<double>::quiet_NaN() : value;
}

namespace {
/// Resolves the escapes of one string body.
class Unescaper {
public:
  Unescaper(llvm::StringRef body, StringValue &value) : rest(body), value(value) {}

  void run() {
    while (!rest.empty()) {
      size_t plain = rest.find_first_of("\\\r");
      value.text += rest.take_front(plain);
      rest = rest.substr(std::min(plain, rest.size()));
      if (rest.consume_front("\r\n") || rest.consume_front("\r"))
        value.text += '\n';
      else if (rest.size() == 1)
        value.text += std::exchange(rest, "");
      else if (!rest.empty())
        resolveEscape();
    }
  }

private:
  void resolveEscape() {
    char letter = rest[1];
    llvm::StringRef names = "abfnrtv\\'\"";
    llvm::StringRef values = "\a\b\f\n\r\t\v\\'\"";
    if (size_t i = names.find(letter); i != names.npos) {
      value.text += values[i];
      rest = rest.drop_front(2);
    } else if (rest.starts_with("\\\r\n")) {
      rest = rest.drop_front(3);
    } else if (letter == '\n' || letter == '\r') {
      rest = rest.drop_front(2);
    } else if (letter == 'x' || letter == 'u' || letter == 'U') {
      resolveCharacter(2, letter == 'x' ? 2 : letter == 'u' ? 4 : 8, 16);
    } else if (letter >= '0' && letter <= '7') {
      llvm::StringRef digits = rest.substr(1, 3);
      resolveCharacter(1, std::min<size_t>(digits.find_first_not_of("01234567"), digits.size()), 8);
    } else {
      value.text += rest.take_front(1);
      rest = rest.drop_front(1);
    }
  }

  /// Appends the character whose number has `size` digits, `start` bytes from here.
  void resolveCharacter(size_t start, size_t size, unsigned radix) {
    llvm::StringRef digits = rest.substr(start, size);
    uint32_t character = 0;
    char utf8[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
    char *end = utf8;
    bool isValid = digits.size() == size && llvm::all_of(digits, llvm::isHexDigit) &&
                   !digits.getAsInteger(radix, character) &&
                   llvm::ConvertCodePointToUTF8(character, end);
    if (isValid)
      value.text.append(utf8, end);
    else if (value.invalidEscape.empty())
      value.invalidEscape = rest.take_front(start + digits.size());
    rest = rest.drop_front(isValid ? start + size : start);
  }

  llvm::StringRef rest;
  StringValue &value;
};
} // namespace

StringValue attnc::getStringValue(llvm::StringRef spelling) {
  StringValue value;
  llvm::StringRef prefix = spelling.take_until([](char c) { return c == '"' || c == '\''; });
  llvm::StringRef body = spelling.drop_front(prefix.size());
  size_t quotes = body.size() >= 6 && body[1] == body[0] && body[2] == body[0] ? 3 : 1;
  body = body.drop_front(quotes).drop_back(quotes);
  value.isFormat = prefix.contains_insensitive("f");
  if (prefix.contains_insensitive("r"))
    value.text = body;
  else
    Unescaper(body, value).run();
  return value;
}

std::string attnc::quote(llvm::StringRef text, bool isFormat) {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << (isFormat ? "f\"" : "\"");
  for (char c : text) {
    if (c == '"' || c == '\\')
      os << '\\' << c;
    else if (c == '\n')
      os << "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      os << "\\x" << llvm::format_hex_no_prefix(static_cast<unsigned char>(c), 2);
    else
      os << c;
  }
  os << '"';
  return result;
}
