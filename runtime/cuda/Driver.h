//===- Driver.h - The CUDA driver, found at run time --------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_CUDA_DRIVER_H
#define RUNTIME_CUDA_DRIVER_H

#include "runtime/cuda/DriverTypes.h"
#include <optional>
#include <string>

namespace attnc::cuda {

class Driver;

/// A function of the driver. A call returns what went wrong, with the function's name and the
/// driver's own words, or nothing.
template <typename... ParametersT> class DriverFunction {
public:
  DriverFunction(const Driver &driver, const char *name) : driver(driver), name(name) {}

  std::optional<std::string> operator()(ParametersT... arguments) const {
    return describe(call(arguments...));
  }

  /// The same, for results that say something other than that the call went wrong.
  CUresult call(ParametersT... arguments) const { return pointer(arguments...); }
  std::optional<std::string> describe(CUresult result) const;

private:
  friend class Driver;
  const Driver &driver;
  const char *name;
  CUresult (*pointer)(ParametersT...) = nullptr;
};

/// The driver of the machine's GPUs. It stays loaded as long as the process lives.
class Driver {
public:
  Driver() = default;
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;

  /// Finds libcuda.so.1 where the system looks for libraries. Returns why there is none that can be
  /// used, or nothing.
  std::optional<std::string> load();

#define ATTNC_CUDA_FUNCTION(name, symbol, ...) DriverFunction<__VA_ARGS__> name{*this, #name};
#include "runtime/cuda/DriverFunctions.def"

  /// `cuInit: CUDA_ERROR_UNKNOWN (unknown error)`; nothing for success.
  std::optional<std::string> describe(const char *function, CUresult result) const;
};

template <typename... ParametersT>
std::optional<std::string> DriverFunction<ParametersT...>::describe(CUresult result) const {
  return driver.describe(name, result);
}

} // namespace attnc::cuda

#endif // RUNTIME_CUDA_DRIVER_H
