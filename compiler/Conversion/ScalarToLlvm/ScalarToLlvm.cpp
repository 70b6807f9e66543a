//===- ScalarToLlvm.cpp - Turns what a thread computes into LLVM ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/ScalarToLlvm/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace attnc {
#define GEN_PASS_DEF_CONVERTSCALARTOLLVMPASS
#include "compiler/Conversion/ScalarToLlvm/Passes.h.inc"
} // namespace attnc

using namespace mlir;
using namespace attnc;

/// Gives the op in place of `op`; null if there is none.
using Convert = Operation *(*)(OpBuilder &, Operation *);

template <typename Target> static Operation *convert(OpBuilder &builder, Operation *op) {
  return Target::create(builder, op->getLoc(), op->getResultTypes(), op->getOperands());
}

template <typename Source, typename Target>
static Operation *convertComparison(OpBuilder &builder, Operation *op) {
  using Predicate = decltype(std::declval<Target>().getPredicate());
  auto comparison = cast<Source>(op);
  // Both dialects number predicates alike.
  auto predicate = static_cast<Predicate>(comparison.getPredicate());
  return Target::create(builder, op->getLoc(), predicate, comparison.getLhs(), comparison.getRhs());
}

static Operation *convertConstant(OpBuilder &builder, Operation *op) {
  auto constant = cast<arith::ConstantOp>(op);
  return LLVM::ConstantOp::create(builder, op->getLoc(), constant.getType(), constant.getValue());
}

static Operation *convertBranch(OpBuilder &builder, Operation *op) {
  auto branch = cast<cf::BranchOp>(op);
  return LLVM::BrOp::create(builder, op->getLoc(), branch.getDestOperands(), branch.getDest());
}

static Operation *convertCondBranch(OpBuilder &builder, Operation *op) {
  auto branch = cast<cf::CondBranchOp>(op);
  if (branch.getBranchWeights())
    return nullptr;
  return LLVM::CondBrOp::create(builder, op->getLoc(), branch.getCondition(), branch.getTrueDest(),
                                branch.getTrueDestOperands(), branch.getFalseDest(),
                                branch.getFalseDestOperands());
}

static llvm::DenseMap<OperationName, Convert> getConversions(MLIRContext *context) {
  llvm::DenseMap<OperationName, Convert> conversions;
  auto add = [&]<typename Source>(std::type_identity<Source>, Convert convert) {
    conversions[OperationName(Source::getOperationName(), context)] = convert;
  };
#define CONVERT(SOURCE, TARGET) add(std::type_identity<SOURCE>(), convert<LLVM::TARGET>)
  CONVERT(arith::AddIOp, AddOp);
  CONVERT(arith::SubIOp, SubOp);
  CONVERT(arith::MulIOp, MulOp);
  CONVERT(arith::DivSIOp, SDivOp);
  CONVERT(arith::DivUIOp, UDivOp);
  CONVERT(arith::RemSIOp, SRemOp);
  CONVERT(arith::RemUIOp, URemOp);
  CONVERT(arith::AndIOp, AndOp);
  CONVERT(arith::OrIOp, OrOp);
  CONVERT(arith::XOrIOp, XOrOp);
  CONVERT(arith::ShLIOp, ShlOp);
  CONVERT(arith::ShRSIOp, AShrOp);
  CONVERT(arith::ShRUIOp, LShrOp);
  CONVERT(arith::MinSIOp, SMinOp);
  CONVERT(arith::MaxSIOp, SMaxOp);
  CONVERT(arith::MinUIOp, UMinOp);
  CONVERT(arith::MaxUIOp, UMaxOp);
  CONVERT(arith::ExtSIOp, SExtOp);
  CONVERT(arith::ExtUIOp, ZExtOp);
  CONVERT(arith::TruncIOp, TruncOp);
  CONVERT(arith::SIToFPOp, SIToFPOp);
  CONVERT(arith::UIToFPOp, UIToFPOp);
  CONVERT(arith::FPToSIOp, FPToSIOp);
  CONVERT(arith::FPToUIOp, FPToUIOp);
  CONVERT(arith::ExtFOp, FPExtOp);
  CONVERT(arith::TruncFOp, FPTruncOp);
  CONVERT(arith::BitcastOp, BitcastOp);
  CONVERT(arith::AddFOp, FAddOp);
  CONVERT(arith::SubFOp, FSubOp);
  CONVERT(arith::MulFOp, FMulOp);
  CONVERT(arith::DivFOp, FDivOp);
  CONVERT(arith::NegFOp, FNegOp);
  CONVERT(arith::MinNumFOp, MinNumOp);
  CONVERT(arith::MaxNumFOp, MaxNumOp);
  CONVERT(arith::SelectOp, SelectOp);
  CONVERT(math::AbsFOp, FAbsOp);
  CONVERT(math::CtPopOp, CtPopOp);
  CONVERT(math::FmaOp, FMAOp);
#undef CONVERT
  add(std::type_identity<arith::CmpIOp>(), convertComparison<arith::CmpIOp, LLVM::ICmpOp>);
  add(std::type_identity<arith::CmpFOp>(), convertComparison<arith::CmpFOp, LLVM::FCmpOp>);
  add(std::type_identity<arith::ConstantOp>(), convertConstant);
  add(std::type_identity<cf::BranchOp>(), convertBranch);
  add(std::type_identity<cf::CondBranchOp>(), convertCondBranch);
  return conversions;
}

static bool isScalar(Type type) { return type.isSignlessInteger() || isa<FloatType>(type); }

/// Whether the op says more than its operands, but for predicates, constants and weights of
/// branches: flags, or how to round.
static bool hasFlags(Operation *op) {
  if (auto math = dyn_cast<arith::ArithFastMathInterface>(op))
    if (auto flags = math.getFastMathFlagsAttr();
        flags && flags.getValue() != arith::FastMathFlags::none)
      return true;
  if (auto integers = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    if (auto flags = integers.getOverflowAttr();
        flags && flags.getValue() != arith::IntegerOverflowFlags::none)
      return true;
  if (auto rounding = dyn_cast<arith::ArithRoundingModeInterface>(op);
      rounding && rounding.getRoundingModeAttr())
    return true;
  return isa<arith::DivSIOp, arith::DivUIOp, arith::ShRSIOp, arith::ShRUIOp>(op) &&
         op->hasAttr("isExact");
}

/// MLIR's own conversions.
static LogicalResult convertRest(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LLVMTypeConverter types(context);
  LLVMConversionTarget target(*context);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  return applyPartialConversion(module, target, std::move(patterns));
}

namespace {
struct ConvertScalarToLlvm : attnc::impl::ConvertScalarToLlvmPassBase<ConvertScalarToLlvm> {
  LogicalResult initialize(MLIRContext *context) override {
    conversions = getConversions(context);
    return success();
  }

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    bool isDone = true;
    getOperation()->walk([&](Operation *op) {
      StringRef dialect = op->getName().getDialectNamespace();
      if (dialect != "arith" && dialect != "cf" && dialect != "math" && dialect != "ub")
        return;
      Convert convert = conversions.lookup(op->getName());
      Operation *converted = nullptr;
      if (convert && llvm::all_of(op->getOperandTypes(), isScalar) &&
          llvm::all_of(op->getResultTypes(), isScalar) && !hasFlags(op)) {
        builder.setInsertionPoint(op);
        converted = convert(builder, op);
      }
      if (!converted) {
        isDone = false;
        return;
      }
      op->replaceAllUsesWith(converted);
      op->erase();
    });
    if (!isDone && failed(convertRest(getOperation())))
      signalPassFailure();
  }

private:
  llvm::DenseMap<OperationName, Convert> conversions;
};
} // namespace
