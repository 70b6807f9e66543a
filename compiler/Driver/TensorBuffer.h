//===- TensorBuffer.h - Memory of a tensor ------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_TENSORBUFFER_H
#define COMPILER_DRIVER_TENSORBUFFER_H

#include "attnc/TensorView.h"
#include "compiler/Driver/RunError.h"
#include <cstdlib>
#include <memory>
#include <optional>

namespace attnc::driver {

/// A contiguous tensor and its memory, aligned to cache lines.
class TensorBuffer {
public:
  TensorBuffer() = default;

  /// Memory for a tensor of this shape, zeroed. `what` names it in the error for one that is larger
  /// than the machine's memory.
  static std::optional<RunError> allocate(const std::string &what, ElementType type,
                                          const std::vector<int64_t> &sizes, TensorBuffer &buffer);

  const TensorView &getView() const { return view; }
  char *getData() const { return static_cast<char *>(view.data); }
  int64_t getNumElements() const { return numElements; }

private:
  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<void, Free> data;
  TensorView view;
  int64_t numElements = 0;
};

} // namespace attnc::driver

#endif // COMPILER_DRIVER_TENSORBUFFER_H
