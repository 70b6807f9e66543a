//===- GpuCase.h - A variant, compiled for the GPU ----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_BENCH_GPU_GPUCASE_H
#define TEST_BENCH_GPU_GPUCASE_H

#include "compiler/Driver/Target.h"
#include "runtime/cuda/CudaKernel.h"
#include "test/bench/BoundVariant.h"

namespace attnc::bench {

/// A variant with its kernel and its tensors on the GPU.
class GpuCase : public BoundVariant {
public:
  GpuCase(const Variant &variant, const MainTensors &tensors, const cuda::Gpu &gpu);
  ~GpuCase();

  /// Compiles, loads, copies the tensors and runs the kernel once. Returns what went wrong.
  std::optional<std::string> prepare(const driver::Target &target);

  /// Sets `milliseconds` to what one launch takes on the GPU, in a series that lasts about
  /// `duration`.
  std::optional<std::string> measure(double duration, double &milliseconds);

private:
  std::optional<std::string> run(int launches, double &milliseconds);

  const cuda::Driver &driver;
  cuda::CudaKernel kernel;
  cuda::CudaLaunch launch{kernel};
  cuda::CUevent begin = nullptr, end = nullptr;
};

} // namespace attnc::bench

#endif // TEST_BENCH_GPU_GPUCASE_H
