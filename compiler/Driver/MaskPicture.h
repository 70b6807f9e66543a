//===- MaskPicture.h - A mask, drawn in characters ----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_MASKPICTURE_H
#define COMPILER_DRIVER_MASKPICTURE_H

#include "attnc/Launch.h"
#include "dialect/Attn/IR/AttnOps.h"

namespace attnc::driver {

/// Draws the mask of the first batch and head, queries downwards and keys to the right, each
/// character a block of pairs: all, some or none of them take part. At most 64 columns.
mlir::FailureOr<std::string> drawMask(attn::KernelOp kernel, const KernelInfo &info,
                                      const LaunchArguments &arguments,
                                      const BoundArguments &bound);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_MASKPICTURE_H
