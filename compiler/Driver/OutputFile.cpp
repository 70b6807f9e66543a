//===- OutputFile.cpp - Files that appear whole or not at all ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace attnc;
using namespace attnc::driver;

static llvm::Error makeError(llvm::StringRef path, const std::string &reason) {
  return llvm::createStringError((path == "-" ? "standard output" : path) +
                                 llvm::Twine(": cannot write: ") + reason);
}

static llvm::Error writeStream(const Output &output) {
  std::error_code code;
  llvm::raw_fd_ostream file(output.path, code);
  if (code)
    return makeError(output.path, code.message());
  file << output.text;
  file.flush();
  if (std::error_code error = file.error()) {
    file.clear_error();
    return makeError(output.path, error.message());
  }
  return llvm::Error::success();
}

namespace {
/// A file that is on disk, under a name that it will not keep. It goes with this unless kept.
class WrittenFile {
public:
  static llvm::Expected<WrittenFile> create(const Output &output, bool exists);

  WrittenFile(WrittenFile &&other) = default;
  ~WrittenFile() { llvm::consumeError(file.discard()); }

  llvm::Error keep() {
    if (llvm::Error error = file.keep(target))
      return makeError(path, llvm::toString(std::move(error)));
    return llvm::Error::success();
  }

private:
  WrittenFile(llvm::sys::fs::TempFile file, llvm::StringRef path, llvm::StringRef target)
      : file(std::move(file)), path(path), target(target) {}

  llvm::sys::fs::TempFile file;
  std::string path, target;
};
} // namespace

llvm::Expected<WrittenFile> WrittenFile::create(const Output &output, bool exists) {
  // Through a link, the file it names is replaced, not the link.
  llvm::SmallString<128> target(output.path);
  if (exists)
    if (std::error_code code = llvm::sys::fs::real_path(output.path, target))
      return makeError(output.path, code.message());
  llvm::Expected<llvm::sys::fs::TempFile> temporary =
      llvm::sys::fs::TempFile::create(target + ".%%%%%%%%.tmp");
  if (!temporary)
    return makeError(output.path, llvm::toString(temporary.takeError()));
  WrittenFile written(std::move(*temporary), output.path, target);
  llvm::raw_fd_ostream file(written.file.FD, /*shouldClose=*/false);
  file << output.text;
  file.flush();
  if (std::error_code failure = file.error()) {
    file.clear_error();
    return makeError(output.path, failure.message());
  }
  return written;
}

llvm::Error driver::writeOutputs(llvm::ArrayRef<Output> outputs) {
  std::vector<WrittenFile> files;
  std::vector<const Output *> streams;
  for (const Output &output : outputs) {
    llvm::sys::fs::file_status status;
    bool exists = !llvm::sys::fs::status(output.path, status);
    if (output.path == "-" || (exists && !llvm::sys::fs::is_regular_file(status))) {
      streams.push_back(&output);
      continue;
    }
    llvm::Expected<WrittenFile> file = WrittenFile::create(output, exists);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
  }
  for (const Output *stream : streams)
    if (llvm::Error error = writeStream(*stream))
      return error;
  for (WrittenFile &file : files)
    if (llvm::Error error = file.keep())
      return error;
  return llvm::Error::success();
}

std::optional<RunError> driver::writeStandardOutput(llvm::StringRef text) {
  if (llvm::Error error = writeOutputs(Output{"-", text.str()}))
    return RunError{Environment, llvm::toString(std::move(error))};
  return std::nullopt;
}
