//===- Launch.h - Launch arguments and their checks ---------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_LAUNCH_H
#define ATTNC_LAUNCH_H

#include "attnc/KernelInfo.h"
#include "attnc/TensorView.h"
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace attnc {

/// The value of a scalar launch argument. An integer may be given for a float, nothing else is
/// converted.
using ScalarValue = std::variant<bool, int64_t, double>;

/// What a caller passes to a kernel. Tensors are borrowed.
struct LaunchArguments {
  TensorView q;                  ///< [B, Hq, Q, D]
  TensorView k;                  ///< [B, Hkv, KV, D]
  TensorView v;                  ///< [B, Hkv, KV, Dv]
  TensorView o;                  ///< [B, Hq, Q, Dv], written
  std::optional<TensorView> lse; ///< [B, Hq, Q] of f32, written; only for a kernel with lse
  std::map<std::string, TensorView> captures;
  std::map<std::string, ScalarValue> scalars;
  std::optional<float> scale; ///< only for a kernel that takes it
};

/// Arguments that passed all checks, as a kernel takes them.
struct BoundArguments {
  int64_t B = 0;
  int64_t Hq = 0;
  int64_t Hkv = 0;
  int64_t Q = 0;
  int64_t KV = 0;
  std::vector<int64_t> extents; ///< in the order of KernelInfo::extents
  std::vector<int64_t> slots;   ///< see ArgumentLayout
};

/// Checks `arguments` against what the kernel expects. Returns an error that names the argument,
/// what was expected and what was found, and leaves `bound` alone; or nothing, with `bound` filled.
std::optional<std::string> bindArguments(const KernelInfo &info, const LaunchArguments &arguments,
                                         BoundArguments &bound);

/// The number of bytes from `data` that the elements of `view` span, or nothing if that overflows
/// 64 bits. A view without elements spans 0 bytes.
std::optional<int64_t> getSpan(const TensorView &view);

} // namespace attnc

#endif // ATTNC_LAUNCH_H
