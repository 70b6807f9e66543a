//===- GpuRates.h - What a multiprocessor does in a clock ---------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_PTX_GPURATES_H
#define COMPILER_TARGET_PTX_GPURATES_H

#include "compiler/Target/Ptx/PtxTarget.h"

namespace attnc {

/// What a multiprocessor of an architecture does in a clock, and what it has.
///
/// - `tensor`: multiply-adds of mma.sync on pairs of 16 bits, dense, sums in f32. 1024 on sm_80
/// (312
///   TFLOP/s, 108 multiprocessors, 1.41 GHz: A100 whitepaper) and sm_87; 512 on sm_86, sm_89 and
///   sm_120 (GA102 and AD102 whitepapers; GeForce parts have half); on sm_90 62.5 % of the 2048
///   that wgmma has, which is what mma.sync reaches there (Luo et al., arXiv 2402.13499). sm_100 is
///   assumed to be as sm_90: no source tells what its mma.sync reaches.
/// - `fp32`, `integer`, `special`: results of f32 arithmetic, of integers, compares and selects,
/// and
///   of MUFU and conversions between integers and floats (throughput table of the CUDA C++
///   Programming Guide). Packing conversions are assumed to count as integers.
/// - `issue`: instructions of one lane: 4 warps of 32.
/// - `sharedBytes`: 128, without bank conflicts.
/// - `cacheBytes`: from L2. 47 on sm_80 (5120 bytes over 108 multiprocessors: A100 whitepaper); 32
///   is assumed elsewhere, which is what public microbenchmarks of H100 and AD102 come near to.
/// - What a multiprocessor has: the table of technical specifications of the same guide. A block
///   takes 1 KiB of shared memory beside its own.
///
/// No rate was measured by this project.
struct GpuRates {
  double tensor, fp32, integer = 64, special = 16, issue = 128, sharedBytes = 128, cacheBytes;
  int64_t sharedMemory; ///< bytes
  int64_t warps, blocks;

  /// Every architecture that PtxTarget has a name for has rates.
  static GpuRates get(const PtxTarget &target);
};

} // namespace attnc

#endif // COMPILER_TARGET_PTX_GPURATES_H
