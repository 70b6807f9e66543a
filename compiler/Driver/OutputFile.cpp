//===- OutputFile.cpp - Files that appear whole or not at all ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

using namespace attnc;
using namespace attnc::driver;

static llvm::Error makeError(llvm::StringRef path, const std::string &reason) {
  return llvm::createStringError((path == "-" ? "standard output" : path) +
                                 llvm::Twine(": cannot write: ") + reason);
}

/// Writes through a buffer, because not every file can be written at any place.
static llvm::Error writeStream(llvm::StringRef path,
                               llvm::function_ref<void(llvm::raw_pwrite_stream &)> write) {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (code)
    return makeError(path, code.message());
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream buffer(text);
  write(buffer);
  file << buffer.str();
  file.flush();
  if (std::error_code error = file.error()) {
    file.clear_error();
    return makeError(path, error.message());
  }
  return llvm::Error::success();
}

llvm::Error driver::writeOutput(llvm::StringRef path,
                                llvm::function_ref<void(llvm::raw_pwrite_stream &)> write) {
  llvm::sys::fs::file_status status;
  bool exists = !llvm::sys::fs::status(path, status);
  if (path == "-" || (exists && !llvm::sys::fs::is_regular_file(status)))
    return writeStream(path, write);

  // Through a link, the file it names is replaced, not the link.
  llvm::SmallString<128> target(path);
  if (exists)
    if (std::error_code code = llvm::sys::fs::real_path(path, target))
      return makeError(path, code.message());
  llvm::Expected<llvm::sys::fs::TempFile> temporary =
      llvm::sys::fs::TempFile::create(target + ".%%%%%%%%.tmp");
  if (!temporary)
    return makeError(path, llvm::toString(temporary.takeError()));
  std::error_code failure;
  {
    llvm::raw_fd_ostream file(temporary->FD, /*shouldClose=*/false);
    write(file);
    file.flush();
    failure = file.error();
    file.clear_error();
  }
  if (failure) {
    llvm::consumeError(temporary->discard());
    return makeError(path, failure.message());
  }
  if (llvm::Error error = temporary->keep(target))
    return makeError(path, llvm::toString(std::move(error)));
  return llvm::Error::success();
}

std::optional<RunError> driver::writeStandardOutput(llvm::StringRef text) {
  if (llvm::Error error = writeOutput("-", [&](llvm::raw_pwrite_stream &os) { os << text; }))
    return RunError{Environment, llvm::toString(std::move(error))};
  return std::nullopt;
}
