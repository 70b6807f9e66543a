//===- LaunchHeader.h - A header to launch kernels with -----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_PTX_LAUNCHHEADER_H
#define COMPILER_TARGET_PTX_LAUNCHHEADER_H

#include "compiler/Target/Ptx/PtxTarget.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// Writes a header for C11 and C++17 with what launching the kernels of `ptx` takes, and the PTX
/// itself. `metadata` is what readMetadata gives for it. `name` is an identifier.
void writeLaunchHeader(llvm::StringRef name, const llvm::json::Array &metadata,
                       const PtxTarget &target, llvm::StringRef ptx, llvm::raw_ostream &os);

} // namespace attnc

#endif // COMPILER_TARGET_PTX_LAUNCHHEADER_H
