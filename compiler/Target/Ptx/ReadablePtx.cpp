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
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

using namespace attnc;
using llvm::StringRef;

/// Runs of fewer instructions have no comment of their own.
static constexpr unsigned longRun = 16;

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

class Writer {
public:
  Writer(StringRef ptx, const ReadableForm &form, llvm::raw_ostream &os);

  void write();

private:
  void findComments();
  void comment(llvm::ArrayRef<Run> passage);
  void writeInstruction(StringRef line);
  std::string renameParameters(StringRef line, const std::vector<std::string> *&slots,
                               uint64_t &slot) const;

  const ReadableForm &form;
  llvm::raw_ostream &os;
  llvm::SmallVector<StringRef, 0> lines;
  std::vector<Run> runs;
  /// By the line that they come before.
  std::vector<std::string> comments;
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

Writer::Writer(StringRef ptx, const ReadableForm &form, llvm::raw_ostream &os)
    : form(form), os(os) {
  ptx.split(lines, '\n');
  comments.resize(lines.size());
}

/// Adds the comment for runs that take turns.
void Writer::comment(llvm::ArrayRef<Run> passage) {
  std::vector<StringRef> names;
  for (const Run &run : passage)
    if (!llvm::is_contained(names, form.phases[run.phase]))
      names.push_back(form.phases[run.phase]);
  comments[passage.front().firstLine] = llvm::join(names, ", ");
}

void Writer::findComments() {
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
  for (size_t begin = 0; begin < runs.size();) {
    size_t end = begin + 1;
    while (runs[begin].instructions < longRun && end < runs.size() &&
           runs[end].instructions < longRun && runs[end].phase != 0)
      ++end;
    if (runs[begin].phase != 0)
      comment(llvm::ArrayRef(runs).slice(begin, end - begin));
    begin = end;
  }
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

void Writer::writeInstruction(StringRef line) {
  const std::vector<std::string> *slots = nullptr;
  uint64_t slot = 0;
  os << renameParameters(line, slots, slot);
  if (slots && slot < slots->size())
    os << " // " << (*slots)[slot];
  os << '\n';
}

void Writer::write() {
  findComments();
  Place place;
  for (auto [number, line] : llvm::enumerate(lines)) {
    if (std::optional<Location> location = readLocation(line)) {
      // Line 0 is what LLVM makes of several places.
      if (form.lineInfo && location->place.line != 0 && !(location->place == place)) {
        place = location->place;
        os << "\t.loc\t" << place.file << ' ' << place.line << ' ' << place.column << '\n';
      }
      continue;
    }
    if (isNoise(line) || (line.starts_with("\t.file\t") && !form.lineInfo))
      continue;
    if (!comments[number].empty())
      os << "\t// " << comments[number] << '\n';
    if (line.contains("_param_"))
      writeInstruction(line);
    else if (number + 1 < lines.size() || !line.empty())
      os << line << '\n';
  }
}

void attnc::writeReadablePtx(StringRef ptx, const ReadableForm &form, llvm::raw_ostream &os) {
  Writer(ptx, form, os).write();
}
