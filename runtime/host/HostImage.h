//===- HostImage.h - Host kernels in memory of this process -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// A host image is what attnc compiles host kernels to, in a file, in a cache, or in memory alone:
// an ELF shared object of the plainest kind. Its code does not depend on where it lies, nothing in
// it is to be relocated, no symbol is undefined, and nothing runs when it is loaded. For each
// kernel NAME there are the function NAME, for a checked kernel NAME_check, and the constant
// NAME_metadata. So dlopen takes it too, and every tool that reads ELF.
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_HOST_HOSTIMAGE_H
#define RUNTIME_HOST_HOSTIMAGE_H

#include "attnc/HostKernel.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// True if `bytes` begin as an ELF shared object does.
bool isHostImage(std::string_view bytes);

/// True if they are those of an image for the kind of machine that this one is.
bool isForThisMachine(std::string_view bytes);

/// Copies the image into memory that is never writable and executable at once, and appends its
/// kernels, in the order of their metadata, to `kernels`. They share the memory, which is given
/// back with the last of them. Returns what is wrong with the bytes, or why this machine cannot run
/// a kernel, and appends nothing then.
std::optional<std::string> loadHostImage(std::string_view bytes, std::vector<HostKernel> &kernels);

} // namespace attnc

#endif // RUNTIME_HOST_HOSTIMAGE_H
