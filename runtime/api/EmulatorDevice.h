//===- EmulatorDevice.h - The emulator as a device --------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_EMULATORDEVICE_H
#define RUNTIME_API_EMULATORDEVICE_H

#include "runtime/api/Device.h"

namespace attnc::api {

/// Kernels for GPUs on the CPU, by libattnc_emulator, which is loaded when the device is opened.
/// Tensors lie in the memory of this process.
class EmulatorDevice : public Device {
public:
  static Result open(const attnc_device_options_t &options, std::shared_ptr<Device> &device);

  attnc_device_info_t getInfo() const override;
  Result checkPlace(DLDevice place) const override;
  std::optional<int64_t> rate(const PackagedCode &code) const override;
  Result load(std::string_view bytes, std::vector<std::unique_ptr<Variant>> &variants) override;
  std::string getCompileTarget() const override { return "sm_80"; }
  Result allocate(size_t bytes, void *&memory) override;
  void release(void *memory) override;

private:
  int32_t threads = 0;
};

} // namespace attnc::api

#endif // RUNTIME_API_EMULATORDEVICE_H
