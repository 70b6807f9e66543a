//===- AllocationCount.cpp - Counts what is allocated ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/api/Probe.h"
#include <atomic>
#include <new>

static std::atomic<int64_t> allocations{0};

int64_t attnc::test::countAllocations() { return allocations; }

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ATTNC_HAS_THREAD_SANITIZER // which has operators of its own
#endif
#endif

#ifndef ATTNC_HAS_THREAD_SANITIZER
// Of a file of its own, as GCC takes the pair for a mistake where it sees both.
void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif
