//===- TensorSource.h - Where the tensors of a run come from ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_TENSORSOURCE_H
#define COMPILER_DRIVER_TENSORSOURCE_H

#include "attnc/Launch.h"
#include "compiler/Driver/RunOptions.h"
#include "compiler/Driver/TensorBuffer.h"
#include <memory>

namespace attnc::driver {

/// Gives a run its tensors, and keeps their memory. Those of q, k and v are asked for first, since
/// the program is compiled for their element type and head sizes; what it captures is known then.
class TensorSource {
public:
  virtual ~TensorSource() = default;

  /// Sets q, k and v.
  virtual std::optional<RunError> addMainTensors(LaunchArguments &arguments) = 0;
  /// Sets what the kernel captures, and scalars that are not set yet where the source has them.
  virtual std::optional<RunError> addCaptures(const KernelInfo &info,
                                              LaunchArguments &arguments) = 0;
};

/// Tensors of a safetensors file, under the views and the layout of `options`, which must outlive
/// the source.
std::unique_ptr<TensorSource> createStoredTensors(const RunOptions &options);

/// Random tensors: the same for the same options on every machine.
std::unique_ptr<TensorSource> createRandomTensors(const RunOptions &options);

/// The error for a name that an option gives and the program does not have: the option, the name,
/// the nearest of `known`.
RunError makeUnknownNameError(const std::string &option, const std::string &name,
                              const std::vector<std::string> &known);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_TENSORSOURCE_H
