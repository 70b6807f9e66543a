//===- IdleDriver.cpp - A CUDA driver that does nothing -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

//
// A libcuda.so.1 whose calls return at once, so that what is measured is the runtime's own part.
//
//===------------------------------------------------------------------------===//

#include "runtime/cuda/DriverTypes.h"

using namespace attnc::cuda;

// Those that have nothing to tell.
#define ATTNC_CUDA_FUNCTION(name, symbol, ...)                                                     \
  extern "C" __attribute__((visibility("default"), weak)) CUresult symbol(__VA_ARGS__) {           \
    return CUDA_SUCCESS;                                                                           \
  }
#include "runtime/cuda/DriverFunctions.def"
