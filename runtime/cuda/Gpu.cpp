//===- Gpu.cpp - A GPU that kernels run on ----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/cuda/Gpu.h"

using namespace attnc::cuda;

Gpu::~Gpu() {
  if (context)
    driver.cuDevicePrimaryCtxRelease(device);
}

std::optional<GpuError> Gpu::open(int number) {
  ordinal = number;
  if (auto error = driver.load())
    return GpuError{true, *error};
  CUresult result = driver.cuInit.call(0);
  if (auto error = driver.cuInit.describe(result))
    return GpuError{result == CUDA_ERROR_NO_DEVICE, *error};
  int count = 0;
  if (auto error = driver.cuDeviceGetCount(&count))
    return GpuError{false, *error};
  if (count == 0)
    return GpuError{true, "the driver has no device"};
  if (ordinal >= count)
    return GpuError{true, "expected a GPU from 0 to " + std::to_string(count - 1) + ", got " +
                              std::to_string(ordinal)};
  if (auto error = readProperties())
    return GpuError{false, *error};
  return std::nullopt;
}

std::optional<std::string> Gpu::readProperties() {
  if (auto error = driver.cuDriverGetVersion(&driverVersion))
    return error;
  if (auto error = driver.cuDeviceGet(&device, ordinal))
    return error;
  char text[256] = "";
  if (auto error = driver.cuDeviceGetName(text, sizeof text, device))
    return error;
  name = text;
  for (auto [attribute, value] :
       {std::pair(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major),
        std::pair(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor),
        std::pair(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &multiprocessors)})
    if (auto error = driver.cuDeviceGetAttribute(value, attribute, device))
      return error;
  return driver.cuDevicePrimaryCtxRetain(&context, device);
}
