//===- Overlap.cpp - Whether tensors share elements -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/Overlap.h"
#include "attnc/Launch.h"

using namespace attnc;
using namespace attnc::api;

static uint64_t getBegin(const TensorView &view) { return reinterpret_cast<uintptr_t>(view.data); }

namespace {
/// Bytes that elements take within each period of an address space that repeats.
struct Window {
  uint64_t begin, bytes;
};
} // namespace

/// Where the elements of `view` lie within periods of `period` bytes: nothing if a stride from that
/// size on is no multiple of it, or if elements reach over a period.
static std::optional<Window> findWindow(const TensorView &view, uint64_t period) {
  uint64_t size = static_cast<uint64_t>(getSize(view.type)), bytes = size;
  for (size_t i = 0; i < view.sizes.size(); ++i) {
    if (view.sizes[i] == 1)
      continue;
    uint64_t stride = static_cast<uint64_t>(view.strides[i]) * size;
    if (stride >= period && stride % period != 0)
      return std::nullopt;
    if (stride < period)
      bytes += static_cast<uint64_t>(view.sizes[i] - 1) * stride;
    if (bytes > period)
      return std::nullopt;
  }
  return Window{getBegin(view) % period, bytes};
}

/// Whether the tensors take different places in periods of `period` bytes.
static bool takeTurns(const TensorView &a, const TensorView &b, uint64_t period) {
  std::optional<Window> x = findWindow(a, period), y = findWindow(b, period);
  if (!x || !y)
    return false;
  uint64_t fromX = (y->begin + period - x->begin) % period;
  uint64_t fromY = (x->begin + period - y->begin) % period;
  return x->bytes <= fromX && y->bytes <= fromY;
}

bool api::mayOverlap(const TensorView &a, const TensorView &b) {
  std::optional<int64_t> spanA = getSpan(a), spanB = getSpan(b);
  if (!spanA || !spanB)
    return true;
  if (*spanA == 0 || *spanB == 0 || getBegin(a) + static_cast<uint64_t>(*spanA) <= getBegin(b) ||
      getBegin(b) + static_cast<uint64_t>(*spanB) <= getBegin(a))
    return false;
  for (const TensorView *view : {&a, &b})
    for (int64_t stride : view->strides)
      if (stride > 0 && takeTurns(a, b, static_cast<uint64_t>(stride * getSize(view->type))))
        return false;
  return true;
}
