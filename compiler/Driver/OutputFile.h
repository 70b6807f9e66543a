//===- OutputFile.h - Files that appear whole or not at all -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_OUTPUTFILE_H
#define COMPILER_DRIVER_OUTPUTFILE_H

#include "compiler/Driver/RunError.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace attnc::driver {

/// Writes what `write` prints to the file `path`, or to standard output for `-`. The file takes its
/// name when all is on disk: nobody sees half of it, and an error leaves what was there. A path
/// that names something other than a file, such as a pipe, is written to directly.
llvm::Error writeOutput(llvm::StringRef path,
                        llvm::function_ref<void(llvm::raw_pwrite_stream &)> write);

/// Writes `text` to standard output, which may be a full disk or closed.
std::optional<RunError> writeStandardOutput(llvm::StringRef text);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_OUTPUTFILE_H
