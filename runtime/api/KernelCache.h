//===- KernelCache.h - Kernels that were compiled, by what they were made of *- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_KERNELCACHE_H
#define RUNTIME_API_KERNELCACHE_H

#include "runtime/api/Kernel.h"
#include <condition_variable>
#include <list>
#include <mutex>
#include <set>
#include <unordered_map>

namespace attnc::api {

/// The compiled kernels of a device, of which those used last are kept. What is not among them is
/// looked for on disk, and compiled if it is not there either: once, however many threads ask for
/// it at the same time.
///
/// A kernel is known by the text of its program, which is fast, and by the form that the compiler
/// gives the program, which is the same for texts that differ in comments, spaces and names.
class KernelCache {
public:
  Result compile(Device &device, const attnc_source_t &source,
                 std::shared_ptr<const Kernel> &kernel);

  /// Keeps none of them any longer.
  void clear();

private:
  struct Entry {
    std::shared_ptr<const Kernel> kernel;
    std::vector<std::string> keys; ///< of its form, and of the texts that asked for it last
  };

  /// The kernel for `key`; `make` makes it, in one thread at a time, if it is not there.
  template <typename MakeT>
  Result findOrMake(const std::string &key, std::shared_ptr<const Kernel> &kernel, MakeT make);

  /// The kernel for `key` if it is there, now the one used last.
  std::shared_ptr<const Kernel> find(const std::string &key);
  /// Takes `key`, which a thread was compiling, off those that others wait for.
  void finish(const std::string &key);
  void insert(const std::string &key, const std::shared_ptr<const Kernel> &kernel);

  std::mutex mutex; ///< guards what follows
  std::condition_variable finished;
  std::list<Entry> entries; ///< the one used last comes first
  std::unordered_map<std::string, std::list<Entry>::iterator> places; ///< by all keys
  std::set<std::string> running; ///< keys that a thread is compiling
};

/// Sets what the caches of this process do from now on.
Result configureCache(const attnc_cache_options_t &options);

/// What they have done, and what is on disk. Texts are of this thread, until its next call.
attnc_cache_info_t getCacheInfo();

/// Removes everything on disk.
Result clearCache();

} // namespace attnc::api

#endif // RUNTIME_API_KERNELCACHE_H
