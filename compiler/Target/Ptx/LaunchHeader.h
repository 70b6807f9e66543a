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

/// Kernels for one architecture.
struct GpuModule {
  PtxTarget target;
  std::string ptx;
  llvm::json::Array metadata; ///< what readMetadata gives for `ptx`
};

/// Writes a header for C11 and C++17 with what launching kernels takes, and their PTX. `modules`
/// hold the same kernels, each for one architecture; of several, the header has a function that
/// chooses one. `name` is an identifier.
void writeLaunchHeader(llvm::StringRef name, llvm::ArrayRef<GpuModule> modules,
                       llvm::raw_ostream &os);

} // namespace attnc

#endif // COMPILER_TARGET_PTX_LAUNCHHEADER_H
