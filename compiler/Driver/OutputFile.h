//===- OutputFile.h - Files that appear whole or not at all -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_OUTPUTFILE_H
#define COMPILER_DRIVER_OUTPUTFILE_H

#include "compiler/Driver/RunError.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace attnc::driver {

/// What is to be written, and the path of the file; `-` is standard output.
struct Output {
  std::string path, text;
};

/// An option and a file that it names, which is to be written.
struct OutputName {
  std::string option, path;
};

/// An error if two of the names are of one file, however they are spelled; nothing if each has its
/// own.
std::optional<std::string> checkDistinct(llvm::ArrayRef<OutputName> names);

/// Writes all outputs. Files take their names when all is on disk: nobody sees half of one, and an
/// error until then leaves what was there. The names are taken one after another; an error there
/// (of a folder that was removed meanwhile, say) leaves the files before it new and the others old.
/// A path that names something other than a file, such as a pipe, is written to directly.
llvm::Error writeOutputs(llvm::ArrayRef<Output> outputs);

/// Writes `text` to standard output, which may be a full disk or closed.
std::optional<RunError> writeStandardOutput(llvm::StringRef text);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_OUTPUTFILE_H
