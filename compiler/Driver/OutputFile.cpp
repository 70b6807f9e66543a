//===- OutputFile.cpp - Files that appear whole or not at all ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace attnc;
using namespace attnc::driver;

static llvm::Error makeError(llvm::StringRef path, const std::string &reason) {
  return llvm::createStringError((path == "-" ? "standard output" : path) +
                                 llvm::Twine(": cannot write: ") + reason);
}

/// The path that a file for `path` takes. Through a link, the file it names is replaced, not the
/// link.
static std::error_code resolve(llvm::StringRef path, llvm::SmallVectorImpl<char> &target) {
  if (llvm::sys::fs::exists(path))
    return llvm::sys::fs::real_path(path, target);
  target.assign(path.begin(), path.end());
  return {};
}

namespace {
/// A file, whether it exists or not: its folder, if that exists, and its name there.
struct Place {
  std::optional<llvm::sys::fs::UniqueID> folder;
  std::string name;

  bool operator==(const Place &) const = default;
};
} // namespace

static Place findPlace(llvm::StringRef path) {
  llvm::SmallString<128> target;
  llvm::sys::fs::UniqueID folder;
  if (path == "-" || resolve(path, target))
    return {std::nullopt, path.str()};
  llvm::StringRef parent = llvm::sys::path::parent_path(target);
  if (llvm::sys::fs::getUniqueID(parent.empty() ? "." : parent, folder))
    return {std::nullopt, path.str()};
  return {folder, llvm::sys::path::filename(target).str()};
}

std::optional<std::string> driver::checkDistinct(llvm::ArrayRef<OutputName> names) {
  std::vector<Place> places;
  for (const OutputName &name : names) {
    Place place = findPlace(name.path);
    if (auto same = llvm::find(places, place); same != places.end()) {
      const OutputName &other = names[same - places.begin()];
      return (other.option == name.option
                  ? "`" + name.option + "` expects different files"
                  : "`" + other.option + "` and `" + name.option + "` expect two files") +
             ", got `" + other.path + "` " +
             (other.path == name.path ? "for both" : "and `" + name.path + "`, which are one");
    }
    places.push_back(std::move(place));
  }
  return std::nullopt;
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
  static llvm::Expected<WrittenFile> create(const Output &output);

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

llvm::Expected<WrittenFile> WrittenFile::create(const Output &output) {
  llvm::SmallString<128> target;
  if (std::error_code code = resolve(output.path, target))
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
    llvm::Expected<WrittenFile> file = WrittenFile::create(output);
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
