//===- CpuFeatures.h - What CPUs have that code is made for -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_CPUFEATURES_H
#define ATTNC_CPUFEATURES_H

#include <string>
#include <string_view>
#include <vector>

namespace attnc {

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
