//===- BorrowedTensor.h - Tensors of DLPack as views ------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_BORROWEDTENSOR_H
#define RUNTIME_API_BORROWEDTENSOR_H

#include "attnc/TensorView.h"
#include "runtime/api/Failure.h"

namespace attnc::api {

/// Sets `view` to `tensor` as DLPack has it: NULL strides are those of a compact tensor, and the
/// first element lies at data + byte_offset. A message says what is wrong, without the name.
Result borrowTensor(const DLTensor &tensor, TensorView &view);

/// The type as DLPack has it.
DLDataType getDLDataType(ElementType type);

} // namespace attnc::api

#endif // RUNTIME_API_BORROWEDTENSOR_H
