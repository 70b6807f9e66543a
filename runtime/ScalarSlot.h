//===- ScalarSlot.h - Scalar launch arguments as slots ----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_SCALARSLOT_H
#define RUNTIME_SCALARSLOT_H

#include "attnc/Launch.h"

namespace attnc {

/// The bits of an f32, as a slot holds them.
int64_t getFloatBits(float value);

/// Sets `slot` to `value` as a scalar of that type. Returns what was expected and what was found,
/// "a bool, got a number", or nothing.
std::optional<std::string> convertScalar(ElementType type, const ScalarValue &value, int64_t &slot);

} // namespace attnc

#endif // RUNTIME_SCALARSLOT_H
