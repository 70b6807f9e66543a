//===- HostKernel.h - Compiled host kernels and their launch ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_HOSTKERNEL_H
#define ATTNC_HOSTKERNEL_H

#include "attnc/KernelInfo.h"
#include "attnc/Launch.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace attnc {

/// A kernel in native code of this machine. Copies share the code; any number of threads may
/// launch one.
struct HostKernel {
  /// Computes the rows qBegin to qEnd - 1, at most queryBlock of them, of batch b and head h.
  using Function = void (*)(const int64_t *slots, int64_t b, int64_t h, int64_t qBegin,
                            int64_t qEnd, void *scratch);

  Function function = nullptr;
  int64_t queryBlock = 1;
  int64_t scratchBytes = 0; ///< of private memory that a call needs, 64-byte aligned
  KernelInfo info;
  std::shared_ptr<void> code; ///< keeps the memory behind `function`
};

/// How the rows of one launch are cut into calls of the kernel.
struct HostTasks {
  int64_t rows = 0;   ///< of a task, the last one of a head may have fewer
  int64_t blocks = 0; ///< of queries in one head
  int64_t count = 0;
};

/// Blocks as large as the kernel takes, or smaller where that left threads without work.
HostTasks planTasks(const HostKernel &kernel, const BoundArguments &arguments, int threads);

/// The threads a launch uses when it is not told: one a core this process may run on.
int getDefaultThreads();

/// Computes o, and lse if the kernel has it, on `threads` threads (0: getDefaultThreads()), and
/// returns when all is written. Returns an error if the scratch memory, at most
/// threads * scratchBytes, cannot be had.
std::optional<std::string> launch(const HostKernel &kernel, const BoundArguments &arguments,
                                  int threads = 0);

} // namespace attnc

#endif // ATTNC_HOSTKERNEL_H
