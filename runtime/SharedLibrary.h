//===- SharedLibrary.h - Libraries that are found at run time ---*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_SHAREDLIBRARY_H
#define RUNTIME_SHAREDLIBRARY_H

#include <dlfcn.h>
#include <optional>
#include <string>

namespace attnc {

/// A library that is found at run time. It stays loaded as long as the process lives, as what came
/// from it may.
class SharedLibrary {
public:
  /// Loads the library, which is looked for in the folder of this code and where the system looks.
  /// Returns why it cannot, or nothing.
  std::optional<std::string> load(const char *name) {
    handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return handle ? std::nullopt : std::optional<std::string>(dlerror());
  }

  /// Sets `function` to that of the loaded library, or to null; false if there is none.
  template <typename FunctionT> bool find(const char *name, FunctionT *&function) const {
    function = reinterpret_cast<FunctionT *>(dlsym(handle, name));
    return function;
  }

private:
  void *handle = nullptr;
};

} // namespace attnc

#endif // RUNTIME_SHAREDLIBRARY_H
