//===- KernelCache.cpp - Kernels that were compiled, by what they were made of ===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/KernelCache.h"
#include "attnc/CpuFeatures.h"
#include "runtime/api/CompilerLibrary.h"
#include "runtime/cache/DiskCache.h"
#include <algorithm>
#include <atomic>
#include <cstring>

using namespace attnc;
using namespace attnc::api;

namespace {
constexpr size_t defaultMaxKernels = 256;

/// What all caches of the process share.
struct Shared {
  std::mutex mutex; ///< guards `disk`
  std::shared_ptr<DiskCache> disk = std::make_shared<DiskCache>(DiskCache::getDefaultFolder());
  std::atomic<size_t> maxKernels{defaultMaxKernels};
  std::atomic<int64_t> compilations{0}, memoryHits{0}, diskHits{0};

  static Shared &get() {
    static Shared shared;
    return shared;
  }

  std::shared_ptr<DiskCache> getDisk() {
    std::lock_guard<std::mutex> lock(mutex);
    return disk;
  }
};

/// Appends a text so that no other list of texts gives the same key.
void append(std::string &key, std::string_view text) {
  key += std::to_string(text.size());
  key += ':';
  key += text;
  key += '\n';
}

void append(std::string &key, const char *text) {
  if (text)
    append(key, std::string_view(text));
  else
    key += "-\n";
}

/// What the code depends on beside the program: the compiler, the machine and the options.
std::string makeOptionsKey(const attnc_source_t &source, const std::string &target,
                           const std::string &compiler) {
  static const std::string cpu = describeCpu();
  std::string key = "attnc " ATTNC_VERSION "\n";
  append(key, compiler);
  append(key, target);
  append(key, target == "host" ? cpu.c_str() : nullptr);
  append(key, source.name);
  append(key, source.dtypes);
  append(key, source.head_dims);
  append(key, source.approximate);
  append(key, source.lse ? "lse" : nullptr);
  append(key, source.products);
  return key;
}

/// The program as it is written, with what is defined.
std::string makeTextKey(const attnc_source_t &source) {
  std::string key = std::to_string(source.define_count);
  for (size_t i = 0; i < source.define_count; ++i)
    append(key, source.defines[i]);
  append(key, source.text_size ? std::string_view(source.text, source.text_size)
                               : std::string_view(source.text));
  return key;
}

/// Checks what the keys are made of.
bool isReadable(const attnc_source_t &source) {
  return source.struct_size == sizeof source && source.text &&
         (source.defines || source.define_count == 0);
}

/// Loads code that the compiler has made, now or before.
Result load(Device &device, std::string_view code, std::shared_ptr<const Kernel> &kernel) {
  Result failure = Kernel::load(device.shared_from_this(), code, /*program=*/nullptr, kernel);
  if (failure && failure->status == ATTNC_INVALID_KERNEL)
    return Failure{ATTNC_INTERNAL, "internal error, please report: " + failure->message};
  return failure;
}

Result compileAnew(Device &device, const attnc_source_t &source, std::string &code,
                   std::shared_ptr<const Kernel> &kernel) {
  ++Shared::get().compilations;
  if (Result failure = compileWithLibrary(source, device.getCompileTarget(), code))
    return failure;
  return load(device, code, kernel);
}

/// From disk, or compiled and put there.
Result obtain(Device &device, const attnc_source_t &source, const std::string &key,
              std::shared_ptr<const Kernel> &kernel) {
  std::shared_ptr<DiskCache> disk = Shared::get().getDisk();
  if (std::optional<std::string> code = disk->find(key); code && !load(device, *code, kernel)) {
    ++Shared::get().diskHits;
    return std::nullopt;
  }
  std::string code;
  if (Result failure = compileAnew(device, source, code, kernel))
    return failure;
  // A cache that cannot be written to costs time alone; attnc_cache_get_info says why.
  disk->add(key, code);
  return std::nullopt;
}
} // namespace

std::shared_ptr<const Kernel> KernelCache::find(const std::string &key) {
  auto found = places.find(key);
  if (found == places.end())
    return nullptr;
  entries.splice(entries.begin(), entries, found->second);
  return found->second->kernel;
}

void KernelCache::insert(const std::string &key, const std::shared_ptr<const Kernel> &kernel) {
  constexpr size_t maxKeys = 16;
  auto entry = std::find_if(entries.begin(), entries.end(),
                            [&](const Entry &other) { return other.kernel == kernel; });
  if (entry == entries.end())
    entry = entries.insert(entries.begin(), {kernel, {}});
  else
    entries.splice(entries.begin(), entries, entry);
  // The first one is that of the form.
  if (entry->keys.size() == maxKeys) {
    places.erase(entry->keys[1]);
    entry->keys.erase(entry->keys.begin() + 1);
  }
  entry->keys.push_back(key);
  places[key] = entry;
  while (entries.size() > Shared::get().maxKernels) {
    for (const std::string &old : entries.back().keys)
      places.erase(old);
    entries.pop_back();
  }
}

void KernelCache::finish(const std::string &key) {
  std::lock_guard<std::mutex> lock(mutex);
  running.erase(key);
  finished.notify_all();
}

void KernelCache::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  places.clear();
  entries.clear();
}

template <typename MakeT>
Result KernelCache::findOrMake(const std::string &key, std::shared_ptr<const Kernel> &kernel,
                               MakeT make) {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    if ((kernel = find(key))) {
      ++Shared::get().memoryHits;
      return std::nullopt;
    }
    if (running.insert(key).second)
      break;
    finished.wait(lock);
  }
  lock.unlock();
  // An exception must not leave the others waiting.
  auto end = [&](KernelCache *cache) { cache->finish(key); };
  std::unique_ptr<KernelCache, decltype(end)> turn(this, end);
  Result failure = make();
  if (!failure) {
    std::lock_guard<std::mutex> guard(mutex);
    insert(key, kernel);
  }
  return failure;
}

Result KernelCache::compile(Device &device, const attnc_source_t &source,
                            std::shared_ptr<const Kernel> &kernel) {
  std::string identity, code;
  // What is wrong with a source, or with the library, is said by those who look closer.
  if (!isReadable(source) || getCompilerIdentity(identity))
    return compileAnew(device, source, code, kernel);
  const std::string options = makeOptionsKey(source, device.getCompileTarget(), identity);
  const std::string textKey = options + makeTextKey(source);
  return findOrMake(textKey, kernel, [&]() -> Result {
    std::shared_ptr<DiskCache> disk = Shared::get().getDisk();
    std::optional<std::string> form = disk->findForm(textKey);
    bool isKnown = form.has_value();
    // A program that is wrong has no form; compiling it says why.
    if (!isKnown && compileWithLibrary(source, "attn", form.emplace()))
      return compileAnew(device, source, code, kernel);
    const std::string formKey = options + *form;
    Result failure =
        findOrMake(formKey, kernel, [&] { return obtain(device, source, formKey, kernel); });
    if (!failure && !isKnown)
      disk->addForm(textKey, *form);
    return failure;
  });
}

Result api::configureCache(const attnc_cache_options_t &options) {
  if (options.max_disk_bytes < 0)
    return invalidArgument("`max_disk_bytes`: expected at least 0, got " +
                           std::to_string(options.max_disk_bytes));
  if (options.max_kernels < 0)
    return invalidArgument("`max_kernels`: expected at least 0, got " +
                           std::to_string(options.max_kernels));
  if (options.folder && *options.folder && *options.folder != '/')
    return invalidArgument("`folder`: expected an absolute path or \"\", got `" +
                           std::string(options.folder) + "`");
  Shared &shared = Shared::get();
  std::lock_guard<std::mutex> lock(shared.mutex);
  shared.disk = std::make_shared<DiskCache>(
      options.folder ? options.folder : DiskCache::getDefaultFolder(),
      options.max_disk_bytes ? options.max_disk_bytes : DiskCache::defaultMaxBytes);
  shared.maxKernels =
      options.max_kernels ? static_cast<size_t>(options.max_kernels) : defaultMaxKernels;
  return std::nullopt;
}

attnc_cache_info_t api::getCacheInfo() {
  thread_local std::string folder, problem;
  Shared &shared = Shared::get();
  std::shared_ptr<const DiskCache> disk = shared.getDisk();
  DiskCache::Info found = disk->getInfo();
  folder = disk->getFolder();
  problem = found.problem;
  attnc_cache_info_t info{};
  info.folder = folder.c_str();
  info.problem = problem.c_str();
  info.disk_entries = found.entries;
  info.disk_bytes = found.bytes;
  info.compilations = shared.compilations;
  info.memory_hits = shared.memoryHits;
  info.disk_hits = shared.diskHits;
  return info;
}

Result api::clearCache() {
  if (std::optional<std::string> error = Shared::get().getDisk()->clear())
    return Failure{ATTNC_UNAVAILABLE, *error};
  return std::nullopt;
}
