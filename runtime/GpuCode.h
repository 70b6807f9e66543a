//===- GpuCode.h - Kernels in PTX and cubins --------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_GPUCODE_H
#define RUNTIME_GPUCODE_H

#include "attnc/GpuKernel.h"
#include <string_view>
#include <vector>

namespace attnc {

/// The kernels of a file of PTX or machine code, by the metadata in it.
struct GpuCode {
  bool isCubin = false;
  std::string arch;               ///< that all of them were compiled for
  std::vector<GpuKernel> kernels; ///< at least one
};

/// True if `bytes` begin as a cubin does.
bool isCubin(std::string_view bytes);

/// Reads what `bytes` say of their kernels. Returns what is wrong with them, or nothing.
std::optional<std::string> readGpuCode(std::string_view bytes, GpuCode &code);

/// An architecture of GPUs.
struct GpuArch {
  int capability = 0;      ///< 86 for sm_86
  bool isSpecific = false; ///< sm_90a: for GPUs of that capability alone
};

/// What the name of an architecture says, or nothing if this version does not know it.
std::optional<GpuArch> parseGpuArch(std::string_view name);

/// Why a GPU of this compute capability cannot run code for `arch`, or nothing. PTX runs on GPUs
/// from its architecture on, a cubin on those of its generation from it on, and code for an
/// architecture with an `a` on that one alone.
std::optional<std::string> checkArch(const GpuCode &code, int major, int minor);

} // namespace attnc

#endif // RUNTIME_GPUCODE_H
