//===- CompilerLibrary.cpp - The compiler, found at run time --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/CompilerLibrary.h"
#include "attnc/compiler.h"
#include "runtime/SharedLibrary.h"
#include <dlfcn.h>
#include <sys/stat.h>

using namespace attnc;
using namespace attnc::api;

static constexpr const char *libraryName = "libattnc_compiler.so.1";

namespace {
/// The functions of the library, or why there are none.
struct Library {
  decltype(&attnc_compile) compile = nullptr;
  decltype(&attnc_code_release) release = nullptr;
  std::string problem;

  Library() {
    SharedLibrary library;
    if (std::optional<std::string> missing = library.load(libraryName)) {
      problem = *missing;
      return;
    }
    decltype(&attnc_compiler_abi_version) version = nullptr;
    if (!library.find("attnc_compiler_abi_version", version) ||
        !library.find("attnc_compile", compile) || !library.find("attnc_code_release", release))
      problem = std::string(libraryName) + " is not a compiler of attnc";
    else if (version() < ATTNC_ABI_VERSION)
      problem = std::string(libraryName) + " has version " + std::to_string(version()) +
                " of the interface, expected " + std::to_string(ATTNC_ABI_VERSION);
  }
};
} // namespace

/// The library, loaded by the first call.
static const Library &getLibrary() {
  static const Library library;
  return library;
}

/// The file that a function of this process comes from, or "".
static std::string findFile(const void *function) {
  Dl_info info;
  return dladdr(function, &info) && info.dli_fname ? info.dli_fname : "";
}

/// What the system knows of a file, as a text; "" if there is none.
static std::string describeFile(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    return "";
  return std::to_string(status.st_dev) + " " + std::to_string(status.st_ino) + " " +
         std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + " " +
         std::to_string(status.st_mtim.tv_nsec);
}

static Failure makeMissing() {
  return {ATTNC_UNAVAILABLE, "compiling needs the compiler library: " + getLibrary().problem};
}

Result api::getCompilerIdentity(std::string &identity) {
  static const std::string known = [] {
    std::string runtime = findFile(reinterpret_cast<const void *>(&attnc_abi_version));
    std::string folder = runtime.substr(0, runtime.rfind('/') + 1);
    std::string beside = describeFile(folder + libraryName);
    if (!beside.empty() || !getLibrary().compile)
      return beside;
    return describeFile(findFile(reinterpret_cast<const void *>(getLibrary().compile)));
  }();
  if (known.empty())
    return makeMissing();
  identity = known;
  return std::nullopt;
}

Result api::compileWithLibrary(const attnc_source_t &source, const std::string &target,
                               std::string &code) {
  const Library &library = getLibrary();
  if (!library.problem.empty())
    return makeMissing();
  attnc_code_t result{};
  result.struct_size = sizeof result;
  attnc_status_t status = library.compile(&source, target.c_str(), &result);
  Result failure;
  if (status != ATTNC_OK)
    failure = Failure{status, result.messages ? result.messages : "the compiler gave no message"};
  else
    code.assign(static_cast<const char *>(result.bytes), result.size);
  library.release(&result);
  return failure;
}
