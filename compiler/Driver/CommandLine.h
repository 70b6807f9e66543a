//===- CommandLine.h - Options of the tools -----------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_COMMANDLINE_H
#define COMPILER_DRIVER_COMMANDLINE_H

#include "attnc/Launch.h"
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnc::driver {

/// One option. LLVM's own option parser is not used: its options are global, and those of every
/// library that is linked in would show.
struct Option {
  std::string name;  ///< `--in` or `-D`
  std::string value; ///< what stands for the value in the help; empty for a flag
  std::string help;
  /// Takes the value ("" of a flag) and returns what was expected of it, or nothing.
  std::function<std::optional<std::string>(const std::string &value)> apply;
};

/// Options under one heading of the help.
struct OptionGroup {
  std::string title;
  std::vector<Option> options;
};

/// The command line of a tool.
class CommandLine {
public:
  /// `usage` follows the tool's name on the first line of the help, `text` comes below it and
  /// `epilogue` at the end.
  CommandLine(std::string tool, std::string usage, std::string text,
              std::vector<OptionGroup> groups, std::string epilogue)
      : tool(std::move(tool)), usage(std::move(usage)), text(std::move(text)),
        groups(std::move(groups)), epilogue(std::move(epilogue)) {}

  /// Applies the options in order and collects the other words. A value may be joined to its option
  /// (`--seed=1`, `-DN=1`) or follow it; a negative number may follow too. Returns an error that
  /// names the option, or nothing.
  std::optional<std::string> parse(const std::vector<std::string> &words,
                                   std::vector<std::string> &positional) const;

  std::string getHelp() const;

private:
  const Option *find(std::string_view name) const;
  std::string getUnknownError(const std::string &word) const;

  std::string tool, usage, text;
  std::vector<OptionGroup> groups;
  std::string epilogue;
};

/// An option that sets `flag`.
Option makeFlag(std::string name, bool &flag, std::string help);
/// An option that stores its value.
Option makeString(std::string name, std::string value, std::string &target, std::string help);

/// An option that stores a whole number from `minimum` to `maximum`.
Option makeInteger(std::string name, int64_t &target, std::string help, int64_t minimum,
                   int64_t maximum = std::numeric_limits<int64_t>::max());

/// The parts of `text` between separators; one empty part for an empty text.
std::vector<std::string> split(std::string_view text, char separator);
/// Adds the names of a comma list to `names`. Returns what was expected of the list, or nothing.
std::optional<std::string> addNames(const std::string &text, std::vector<std::string> &names);
/// A whole number, decimal; nothing if anything else stands there or it overflows.
std::optional<int64_t> parseInteger(std::string_view text);
/// A number, `inf` and `nan` among them.
std::optional<double> parseNumber(std::string_view text);
/// `true`, `True`, `false`, `False`, a whole number or another number.
std::optional<ScalarValue> parseScalar(std::string_view text);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_COMMANDLINE_H
