//===- Allocations.h - Counts what is allocated, and has it fail *- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_UNIT_API_ALLOCATIONS_H
#define TEST_UNIT_API_ALLOCATIONS_H

#include <cstddef>
#include <cstdint>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ATTNC_HAS_THREAD_SANITIZER // which has operators of its own
#endif
#if __has_feature(address_sanitizer)
#define ATTNC_HAS_ADDRESS_SANITIZER
#endif
#endif

namespace attnc::test {

/// The calls of operator new so far, those of the library too.
int64_t countAllocations();

/// Has the next allocation of this thread that takes at least so many bytes fail.
void failAllocationOf(size_t bytes);

/// While alive, has all allocations of this thread fail but the first `count`.
class ScarceMemory {
public:
  explicit ScarceMemory(int64_t count);
  ScarceMemory(const ScarceMemory &) = delete;
  ScarceMemory &operator=(const ScarceMemory &) = delete;
  ~ScarceMemory();
};

} // namespace attnc::test

#endif // TEST_UNIT_API_ALLOCATIONS_H
