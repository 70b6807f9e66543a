//===- write-manual.cpp - Manual pages and completions from --help --------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
//   write-manual TOOL VERSION HELP FOLDER
//
// Reads what a tool prints for --help from the file HELP and writes TOOL.1, TOOL.bash, _TOOL (for
// zsh) and TOOL.fish into FOLDER, so that an option is described in one place. Runs when the
// project is built.
//
//===------------------------------------------------------------------------===//

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {
struct Option {
  std::string name, value;       ///< no value for a flag
  std::vector<std::string> help; ///< lines; those that are indented further begin a line

  /// The help on one line.
  std::string getText() const {
    std::string text;
    for (const std::string &line : help)
      text += (text.empty() ? "" : " ") + line.substr(line.find_first_not_of(' '));
    return text;
  }
  bool takesFile() const { return value.find("FILE") != std::string::npos || value == "OUT"; }
  /// The words that a value like `bhsd|bshd|thd` lists.
  std::vector<std::string> getChoices() const {
    std::vector<std::string> choices;
    std::stringstream stream(value);
    for (std::string word; value.find('|') != std::string::npos && std::getline(stream, word, '|');)
      if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos)
        choices.push_back(word);
    return choices;
  }
};

/// Lines under one heading; options, or text as it is.
struct Section {
  std::string title;
  std::vector<Option> options;
  std::vector<std::string> text;
};

struct Manual {
  std::string tool, version, usage;
  std::vector<std::string> description;
  std::vector<Section> sections;
};
} // namespace

/// The section of lines that are filled.
static constexpr const char *statusTitle = "Exit status";

static size_t getIndent(const std::string &line) {
  size_t indent = line.find_first_not_of(' ');
  return indent == std::string::npos ? line.size() : indent;
}

/// `  --grid X[xYxZ]          blocks (default 1)`.
static Option parseOption(const std::string &line) {
  Option option;
  size_t end = line.find("  ", 2);
  std::string left = line.substr(2, end == std::string::npos ? end : end - 2);
  size_t space = left.find(' ');
  option.name = left.substr(0, space);
  if (space != std::string::npos)
    option.value = left.substr(space + 1);
  if (end != std::string::npos && line.find_first_not_of(' ', end) != std::string::npos)
    option.help.push_back(line.substr(line.find_first_not_of(' ', end)));
  return option;
}

static Manual parseHelp(std::istream &help) {
  constexpr size_t helpColumn = 26;
  constexpr std::string_view usage = "usage: ";
  Manual manual;
  std::string line;
  std::getline(help, line);
  manual.usage = line.substr(std::min(usage.size(), line.size()));
  bool begins = true; // a section, after an empty line
  while (std::getline(help, line)) {
    if (line.empty()) {
      begins = true;
      continue;
    }
    bool isOption = line.rfind("  -", 0) == 0;
    bool isTitle = begins && line.back() == ':' && getIndent(line) == 0;
    begins = false;
    if (isTitle) {
      manual.sections.push_back({line.substr(0, line.size() - 1), {}, {}});
      continue;
    }
    if (isOption && (manual.sections.empty() || !manual.sections.back().text.empty()))
      manual.sections.push_back({"Options", {}, {}});
    if (isOption) {
      manual.sections.back().options.push_back(parseOption(line));
    } else if (manual.sections.empty()) {
      manual.description.push_back(line);
    } else if (!manual.sections.back().options.empty() && getIndent(line) >= helpColumn) {
      manual.sections.back().options.back().help.push_back(line.substr(helpColumn));
    } else {
      // A line on exit statuses has no heading.
      constexpr std::string_view statuses = "Exit status: ";
      bool hasPrefix = line.rfind(statuses, 0) == 0;
      if (hasPrefix || (getIndent(line) == 0 && !manual.sections.back().options.empty()))
        manual.sections.push_back({statusTitle, {}, {}});
      manual.sections.back().text.push_back(line.substr(hasPrefix ? statuses.size() : 0));
    }
  }
  return manual;
}

//===------------------------------------------------------------------------===//
// The manual page
//===------------------------------------------------------------------------===//

/// Text as troff takes it.
static std::string escapeTroff(const std::string &text) {
  std::string result;
  for (char c : text)
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  if (!result.empty() && (result[0] == '.' || result[0] == '\''))
    result = "\\&" + result;
  return result;
}

static std::string toUpper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  });
  return text;
}

static void writePage(const Manual &manual, std::ostream &os) {
  std::string text;
  for (const std::string &line : manual.description)
    text += (text.empty() ? "" : " ") + line;
  std::string summary = text.substr(0, text.find(". "));
  if (!summary.empty() && summary.back() == '.')
    summary.pop_back();
  if (!summary.empty() && summary[0] >= 'A' && summary[0] <= 'Z')
    summary[0] = static_cast<char>(summary[0] - 'A' + 'a');
  os << ".TH " << toUpper(manual.tool) << " 1 \"\" \"attnc " << manual.version << "\"\n"
     << ".SH NAME\n"
     << escapeTroff(manual.tool) << " \\- " << escapeTroff(summary) << "\n"
     << ".SH SYNOPSIS\n"
     << escapeTroff(manual.usage) << "\n"
     << ".SH DESCRIPTION\n"
     << escapeTroff(text) << "\n";
  bool hasOptions = false;
  for (const Section &section : manual.sections) {
    if (section.options.empty()) {
      bool isFilled = section.title == statusTitle;
      os << ".SH " << escapeTroff(toUpper(section.title)) << (isFilled ? "\n" : "\n.nf\n");
      for (const std::string &line : section.text)
        os << escapeTroff(line) << "\n";
      os << (isFilled ? "" : ".fi\n");
      continue;
    }
    if (!hasOptions)
      os << ".SH OPTIONS\n";
    hasOptions = true;
    if (section.title != "Options")
      os << ".SS " << escapeTroff(section.title) << "\n";
    for (const Option &option : section.options) {
      os << ".TP\n\\fB" << escapeTroff(option.name) << "\\fR";
      if (!option.value.empty())
        os << " \\fI" << escapeTroff(option.value) << "\\fR";
      os << "\n";
      for (const std::string &line : option.help) {
        if (getIndent(line) > 0)
          os << ".br\n";
        os << escapeTroff(line.substr(getIndent(line))) << "\n";
      }
    }
  }
}

//===------------------------------------------------------------------------===//
// Completions
//===------------------------------------------------------------------------===//

static std::vector<Option> getOptions(const Manual &manual) {
  std::vector<Option> all;
  for (const Section &section : manual.sections)
    all.insert(all.end(), section.options.begin(), section.options.end());
  return all;
}

static std::string join(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

/// A name that is one of a shell's too.
static std::string getFunction(const Manual &manual) {
  std::string name = "_" + manual.tool;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

static void writeBash(const Manual &manual, std::ostream &os) {
  std::string function = getFunction(manual);
  os << "# bash completion of " << manual.tool << "\n"
     << function << "() {\n"
     << "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
     << "  COMPREPLY=()\n"
     << "  # --option=value comes in three words.\n"
     << "  if [[ $word == = ]]; then\n"
     << "    word=\n"
     << "  elif [[ $before == = ]]; then\n"
     << "    before=${COMP_WORDS[COMP_CWORD-2]}\n"
     << "  fi\n"
     << "  case $before in\n";
  std::vector<std::string> names, other;
  for (const Option &option : getOptions(manual)) {
    names.push_back(option.name);
    if (!option.getChoices().empty())
      os << "    " << option.name << ") COMPREPLY=($(compgen -W '" << join(option.getChoices())
         << "' -- \"$word\")); return ;;\n";
    else if (!option.value.empty() && !option.takesFile())
      other.push_back(option.name);
  }
  for (size_t i = 0; i < other.size(); ++i)
    os << (i == 0 ? "    " : " | ") << other[i];
  if (!other.empty())
    os << ") return ;;\n";
  os << "  esac\n"
     << "  if [[ $word == -* ]]; then\n"
     << "    COMPREPLY=($(compgen -W '" << join(names) << "' -- \"$word\"))\n"
     << "  else\n"
     << "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
     << "  fi\n"
     << "}\n"
     << "complete -o filenames -F " << function << " " << manual.tool << "\n";
}

/// Text inside single quotes, with a backslash before each of `special`.
static std::string quote(const std::string &text, std::string_view special) {
  std::string result = "'";
  for (char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos)
      result += '\\';
    result += c;
  }
  return result + "'";
}

static void writeZsh(const Manual &manual, std::ostream &os) {
  os << "#compdef " << manual.tool << "\n"
     << "_arguments -S \\\n";
  for (const Option &option : getOptions(manual)) {
    bool isLong = option.name.rfind("--", 0) == 0;
    std::string join = option.value.empty() ? "" : isLong ? "=" : "+";
    os << "  " << quote("*" + option.name + join, "") << quote("[", "")
       << quote(option.getText(), "[]:\\") << quote("]", "");
    if (!option.value.empty()) {
      os << quote(":", "") << quote(option.value, ":\\");
      std::vector<std::string> choices = option.getChoices();
      if (!choices.empty())
        os << quote(":(" + ::join(choices) + ")", "");
      else
        os << quote(option.takesFile() ? ":_files" : ": ", "");
    }
    os << " \\\n";
  }
  os << "  '*:file:_files'\n";
}

static void writeFish(const Manual &manual, std::ostream &os) {
  for (const Option &option : getOptions(manual)) {
    bool isLong = option.name.rfind("--", 0) == 0;
    os << "complete -c " << manual.tool << (isLong ? " -l " : " -s ")
       << option.name.substr(isLong ? 2 : 1);
    std::vector<std::string> choices = option.getChoices();
    if (!choices.empty())
      os << " -x -a '" << join(choices) << "'";
    else if (!option.value.empty())
      os << (option.takesFile() ? " -r -F" : " -x");
    os << " -d " << quote(option.getText(), "\\") << "\n";
  }
}

int main(int count, char **arguments) {
  constexpr int expected = 5;
  if (count != expected) {
    std::cerr << "usage: write-manual TOOL VERSION HELP FOLDER\n";
    return 2;
  }
  std::ifstream help(arguments[3]);
  Manual manual = parseHelp(help);
  manual.tool = arguments[1];
  manual.version = arguments[2];
  if (getOptions(manual).empty()) {
    std::cerr << "write-manual: " << arguments[3] << ": found no options\n";
    return 1;
  }
  const std::string folder = std::string(arguments[4]) + "/";
  struct File {
    std::string name;
    void (*write)(const Manual &manual, std::ostream &os);
  };
  for (const File &file :
       {File{manual.tool + ".1", writePage}, File{manual.tool + ".bash", writeBash},
        File{"_" + manual.tool, writeZsh}, File{manual.tool + ".fish", writeFish}}) {
    std::ofstream os(folder + file.name);
    file.write(manual, os);
    if (!os.flush()) {
      std::cerr << "write-manual: " << folder << file.name << ": cannot write\n";
      return 1;
    }
  }
  return 0;
}
