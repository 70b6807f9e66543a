//===- HeadDim.h - The head dims that kernels have ----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_IR_HEADDIM_H
#define DIALECT_ATTN_IR_HEADDIM_H

#include <cstdint>
#include <string>

namespace attnc::attn {

/// The largest head dim and value dim of a kernel, on every device.
inline constexpr int64_t maxHeadDim = 576;

/// Whether a kernel may have `dim` as head dim or value dim.
inline bool isHeadDim(int64_t dim) { return dim >= 1 && dim <= maxHeadDim; }

/// What messages expect of a head dim or value dim.
inline std::string getHeadDimRange() { return "from 1 to " + std::to_string(maxHeadDim); }

} // namespace attnc::attn

#endif // DIALECT_ATTN_IR_HEADDIM_H
