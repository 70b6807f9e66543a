//===- attn-opt.cpp - Runs passes over attnc's IR ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/AttnToTile/Passes.h"
#include "dialect/Attn/IR/AttnDialect.h"
#include "dialect/Attn/Transforms/Passes.h"
#include "dialect/Tile/IR/TileDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<attnc::attn::AttnDialect, attnc::tile::TileDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect>();
  mlir::registerTransformsPasses();
  attnc::attn::registerAttnPasses();
  attnc::registerAttnToTilePasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "attnc optimizer driver\n", registry));
}
