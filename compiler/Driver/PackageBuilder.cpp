//===- PackageBuilder.cpp - One file of programs and targets ----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/PackageBuilder.h"
#include "compiler/Target/KernelInfo/ReadMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace attnc;
using namespace attnc::driver;

std::optional<RunError> PackageBuilder::begin(const std::string &name, const std::string &path) {
  auto same = llvm::find_if(programs, [&](const Program &other) { return other.name == name; });
  if (same != programs.end())
    return RunError{BadUsage, path + ": expected a program of another name than `" + name +
                                  "`, which `" + same->path + "` has in this package"};
  programs.push_back({name, path});
  return std::nullopt;
}

std::optional<RunError> PackageBuilder::add(const AttncOptions &options, Compilation &compilation,
                                            const Target &target) {
  bool isForHost = target.getKind() == TargetKind::Host;
  Phase form = isForHost ? Phase::Image : options.emit.value_or(Phase::Ptx);
  Code code{programs.back().name,
            isForHost              ? CodeForm::HostImage
            : form == Phase::Cubin ? CodeForm::Cubin
                                   : CodeForm::Ptx,
            target.getName(),
            isForHost ? llvm::join(target.getHost().getNeeds(), ",") : "",
            {}};
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  if (std::optional<RunError> error = compilation.write(form, options.compile, target, os))
    return error;
  code.bytes = os.str();
  codes.push_back(std::move(code));
  return std::nullopt;
}

std::string PackageBuilder::finish() const {
  std::vector<PackagedCode> views;
  for (const Code &code : codes)
    views.push_back({code.program, code.form, code.target, code.features, code.bytes, {}});
  return writePackage(views);
}

llvm::Expected<llvm::json::Array> driver::describePackage(llvm::StringRef bytes) {
  Package package;
  if (std::optional<std::string> error = Package::read(bytes, package))
    return llvm::createStringError(*error);
  llvm::json::Array all;
  for (const PackagedCode &code : package.getCodes()) {
    if (std::optional<std::string> error = checkDigest(code))
      return llvm::createStringError(*error);
    llvm::Expected<llvm::json::Array> kernels =
        readMetadata(llvm::MemoryBufferRef(code.bytes, code.target));
    if (!kernels)
      return llvm::createStringError(code.describe() + ": " + llvm::toString(kernels.takeError()));
    llvm::StringRef form = code.form == CodeForm::HostImage ? "image"
                           : code.form == CodeForm::Ptx     ? "ptx"
                                                            : "cubin";
    all.push_back(llvm::json::Object{{"program", llvm::StringRef(code.program)},
                                     {"form", form},
                                     {"target", llvm::StringRef(code.target)},
                                     {"bytes", static_cast<int64_t>(code.bytes.size())},
                                     {"kernels", std::move(*kernels)}});
  }
  return all;
}
