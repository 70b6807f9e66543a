//===- DeviceTensors.h - Tensors of a launch on the device ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_DEVICETENSORS_H
#define RUNTIME_EMULATOR_DEVICETENSORS_H

#include "attnc/LaunchTensors.h"
#include "runtime/emulator/Device.h"

#include <optional>
#include <string>
#include <vector>

namespace attnc::emu {

/// The tensors of one launch, in the memory of this process and in buffers of the device. Tensors
/// whose bytes overlap share a buffer.
class DeviceTensors {
public:
  DeviceTensors(Device &device, const KernelInfo &info, const BoundArguments &arguments);
  ~DeviceTensors();
  DeviceTensors(const DeviceTensors &) = delete;
  DeviceTensors &operator=(const DeviceTensors &) = delete;

  /// Makes the buffers and copies what the kernel reads. False if there is no memory for them.
  bool allocate();

  /// The launch arguments with the addresses of the buffers.
  const std::vector<int64_t> &getSlots() const { return arguments.getSlots(); }

  /// Reads what the kernel has written, one output after the other, in logical order. Returns an
  /// error that names the first element that was not written.
  std::optional<std::string> readOutputs(std::vector<uint8_t> &bytes) const;

  /// Puts what readOutputs gave into the memory of this process.
  void writeBack(const std::vector<uint8_t> &bytes) const;

  /// The element that byte `place` of readOutputs belongs to: "`o` [0, 1, 2, 3]".
  std::string nameElement(size_t place) const;

private:
  bool allocateStorage(const LaunchStorage &storage);

  Device &device;
  DeviceArguments arguments;
  std::vector<uint64_t> buffers;
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_DEVICETENSORS_H
