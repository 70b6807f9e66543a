//===- KernelMetadata.h - Kernels as their code describes them ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_KERNELMETADATA_H
#define ATTNC_KERNELMETADATA_H

#include "attnc/GpuKernel.h"
#include "attnc/HostKernel.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// The version of the metadata that is written and read. A later one is refused; keys that are
/// added to this one are passed over.
inline constexpr int64_t metadataVersion = 1;

/// What the symbol of a kernel's metadata has after the kernel's name.
inline constexpr const char *metadataSuffix = "_metadata";

/// True if the symbol of that name is a kernel's metadata.
inline bool isMetadataName(std::string_view name) {
  constexpr std::string_view suffix = metadataSuffix;
  return name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
}

/// How the elements of a tensor lie. Metadata has a name for each tensor, so that others can come.
inline constexpr const char *stridedLayout = "strided";

/// What the code of a host kernel is for, and what its functions are called.
struct CodeNeeds {
  std::string cpu;
  std::vector<std::string> features;
  std::string symbolSuffix; ///< that the names of its functions end with

  /// Why this machine cannot run the code, or nothing.
  std::optional<std::string> check() const;
};

/// Reads the metadata of a host kernel, a JSON text, into `kernel`, which stays without functions.
/// Returns what is wrong with the text, or nothing.
std::optional<std::string> readHostMetadata(std::string_view text, HostKernel &kernel,
                                            CodeNeeds &needs);

/// Reads the metadata of a kernel for GPUs, and the architecture it was compiled for.
std::optional<std::string> readGpuMetadata(std::string_view text, GpuKernel &kernel,
                                           std::string &arch);

} // namespace attnc

#endif // ATTNC_KERNELMETADATA_H
