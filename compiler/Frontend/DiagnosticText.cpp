//===- DiagnosticText.cpp - Diagnostics for people --------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"
#include <algorithm>

using namespace attnc;

namespace {

constexpr unsigned tabStop = 8;
/// Of a longer line only the part around the range is shown.
constexpr uint32_t maxLineBytes = 240;
constexpr uint32_t bytesBeforeRange = 80;
/// A fix that touches more lines is told by its title alone.
constexpr unsigned maxFixLines = 4;

/// Text as a terminal shows it: tabs are spaces, and what cannot be printed is a replacement
/// character.
struct DisplayText {
  std::string text;
  unsigned width = 0;
};

bool isContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

DisplayText getDisplayText(llvm::StringRef source, unsigned startColumn = 0) {
  DisplayText result;
  while (!source.empty()) {
    if (source.front() == '\t') {
      unsigned spaces = tabStop - (startColumn + result.width) % tabStop;
      result.text.append(spaces, ' ');
      result.width += spaces;
      source = source.drop_front();
      continue;
    }
    size_t size = llvm::getNumBytesForUTF8(static_cast<llvm::UTF8>(source.front()));
    llvm::StringRef character = source.take_front(size);
    int width = llvm::sys::unicode::columnWidthUTF8(character);
    if (character.size() < size || width < 0) {
      result.text += "\xef\xbf\xbd";
      ++result.width;
      // A control character may be longer than one byte; a broken sequence is taken byte by byte.
      bool isBroken = width == llvm::sys::unicode::ErrorInvalidUTF8 || character.size() < size;
      source = source.drop_front(isBroken ? 1 : size);
      continue;
    }
    result.text += character;
    result.width += width;
    source = source.drop_front(size);
  }
  return result;
}

struct Palette {
  llvm::StringRef bold, error, warning, note, mark, reset;

  static Palette get(bool colors) {
    if (!colors)
      return {};
    return {"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m", "\033[0m"};
  }
  llvm::StringRef of(Severity severity) const {
    switch (severity) {
    case Severity::Error:
      return error;
    case Severity::Warning:
      return warning;
    case Severity::Note:
      return note;
    }
    return "";
  }
};

class TextPrinter {
public:
  TextPrinter(llvm::raw_ostream &os, bool colors) : os(os), palette(Palette::get(colors)) {}

  void print(const Diagnostic &diagnostic) {
    printMessage(diagnostic.severity, diagnostic.range, diagnostic.message, diagnostic.hint);
    for (const DiagnosticNote &note : diagnostic.notes)
      printMessage(Severity::Note, note.range, note.message, "");
    for (const FixIt &fixIt : diagnostic.fixIts)
      printFixIt(fixIt);
  }

private:
  void printMessage(Severity severity, SourceRange range, llvm::StringRef message,
                    llvm::StringRef hint) {
    os << palette.bold;
    if (range.isValid()) {
      LineColumn place = range.file->getLineColumn(range.begin);
      os << getDisplayText(range.file->getName()).text << ':' << place.line << ':' << place.column
         << ": ";
    }
    os << palette.of(severity) << stringifySeverity(severity) << ": " << palette.reset
       << palette.bold << getDisplayText(message).text << palette.reset << '\n';
    if (range.isValid())
      printSource(range, hint);
    else if (!hint.empty())
      os << "  " << getDisplayText(hint).text << '\n';
  }

  /// The first line of `range` and the marks under it.
  void printSource(SourceRange range, llvm::StringRef hint) {
    SourceRange line = range.file->getLine(range.file->getLineNumber(range.begin));
    uint32_t begin = std::min(range.begin, line.end);
    uint32_t end = std::clamp(range.end, begin, line.end);
    SourceRange shown = cutLine(line, begin);
    end = std::min(end, shown.end);

    llvm::StringRef ellipsis = "...";
    llvm::StringRef prefix = shown.begin == line.begin ? "" : ellipsis;
    const SourceFile &file = *range.file;
    DisplayText before = getDisplayText(file.getRange(shown.begin, begin).text(), prefix.size());
    before.width += prefix.size();
    DisplayText marked = getDisplayText(file.getRange(begin, end).text(), before.width);
    DisplayText behind =
        getDisplayText(file.getRange(end, shown.end).text(), before.width + marked.width);
    std::string text = (prefix + before.text + marked.text + behind.text).str();
    if (shown.end != line.end)
      text += ellipsis;
    os << llvm::StringRef(text).rtrim(' ') << '\n';
    os.indent(before.width) << palette.mark << '^';
    for (unsigned i = 1; i < marked.width; ++i)
      os << '~';
    if (!hint.empty())
      os << ' ' << getDisplayText(hint).text;
    os << palette.reset << '\n';
  }

  /// The part of a long line around `offset`.
  static SourceRange cutLine(SourceRange line, uint32_t offset) {
    if (line.size() <= maxLineBytes)
      return line;
    llvm::StringRef text = line.file->getText();
    uint32_t begin = std::max(line.begin, offset - std::min(offset, bytesBeforeRange));
    while (begin > line.begin && isContinuationByte(text[begin]))
      --begin;
    uint32_t end = std::min(line.end, begin + maxLineBytes);
    while (end < line.end && isContinuationByte(text[end]))
      ++end;
    return line.file->getRange(begin, end);
  }

  /// The lines as they would be, with `+` under what is new.
  void printFixIt(const FixIt &fixIt) {
    os << "  " << palette.note << "fix: " << palette.reset << getDisplayText(fixIt.title).text
       << '\n';
    if (fixIt.edits.empty())
      return;
    const SourceFile &file = *fixIt.edits.front().range.file;
    unsigned first = file.getLineNumber(fixIt.edits.front().range.begin);
    unsigned last = file.getLineNumber(fixIt.edits.back().range.end);
    SourceRange lines = file.getLine(first).to(file.getLine(last));
    if (last - first >= maxFixLines || lines.size() > maxLineBytes * maxFixLines)
      return;

    std::string text, marks;
    uint32_t position = lines.begin;
    auto append = [&](llvm::StringRef source, char mark) {
      for (char c : source) {
        text += c;
        if (!isContinuationByte(c))
          marks += c == '\t' ? '\t' : mark;
      }
    };
    for (const Edit &edit : fixIt.edits) {
      append(file.getRange(position, edit.range.begin).text(), ' ');
      append(edit.text, '+');
      position = edit.range.end;
    }
    append(file.getRange(position, lines.end).text(), ' ');
    if (llvm::StringRef(text).trim().empty())
      return;
    llvm::SmallVector<llvm::StringRef> newLines;
    llvm::StringRef(text).split(newLines, '\n');
    for (llvm::StringRef line : newLines)
      os << getDisplayText(line.rtrim()).text << '\n';
    llvm::StringRef marked = llvm::StringRef(marks).rtrim();
    if (newLines.size() == 1 && !marked.empty())
      os << palette.mark << getDisplayText(marked).text << palette.reset << '\n';
  }

  llvm::raw_ostream &os;
  Palette palette;
};

} // namespace

void DiagnosticEngine::printText(llvm::raw_ostream &os, bool colors) const {
  TextPrinter printer(os, colors);
  auto isError = [](const Diagnostic &diagnostic) {
    return diagnostic.severity == Severity::Error;
  };
  unsigned printed = 0;
  auto hidden = static_cast<unsigned>(numErrors - llvm::count_if(diagnostics, isError));
  for (const Diagnostic *diagnostic : getSorted()) {
    if (isError(*diagnostic) && ++printed > maxErrors)
      ++hidden;
    else
      printer.print(*diagnostic);
  }
  if (hidden)
    os << "... and " << hidden << (hidden == 1 ? " more error\n" : " more errors\n");
}
