//===- Summary.h - A GPU kernel in a few lines --------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_TILETONVVM_SUMMARY_H
#define COMPILER_CONVERSION_TILETONVVM_SUMMARY_H

#include "dialect/Tile/IR/TileOps.h"
#include <string>

namespace attnc {

/// How tensor cores multiply f32, for people; empty if they do not.
llvm::StringRef describeProducts(tile::Tf32 tf32);

/// What `kernel`, which has a warp_schedule, computes and with what: lines for people.
llvm::SmallVector<std::string> summariseKernel(tile::KernelOp kernel);

} // namespace attnc

#endif // COMPILER_CONVERSION_TILETONVVM_SUMMARY_H
