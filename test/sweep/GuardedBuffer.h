//===- GuardedBuffer.h - Memory that ends where it ends -----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_SWEEP_GUARDEDBUFFER_H
#define TEST_SWEEP_GUARDEDBUFFER_H

#include <cstdint>
#include <utility>

namespace attnc::sweep {

/// Memory between two protected pages: reading behind its end (or, if asked, before its start) is a
/// fault.
class GuardedBuffer {
public:
  GuardedBuffer() = default;
  GuardedBuffer(int64_t bytes, bool atStart);
  GuardedBuffer(GuardedBuffer &&other) noexcept
      : mapping(std::exchange(other.mapping, nullptr)), mappedBytes(other.mappedBytes),
        data(other.data), bytes(other.bytes) {}
  GuardedBuffer &operator=(GuardedBuffer &&other) noexcept {
    std::swap(mapping, other.mapping);
    std::swap(mappedBytes, other.mappedBytes);
    std::swap(data, other.data);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~GuardedBuffer();

  char *getData() const { return data; }
  int64_t getNumBytes() const { return bytes; }

private:
  char *mapping = nullptr;
  int64_t mappedBytes = 0;
  char *data = nullptr;
  int64_t bytes = 0;
};

} // namespace attnc::sweep

#endif // TEST_SWEEP_GUARDEDBUFFER_H
