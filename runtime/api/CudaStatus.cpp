//===- CudaStatus.cpp - What errors of the CUDA driver mean to callers ----===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/CudaStatus.h"

using namespace attnc;
using namespace attnc::api;

attnc_status_t api::getCudaStatus(cuda::CUresult result) {
  switch (result) {
  case cuda::CUDA_ERROR_OUT_OF_MEMORY:
    return ATTNC_OUT_OF_MEMORY;
  case cuda::CUDA_ERROR_INVALID_IMAGE:
  case cuda::CUDA_ERROR_NO_BINARY_FOR_GPU:
  case cuda::CUDA_ERROR_INVALID_PTX:
  case cuda::CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case cuda::CUDA_ERROR_NOT_FOUND:
    return ATTNC_INVALID_KERNEL;
  case cuda::CUDA_ERROR_NO_DEVICE:
  case cuda::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
  case cuda::CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    return ATTNC_UNAVAILABLE;
  default:
    return ATTNC_DEVICE_FAILED;
  }
}
