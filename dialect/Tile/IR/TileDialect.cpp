//===- TileDialect.cpp - The tile dialect -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Tile/IR/TileDialect.h"
#include "dialect/Attn/IR/AttnDialect.h"
#include "dialect/Tile/IR/TileOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attnc::tile;

#include "dialect/Tile/IR/TileDialect.cpp.inc"
#include "dialect/Tile/IR/TileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/Tile/IR/TileAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Tile/IR/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/Tile/IR/TileAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/Tile/IR/TileOps.cpp.inc"
      >();
}

LogicalResult ScheduleAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                   int64_t queryBlock, int64_t queryTile, int64_t keyBlock,
                                   int64_t rowTile, int64_t lanes, Features features) {
  if (lanes < 1 || rowTile < 1 || keyBlock < 1 || queryTile < 1 || queryBlock < 1)
    return emitError() << "expected sizes of at least 1 in a schedule";
  if (!llvm::isPowerOf2_64(lanes))
    return emitError() << "expected lanes that are a power of 2, got " << lanes;
  if (queryTile % lanes)
    return emitError() << "expected a query tile that is a multiple of the lanes, got " << queryTile
                       << " and " << lanes;
  if (queryBlock % queryTile)
    return emitError() << "expected a query block that is a multiple of the query tile, got "
                       << queryBlock << " and " << queryTile;
  if (rowTile % 2)
    return emitError() << "expected a row tile that is a multiple of 2, got " << rowTile;
  if (keyBlock % rowTile)
    return emitError() << "expected a key block that is a multiple of the row tile, got "
                       << keyBlock << " and " << rowTile;
  if (bitEnumContainsAny(features, Features::ReduceScale | Features::Bf16Dot) && lanes != 16)
    return emitError() << "expected 16 lanes with `reduce_scale` or `bf16_dot`, got " << lanes;
  return success();
}

LogicalResult WarpScheduleAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                       int64_t queryBlock, int64_t warpRows, int64_t keyBlock,
                                       int64_t maskedKeyBlock, bool tensorCores, bool shortGrid,
                                       bool /*rolled*/, Tf32 tf32) {
  if (warpRows < 16 || warpRows % 16)
    return emitError() << "expected rows of a warp that are a multiple of 16, got " << warpRows;
  if (queryBlock < warpRows || queryBlock % warpRows || queryBlock / warpRows > 32)
    return emitError() << "expected a query block of 1 to 32 warps of " << warpRows << " rows, got "
                       << queryBlock;
  if (maskedKeyBlock < 16 || maskedKeyBlock % 16)
    return emitError() << "expected a masked key block that is a multiple of 16, got "
                       << maskedKeyBlock;
  if (keyBlock < maskedKeyBlock || keyBlock % maskedKeyBlock)
    return emitError() << "expected a key block that is a multiple of the masked key block, got "
                       << keyBlock << " and " << maskedKeyBlock;
  if (shortGrid && keyBlock != maskedKeyBlock)
    return emitError() << "expected one size of key blocks with `short_grid`, got " << keyBlock
                       << " and " << maskedKeyBlock;
  // Threads divide tiles bit by bit.
  if (!llvm::isPowerOf2_64(queryBlock) || !llvm::isPowerOf2_64(warpRows))
    return emitError() << "expected a query block and rows of a warp that are powers of 2, got "
                       << queryBlock << " and " << warpRows;
  if (!llvm::isPowerOf2_64(keyBlock) || !llvm::isPowerOf2_64(maskedKeyBlock))
    return emitError() << "expected key blocks that are powers of 2, got " << keyBlock << " and "
                       << maskedKeyBlock;
  // Loops are unrolled over a block of keys.
  if (keyBlock > 256)
    return emitError() << "expected a key block of at most 256, got " << keyBlock;
  if (tf32 != Tf32::None && !tensorCores)
    return emitError() << "expected `tensor_cores` with `tf32 = " << stringifyTf32(tf32) << "`";
  return success();
}
