//===- MachinePeak.h - How fast this machine could be -------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_MACHINEPEAK_H
#define COMPILER_DRIVER_MACHINEPEAK_H

namespace attnc::driver {

/// A rate of multiply-adds out of registers, each counted as two operations.
struct MachinePeak {
  double gflops;
  const char *instruction; ///< what reached it
};

/// Measures, on `threads` threads for a tenth of a second, the f32 multiply-add of this CPU or,
/// with `bf16`, its bf16 dot product where it has one.
MachinePeak measurePeak(bool bf16, unsigned threads);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_MACHINEPEAK_H
