//===- DiskCache.cpp - Compiled code on disk ------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/cache/DiskCache.h"
#include "runtime/cache/Sha256.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace attnc;

namespace {
using Error = std::optional<std::string>;

/// What an entry begins with. Its digest, sizes, key and code follow.
constexpr std::string_view magic = "attnc cache 1\n";
constexpr std::string_view entrySuffix = ".entry", formSuffix = ".form", temporarySuffix = ".tmp";
constexpr int64_t maxEntryBytes = int64_t(1) << 30;
/// Files that a process has left half written are removed after so many seconds.
constexpr time_t abandonedSeconds = 3600;

std::string getReason() { return std::strerror(errno); }

bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() > suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

/// An open file, closed when this goes.
struct File {
  int descriptor = -1;

  explicit File(int descriptor) : descriptor(descriptor) {}
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  ~File() {
    if (descriptor >= 0)
      close(descriptor);
  }
};

bool writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool readAll(int descriptor, std::string &bytes) {
  for (size_t length = 0; length < bytes.size();) {
    ssize_t got = read(descriptor, bytes.data() + length, bytes.size() - length);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    length += static_cast<size_t>(got);
  }
  return true;
}

/// True if nobody but this user may write to it.
bool isOwn(const struct stat &status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// The bytes of an entry.
std::string encode(std::string_view key, std::string_view code) {
  std::string body = std::to_string(key.size()) + " " + std::to_string(code.size()) + "\n";
  body += key;
  body += code;
  return std::string(magic) + getSha256(body) + "\n" + body;
}

/// The code of an entry for `key`, or nothing.
std::optional<std::string> decode(std::string_view bytes, std::string_view key) {
  constexpr size_t digestBytes = 64;
  if (bytes.substr(0, magic.size()) != magic || bytes.size() < magic.size() + digestBytes + 1)
    return std::nullopt;
  bytes.remove_prefix(magic.size());
  std::string_view digest = bytes.substr(0, digestBytes), body = bytes.substr(digestBytes + 1);
  if (bytes[digestBytes] != '\n' || getSha256(body) != digest)
    return std::nullopt;
  std::string head = std::to_string(key.size()) + " ";
  if (body.substr(0, head.size()) != head)
    return std::nullopt;
  size_t line = body.find('\n');
  if (line == std::string_view::npos || body.substr(line + 1, key.size()) != key)
    return std::nullopt;
  return std::string(body.substr(line + 1 + key.size()));
}

/// A file of the folder.
struct Entry {
  std::string path;
  int64_t bytes;
  timespec used;
  bool isTemporary;
  bool isCode;
};

bool isOlder(const Entry &a, const Entry &b) {
  return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
}

std::vector<Entry> listFolder(const std::string &folder) {
  std::vector<Entry> entries;
  std::unique_ptr<DIR, int (*)(DIR *)> directory(opendir(folder.c_str()), closedir);
  if (!directory)
    return entries;
  while (const dirent *file = readdir(directory.get())) {
    bool isTemporary = endsWith(file->d_name, temporarySuffix);
    bool isCode = endsWith(file->d_name, entrySuffix);
    if (!isTemporary && !isCode && !endsWith(file->d_name, formSuffix))
      continue;
    std::string path = folder + "/" + file->d_name;
    struct stat status;
    if (lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      entries.push_back(
          {path, static_cast<int64_t>(status.st_size), status.st_mtim, isTemporary, isCode});
  }
  return entries;
}

/// Makes the folder and those it lies in, for this user alone.
Error makeFolder(const std::string &folder) {
  for (size_t slash = folder.find('/', 1);; slash = folder.find('/', slash + 1)) {
    std::string part = folder.substr(0, slash);
    if (mkdir(part.c_str(), S_IRWXU) != 0 && errno != EEXIST)
      return part + ": cannot make the folder: " + getReason();
    if (slash == std::string::npos)
      return std::nullopt;
  }
}
} // namespace

std::string DiskCache::getDefaultFolder() {
  // The specification has relative paths ignored.
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/')
    return std::string(cache) + "/attnc";
  if (const char *home = std::getenv("HOME"); home && *home == '/')
    return std::string(home) + "/.cache/attnc";
  return "";
}

Error DiskCache::checkFolder() const {
  if (folder.empty())
    return getDefaultFolder().empty()
               ? "there is no folder for a cache: neither XDG_CACHE_HOME nor HOME is set"
               : "the cache on disk is switched off";
  struct stat status;
  if (lstat(folder.c_str(), &status) != 0)
    return errno == ENOENT ? Error() : folder + ": " + getReason();
  if (!S_ISDIR(status.st_mode))
    return folder + ": expected a folder";
  if (!isOwn(status))
    return folder + ": expected a folder that this user owns and nobody else may write to";
  return std::nullopt;
}

std::string DiskCache::getPath(std::string_view key, std::string_view suffix) const {
  return folder + "/" + getSha256(key) + std::string(suffix);
}

std::optional<std::string> DiskCache::find(std::string_view key) const {
  return read(key, entrySuffix);
}

std::optional<std::string> DiskCache::findForm(std::string_view key) const {
  return read(key, formSuffix);
}

std::optional<std::string> DiskCache::read(std::string_view key, std::string_view suffix) const {
  if (checkFolder())
    return std::nullopt;
  // A pipe in the place of an entry must not be waited for.
  File file(open(getPath(key, suffix).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (file.descriptor < 0 || fstat(file.descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
      !isOwn(status) || status.st_size > maxEntryBytes)
    return std::nullopt;
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  if (!readAll(file.descriptor, bytes))
    return std::nullopt;
  std::optional<std::string> code = decode(bytes, key);
  // What is used stays longest.
  if (code)
    futimens(file.descriptor, nullptr);
  return code;
}

Error DiskCache::write(std::string_view key, std::string_view suffix, std::string_view code) const {
  if (Error error = checkFolder())
    return error;
  if (Error error = makeFolder(folder))
    return error;
  // Who made it meanwhile may be somebody else.
  if (Error error = checkFolder())
    return error;
  std::string bytes = encode(key, code);
  if (static_cast<int64_t>(bytes.size()) > std::min(maxBytes, maxEntryBytes))
    return "the code is larger than the cache";
  std::string temporary = folder + "/XXXXXX" + std::string(temporarySuffix);
  File file(mkstemps(temporary.data(), static_cast<int>(temporarySuffix.size())));
  if (file.descriptor < 0)
    return temporary + ": cannot write: " + getReason();
  // Others see the entry when all of it is there.
  if (!writeAll(file.descriptor, bytes) ||
      rename(temporary.c_str(), getPath(key, suffix).c_str()) != 0) {
    Error error = temporary + ": cannot write: " + getReason();
    unlink(temporary.c_str());
    return error;
  }
  evict();
  return std::nullopt;
}

Error DiskCache::add(std::string_view key, std::string_view code) {
  Error error = write(key, entrySuffix, code);
  std::lock_guard<std::mutex> lock(mutex);
  writeProblem = error.value_or("");
  return error;
}

Error DiskCache::addForm(std::string_view key, std::string_view form) const {
  return write(key, formSuffix, form);
}

void DiskCache::evict() const {
  std::vector<Entry> entries = listFolder(folder);
  std::sort(entries.begin(), entries.end(), isOlder);
  int64_t bytes = 0;
  for (const Entry &entry : entries)
    bytes += entry.bytes;
  time_t now = time(nullptr);
  for (const Entry &entry : entries) {
    bool isAbandoned = entry.isTemporary && now - entry.used.tv_sec > abandonedSeconds;
    bool isTooMuch = !entry.isTemporary && bytes > maxBytes;
    if ((isAbandoned || isTooMuch) && unlink(entry.path.c_str()) == 0)
      bytes -= entry.bytes;
  }
}

DiskCache::Info DiskCache::getInfo() const {
  Info info;
  if (Error error = checkFolder()) {
    info.problem = *error;
    return info;
  }
  for (const Entry &entry : listFolder(folder)) {
    info.bytes += entry.bytes;
    info.entries += entry.isCode;
  }
  std::lock_guard<std::mutex> lock(mutex);
  info.problem = writeProblem;
  return info;
}

Error DiskCache::clear() const {
  if (Error error = checkFolder())
    return error;
  for (const Entry &entry : listFolder(folder))
    if (unlink(entry.path.c_str()) != 0 && errno != ENOENT)
      return entry.path + ": cannot remove: " + getReason();
  return std::nullopt;
}
