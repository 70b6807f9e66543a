//===- Passes.h - The conversion from attn to tile --------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_ATTNTOTILE_PASSES_H
#define COMPILER_CONVERSION_ATTNTOTILE_PASSES_H

#include "dialect/Tile/IR/TileOps.h"
#include "mlir/Pass/Pass.h"

namespace attnc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Conversion/AttnToTile/Passes.h.inc"
} // namespace attnc

#endif // COMPILER_CONVERSION_ATTNTOTILE_PASSES_H
