//===- CompilerLibrary.h - The compiler, found at run time ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_COMPILERLIBRARY_H
#define RUNTIME_API_COMPILERLIBRARY_H

#include "runtime/api/Failure.h"

namespace attnc::api {

/// Sets `identity` to a text that differs for another build of the library. Where it lies beside
/// the runtime, it is not loaded for that.
Result getCompilerIdentity(std::string &identity);

/// Sets `code` to what libattnc_compiler makes of `source` for `target`. The library is loaded when
/// it is first needed, and stays.
Result compileWithLibrary(const attnc_source_t &source, const std::string &target,
                          std::string &code);

} // namespace attnc::api

#endif // RUNTIME_API_COMPILERLIBRARY_H
