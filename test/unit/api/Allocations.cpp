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
static thread_local int64_t left = INT64_MAX;

int64_t attnc::test::countAllocations() { return allocations; }
void attnc::test::failAllocationOf(size_t bytes) { failingBytes = bytes; }
attnc::test::ScarceMemory::ScarceMemory(int64_t count) { left = count; }
attnc::test::ScarceMemory::~ScarceMemory() { left = INT64_MAX; }

#ifndef ATTNC_HAS_THREAD_SANITIZER
// Of a file of its own, as GCC takes the pair for a mistake where it sees both.
void *operator new(size_t bytes) {
  ++allocations;
  bool fails = bytes >= failingBytes;
  if (fails)
    failingBytes = SIZE_MAX;
  else if (left != INT64_MAX && left-- <= 0)
    left = 0;
  else if (void *memory = std::malloc(bytes))
    return memory;
  throw std::bad_alloc();
}
// A sanitizer's own would not come here, and its memory is not for std::free.
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif
