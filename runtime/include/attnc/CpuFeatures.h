//===- CpuFeatures.h - What CPUs have that code is made for -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_CPUFEATURES_H
#define ATTNC_CPUFEATURES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// A feature of x86-64 CPUs, and where the CPU says that it has it.
struct CpuFeature {
  std::string_view name;  ///< by LLVM
  uint32_t leaf, subleaf; ///< of cpuid
  enum Register : uint8_t { Eax, Ebx, Ecx, Edx } place;
  unsigned bit;
  uint32_t state; ///< the bits of XCR0 of the registers that the system must save
};

/// The feature of that name, or null if it is not in getCpuFeatures().
const CpuFeature *findCpuFeature(std::string_view name);

/// The features of x86-64 CPUs beyond the baseline that compiled code may depend on, by LLVM's
/// names.
const std::vector<std::string_view> &getCpuFeatures();

/// True if this CPU has the feature and the system saves its registers. False for names that are
/// not in getCpuFeatures().
bool hasCpuFeature(std::string_view name);

/// A text that differs where code for this very CPU may: its model and its features.
std::string describeCpu();

} // namespace attnc

#endif // ATTNC_CPUFEATURES_H
