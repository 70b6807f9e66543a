//===- ProcessMemory.cpp - The heap of short processes ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/ProcessMemory.h"
#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

void attnc::driver::prepareHeap() {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  // Address space, of which only what is touched becomes memory.
  constexpr int reserved = 256 << 20, largest = 32 << 20;
  constexpr uintptr_t page = 2 << 20;
  mallopt(M_TOP_PAD, reserved);
  mallopt(M_TRIM_THRESHOLD, 2 * reserved);
  mallopt(M_MMAP_THRESHOLD, largest);
  // For all threads: other arenas are in small pages.
  mallopt(M_ARENA_MAX, 1);
  auto getEnd = [] { return reinterpret_cast<uintptr_t>(sbrk(0)); };
  uintptr_t begin = getEnd();
  // More than what is left of the heap, so that it grows; `volatile` keeps the compiler from
  // leaving it out.
  void *volatile block = std::malloc(1 << 20);
  std::free(block);
  uintptr_t first = (begin + page - 1) / page * page, end = getEnd() / page * page;
  if (first < end)
    madvise(reinterpret_cast<void *>(first), end - first, MADV_HUGEPAGE);
#endif
}
