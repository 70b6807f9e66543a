//===- CompileOptions.h - What kernels to compile a program to ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_COMPILEOPTIONS_H
#define COMPILER_DRIVER_COMPILEOPTIONS_H

#include "attnc/ElementType.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attnc::driver {

struct HeadDims {
  int64_t head = 128;
  int64_t value = 128;
};

/// What an .attn program is compiled to: one kernel for each element type and head dim.
struct CompileOptions {
  std::vector<ElementType> dtypes = {ElementType::BF16};
  std::vector<HeadDims> headDims = {HeadDims()};
  bool lse = false;
  bool checked = false;
  std::string name; ///< the kernels' names begin with it; empty: with the file's
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> approx;
};

} // namespace attnc::driver

#endif // COMPILER_DRIVER_COMPILEOPTIONS_H
