//===- ReadMetadata.h - The metadata in files of kernels ----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_KERNELINFO_READMETADATA_H
#define COMPILER_TARGET_KERNELINFO_READMETADATA_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace attnc {

/// The metadata of all kernels in a file of PTX, a cubin or an object file, in the order of the
/// file. Errors say what the file is not, without its name.
llvm::Expected<llvm::json::Array> readMetadata(llvm::MemoryBufferRef file);

} // namespace attnc

#endif // COMPILER_TARGET_KERNELINFO_READMETADATA_H
