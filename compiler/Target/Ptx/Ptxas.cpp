//===- Ptxas.cpp - Machine code of PTX --------------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Ptx/Ptxas.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace attnc;
using llvm::StringRef;

namespace {
/// A file that goes when this does.
struct TemporaryFile {
  llvm::SmallString<128> path;
  llvm::FileRemover remover;

  llvm::Error create(StringRef suffix) {
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("attnc", suffix, path))
      return llvm::createStringError("cannot make a temporary file: " + error.message());
    remover.setFile(path);
    return llvm::Error::success();
  }
};
} // namespace

/// What a file holds, or nothing.
static std::string readText(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : "";
}

llvm::Expected<Cubin> attnc::assemblePtx(StringRef ptx, const PtxTarget &target, bool lineInfo) {
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName("ptxas");
  if (!program)
    return llvm::createStringError(
        "a cubin expects the program `ptxas` on PATH, found none; it comes with the CUDA Toolkit "
        "and with the Python package nvidia-cuda-nvcc (PTX, `-o KERNEL.ptx`, needs none: the "
        "driver compiles it)");
  TemporaryFile input, output, report;
  for (auto [file, suffix] : {std::pair(&input, "ptx"), {&output, "cubin"}, {&report, "txt"}})
    if (llvm::Error error = file->create(suffix))
      return error;
  if (llvm::Error error = llvm::writeToOutput(input.path, [&](llvm::raw_ostream &os) {
        os << ptx;
        return llvm::Error::success();
      }))
    return error;
  std::string arch = "-arch=" + target.arch;
  std::vector<StringRef> words = {*program, arch, input.path, "-o", output.path};
  if (lineInfo)
    words.push_back("-lineinfo");
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(report.path),
                                          StringRef(report.path)};
  std::string failure;
  int status = llvm::sys::ExecuteAndWait(*program, words, /*Env=*/std::nullopt, redirects,
                                         /*SecondsToWait=*/0, /*MemoryLimit=*/0, &failure);
  if (status != 0) {
    std::string text = readText(report.path);
    return llvm::createStringError(*program + " failed: " + (text.empty() ? failure : text));
  }
  auto cubin = llvm::MemoryBuffer::getFile(output.path, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!cubin)
    return llvm::createStringError("cannot read what " + *program + " has written");
  return Cubin{std::move(*cubin), readText(report.path)};
}
