//===- Driver.cpp - The CUDA driver, found at run time ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/cuda/Driver.h"
#include "runtime/SharedLibrary.h"

using namespace attnc::cuda;

std::optional<std::string> Driver::load() {
  attnc::SharedLibrary library;
  if (std::optional<std::string> problem = library.load("libcuda.so.1"))
    return problem;
#define ATTNC_CUDA_FUNCTION(name, symbol, ...)                                                     \
  if (!library.find(#symbol, name.pointer))                                                        \
    return "libcuda.so.1 has no function `" #symbol "`";
#include "runtime/cuda/DriverFunctions.def"
  return std::nullopt;
}

std::optional<std::string> Driver::describe(const char *function, CUresult result) const {
  if (result == CUDA_SUCCESS)
    return std::nullopt;
  const char *name = nullptr, *text = nullptr;
  std::string message = std::string(function) + ": ";
  if (cuGetErrorName.call(result, &name) != CUDA_SUCCESS || !name)
    return message + "error " + std::to_string(result);
  message += name;
  if (cuGetErrorString.call(result, &text) == CUDA_SUCCESS && text)
    message += std::string(" (") + text + ")";
  return message;
}
