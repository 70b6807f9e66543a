//===- EvaluateComprehensions.cpp - Unrolled comprehensions -------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Evaluator.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace attnc;

/// The elements as a tuple, for a generator too: nothing tells the two apart here.
Value Evaluator::evaluateComprehension(const ast::ComprehensionExpr &expr) {
  // The names of its loops are its own.
  llvm::SaveAndRestore inner(scope, &makeScope(scope, /*definition=*/nullptr));
  llvm::SmallVector<Value> elements;
  if (!collectElements(expr, 0, elements))
    return Value::poison();
  return makeTuple(elements, expr.getRange());
}

bool Evaluator::collectElements(const ast::ComprehensionExpr &expr, size_t clause,
                                llvm::SmallVectorImpl<Value> &elements) {
  if (clause == expr.getClauses().size()) {
    elements.push_back(evaluate(*expr.getElement()));
    return !elements.back().isPoison();
  }
  const ast::ComprehensionExpr::Clause &loop = expr.getClauses()[clause];
  Operand iterable = evaluateOperand(*loop.iterable);
  if (!iterable.value.is(Value::Kind::Tuple)) {
    if (!iterable.value.isPoison())
      report(iterable.range, DiagId::not_iterable, iterable.value.describe());
    return false;
  }
  for (const Value &element : iterable.value.getElements()) {
    if (!spend(1, expr.getRange()))
      return false;
    assign(*loop.target, {element, iterable.range}, /*isRebinding=*/true);
    bool isChosen = true;
    for (const ast::Expr *filter : loop.conditions) {
      Value chosen = condition(evaluateOperand(*filter));
      if (chosen.isPoison())
        return false;
      if (!chosen.is(Value::Kind::Bool)) {
        report(filter->getRange(), DiagId::filter_at_run_time);
        return false;
      }
      isChosen = chosen.getBool();
      if (!isChosen)
        break;
    }
    if (isChosen && !collectElements(expr, clause + 1, elements))
      return false;
  }
  return true;
}
