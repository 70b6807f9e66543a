//===- PackageBuilder.h - One file of programs and targets --------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_PACKAGEBUILDER_H
#define COMPILER_DRIVER_PACKAGEBUILDER_H

#include "compiler/Driver/AttncOptions.h"
#include "compiler/Driver/Compilation.h"
#include "runtime/package/Package.h"
#include "llvm/Support/JSON.h"

namespace attnc::driver {

/// The code of a package, as it is compiled.
class PackageBuilder {
public:
  /// What is added from now on is of the program `name`, in the file `path`. An error if another
  /// file has a program of that name.
  std::optional<RunError> begin(const std::string &name, const std::string &path);

  /// Adds the program that `compilation` has, compiled for `target`.
  std::optional<RunError> add(const AttncOptions &options, Compilation &compilation,
                              const Target &target);

  /// The bytes of the package.
  std::string finish() const;

private:
  struct Program {
    std::string name, path;
  };
  struct Code {
    std::string program;
    CodeForm form;
    std::string target, features, bytes;
  };
  std::vector<Program> programs;
  std::vector<Code> codes;
};

/// What is in the package `bytes`: each code with the metadata of its kernels.
llvm::Expected<llvm::json::Array> describePackage(llvm::StringRef bytes);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_PACKAGEBUILDER_H
