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

  uint64_t getNumBytes() const { return end - begin; }
  /// The bytes by which it begins past a multiple of the widest access of a GPU, here and on a
  /// device: what an address is a multiple of decides how many bytes an access can take.
  uint64_t getMisalignment() const { return begin % widestAccess; }

private:
  static constexpr uint64_t widestAccess = 16;
};

/// The tensors of a launch: q, k, v, o, lse if the kernel has it, then what the kernel captures.
std::vector<LaunchTensor> getLaunchTensors(const KernelInfo &info, const BoundArguments &arguments);

/// Where `tensors` lie, those that have elements. Of tensors that begin at one place the first one
/// given comes first.
std::vector<LaunchStorage> getLaunchStorages(const std::vector<LaunchTensor> &tensors);

/// The arguments of a launch on a device with memory of its own: as bound, but with the addresses
/// of that memory.
class DeviceArguments {
public:
  DeviceArguments() = default;
  /// All pointers are 0, as that of a tensor without elements stays.
  DeviceArguments(const KernelInfo &info, const BoundArguments &arguments);

  const std::vector<LaunchTensor> &getTensors() const { return tensors; }
  const std::vector<LaunchStorage> &getStorages() const { return storages; }

  /// Sets the pointers of the tensors in `storage`, one of getStorages, which begins at `address`.
  void place(const LaunchStorage &storage, uint64_t address);
  /// Where a tensor lies on the device.
  uint64_t getAddress(const LaunchTensor &tensor) const {
    return static_cast<uint64_t>(slots[tensor.slot]);
  }

  /// See ArgumentLayout.
  const std::vector<int64_t> &getSlots() const { return slots; }

private:
  std::vector<LaunchTensor> tensors;
  std::vector<LaunchStorage> storages;
  std::vector<int64_t> slots;
};

} // namespace attnc

#endif // ATTNC_LAUNCHTENSORS_H
