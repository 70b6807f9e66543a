//===- HostTarget.h - CPUs that code is made for ------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_HOST_HOSTTARGET_H
#define COMPILER_TARGET_HOST_HOSTTARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace attnc {

/// A CPU, by LLVM's names.
struct HostTarget {
  std::string cpu;
  /// What it has, as in `+avx2,+fma`, sorted.
  std::string features;
  /// One of getTriples().
  std::string triple = "x86_64-linux-gnu";

  /// The target for a value of `--cpu`: one of getNames(). `native` is the CPU this process runs
  /// on.
  static llvm::Expected<HostTarget> get(llvm::StringRef name);
  static llvm::ArrayRef<llvm::StringRef> getNames();

  /// The target for a value of `--target`, one of getTriples(): any CPU of that kind.
  static HostTarget getForTriple(llvm::StringRef triple);
  static llvm::ArrayRef<llvm::StringRef> getTriples();

  /// The CPUs that files are made for if none is asked for, from the one that all are on; which of
  /// them this is, the machine that loads the file sees. That with AVX512_BF16 is worth its bytes
  /// for kernels of bf16 alone.
  static std::vector<HostTarget> getLevels(bool hasBf16);

  /// What files call it.
  std::string getName() const;
  bool isX86() const { return llvm::StringRef(triple).starts_with("x86_64"); }
  bool hasFeature(llvm::StringRef feature) const;
  /// The features beyond the baseline that code for it may take, by getCpuFeatures().
  std::vector<std::string> getNeeds() const;

  /// An error that names what this machine lacks to run code for the target; else success.
  llvm::Error checkRunsHere() const;

  std::unique_ptr<llvm::TargetMachine> createTargetMachine() const;
};

} // namespace attnc

#endif // COMPILER_TARGET_HOST_HOSTTARGET_H
