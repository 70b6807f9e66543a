//===- TileOps.cpp - Verifiers and syntax of tile ops -----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Tile/IR/TileOps.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::tile;

/// Checks that `region` has one argument, a range.
static LogicalResult verifyRangeArgument(Operation *op, Region &region) {
  TypeRange types = region.getArgumentTypes();
  if (types.size() == 1 && isa<RangeType>(types[0]))
    return success();
  return op->emitOpError("expected bodies with one argument of type !tile.range, got ") << types;
}

/// Checks that the tile `value`, a result of `op`, is taken over by one user.
static LogicalResult verifyTaken(Operation *op, Value value) {
  if (value.hasOneUse())
    return success();
  return op->emitOpError("expected one use of its result, got ")
         << std::distance(value.use_begin(), value.use_end());
}

//===------------------------------------------------------------------------===//
// Loop syntax
//===------------------------------------------------------------------------===//

/// Parses `(%range)`, the argument of a loop's bodies.
static ParseResult parseLoopArgument(OpAsmParser &parser, OpAsmParser::Argument &argument) {
  argument.type = RangeType::get(parser.getContext());
  return failure(parser.parseLParen() || parser.parseArgument(argument) || parser.parseRParen());
}

static void printLoopArgument(OpAsmPrinter &printer, Region &body) {
  printer << '(';
  printer.printRegionArgument(body.getArgument(0), {}, /*omitType=*/true);
  printer << ')';
}

static ParseResult parseKernelBody(OpAsmParser &parser, Region &body) {
  OpAsmParser::Argument range;
  return failure(parser.parseKeyword("queries") || parseLoopArgument(parser, range) ||
                 parser.parseRegion(body, range));
}

static void printKernelBody(OpAsmPrinter &printer, KernelOp, Region &body) {
  printer << "queries";
  printLoopArgument(printer, body);
  printer << ' ';
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

static ParseResult parseKeyLoop(OpAsmParser &parser, OpAsmParser::UnresolvedOperand &queries,
                                Region &body) {
  OpAsmParser::Argument range;
  return failure(parseLoopArgument(parser, range) || parser.parseKeyword("of") ||
                 parser.parseOperand(queries) || parser.parseRegion(body, range));
}

static void printKeyLoop(OpAsmPrinter &printer, ForKeysOp, Value queries, Region &body) {
  printLoopArgument(printer, body);
  printer << " of " << queries << ' ';
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

static ParseResult parseQueryLoop(OpAsmParser &parser, OpAsmParser::UnresolvedOperand &queries,
                                  OpAsmParser::UnresolvedOperand &keys, Region &full,
                                  Region &partial) {
  OpAsmParser::Argument fullRows, partialRows;
  return failure(parser.parseKeyword("of") || parser.parseOperand(queries) || parser.parseComma() ||
                 parser.parseOperand(keys) || parser.parseKeyword("full") ||
                 parseLoopArgument(parser, fullRows) || parser.parseRegion(full, fullRows) ||
                 parser.parseKeyword("partial") || parseLoopArgument(parser, partialRows) ||
                 parser.parseRegion(partial, partialRows));
}

static void printQueryLoop(OpAsmPrinter &printer, ForQueriesOp, Value queries, Value keys,
                           Region &full, Region &partial) {
  printer << "of " << queries << ", " << keys << " full";
  printLoopArgument(printer, full);
  printer << ' ';
  printer.printRegion(full, /*printEntryBlockArgs=*/false);
  printer << " partial";
  printLoopArgument(printer, partial);
  printer << ' ';
  printer.printRegion(partial, /*printEntryBlockArgs=*/false);
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  setName(region.getArgument(0), "block");
}
void ForKeysOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  setName(region.getArgument(0), "keys");
}
void ForQueriesOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  setName(region.getArgument(0), "rows");
}

#define GET_OP_CLASSES
#include "dialect/Tile/IR/TileOps.cpp.inc"

//===------------------------------------------------------------------------===//
// Verifiers
//===------------------------------------------------------------------------===//

attn::KernelOp KernelOp::getAttnKernel() { return cast<attn::KernelOp>(getBody().front().front()); }

LogicalResult KernelOp::verifyRegions() {
  if (failed(verifyRangeArgument(*this, getBody())))
    return failure();
  if (!getSchedule() == !getWarpSchedule())
    return emitOpError("expected either a schedule or a warp_schedule");
  Block &body = getBody().front();
  auto kernel = body.empty() ? nullptr : dyn_cast<attn::KernelOp>(body.front());
  if (!kernel)
    return emitOpError("expected a body that starts with an attn.kernel");
  if (kernel.getSymName() != getSymName())
    return emitOpError("expected an attn.kernel of the same name, got @") << kernel.getSymName();
  if (WarpScheduleAttr schedule = getWarpScheduleAttr()) {
    bool isF32 = kernel.getDtype().isF32(), hasTf32 = schedule.getTf32() != Tf32::None;
    if (hasTf32 && !isF32)
      return emitOpError("expected a kernel of f32 with `tf32`, got ") << kernel.getDtype();
    if (schedule.getTensorCores() && isF32 && !hasTf32)
      return emitOpError("expected `tf32` with `tensor_cores` in a kernel of f32");
  }
  if (!isa<EpilogueOp>(body.back()))
    return emitOpError("expected a body that ends with tile.epilogue");
  for (auto epilogue : body.getOps<EpilogueOp>())
    if (epilogue != &body.back())
      return epilogue.emitOpError("expected one epilogue, at the end of the kernel");
  return success();
}

LogicalResult ForKeysOp::verifyRegions() { return verifyRangeArgument(*this, getBody()); }

LogicalResult ForQueriesOp::verifyRegions() {
  for (Operation &op : getFull().getOps())
    if (isa<MaskOp>(op))
      return op.emitOpError("expected no mask where every pair takes part");
  return failure(failed(verifyRangeArgument(*this, getFull())) ||
                 failed(verifyRangeArgument(*this, getPartial())));
}

LogicalResult DotOp::verify() { return verifyTaken(*this, getResult()); }
LogicalResult MapOp::verify() { return verifyTaken(*this, getResult()); }
LogicalResult MaskOp::verify() { return verifyTaken(*this, getResult()); }
LogicalResult SoftmaxStepOp::verify() { return verifyTaken(*this, getResult()); }
