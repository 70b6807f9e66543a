//===- Safetensors.cpp - Reading and writing safetensors files --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/safetensors/Safetensors.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

using namespace attnc;
using namespace attnc::safetensors;

namespace {
/// As the format's own implementation has it.
constexpr uint64_t longestHeader = 100'000'000;

Error makeSystemError(const std::string &path, const char *action) {
  return {Error::Environment, path + ": cannot " + action + ": " + std::strerror(errno)};
}

/// Reads `size` bytes at `offset`; the system may hand them over in pieces.
std::optional<Error> readAt(int descriptor, const std::string &path, uint64_t offset, char *data,
                            uint64_t size) {
  while (size > 0) {
    ssize_t count =
        ::pread(descriptor, data, std::min<uint64_t>(size, 1 << 30), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return makeSystemError(path, "read");
    if (count == 0)
      return Error{Error::Content,
                   path + ": the file ends " + std::to_string(size) + " bytes too early"};
    data += count;
    offset += static_cast<uint64_t>(count);
    size -= static_cast<uint64_t>(count);
  }
  return std::nullopt;
}

/// Where the data that is next at `offset` begins, at most the last byte before `end`.
uint64_t findData(int descriptor, uint64_t offset, uint64_t end) {
  off_t found = ::lseek(descriptor, static_cast<off_t>(offset), SEEK_DATA);
  if (found < 0)
    return errno == ENXIO ? end - 1 : offset; // no more data, or a file that cannot tell
  return std::min(static_cast<uint64_t>(found), end - 1);
}

/// Like readAt for `data` that is zero: in the holes of a sparse file there is nothing to read.
std::optional<Error> readSparse(int descriptor, const std::string &path, uint64_t offset,
                                char *data, uint64_t size) {
  constexpr uint64_t piece = 1 << 20;
  for (uint64_t at = offset, end = offset + size; at < end;) {
    uint64_t begin = findData(descriptor, at, end);
    uint64_t count = std::min(piece, end - begin);
    if (auto error = readAt(descriptor, path, begin, data + (begin - offset), count))
      return error;
    at = begin + count;
  }
  return std::nullopt;
}

std::optional<Error> writeAll(int descriptor, const std::string &path, const char *data,
                              uint64_t size) {
  while (size > 0) {
    ssize_t count = ::write(descriptor, data, std::min<uint64_t>(size, 1 << 30));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return makeSystemError(path, "write");
    data += count;
    size -= static_cast<uint64_t>(count);
  }
  return std::nullopt;
}

const char *getTypeName(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return "F32";
  case ElementType::F16:
    return "F16";
  case ElementType::BF16:
    return "BF16";
  case ElementType::I8:
    return "I8";
  case ElementType::U8:
    return "U8";
  case ElementType::I16:
    return "I16";
  case ElementType::I32:
    return "I32";
  case ElementType::I64:
    return "I64";
  case ElementType::Bool:
    return "BOOL";
  }
  return "";
}
} // namespace

Reader::~Reader() {
  if (descriptor >= 0)
    ::close(descriptor);
}

std::optional<Error> Reader::open(const std::string &file) {
  path = file;
  // A pipe would wait for its writer.
  descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  return descriptor < 0 ? makeSystemError(path, "open") : readEntries();
}

std::optional<Error> Reader::openStandardInput() {
  path = "standard input";
  // Tensors are read in any order, which a pipe does not allow.
  std::FILE *copy = std::tmpfile();
  if (!copy)
    return makeSystemError(path, "copy");
  descriptor = ::fcntl(::fileno(copy), F_DUPFD_CLOEXEC, 0);
  std::fclose(copy);
  if (descriptor < 0)
    return makeSystemError(path, "copy");
  std::vector<char> piece(1 << 20);
  for (;;) {
    ssize_t count = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return makeSystemError(path, "read");
    if (count == 0)
      return readEntries();
    if (auto error = writeAll(descriptor, path, piece.data(), static_cast<uint64_t>(count)))
      return makeSystemError(path, "copy");
  }
}

std::optional<Error> Reader::readEntries() {
  struct stat info;
  if (::fstat(descriptor, &info) != 0)
    return makeSystemError(path, "open");
  if (!S_ISREG(info.st_mode))
    return Error{Error::Environment, path + ": expected a regular file"};
  auto fileSize = static_cast<uint64_t>(info.st_size);
  auto makeContentError = [&](const std::string &what) {
    return Error{Error::Content, path + ": not a safetensors file: " + what};
  };
  unsigned char length[8];
  if (fileSize < sizeof(length))
    return makeContentError("expected 8 bytes with the header's length, got " +
                            std::to_string(fileSize));
  if (auto error = readAt(descriptor, path, 0, reinterpret_cast<char *>(length), sizeof(length)))
    return error;
  uint64_t headerSize = 0;
  for (int i = 7; i >= 0; --i)
    headerSize = headerSize << 8 | length[i];
  uint64_t rest = fileSize - sizeof(length);
  if (headerSize > rest)
    return makeContentError("a header of " + std::to_string(headerSize) +
                            " bytes is announced, but only " + std::to_string(rest) + " follow");
  if (headerSize > longestHeader)
    return makeContentError("expected a header of at most " + std::to_string(longestHeader) +
                            " bytes, got " + std::to_string(headerSize));
  std::string header(headerSize, '\0');
  if (auto error = readAt(descriptor, path, sizeof(length), header.data(), headerSize))
    return error;
  dataStart = sizeof(length) + headerSize;
  if (auto error = parseHeader(header, fileSize - dataStart, entries))
    return makeContentError(*error);
  return std::nullopt;
}

const Entry *Reader::find(std::string_view name) const {
  auto found = std::find_if(entries.begin(), entries.end(),
                            [&](const Entry &entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

std::optional<Error> Reader::read(const Entry &entry, char *data) const {
  uint64_t size = entry.end - entry.begin;
  if (auto error = readSparse(descriptor, path, dataStart + entry.begin, data, size))
    return error;
  if (entry.getElementType() != ElementType::Bool)
    return std::nullopt;
  const char *bad = std::find_if(data, data + size, [](char byte) { return byte & ~1; });
  if (bad == data + size)
    return std::nullopt;
  return Error{Error::Content, path + ": " + quoteName(entry.name) +
                                   ": expected bools stored as 0 or 1, got " +
                                   std::to_string(static_cast<unsigned char>(*bad)) +
                                   " at element " + std::to_string(bad - data)};
}

/// Writes tensors to an open file, which `path` names in messages.
static std::optional<Error>
writeTensors(int descriptor, const std::string &path,
             const std::vector<std::pair<std::string, TensorView>> &tensors) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  int64_t offset = 0;
  for (const auto &[name, view] : tensors) {
    int64_t end = offset + getNumBytes(view);
    header[name] = {
        {"dtype", getTypeName(view.type)}, {"shape", view.sizes}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' '); // so that the data is aligned

  char length[8];
  for (int i = 0; i < 8; ++i)
    length[i] = static_cast<char>(text.size() >> (8 * i));
  std::optional<Error> error = writeAll(descriptor, path, length, sizeof(length));
  if (!error)
    error = writeAll(descriptor, path, text.data(), text.size());
  for (const auto &[name, view] : tensors)
    if (!error)
      error = writeAll(descriptor, path, static_cast<const char *>(view.data),
                       static_cast<uint64_t>(getNumBytes(view)));
  return error;
}

std::optional<Error>
safetensors::write(const std::string &path,
                   const std::vector<std::pair<std::string, TensorView>> &tensors) {
  // A device or pipe is written to; a file is replaced by one that is whole.
  struct stat info;
  bool inPlace = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  std::string target = inPlace ? path : path + ".part" + std::to_string(::getpid());
  int descriptor = ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return makeSystemError(path, "create");
  std::optional<Error> error = writeTensors(descriptor, path, tensors);
  if (::close(descriptor) != 0 && !error)
    error = makeSystemError(path, "write");
  if (!error && !inPlace && ::rename(target.c_str(), path.c_str()) != 0)
    error = makeSystemError(path, "write");
  if (error && !inPlace)
    ::unlink(target.c_str());
  return error;
}

std::optional<Error>
safetensors::writeStandardOutput(const std::vector<std::pair<std::string, TensorView>> &tensors) {
  return writeTensors(STDOUT_FILENO, "standard output", tensors);
}
