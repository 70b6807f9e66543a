//===- GuardedBuffer.cpp - Memory that ends where it ends -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/sweep/GuardedBuffer.h"
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace attnc::sweep;

GuardedBuffer::GuardedBuffer(int64_t bytes, bool atStart) : bytes(bytes) {
  int64_t page = sysconf(_SC_PAGESIZE);
  int64_t inside = (bytes + page - 1) / page * page;
  mappedBytes = inside + 2 * page;
  void *memory = mmap(nullptr, mappedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mapping = static_cast<char *>(memory);
  if (memory == MAP_FAILED ||
      (inside && mprotect(mapping + page, inside, PROT_READ | PROT_WRITE) != 0)) {
    std::perror("attn-sweep: cannot allocate tensors");
    std::exit(3);
  }
  data = atStart ? mapping + page : mapping + page + inside - bytes;
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping)
    munmap(mapping, mappedBytes);
}
