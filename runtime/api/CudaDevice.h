//===- CudaDevice.h - NVIDIA GPUs as devices --------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_CUDADEVICE_H
#define RUNTIME_API_CUDADEVICE_H

#include "runtime/api/Device.h"
#include "runtime/cuda/Gpu.h"

namespace attnc::api {

/// A GPU. Its primary context is current while a call runs, and what was current before it comes
/// back.
class CudaDevice : public Device {
public:
  /// Opens `cuda` or `cuda:N`.
  static Result open(std::string_view name, std::shared_ptr<Device> &device);

  attnc_device_info_t getInfo() const override;
  Result checkPlace(DLDevice place) const override;
  std::optional<int64_t> rate(const PackagedCode &code) const override;
  Result load(std::string_view bytes, std::vector<std::unique_ptr<Variant>> &variants) override;
  std::string getCompileTarget() const override;
  Result allocate(size_t bytes, void *&memory) override;
  void release(void *memory) override;

private:
  cuda::Gpu gpu;
};

} // namespace attnc::api

#endif // RUNTIME_API_CUDADEVICE_H
