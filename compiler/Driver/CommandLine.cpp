//===- CommandLine.cpp - Options of the tools -------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/CommandLine.h"
#include "attnc/NearestName.h"
#include <algorithm>
#include <charconv>
#include <cstdlib>

using namespace attnc;
using namespace attnc::driver;

const Option *CommandLine::find(std::string_view name) const {
  for (const OptionGroup &group : groups)
    for (const Option &option : group.options)
      if (option.name == name)
        return &option;
  return nullptr;
}

std::string CommandLine::getUnknownError(const std::string &word) const {
  std::vector<std::string> names;
  for (const OptionGroup &group : groups)
    for (const Option &option : group.options)
      names.push_back(option.name);
  std::string name = word.substr(0, word.find('='));
  auto nearest = findNearestName(name, names);
  return "unknown option `" + name + "`" +
         (nearest ? ", did you mean `" + *nearest + "`?" : "; --help lists all");
}

/// True for `-`, and for what is a value although it starts with a dash: a negative number.
static bool isValue(const std::string &word) {
  return word.size() < 2 || word[0] != '-' || parseNumber(word);
}

std::optional<std::string> CommandLine::parse(const std::vector<std::string> &words,
                                              std::vector<std::string> &positional) const {
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      positional.push_back(word);
      continue;
    }
    if (word == "--") {
      positional.insert(positional.end(), words.begin() + static_cast<int64_t>(i) + 1, words.end());
      break;
    }
    bool isLong = word[1] == '-';
    size_t nameEnd = isLong ? word.find('=') : 2;
    const Option *option = find(word.substr(0, nameEnd));
    if (!option)
      return getUnknownError(word);
    bool isJoined = isLong ? nameEnd != std::string::npos : word.size() > 2;
    std::string value;
    if (isJoined && option->value.empty())
      return "`" + option->name + "` takes no value, got `" + word + "`";
    if (isJoined) {
      value = word.substr(isLong ? nameEnd + 1 : 2);
    } else if (!option->value.empty()) {
      if (i + 1 == words.size() || !isValue(words[i + 1]))
        return "`" + option->name + "` expects " + option->value +
               (i + 1 == words.size() ? "" : ", got `" + words[i + 1] + "`");
      value = words[++i];
    }
    if (std::optional<std::string> expected = option->apply(value))
      return "`" + option->name + "` expects " + *expected + ", got `" + value + "`";
  }
  return std::nullopt;
}

/// Appends `help` in lines of at most `width` columns, all but the first indented.
static void appendWrapped(std::string &out, const std::string &help, size_t indent, size_t width) {
  size_t column = indent;
  for (const std::string &word : split(help, ' ')) {
    if (column > indent && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  out += '\n';
}

std::string CommandLine::getHelp() const {
  constexpr size_t indent = 26, width = 100;
  std::string out = "usage: " + tool + " " + usage + "\n\n" + text;
  for (const OptionGroup &group : groups) {
    out += "\n" + group.title + ":\n";
    for (const Option &option : group.options) {
      std::string left = "  " + option.name + (option.value.empty() ? "" : " " + option.value);
      out += left;
      if (left.size() + 2 > indent)
        out += "\n" + std::string(indent, ' ');
      else
        out += std::string(indent - left.size(), ' ');
      appendWrapped(out, option.help, indent, width);
    }
  }
  return out + epilogue;
}

Option driver::makeFlag(std::string name, bool &flag, std::string help) {
  return {std::move(name), "", std::move(help), [&flag](const std::string &) {
            flag = true;
            return std::nullopt;
          }};
}

Option driver::makeString(std::string name, std::string value, std::string &target,
                          std::string help) {
  return {std::move(name), std::move(value), std::move(help), [&target](const std::string &text) {
            target = text;
            return text.empty() ? std::optional<std::string>("a value") : std::nullopt;
          }};
}

Option driver::makeInteger(std::string name, int64_t &target, std::string help, int64_t minimum,
                           int64_t maximum) {
  return {std::move(name), "N", std::move(help),
          [&target, minimum, maximum](const std::string &text) -> std::optional<std::string> {
            std::optional<int64_t> value = parseInteger(text);
            if (value && *value >= minimum && *value <= maximum) {
              target = *value;
              return std::nullopt;
            }
            return maximum == std::numeric_limits<int64_t>::max()
                       ? "a whole number of at least " + std::to_string(minimum)
                       : "a whole number from " + std::to_string(minimum) + " to " +
                             std::to_string(maximum);
          }};
}

std::vector<std::string> driver::split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::string> driver::addNames(const std::string &text,
                                            std::vector<std::string> &names) {
  std::vector<std::string> parts = split(text, ',');
  if (std::any_of(parts.begin(), parts.end(), [](const std::string &part) { return part.empty(); }))
    return "names with a comma between them";
  names.insert(names.end(), parts.begin(), parts.end());
  return std::nullopt;
}

std::optional<int64_t> driver::parseInteger(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::optional<double> driver::parseNumber(std::string_view text) {
  std::string copy(text);
  if (copy.empty() || std::isspace(static_cast<unsigned char>(copy[0])))
    return std::nullopt;
  char *end = nullptr;
  double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size())
    return std::nullopt;
  return value;
}

std::optional<ScalarValue> driver::parseScalar(std::string_view text) {
  if (text == "true" || text == "True")
    return true;
  if (text == "false" || text == "False")
    return false;
  if (auto integer = parseInteger(text))
    return *integer;
  if (auto number = parseNumber(text))
    return *number;
  return std::nullopt;
}
