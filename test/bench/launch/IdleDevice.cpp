//===- IdleDevice.cpp - The device of the driver that does nothing --------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/cuda/DriverTypes.h"

using namespace attnc::cuda;

#define ATTNC_EXPORT extern "C" __attribute__((visibility("default")))

ATTNC_EXPORT CUresult cuDeviceGetCount(int *count) {
  *count = 1;
  return CUDA_SUCCESS;
}

ATTNC_EXPORT CUresult cuDeviceGetAttribute(int *value, int, CUdevice) {
  constexpr int capabilityAndMore = 100;
  *value = capabilityAndMore;
  return CUDA_SUCCESS;
}
