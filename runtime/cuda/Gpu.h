//===- Gpu.h - A GPU that kernels run on --------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_CUDA_GPU_H
#define RUNTIME_CUDA_GPU_H

#include "runtime/cuda/Driver.h"

namespace attnc::cuda {

/// Why there is no GPU to work with.
struct GpuError {
  /// True if the machine has no driver or no GPU, false if one of them does not work.
  bool isMissing = false;
  std::string message;
};

/// A GPU of the machine, with its primary context.
class Gpu {
public:
  Gpu() = default;
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;
  ~Gpu();

  /// Opens the GPU of that number, from 0. What is current in this thread stays.
  std::optional<GpuError> open(int ordinal = 0);

  /// Makes its context current in this thread.
  std::optional<std::string> makeCurrent() const { return driver.cuCtxSetCurrent(context); }

  /// True after a kernel has failed: then every call of the driver does, until the process ends.
  /// Waits for what was started.
  bool isLost() const { return driver.cuCtxSynchronize.call() != CUDA_SUCCESS; }

  const Driver &getDriver() const { return driver; }
  CUcontext getContext() const { return context; }
  int getOrdinal() const { return ordinal; }
  const std::string &getName() const { return name; }
  int getMajor() const { return major; } ///< of the compute capability
  int getMinor() const { return minor; }
  int getNumMultiprocessors() const { return multiprocessors; }
  /// Of the driver: 13000 for CUDA 13.0.
  int getDriverVersion() const { return driverVersion; }

private:
  std::optional<std::string> readProperties();

  Driver driver;
  int ordinal = 0;
  CUdevice device = 0;
  CUcontext context = nullptr;
  std::string name;
  int major = 0, minor = 0, multiprocessors = 0, driverVersion = 0;
};

} // namespace attnc::cuda

#endif // RUNTIME_CUDA_GPU_H
