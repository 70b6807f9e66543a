//===- TensorView.h - A borrowed view of a tensor -----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_TENSORVIEW_H
#define ATTNC_TENSORVIEW_H

#include "attnc/ElementType.h"
#include <cstdint>
#include <vector>

namespace attnc {

/// A tensor that somebody else owns. Strides count elements and are at least 0; `data` points at
/// the element whose indices are all 0.
struct TensorView {
  void *data = nullptr;
  ElementType type = ElementType::F32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;

  int64_t getRank() const { return static_cast<int64_t>(sizes.size()); }
};

/// The bytes of all elements of `view`, without gaps between them.
int64_t getNumBytes(const TensorView &view);

/// The strides of a tensor of these sizes that lies in row-major order without gaps.
std::vector<int64_t> getContiguousStrides(const std::vector<int64_t> &sizes);

} // namespace attnc

#endif // ATTNC_TENSORVIEW_H
