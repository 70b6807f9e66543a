//===- ArgumentLayout.h - Where the launch arguments lie ----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_ARGUMENTLAYOUT_H
#define ATTNC_ARGUMENTLAYOUT_H

#include "attnc/KernelInfo.h"
#include <cstdint>
#include <vector>

namespace attnc {

/// A kernel gets its launch arguments as an array of 64-bit slots:
///
///     0       B, Hq, Hkv, Q, KV
///     5       scale: the bits of an f32 in the low half
///     6       q: pointer, stride of b, of h, of the row
///     10      k: the same
///     14      v: the same
///     18      o: the same
///     22      lse: the same, one element a row; pointer 0 without
///     26      extents, one slot each
///             captured tensors: pointer, sizes, strides
///             scalars, one slot each: integers sign-extended, floats as the bits of an f32,
///             bools as 0 or 1
///
/// Strides count elements.
class ArgumentLayout {
public:
  static constexpr int64_t B = 0, Hq = 1, Hkv = 2, Q = 3, KV = 4, Scale = 5;
  static constexpr int64_t QTensor = 6, KTensor = 10, VTensor = 14, OTensor = 18, LseTensor = 22;
  static constexpr int64_t FirstExtent = 26;
  /// Offsets from the slot of q, k, v, o or lse.
  static constexpr int64_t Pointer = 0, BatchStride = 1, HeadStride = 2, RowStride = 3;

  ArgumentLayout(int64_t extents, const std::vector<int64_t> &captureRanks, int64_t scalars);
  explicit ArgumentLayout(const KernelInfo &info);

  int64_t getExtent(int64_t i) const { return FirstExtent + i; }
  int64_t getCapturePointer(int64_t capture) const { return captures[capture].slot; }
  int64_t getCaptureSize(int64_t capture, int64_t dim) const {
    return captures[capture].slot + 1 + dim;
  }
  int64_t getCaptureStride(int64_t capture, int64_t dim) const {
    return captures[capture].slot + 1 + captures[capture].rank + dim;
  }
  int64_t getScalar(int64_t i) const { return firstScalar + i; }

  /// The number of slots.
  int64_t getNumSlots() const { return numSlots; }

private:
  struct Capture {
    int64_t slot;
    int64_t rank;
  };
  std::vector<Capture> captures;
  int64_t firstScalar;
  int64_t numSlots;
};

} // namespace attnc

#endif // ATTNC_ARGUMENTLAYOUT_H
