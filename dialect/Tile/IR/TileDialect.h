//===- TileDialect.h - The tile dialect -------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_TILE_IR_TILEDIALECT_H
#define DIALECT_TILE_IR_TILEDIALECT_H

#include "mlir/IR/Dialect.h"

#include "dialect/Tile/IR/TileDialect.h.inc"

#endif // DIALECT_TILE_IR_TILEDIALECT_H
