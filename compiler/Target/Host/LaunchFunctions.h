//===- LaunchFunctions.h - Kernels as functions of C --------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_HOST_LAUNCHFUNCTIONS_H
#define COMPILER_TARGET_HOST_LAUNCHFUNCTIONS_H

#include "compiler/Target/Host/HostLevels.h"

namespace attnc {

/// One module of all levels, for an object file that needs no runtime. Each kernel NAME is
///
///     int NAME(const NAME_args *args, const attnc_executor *executor)
///
/// as writeHostHeader() declares it: it checks the sizes and cuts a launch into tasks as the
/// runtime does. Beside it there is NAME_metadata, and nothing else is seen. Of several levels, a
/// resolver (an IFUNC of ELF) takes the last one that the CPU is of when the program starts.
std::unique_ptr<llvm::Module> addLaunchFunctions(std::vector<HostLevel> levels);

} // namespace attnc

#endif // COMPILER_TARGET_HOST_LAUNCHFUNCTIONS_H
