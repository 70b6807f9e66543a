//===- Allocations.cpp - Counts what is allocated, and has it fail --------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/api/Allocations.h"
#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<int64_t> allocations{0};
static thread_local size_t failingBytes = SIZE_MAX;

int64_t attnc::test::countAllocations() { return allocations; }
void attnc::test::failAllocationOf(size_t bytes) { failingBytes = bytes; }

#ifndef ATTNC_HAS_THREAD_SANITIZER
// Of a file of its own, as GCC takes the pair for a mistake where it sees both.
void *operator new(size_t bytes) {
  ++allocations;
  bool fails = bytes >= failingBytes;
  if (fails)
    failingBytes = SIZE_MAX;
  else if (void *memory = std::malloc(bytes))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif
