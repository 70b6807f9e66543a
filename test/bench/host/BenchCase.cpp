//===- BenchCase.cpp - A variant, compiled for this CPU ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/bench/host/BenchCase.h"
#include "compiler/Driver/HostCompiler.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace attnc;
using namespace attnc::bench;

BenchCase::BenchCase(const Variant &variant, const MainTensors &tensors)
    : BoundVariant(variant, tensors) {
  llvm::Expected<HostTarget> target = HostTarget::get("native");
  if (!target)
    fail(llvm::toString(target.takeError()));
  driver::StageTimes times;
  auto kernels = driver::compileForHost(getModule(), Phase::Attn, *target, times);
  if (!kernels) {
    getDiagnostics().printText(llvm::errs());
    fail(llvm::toString(kernels.takeError()));
  }
  kernel = kernels->front();
}

double BenchCase::run(int threads) const {
  auto start = std::chrono::steady_clock::now();
  if (std::optional<std::string> error = launch(kernel, getBound(), threads))
    fail(*error);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
