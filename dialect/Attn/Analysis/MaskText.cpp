//===- MaskText.cpp - Mask values in the language ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/MaskText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attnc::attn;

static constexpr unsigned maxDepth = 12;

namespace {
/// How tightly an expression binds, as in Python.
enum Precedence {
  Choice,
  LogicalOr,
  LogicalAnd,
  LogicalNot,
  Comparison,
  Or,
  Xor,
  And,
  Shift,
  Sum,
  Product,
  Unary,
  Atom
};

struct Text {
  std::string text;
  Precedence precedence = Atom;
};

class MaskTextPrinter {
public:
  explicit MaskTextPrinter(MaskOp mask)
      : names({{mask.getBatch(), "b"},
               {mask.getHead(), "h"},
               {mask.getQuery(), "q_idx"},
               {mask.getKey(), "kv_idx"}}) {}

  Text print(Value value, unsigned depth = 0) const;

private:
  std::string operand(Operation *op, unsigned i, Precedence least, unsigned depth) const {
    Text text = print(op->getOperand(i), depth + 1);
    return text.precedence < least ? "(" + text.text + ")" : text.text;
  }
  Text binary(Operation *op, StringRef symbol, Precedence precedence, unsigned depth) const {
    auto next = static_cast<Precedence>(precedence + 1);
    // Comparisons chain, so they are nested with parentheses on both sides.
    Precedence left = precedence == Comparison ? next : precedence;
    return {operand(op, 0, left, depth) + " " + symbol.str() + " " + operand(op, 1, next, depth),
            precedence};
  }
  Text call(Operation *op, StringRef name, unsigned depth) const {
    std::string text = name.str() + "(";
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      text += (i == 0 ? "" : ", ") + operand(op, i, Choice, depth);
    return {text + ")"};
  }
  Text printOp(Operation *op, unsigned depth) const;

  llvm::SmallDenseMap<Value, StringRef, 4> names;
};
} // namespace

static StringRef getSymbol(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return "==";
  case arith::CmpIPredicate::ne:
    return "!=";
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return "<";
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return "<=";
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return ">";
  default:
    return ">=";
  }
}

static std::string printConstant(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    llvm::SmallString<16> text;
    number.getValue().toString(text);
    return text.str().str();
  }
  auto integer = cast<IntegerAttr>(value);
  if (integer.getType().isInteger(1))
    return integer.getValue().isZero() ? "False" : "True";
  return std::to_string(integer.getInt());
}

Text MaskTextPrinter::print(Value value, unsigned depth) const {
  if (auto name = names.find(value); name != names.end())
    return {name->second.str()};
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    std::string text = printConstant(constant);
    return {text, text.front() == '-' ? Unary : Atom};
  }
  if (depth == maxDepth)
    return {"..."};
  return printOp(value.getDefiningOp(), depth);
}

Text MaskTextPrinter::printOp(Operation *op, unsigned depth) const {
  bool logical = op->getResult(0).getType().isInteger(1);
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return binary(op, getSymbol(comparison.getPredicate()), Comparison, depth);
  if (auto load = dyn_cast<LoadOp>(op)) {
    std::string text = load.getSource().str() + "[";
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      text += (i == 0 ? "" : ", ") + operand(op, i, Choice, depth);
    return {text + "]"};
  }
  if (auto dim = dyn_cast<DimOp>(op))
    return {dim.getName().str()};
  if (auto get = dyn_cast<GetOp>(op))
    return {get.getScalar().str()};
  if (isa<arith::XOrIOp>(op)) {
    APInt constant;
    if (matchPattern(op->getOperand(1), m_ConstantInt(&constant)) && constant.isAllOnes())
      return logical ? Text{"not " + operand(op, 0, LogicalNot, depth), LogicalNot}
                     : Text{"~" + operand(op, 0, Unary, depth), Unary};
    return binary(op, "^", Xor, depth);
  }
  if (isa<arith::SelectOp>(op))
    return {operand(op, 1, LogicalOr, depth) + " if " + operand(op, 0, LogicalOr, depth) +
                " else " + operand(op, 2, Choice, depth),
            Choice};
  if (isa<arith::TruncIOp, arith::ExtSIOp, arith::ExtFOp, arith::TruncFOp>(op))
    return print(op->getOperand(0), depth);
  return llvm::TypeSwitch<Operation *, Text>(op)
      .Case<arith::AddIOp, arith::AddFOp>([&](auto) { return binary(op, "+", Sum, depth); })
      .Case<arith::SubIOp, arith::SubFOp>([&](auto) { return binary(op, "-", Sum, depth); })
      .Case<arith::MulIOp, arith::MulFOp>([&](auto) { return binary(op, "*", Product, depth); })
      .Case([&](FloorDivOp) { return binary(op, "//", Product, depth); })
      .Case([&](FloorModOp) { return binary(op, "%", Product, depth); })
      .Case([&](arith::DivFOp) { return binary(op, "/", Product, depth); })
      .Case([&](arith::RemFOp) { return call(op, "fmod", depth); })
      .Case([&](arith::ShLIOp) { return binary(op, "<<", Shift, depth); })
      .Case([&](arith::ShRSIOp) { return binary(op, ">>", Shift, depth); })
      .Case([&](arith::AndIOp) {
        return logical ? binary(op, "and", LogicalAnd, depth) : binary(op, "&", And, depth);
      })
      .Case([&](arith::OrIOp) {
        return logical ? binary(op, "or", LogicalOr, depth) : binary(op, "|", Or, depth);
      })
      .Case<arith::MinSIOp, arith::MinimumFOp>([&](auto) { return call(op, "min", depth); })
      .Case<arith::MaxSIOp, arith::MaximumFOp>([&](auto) { return call(op, "max", depth); })
      .Case<math::AbsIOp, math::AbsFOp>([&](auto) { return call(op, "abs", depth); })
      .Case<arith::ExtUIOp, ToIntOp>([&](auto) { return call(op, "int", depth); })
      .Case<arith::SIToFPOp, arith::UIToFPOp>([&](auto) { return call(op, "float", depth); })
      .Default([&](Operation *) { return call(op, op->getName().stripDialect(), depth); });
}

std::string attnc::attn::getMaskText(MaskOp mask, Value value) {
  return MaskTextPrinter(mask).print(value).text;
}
