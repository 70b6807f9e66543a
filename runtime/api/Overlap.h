//===- Overlap.h - Whether tensors share elements ---------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_OVERLAP_H
#define RUNTIME_API_OVERLAP_H

#include "attnc/TensorView.h"

namespace attnc::api {

/// False if no byte belongs to elements of both tensors: their bytes lie apart, or they take turns,
/// like columns of one matrix. True may also mean that this could not be seen. Sizes and strides
/// are those of tensors that passed the checks of a launch.
bool mayOverlap(const TensorView &a, const TensorView &b);

} // namespace attnc::api

#endif // RUNTIME_API_OVERLAP_H
