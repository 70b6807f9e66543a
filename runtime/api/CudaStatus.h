//===- CudaStatus.h - What errors of the CUDA driver mean to callers *- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_CUDASTATUS_H
#define RUNTIME_API_CUDASTATUS_H

#include "runtime/api/Failure.h"
#include "runtime/cuda/Driver.h"

namespace attnc::api {

/// The status for an error of the driver.
attnc_status_t getCudaStatus(cuda::CUresult result);

/// Calls a function of the driver; a message has its name and the driver's words.
template <typename FunctionT, typename... ArgumentsT>
Result callDriver(const FunctionT &function, ArgumentsT... arguments) {
  cuda::CUresult result = function.call(arguments...);
  if (std::optional<std::string> text = function.describe(result))
    return Failure{getCudaStatus(result), std::move(*text)};
  return std::nullopt;
}

} // namespace attnc::api

#endif // RUNTIME_API_CUDASTATUS_H
