//===- BuiltinsPython.cpp - What Python offers for tuples -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Builtins.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace attnc;
using ast::BinaryOp;

/// An int argument that must be known at compile time.
static std::optional<int64_t> requireKnownInt(Evaluator &evaluator, Operand operand,
                                              CallOperands &operands) {
  if (!evaluator.requireInt(operand, operands.name))
    return std::nullopt;
  if (operand.value.is(Value::Kind::Int))
    return operand.value.getInt();
  evaluator.report(operand.range, DiagId::range_at_run_time, operands.name);
  return std::nullopt;
}

static Value callRange(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  int64_t bounds[3] = {0, 0, 1};
  bool hasStart = (*arranged)[1].range.isValid();
  for (size_t i = 0; i < 3 && (*arranged)[i].range.isValid(); ++i) {
    std::optional<int64_t> bound = requireKnownInt(evaluator, (*arranged)[i], operands);
    if (!bound)
      return Value::poison();
    bounds[i == 0 && !hasStart ? 1 : i] = *bound;
  }
  auto [start, end, step] = bounds;
  if (step == 0) {
    evaluator.report((*arranged)[2].range, DiagId::zero_step);
    return Value::poison();
  }
  llvm::SmallVector<Value> elements;
  for (int64_t i = start; step > 0 ? i < end : i > end;) {
    // Each element is work, so a range beyond all measure ends here.
    if (!evaluator.spend(1, operands.range))
      return Value::poison();
    elements.push_back(Value::integer(i));
    if (__builtin_add_overflow(i, step, &i))
      break;
  }
  return evaluator.makeTuple(elements, operands.range);
}

static bool requireTuple(Evaluator &evaluator, const Operand &operand, CallOperands &operands) {
  if (operand.value.is(Value::Kind::Tuple))
    return true;
  if (operand.value.is(Value::Kind::Tensor))
    evaluator.report(operands.range, DiagId::reduction, operands.name);
  else
    evaluator.report(operand.range, DiagId::operand_type, operands.name, "a tuple",
                     operand.value.describe());
  return false;
}

static Value callLen(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  const Operand &object = arranged->front();
  if (object.value.is(Value::Kind::Tensor) && object.value.getTensor().getRank() > 0)
    return object.value.getTensor().getSizes().front();
  if (object.value.is(Value::Kind::String))
    return Value::integer(object.value.getString().size());
  if (object.value.is(Value::Kind::Tuple))
    return Value::integer(object.value.getElements().size());
  evaluator.report(object.range, DiagId::operand_type, operands.name,
                   "a tuple, a table or a captured tensor", object.value.describe());
  return Value::poison();
}

static Value callEnumerate(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged || !requireTuple(evaluator, arranged->front(), operands))
    return Value::poison();
  int64_t start = 0;
  if ((*arranged)[1].range.isValid()) {
    std::optional<int64_t> given = requireKnownInt(evaluator, (*arranged)[1], operands);
    if (!given)
      return Value::poison();
    start = *given;
  }
  llvm::SmallVector<Value> pairs;
  for (const Value &element : arranged->front().value.getElements()) {
    Value pair[] = {Value::integer(start), element};
    pairs.push_back(evaluator.makeTuple(pair, operands.range));
    start = static_cast<int64_t>(static_cast<uint64_t>(start) + 1);
  }
  return evaluator.makeTuple(pairs, operands.range);
}

static Value callZip(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  size_t count = arranged->empty() ? 0 : ~size_t(0);
  for (const Operand &tuple : *arranged) {
    if (!requireTuple(evaluator, tuple, operands))
      return Value::poison();
    count = std::min(count, tuple.value.getElements().size());
  }
  llvm::SmallVector<Value> rows;
  for (size_t i = 0; i < count; ++i) {
    llvm::SmallVector<Value> row;
    for (const Operand &tuple : *arranged)
      row.push_back(tuple.value.getElements()[i]);
    rows.push_back(evaluator.makeTuple(row, operands.range));
  }
  return evaluator.makeTuple(rows, operands.range);
}

static Value callReversed(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged || !requireTuple(evaluator, arranged->front(), operands))
    return Value::poison();
  llvm::SmallVector<Value> elements(llvm::reverse(arranged->front().value.getElements()));
  return evaluator.makeTuple(elements, operands.range);
}

static Value callTuple(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  if (!arranged->front().range.isValid())
    return evaluator.makeTuple({}, operands.range);
  if (!requireTuple(evaluator, arranged->front(), operands))
    return Value::poison();
  return arranged->front().value;
}

/// sum, any and all of a tuple, by an operator.
static Value fold(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands, BinaryOp op,
                  Value start) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged || !requireTuple(evaluator, arranged->front(), operands))
    return Value::poison();
  const Operand &tuple = arranged->front();
  Operand result = {start, tuple.range};
  if (arranged->size() > 1 && (*arranged)[1].range.isValid())
    result = (*arranged)[1];
  for (const Value &element : tuple.value.getElements()) {
    result.value =
        evaluator.binary(op, result, {element, tuple.range}, operands.range, operands.name);
    if (result.value.isPoison() || !evaluator.spend(1, operands.range))
      return Value::poison();
  }
  return result.value;
}
static Value callSum(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return fold(evaluator, builtin, operands, BinaryOp::Add, Value::integer(0));
}
static Value callAny(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return fold(evaluator, builtin, operands, BinaryOp::BitOr, Value::boolean(false));
}
static Value callAll(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return fold(evaluator, builtin, operands, BinaryOp::BitAnd, Value::boolean(true));
}

static Value callCallable(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged || arranged->front().value.isPoison())
    return Value::poison();
  const Value &object = arranged->front().value;
  return Value::boolean(object.is(Value::Kind::Function) || object.is(Value::Kind::Builtin));
}

llvm::ArrayRef<Builtin> attnc::getPythonBuiltins() {
  static const Builtin rows[] = {
      {"range", InPlain, callRange, "stop start= step="},
      {"len", InPlain, callLen, "x"},
      {"enumerate", InPlain, callEnumerate, "iterable start="},
      {"zip", InPlain, callZip, "*"},
      {"reversed", InPlain, callReversed, "sequence"},
      {"tuple", InPlain, callTuple, "iterable="},
      {"list", InPlain, callTuple, "iterable="},
      {"sum", InPlain, callSum, "iterable start="},
      {"any", InPlain, callAny, "iterable"},
      {"all", InPlain, callAll, "iterable"},
      {"callable", InPlain, callCallable, "object"},
  };
  return rows;
}
