//===- Safetensors.h - Tensors in files ---------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_SAFETENSORS_SAFETENSORS_H
#define RUNTIME_SAFETENSORS_SAFETENSORS_H

#include "attnc/ElementType.h"
#include "attnc/TensorView.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attnc::safetensors {

/// Why a file could not be read or written, in one line that names it.
struct Error {
  enum Kind {
    Environment, ///< the file cannot be opened, read or written
    Content      ///< what it holds is not as it should be
  };
  Kind kind;
  std::string message;
};

/// A tensor as the header describes it.
struct Entry {
  std::string name;
  std::string dtype; ///< as the file spells it
  std::vector<int64_t> shape;
  uint64_t begin = 0; ///< of its bytes in the data that follows the header
  uint64_t end = 0;

  /// The element type, or nothing for one that kernels do not take (`F64`, `F8_E4M3`, ...).
  std::optional<ElementType> getElementType() const;
};

/// Reads the JSON text of a header in front of `dataBytes` bytes of data. Nothing in it is trusted:
/// every entry that comes back lies inside the data, overlaps no other and holds as many bytes as
/// its shape asks for. Returns an error without the file's name, or nothing.
std::optional<std::string> parseHeader(std::string_view text, uint64_t dataBytes,
                                       std::vector<Entry> &entries);

/// An open file; its header is read and checked, data is read on demand.
class Reader {
public:
  Reader() = default;
  Reader(const Reader &) = delete;
  Reader &operator=(const Reader &) = delete;
  ~Reader();

  std::optional<Error> open(const std::string &path);
  /// The same for what standard input has until its end.
  std::optional<Error> openStandardInput();

  const std::vector<Entry> &getEntries() const { return entries; }
  /// The entry of this name, or null.
  const Entry *find(std::string_view name) const;

  /// Reads the bytes of an entry of a known element type to `data`, which holds as many, all zero.
  /// A BOOL byte that is neither 0 nor 1 is an error.
  std::optional<Error> read(const Entry &entry, char *data) const;

private:
  std::optional<Error> readEntries();

  std::string path; ///< for messages
  int descriptor = -1;
  uint64_t dataStart = 0;
  std::vector<Entry> entries;
};

/// Writes contiguous tensors under their names, in this order. The file appears under `path` only
/// once it is whole.
std::optional<Error> write(const std::string &path,
                           const std::vector<std::pair<std::string, TensorView>> &tensors);

/// The same to standard output.
std::optional<Error>
writeStandardOutput(const std::vector<std::pair<std::string, TensorView>> &tensors);

/// `name` in backticks, on one line whatever it holds.
std::string quoteName(std::string_view name);

} // namespace attnc::safetensors

#endif // RUNTIME_SAFETENSORS_SAFETENSORS_H
