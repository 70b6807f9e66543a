//===- ProcessMemory.h - The heap of short processes ---------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_PROCESSMEMORY_H
#define COMPILER_DRIVER_PROCESSMEMORY_H

namespace attnc::driver {

/// Lets the heap of this process, which is to be a compiler and no more, grow in huge pages and
/// never shrink. A compilation touches thousands of pages once each, and a fault for every one of
/// them takes a tenth of its time. Does nothing where the C library or the kernel cannot.
void prepareHeap();

} // namespace attnc::driver

#endif // COMPILER_DRIVER_PROCESSMEMORY_H
