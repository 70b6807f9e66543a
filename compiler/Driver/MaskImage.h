//===- MaskImage.h - A mask as an image ---------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_MASKIMAGE_H
#define COMPILER_DRIVER_MASKIMAGE_H

#include "compiler/Driver/MaskPicture.h"

namespace attnc::driver {

/// The mask of the first batch and head as a PNG or SVG image, queries downwards and keys to the
/// right: single pairs of small masks, blocks of large ones; empty, partial and full in colours.
llvm::Expected<std::string> drawMaskPng(const HostKernel &kernel, const BoundArguments &bound,
                                        int threads);
llvm::Expected<std::string> drawMaskSvg(const HostKernel &kernel, const BoundArguments &bound,
                                        int threads);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_MASKIMAGE_H
