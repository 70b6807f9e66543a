//===- CompilerLibrary.cpp - The compiler, found at run time --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/CompilerLibrary.h"
#include "attnc/compiler.h"
#include <dlfcn.h>

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
    // The runtime's own folder is the first that is searched.
    void *handle = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      problem = dlerror();
      return;
    }
    auto version =
        find<decltype(&attnc_compiler_abi_version)>(handle, "attnc_compiler_abi_version");
    compile = find<decltype(compile)>(handle, "attnc_compile");
    release = find<decltype(release)>(handle, "attnc_code_release");
    if (!version || !compile || !release)
      problem = std::string(libraryName) + " is not a compiler of attnc";
    else if (version() < ATTNC_ABI_VERSION)
      problem = std::string(libraryName) + " has version " + std::to_string(version()) +
                " of the interface, expected " + std::to_string(ATTNC_ABI_VERSION);
  }

private:
  template <typename FunctionT> static FunctionT find(void *handle, const char *name) {
    return reinterpret_cast<FunctionT>(dlsym(handle, name));
  }
};
} // namespace

Result api::compileWithLibrary(const attnc_source_t &source, const std::string &target,
                               std::string &code) {
  static const Library library;
  if (!library.problem.empty())
    return Failure{ATTNC_UNAVAILABLE, "compiling needs the compiler library: " + library.problem};
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
