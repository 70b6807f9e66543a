//===- LaunchTensors.h - Tensors of a launch, and where they lie --*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_LAUNCHTENSORS_H
#define ATTNC_LAUNCHTENSORS_H

#include "attnc/KernelInfo.h"
#include "attnc/Launch.h"
#include "attnc/TensorView.h"
#include <cstdint>
#include <string>
#include <vector>

namespace attnc {

/// A tensor of a launch, in the memory of this process.
struct LaunchTensor {
  std::string name;
  int64_t slot; ///< of the pointer, among the launch arguments
  TensorView view;
  bool isOutput;

  uint64_t getBegin() const { return reinterpret_cast<uintptr_t>(view.data); }
};

/// Tensors whose bytes overlap: a device that copies them keeps them in one buffer.
struct LaunchStorage {
  uint64_t begin = 0, end = 0; ///< addresses of this process, from the first to past the last byte
  std::vector<size_t> tensors; ///< in the order of their addresses
};

/// The tensors of a launch: q, k, v, o, lse if the kernel has it, then what the kernel captures.
std::vector<LaunchTensor> getLaunchTensors(const KernelInfo &info, const BoundArguments &arguments);

/// Where `tensors` lie, those that have elements. Of tensors that begin at one place the first one
/// given comes first.
std::vector<LaunchStorage> getLaunchStorages(const std::vector<LaunchTensor> &tensors);

} // namespace attnc

#endif // ATTNC_LAUNCHTENSORS_H
