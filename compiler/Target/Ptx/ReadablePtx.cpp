//===- ReadablePtx.cpp - PTX for people -------------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// LLVM prints `.loc FILE LINE COLUMN` where the location changes. Neighbouring instructions of one
// phase are a run. Code generators mix the ends of phases, and bodies of pairs take turns by the
// pair: short runs join a passage, which gets one comment with all their names.
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Ptx/ReadablePtx.h"
#include "compiler/Target/Ptx/SourceLocations.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <optional>

using namespace attnc;
using llvm::StringRef;

/// Runs of fewer instructions have no comment of their own.
static constexpr unsigned longRun = 16;

/// What labels begin with, before the number of the function.
static constexpr llvm::StringLiteral labelStart = "$L__BB";

namespace {
struct Place {
  unsigned file = 0, line = 0, column = 0;

  bool operator==(const Place &other) const {
    return file == other.file && line == other.line && column == other.column;
  }
};

struct Location {
  Place place;
  unsigned phase = 0;
};

/// Neighbouring instructions of one phase.
struct Run {
  size_t firstLine;
  unsigned phase;
  unsigned instructions = 0;
};

/// Writes the parts of a file.
class Writer {
public:
  Writer(const ReadableForm &form, llvm::raw_ostream &os) : form(form), os(os) {}

  void write(llvm::ArrayRef<std::string> parts);

private:
  using Lines = llvm::SmallVector<StringRef, 0>;

  void writeHeader(const Lines &lines, bool isFirst);
  void writeFunctions(const Lines &lines);
  void findFiles(const Lines &lines);
  std::vector<std::string> findComments(const Lines &lines) const;
  void writeLine(StringRef line);
  void writeParameter(StringRef line);
  void writeLabel(StringRef line, size_t mark);
  std::string renameParameters(StringRef line, const std::vector<std::string> *&slots,
                               uint64_t &slot) const;

  const ReadableForm &form;
  llvm::raw_ostream &os;
  /// What has been written before all functions.
  llvm::StringSet<> directives;
  unsigned numFunctions = 0;
  /// What `.file` lines say of each file, in the order of the numbers that they get; by the number
  /// that a file has in a part, that number.
  llvm::SetVector<StringRef> fileNames;
  llvm::DenseMap<unsigned, size_t> files;
};
} // namespace

/// Reads `\t.loc\t1 7 8204`, and what may follow.
static std::optional<Location> readLocation(StringRef line) {
  if (!line.consume_front("\t.loc\t"))
    return std::nullopt;
  Location location;
  unsigned encoded = 0;
  if (line.consumeInteger(10, location.place.file) || !line.consume_front(" ") ||
      line.consumeInteger(10, location.place.line) || !line.consume_front(" ") ||
      line.consumeInteger(10, encoded))
    return std::nullopt;
  location.phase = PhaseColumn::getPhase(encoded);
  location.place.column = PhaseColumn::getColumn(encoded);
  return location;
}

static bool isInstruction(StringRef line) {
  return line.size() > 1 && line[0] == '\t' && (llvm::isAlpha(line[1]) || line[1] == '@');
}

/// Labels and sections that only locations need, and comments that say nothing.
static bool isNoise(StringRef line) {
  for (StringRef start : {"$L__tmp", "$L__func_begin", "$L__func_end", "\t.section\t.debug_",
                          "\t// begin inline asm", "\t// end inline asm", "\t// .globl"})
    if (line.starts_with(start))
      return true;
  return false;
}

static bool isFunction(StringRef line) {
  return line.starts_with(".") && (line.contains(".func ") || line.contains(".entry "));
}

/// Reads `\t.file\t1 "NAME"` and leaves ` "NAME"`.
static std::optional<unsigned> takeFile(StringRef &line) {
  unsigned number = 0;
  if (!line.consume_front("\t.file\t") || line.consumeInteger(10, number))
    return std::nullopt;
  return number;
}

/// Numbers the files of a part.
void Writer::findFiles(const Lines &lines) {
  files.clear();
  for (StringRef line : lines)
    if (std::optional<unsigned> number = takeFile(line)) {
      fileNames.insert(line);
      files[*number] = llvm::find(fileNames, line) - fileNames.begin() + 1;
    }
}

/// The comment that comes before each line, of a passage that begins there.
std::vector<std::string> Writer::findComments(const Lines &lines) const {
  std::vector<Run> runs;
  unsigned phase = 0;
  for (auto [number, line] : llvm::enumerate(lines)) {
    if (line.starts_with(")") || line.starts_with("}")) {
      // Functions have phases of their own.
      phase = 0;
      runs.push_back({number, 0});
    }
    if (std::optional<Location> location = readLocation(line);
        location && location->phase < form.phases.size())
      phase = location->phase;
    if (!isInstruction(line))
      continue;
    // What has no phase belongs to the one before.
    if (runs.empty() || (phase != 0 && phase != runs.back().phase))
      runs.push_back({number, phase});
    ++runs.back().instructions;
  }
  std::vector<std::string> comments(lines.size());
  for (size_t begin = 0; begin < runs.size();) {
    size_t end = begin + 1;
    while (runs[begin].instructions < longRun && end < runs.size() &&
           runs[end].instructions < longRun && runs[end].phase != 0)
      ++end;
    if (runs[begin].phase != 0) {
      // One comment for runs that take turns.
      std::vector<StringRef> names;
      for (const Run &run : llvm::ArrayRef(runs).slice(begin, end - begin))
        if (!llvm::is_contained(names, form.phases[run.phase]))
          names.push_back(form.phases[run.phase]);
      comments[runs[begin].firstLine] = llvm::join(names, ", ");
    }
    begin = end;
  }
  return comments;
}

/// `line` with parameters by their names; `slots` and `slot` tell what it reads of one, if known.
std::string Writer::renameParameters(StringRef line, const std::vector<std::string> *&slots,
                                     uint64_t &slot) const {
  size_t mark = line.find("_param_");
  size_t begin = line.take_front(mark).find_last_of("[ \t") + 1;
  size_t end =
      line.find_if_not([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }, begin);
  auto parameter = form.parameters.find(line.slice(begin, end));
  if (parameter == form.parameters.end())
    return line.str();
  StringRef rest = line.substr(end);
  uint64_t offset = 0;
  if (StringRef text = rest; text.consume_front("+") && text.consumeInteger(10, offset))
    offset = 0;
  if (line.contains("ld.param")) {
    slots = &parameter->second.slots;
    slot = offset / 8;
  }
  return (line.take_front(begin) + parameter->second.name + rest).str();
}

void Writer::writeParameter(StringRef line) {
  const std::vector<std::string> *slots = nullptr;
  uint64_t slot = 0;
  os << renameParameters(line, slots, slot);
  if (slots && slot < slots->size())
    os << " // " << (*slots)[slot];
}

/// Writes `line`, in which a label is at `mark`: LLVM numbers functions in each part anew.
void Writer::writeLabel(StringRef line, size_t mark) {
  StringRef rest = line.substr(mark + labelStart.size());
  os << line.take_front(mark + labelStart.size()) << numFunctions - 1
     << rest.drop_while(llvm::isDigit);
}

void Writer::writeLine(StringRef line) {
  // LLVM numbers calls through all functions of a part.
  if (size_t mark = line.find(" // callseq"); mark != StringRef::npos)
    line = line.take_front(mark);
  if (line.contains("_param_"))
    writeParameter(line);
  else if (size_t mark = line.find(labelStart); mark != StringRef::npos)
    writeLabel(line, mark);
  else if (line.starts_with("\t\t{"))
    // More operands of the instruction.
    for (StringRef operands = line.ltrim(); !operands.empty();) {
      auto [first, rest] = operands.split(", ");
      os << first << (rest.empty() ? "" : ",");
      operands = rest;
    }
  else
    os << line;
}

/// Writes what is before the functions, unless a part before this one had it.
void Writer::writeHeader(const Lines &lines, bool isFirst) {
  for (StringRef line : llvm::make_range(lines.begin(), llvm::find_if(lines, isFunction)))
    if (line.starts_with(".") ? directives.insert(line).second
                              : isFirst && !line.empty() && !isNoise(line))
      os << line << '\n';
}

void Writer::writeFunctions(const Lines &lines) {
  std::vector<std::string> comments = findComments(lines);
  if (form.lineInfo)
    findFiles(lines);
  Place place;
  for (size_t number = llvm::find_if(lines, isFunction) - lines.begin(); number < lines.size();
       ++number) {
    StringRef line = lines[number], rest = line;
    if (isFunction(line)) {
      ++numFunctions;
      place = Place();
    }
    if (std::optional<Location> location = readLocation(line)) {
      // Line 0 is what LLVM makes of several places.
      if (form.lineInfo && location->place.line != 0 && !(location->place == place)) {
        place = location->place;
        os << "\t.loc\t" << files[place.file] << ' ' << place.line << ' ' << place.column << '\n';
      }
      continue;
    }
    if (isNoise(line) || takeFile(rest) || (number + 1 == lines.size() && line.empty()))
      continue;
    if (!comments[number].empty())
      os << "\t// " << comments[number] << '\n';
    writeLine(line);
    bool goesOn = number + 1 < lines.size() && lines[number + 1].starts_with("\t\t{");
    os << (goesOn ? ' ' : '\n');
  }
}

/// `text` without the spaces that LLVM prints before the tabs between instructions and operands.
static std::string dropSpaces(StringRef text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    size_t end = text.find(" \t");
    result += text.take_front(end);
    text = text.drop_front(std::min(end, text.size() - 1) + 1);
  }
  return result;
}

void Writer::write(llvm::ArrayRef<std::string> texts) {
  std::vector<std::string> clean(texts.size());
  std::vector<Lines> parts(texts.size());
  for (auto [text, ptx, lines] : llvm::zip(texts, clean, parts)) {
    ptx = dropSpaces(text);
    StringRef(ptx).split(lines, '\n');
  }
  for (const Lines &lines : parts)
    writeHeader(lines, &lines == &parts.front());
  os << '\n';
  for (const Lines &lines : parts)
    writeFunctions(lines);
  for (auto [i, name] : llvm::enumerate(fileNames))
    os << "\t.file\t" << i + 1 << name << '\n';
}

void attnc::writeReadablePtx(llvm::ArrayRef<std::string> parts, const ReadableForm &form,
                             llvm::raw_ostream &os) {
  Writer(form, os).write(parts);
}
