//===- LaunchGenerator.h - Random tensors in random places --------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_SWEEP_LAUNCHGENERATOR_H
#define TEST_SWEEP_LAUNCHGENERATOR_H

#include "test/sweep/GuardedBuffer.h"
#include "test/sweep/ProgramGenerator.h"

namespace attnc::sweep {

/// A tensor, the storage it is a view of, and where in it.
struct GeneratedTensor {
  GuardedBuffer storage;
  TensorView view;
  int64_t offset = 0; ///< of the view, in elements
};

/// The arguments of one launch. q, k, v and captured tensors are views of storages of their own,
/// whose gaps hold NaN or 99.
struct GeneratedLaunch {
  std::map<std::string, GeneratedTensor> tensors;
  LaunchArguments arguments;
};

/// Chooses sizes, strides and contents. `dims` are B, Hq, Hkv, Q, KV as the kernel's text names
/// them; `info` says what is captured.
GeneratedLaunch generateLaunch(Random &random, const KernelInfo &info,
                               const GeneratedProgram &program);

} // namespace attnc::sweep

#endif // TEST_SWEEP_LAUNCHGENERATOR_H
