//===- Ptxas.h - Machine code of PTX ------------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_PTX_PTXAS_H
#define COMPILER_TARGET_PTX_PTXAS_H

#include "compiler/Target/Ptx/PtxTarget.h"
#include "llvm/Support/MemoryBuffer.h"

namespace attnc {

/// Machine code, and what ptxas had to say about it; mostly nothing.
struct Cubin {
  std::unique_ptr<llvm::MemoryBuffer> code;
  std::string warnings;
};

/// The machine code that the program `ptxas` on PATH makes of `ptx`. Errors say that there is no
/// such program and how to get it, or what it reports. With `lineInfo` it knows the lines of
/// `.loc`.
llvm::Expected<Cubin> assemblePtx(llvm::StringRef ptx, const PtxTarget &target, bool lineInfo);

} // namespace attnc

#endif // COMPILER_TARGET_PTX_PTXAS_H
