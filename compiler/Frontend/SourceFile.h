//===- SourceFile.h - The text of a file and places in it ---------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_SOURCEFILE_H
#define COMPILER_FRONTEND_SOURCEFILE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace attnc {

class SourceFile;

/// The bytes [begin, end) of a file. A range without a file belongs to no text.
struct SourceRange {
  const SourceFile *file = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool isValid() const { return file != nullptr; }
  uint32_t size() const { return end - begin; }
  /// The text of the range, as the user wrote it.
  llvm::StringRef text() const;
  /// The empty range at the start.
  SourceRange beginning() const { return {file, begin, begin}; }
  /// The empty range behind the end.
  SourceRange ending() const { return {file, end, end}; }
  /// The smallest range that covers this one and `other`, of the same file.
  SourceRange to(SourceRange other) const;

  friend bool operator==(const SourceRange &, const SourceRange &) = default;
};

/// A place in a file as people count: lines and columns from 1. A column is one character (a UTF-8
/// sequence, a tab, or a byte that belongs to no such sequence).
struct LineColumn {
  unsigned line = 1;
  unsigned column = 1;

  friend bool operator==(const LineColumn &, const LineColumn &) = default;
};

/// A named text with an index of its lines. Lines end at "\n", "\r\n" or "\r".
class SourceFile {
public:
  /// The longest text of a program; who reads files refuses longer ones.
  static constexpr uint32_t maxSize = 1u << 22;

  SourceFile(std::string name, std::string text);
  SourceFile(const SourceFile &) = delete;
  SourceFile &operator=(const SourceFile &) = delete;

  llvm::StringRef getName() const { return name; }
  llvm::StringRef getText() const { return text; }
  /// The whole file.
  SourceRange getRange() const { return getRange(0, static_cast<uint32_t>(text.size())); }
  SourceRange getRange(uint32_t begin, uint32_t end) const { return {this, begin, end}; }

  unsigned getNumLines() const { return static_cast<unsigned>(lineStarts.size()); }
  /// The line, counted from 1, that holds the byte at `offset` or ends there.
  unsigned getLineNumber(uint32_t offset) const;
  /// Line `number` without its line end.
  SourceRange getLine(unsigned number) const;
  LineColumn getLineColumn(uint32_t offset) const;
  /// The byte at `place`, or the nearest one where the file has no such place.
  uint32_t getOffset(LineColumn place) const;

private:
  /// A character, and how many are before it.
  struct Mark {
    uint32_t offset;
    uint32_t characters;
  };
  void markCharacters();
  /// How many characters begin before `offset`.
  uint32_t countCharacters(uint32_t offset) const;

  std::string name;
  std::string text;
  std::vector<uint32_t> lineStarts;
  /// The first character of each block of bytes, so that a column in a long line is found without
  /// reading the line.
  std::vector<Mark> marks;
  static constexpr uint32_t markDistance = 256;
};

/// Owns the texts of one compilation, in the order they were added.
class SourceManager {
public:
  const SourceFile &add(std::string name, std::string text);

  /// The file named `name`, the one added last where there are several; null if there is none.
  const SourceFile *find(llvm::StringRef name) const;
  /// The range that a location of the IR names. Columns count from 1 and `end` is behind the last
  /// character; invalid if the file is not known.
  SourceRange getRange(llvm::StringRef name, LineColumn begin, LineColumn end) const;
  /// The place of `file` in the order of adding.
  unsigned getOrder(const SourceFile *file) const;

private:
  std::vector<std::unique_ptr<SourceFile>> files;
};

} // namespace attnc

#endif // COMPILER_FRONTEND_SOURCEFILE_H
