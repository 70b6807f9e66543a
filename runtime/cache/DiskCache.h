//===- DiskCache.h - Compiled code on disk ----------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_CACHE_DISKCACHE_H
#define RUNTIME_CACHE_DISKCACHE_H

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace attnc {

/// Compiled code by a key that says all it was made of, one file an entry. Any number of processes
/// and threads may use one folder. Nothing in it is trusted: a folder that others may write to is
/// refused, and an entry that is not whole, of this version and for this very key is not there.
class DiskCache {
public:
  static constexpr int64_t defaultMaxBytes = int64_t(1) << 30;

  /// A cache in `folder`, which is made when it is first needed, of at most so many bytes. An empty
  /// name is a cache without entries.
  explicit DiskCache(std::string folder, int64_t maxBytes = defaultMaxBytes)
      : folder(std::move(folder)), maxBytes(maxBytes) {}

  /// $XDG_CACHE_HOME/attnc, else ~/.cache/attnc; empty if neither is known.
  static std::string getDefaultFolder();

  const std::string &getFolder() const { return folder; }

  /// The code for `key`, or nothing.
  std::optional<std::string> find(std::string_view key) const;

  /// The form that programs for `key` have, or nothing: a text that is the same for programs that
  /// differ in what does not matter.
  std::optional<std::string> findForm(std::string_view key) const;

  /// Keeps a form, as add() keeps code; getInfo() does not tell why it cannot.
  std::optional<std::string> addForm(std::string_view key, std::string_view form) const;

  /// Keeps `code`; entries that were not used for longest go where the cache would be too large.
  /// Returns why it cannot, which loses nothing but time.
  std::optional<std::string> add(std::string_view key, std::string_view code);

  struct Info {
    int64_t entries = 0; ///< of code
    int64_t bytes = 0;   ///< of these, and of forms
    std::string problem; ///< why the folder is not used, or why the last `add` failed, or ""
  };
  Info getInfo() const;

  /// Removes all entries. Returns what cannot be removed, or nothing.
  std::optional<std::string> clear() const;

private:
  /// Why the folder cannot be used, or nothing.
  std::optional<std::string> checkFolder() const;
  std::string getPath(std::string_view key, std::string_view suffix) const;
  std::optional<std::string> read(std::string_view key, std::string_view suffix) const;
  std::optional<std::string> write(std::string_view key, std::string_view suffix,
                                   std::string_view code) const;
  void evict() const;

  const std::string folder;
  const int64_t maxBytes;
  mutable std::mutex mutex; ///< guards `writeProblem`
  std::string writeProblem; ///< why the last `add` failed, or ""
};

} // namespace attnc

#endif // RUNTIME_CACHE_DISKCACHE_H
