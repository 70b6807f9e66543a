//===- SourceFile.cpp - The text of a file and places in it -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/SourceFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include <algorithm>
#include <cassert>

using namespace attnc;

llvm::StringRef SourceRange::text() const {
  return file ? file->getText().slice(begin, end) : llvm::StringRef();
}

SourceRange SourceRange::to(SourceRange other) const {
  if (!isValid())
    return other;
  if (!other.isValid())
    return *this;
  assert(file == other.file && "a range cannot span two files");
  return {file, std::min(begin, other.begin), std::max(end, other.end)};
}

/// The length in bytes of the character at the start of `text`, which is not empty.
static uint32_t getCharacterSize(llvm::StringRef text) {
  unsigned size = llvm::getNumBytesForUTF8(static_cast<llvm::UTF8>(text.front()));
  if (size == 1 || size > text.size())
    return 1;
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  return llvm::isLegalUTF8Sequence(begin, begin + size) ? size : 1;
}

SourceFile::SourceFile(std::string name, std::string content)
    : name(std::move(name)), text(std::move(content)) {
  lineStarts.push_back(0);
  for (size_t i = 0, size = text.size(); i < size; ++i) {
    bool isPair = text[i] == '\r' && i + 1 < size && text[i + 1] == '\n';
    if (text[i] == '\n' || (text[i] == '\r' && !isPair))
      lineStarts.push_back(static_cast<uint32_t>(i + 1));
  }
  markCharacters();
}

void SourceFile::markCharacters() {
  uint32_t characters = 0;
  for (uint32_t offset = 0; offset < text.size(); ++characters) {
    if (offset >= marks.size() * markDistance)
      marks.push_back({offset, characters});
    offset += getCharacterSize(llvm::StringRef(text).substr(offset));
  }
}

uint32_t SourceFile::countCharacters(uint32_t offset) const {
  // A mark stands at most three bytes behind the start of its block.
  auto next = std::upper_bound(marks.begin(), marks.end(), offset,
                               [](uint32_t place, Mark mark) { return place < mark.offset; });
  if (next == marks.begin())
    return 0;
  Mark mark = *std::prev(next);
  for (; mark.offset < offset; ++mark.characters)
    mark.offset += getCharacterSize(llvm::StringRef(text).slice(mark.offset, offset));
  return mark.characters;
}

unsigned SourceFile::getLineNumber(uint32_t offset) const {
  auto next = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  return static_cast<unsigned>(next - lineStarts.begin());
}

SourceRange SourceFile::getLine(unsigned number) const {
  assert(number >= 1 && number <= getNumLines() && "no such line");
  uint32_t begin = lineStarts[number - 1];
  uint32_t end = number < getNumLines() ? lineStarts[number] : static_cast<uint32_t>(text.size());
  while (end > begin && (text[end - 1] == '\n' || text[end - 1] == '\r'))
    --end;
  return getRange(begin, end);
}

LineColumn SourceFile::getLineColumn(uint32_t offset) const {
  unsigned line = getLineNumber(offset);
  return {line, countCharacters(offset) - countCharacters(lineStarts[line - 1]) + 1};
}

uint32_t SourceFile::getOffset(LineColumn place) const {
  SourceRange line = getLine(std::clamp(place.line, 1u, getNumLines()));
  uint32_t offset = line.begin;
  for (unsigned column = 1; column < place.column && offset < line.end; ++column)
    offset += getCharacterSize(llvm::StringRef(text).slice(offset, line.end));
  return offset;
}

const SourceFile &SourceManager::add(std::string name, std::string text) {
  files.push_back(std::make_unique<SourceFile>(std::move(name), std::move(text)));
  return *files.back();
}

const SourceFile *SourceManager::find(llvm::StringRef name) const {
  for (auto it = files.rbegin(); it != files.rend(); ++it)
    if ((*it)->getName() == name)
      return it->get();
  return nullptr;
}

SourceRange SourceManager::getRange(llvm::StringRef name, LineColumn begin, LineColumn end) const {
  const SourceFile *file = find(name);
  if (!file)
    return {};
  uint32_t first = file->getOffset(begin);
  return {file, first, std::max(first, file->getOffset(end))};
}

unsigned SourceManager::getOrder(const SourceFile *file) const {
  auto it = llvm::find_if(files, [&](const auto &owned) { return owned.get() == file; });
  return static_cast<unsigned>(it - files.begin());
}
