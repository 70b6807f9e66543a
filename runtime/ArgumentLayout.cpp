//===- ArgumentLayout.cpp - Where the launch arguments lie ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/ArgumentLayout.h"

using namespace attnc;

static std::vector<int64_t> getCaptureRanks(const KernelInfo &info) {
  std::vector<int64_t> ranks;
  for (const CaptureInfo &capture : info.captures)
    ranks.push_back(static_cast<int64_t>(capture.shape.size()));
  return ranks;
}

ArgumentLayout::ArgumentLayout(int64_t extents, const std::vector<int64_t> &captureRanks,
                               int64_t scalars) {
  int64_t slot = FirstExtent + extents;
  for (int64_t rank : captureRanks) {
    captures.push_back({slot, rank});
    slot += 1 + 2 * rank;
  }
  firstScalar = slot;
  numSlots = slot + scalars;
}

ArgumentLayout::ArgumentLayout(const KernelInfo &info)
    : ArgumentLayout(static_cast<int64_t>(info.extents.size()), getCaptureRanks(info),
                     static_cast<int64_t>(info.scalars.size())) {}
