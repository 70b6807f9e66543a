//===- TileOps.h - Operations of the tile dialect ---------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_TILE_IR_TILEOPS_H
#define DIALECT_TILE_IR_TILEOPS_H

#include "dialect/Attn/IR/AttnOps.h"
#include "dialect/Tile/IR/TileDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/Tile/IR/TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/Tile/IR/TileAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/Tile/IR/TileTypes.h.inc"
#define GET_OP_CLASSES
#include "dialect/Tile/IR/TileOps.h.inc"

#endif // DIALECT_TILE_IR_TILEOPS_H
