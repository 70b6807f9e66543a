//===- PtxTarget.h - GPU architectures that code is made for ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_PTX_PTXTARGET_H
#define COMPILER_TARGET_PTX_PTXTARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace attnc {

/// An architecture of NVIDIA GPUs.
struct PtxTarget {
  /// As PTX, ptxas and LLVM call it: `sm_80`.
  std::string arch;
  /// The version of the PTX text, 80 for 8.0: the oldest that has all the architecture needs, so
  /// that old drivers take it.
  unsigned ptxVersion = 0;
  /// The most shared memory that a block may ask for.
  int64_t sharedBytes = 0;

  /// The largest head dim, of queries and keys or of values, that kernels are made for.
  static constexpr int64_t maxHeadDim = 256;

  /// The target for a value of `--arch`: one of getNames().
  static llvm::Expected<PtxTarget> get(llvm::StringRef name);
  static std::vector<std::string> getNames();
  /// The best target for GPUs of this compute capability; an error if there is none.
  static llvm::Expected<PtxTarget> getForGpu(int major, int minor);

  /// The compute capability that is meant, 80 for 8.0.
  int getCapability() const;
  /// Whether code may have features of the architecture that no other has, and so runs on no other.
  bool isSpecific() const { return llvm::StringRef(arch).ends_with("a"); }

  /// The GPUs that the code is for, as text: `sm_80 and later`.
  std::string describeGpus() const;

  /// Pointers to shared memory have 32 bits.
  std::unique_ptr<llvm::TargetMachine> createTargetMachine() const;
};

} // namespace attnc

#endif // COMPILER_TARGET_PTX_PTXTARGET_H
