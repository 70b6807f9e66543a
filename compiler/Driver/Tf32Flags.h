//===- Tf32Flags.h - --tf32 and --tf32x3 --------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_TF32FLAGS_H
#define COMPILER_DRIVER_TF32FLAGS_H

#include "attnc/ElementType.h"
#include "compiler/Driver/CommandLine.h"
#include "dialect/Tile/IR/TileOps.h"

namespace attnc::driver {

/// Two options of attnc and attn-run: how GPUs multiply f32.
struct Tf32Flags {
  bool rounded = false, split = false;

  std::vector<Option> makeOptions();

  /// What is wrong with them, or nothing: alone, and for kernels of `dtypes`.
  std::optional<std::string> check() const;
  std::optional<std::string> checkDtypes(llvm::ArrayRef<ElementType> dtypes) const;

  /// The one that is given; null if none is.
  const char *getName() const;
  tile::Tf32 getValue() const;
};

} // namespace attnc::driver

#endif // COMPILER_DRIVER_TF32FLAGS_H
