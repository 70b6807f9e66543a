//===- Attnc.h - The compiler as a program ------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_ATTNC_H
#define COMPILER_DRIVER_ATTNC_H

#include "compiler/Driver/AttncOptions.h"

namespace attnc::driver {

/// Does what the command line asks and returns the exit status.
int runAttnc(const std::vector<std::string> &words);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_ATTNC_H
