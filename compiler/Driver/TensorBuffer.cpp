//===- TensorBuffer.cpp - Memory of a tensor --------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/TensorBuffer.h"
#include <algorithm>
#include <unistd.h>

using namespace attnc;
using namespace attnc::driver;

std::optional<RunError> TensorBuffer::allocate(const std::string &what, ElementType type,
                                               const std::vector<int64_t> &sizes,
                                               TensorBuffer &buffer) {
  constexpr int64_t line = 64;
  int64_t elements = 1, bytes = 0, memory = 0;
  bool overflows = false;
  bool isEmpty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  for (int64_t size : sizes)
    overflows |= !isEmpty && __builtin_mul_overflow(elements, size, &elements);
  elements = isEmpty ? 0 : elements;
  overflows |= __builtin_mul_overflow(elements, getSize(type), &bytes) ||
               __builtin_add_overflow(bytes, line, &bytes);
  memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  if (overflows)
    return RunError{BadInput, what + ": expected fewer than 2^63 bytes, got more"};
  bytes = std::max(bytes / line * line, line);
  // Of a large block from calloc, pages that nobody touches cost nothing.
  void *data = bytes > memory ? nullptr : std::calloc(bytes + line, 1);
  if (!data)
    return RunError{Environment, what + ": cannot allocate " + std::to_string(bytes) + " bytes"};
  buffer.data.reset(data);
  buffer.numElements = elements;
  size_t space = bytes + line;
  void *aligned = std::align(line, bytes, data, space);
  buffer.view = {aligned, type, sizes, getContiguousStrides(sizes)};
  return std::nullopt;
}
