//===- CudaKernel.h - GPU kernels of attnc on a GPU ---------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_CUDA_CUDAKERNEL_H
#define RUNTIME_CUDA_CUDAKERNEL_H

#include "attnc/GpuKernel.h"
#include "attnc/LaunchTensors.h"
#include "runtime/cuda/Gpu.h"
#include <vector>

namespace attnc::cuda {

/// A kernel made by attnc, loaded into the context of a GPU, which must outlive it.
class CudaKernel {
public:
  explicit CudaKernel(const Gpu &gpu)
      : driver(gpu.getDriver()), multiprocessors(gpu.getNumMultiprocessors()) {}
  CudaKernel(const CudaKernel &) = delete;
  CudaKernel &operator=(const CudaKernel &) = delete;
  ~CudaKernel();

  /// Loads `kernel` of PTX text or a cubin. Returns what went wrong, with the driver's words on the
  /// text, or nothing.
  std::optional<std::string> load(const std::string &code, const GpuKernel &kernel);

private:
  friend class CudaLaunch;

  const Driver &driver;
  int64_t multiprocessors;
  GpuKernel kernel;
  CUmodule module = nullptr;
  std::vector<GpuEntry> entries;
  std::vector<CUfunction> functions; ///< of the entries
};

/// One launch: the arguments in buffers of the GPU.
class CudaLaunch {
public:
  explicit CudaLaunch(const CudaKernel &kernel) : kernel(kernel), driver(kernel.driver) {}
  CudaLaunch(const CudaLaunch &) = delete;
  CudaLaunch &operator=(const CudaLaunch &) = delete;
  ~CudaLaunch();

  /// Copies tensors in the memory of this process to the GPU, outputs too: what the kernel leaves
  /// alone comes back as it was. Each storage is copied from its first to its last element, with
  /// what lies between.
  std::optional<std::string> prepare(const BoundArguments &bound);

  /// Starts the entries that the launch takes on this GPU, without waiting for them.
  std::optional<std::string> start() const;

  /// Waits for everything that was started and copies the outputs back.
  std::optional<std::string> readOutputs() const;

private:
  const CudaKernel &kernel;
  const Driver &driver;
  GpuLaunch plan;
  std::vector<GpuGrid> grids;
  CUdeviceptr workspace = 0;
  DeviceArguments arguments;
  std::vector<CUdeviceptr> buffers; ///< of the storages
};

} // namespace attnc::cuda

#endif // RUNTIME_CUDA_CUDAKERNEL_H
