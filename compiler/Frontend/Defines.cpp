//===- Defines.cpp - Values given with -D -----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Defines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <charconv>
#include <limits>

using namespace attnc;

namespace {
class ValueParser {
public:
  explicit ValueParser(llvm::StringRef text) : rest(text) {}

  std::optional<DefineValue> parseAll() {
    std::optional<DefineValue> value = parse(/*depth=*/0);
    rest = rest.ltrim();
    return value && rest.empty() ? value : std::nullopt;
  }

private:
  static constexpr unsigned maxDepth = 8;

  std::optional<DefineValue> parse(unsigned depth) {
    rest = rest.ltrim();
    if (rest.empty() || depth > maxDepth)
      return std::nullopt;
    if (rest.front() == '[' || rest.front() == '(')
      return parseList(depth);
    llvm::StringRef word = rest.take_until([](char c) { return c == ',' || c == ']' || c == ')'; });
    rest = rest.drop_front(word.size());
    return parseWord(word.rtrim());
  }

  std::optional<DefineValue> parseList(unsigned depth) {
    char close = rest.front() == '[' ? ']' : ')';
    rest = rest.drop_front();
    DefineValue list;
    list.kind = DefineValue::Kind::List;
    while (true) {
      rest = rest.ltrim();
      if (rest.consume_front(llvm::StringRef(&close, 1)))
        return list;
      std::optional<DefineValue> element = parse(depth + 1);
      if (!element)
        return std::nullopt;
      list.elements.push_back(std::move(*element));
      rest = rest.ltrim();
      if (!rest.starts_with(llvm::StringRef(&close, 1)) && !rest.consume_front(","))
        return std::nullopt;
    }
  }

  static std::optional<DefineValue> parseWord(llvm::StringRef word) {
    DefineValue value;
    if (word == "None")
      return value;
    if (std::optional<bool> boolean = llvm::StringSwitch<std::optional<bool>>(word)
                                          .Cases({"true", "True"}, true)
                                          .Cases({"false", "False"}, false)
                                          .Default(std::nullopt)) {
      value.kind = DefineValue::Kind::Bool;
      value.boolean = *boolean;
      return value;
    }
    bool negative = word.consume_front("-");
    if (!negative)
      word.consume_front("+");
    if (word.empty())
      return std::nullopt;
    std::string digits = word.str();
    llvm::erase(digits, '_');
    uint64_t magnitude = 0;
    if (llvm::isDigit(digits.front()) && !llvm::StringRef(digits).getAsInteger(0, magnitude)) {
      if (negative && magnitude > uint64_t(1) << 63)
        return std::nullopt;
      value.kind = DefineValue::Kind::Int;
      value.integer = static_cast<int64_t>(negative ? -magnitude : magnitude);
      return value;
    }
    value.kind = DefineValue::Kind::Float;
    if (digits == "inf")
      value.real = std::numeric_limits<double>::infinity();
    else if (digits == "nan")
      value.real = std::numeric_limits<double>::quiet_NaN();
    else if (llvm::isDigit(digits.front()) || digits.front() == '.') {
      auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value.real);
      if (error != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    } else {
      return std::nullopt;
    }
    if (negative)
      value.real = -value.real;
    return value;
  }

  llvm::StringRef rest;
};
} // namespace

std::optional<DefineValue> attnc::parseDefineValue(llvm::StringRef text) {
  return ValueParser(text).parseAll();
}

Defines::Defines(llvm::ArrayRef<std::string> arguments) {
  for (const std::string &argument : arguments) {
    auto [name, text] = llvm::StringRef(argument).split('=');
    name = name.trim();
    if (name.size() == argument.size() || name.empty()) {
      errors.push_back("-D " + argument + ": expected name=value");
      continue;
    }
    std::optional<DefineValue> value = parseDefineValue(text);
    if (!value) {
      errors.push_back("-D " + argument + ": expected a number, a bool or a list, got `" +
                       text.str() + "`");
      continue;
    }
    // The last one wins, as with a compiler's -D.
    entries[name.str()] = Entry{text.trim().str(), std::move(*value)};
  }
}

const DefineValue *Defines::use(llvm::StringRef name) {
  auto found = entries.find(name.str());
  if (found == entries.end())
    return nullptr;
  found->second.used = true;
  return &found->second.value;
}

void Defines::addError(llvm::StringRef name, const std::string &message) {
  Entry &entry = entries.find(name.str())->second;
  if (!std::exchange(entry.reported, true))
    errors.push_back("-D " + name.str() + "=" + entry.text + ": " + message);
}

std::vector<llvm::StringRef> Defines::getUnused() const {
  std::vector<llvm::StringRef> unused;
  for (const auto &[name, entry] : entries)
    if (!entry.used)
      unused.push_back(name);
  return unused;
}
