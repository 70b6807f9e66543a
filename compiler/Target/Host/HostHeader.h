//===- HostHeader.h - A header to call kernels with ---------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_HOST_HOSTHEADER_H
#define COMPILER_TARGET_HOST_HOSTHEADER_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// Writes a header for C11 and C++17 of the launch functions in an object file whose kernels have
/// this metadata; `name` is that of the program, as one that C takes.
void writeHostHeader(llvm::StringRef name, const llvm::json::Array &kernels, llvm::raw_ostream &os);

} // namespace attnc

#endif // COMPILER_TARGET_HOST_HOSTHEADER_H
