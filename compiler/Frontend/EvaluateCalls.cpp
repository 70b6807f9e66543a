//===- EvaluateCalls.cpp - Calls of functions and builtins ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Builtins.h"
#include "compiler/Frontend/Evaluator.h"
#include "compiler/Frontend/NearestName.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace attnc;

Value Evaluator::makeFunction(const ast::FunctionDefStmt *definition, const ast::LambdaExpr *lambda,
                              llvm::ArrayRef<ast::Param> params) {
  llvm::SmallVector<Value> defaults;
  for (const ast::Param &param : params)
    defaults.push_back(param.defaultValue ? evaluate(*param.defaultValue) : Value::unassigned());
  auto *function = new (allocator.Allocate<Function>()) Function();
  function->definition = definition;
  function->lambda = lambda;
  function->scope = scope;
  function->defaults = llvm::ArrayRef<Value>(defaults).copy(allocator);
  return Value::function(function);
}

//===------------------------------------------------------------------------===//
// The call expression
//===------------------------------------------------------------------------===//

Value Evaluator::evaluateCall(const ast::CallExpr &expr) {
  CallOperands operands;
  operands.range = expr.getRange();
  operands.name = expr.getCallee()->getRange().text();
  Operand callee = {Value::poison(), expr.getCallee()->getRange()};
  const auto *attribute = llvm::dyn_cast<ast::AttributeExpr>(expr.getCallee());
  const auto *object = attribute ? llvm::dyn_cast<ast::NameExpr>(attribute->getBase()) : nullptr;
  if (attribute && !(object && isObject(*object))) {
    Operand base = evaluateOperand(*attribute->getBase());
    ast::Name name = attribute->getName();
    if (base.value.isScalar() || base.value.is(Value::Kind::Tensor)) {
      // A method: the object is the first operand.
      if (const Builtin *builtin = findBuiltin(InMethods, name.text)) {
        callee.value = Value::builtin(builtin);
        operands.name = name.text;
        operands.positional.push_back(base);
      } else {
        reportUnknownAttribute(base, name);
      }
    } else if (!base.value.isPoison()) {
      callee.value = getAttribute(base, name, attribute->getRange());
      // What was meant for a function that is not there is not worth a message.
      if (callee.value.isPoison())
        return Value::poison();
    }
  } else {
    callee = evaluateOperand(*expr.getCallee());
  }
  bool complete = evaluateArguments(expr, operands);
  if (!complete || callee.value.isPoison())
    return Value::poison();
  return call(callee, operands);
}

bool Evaluator::evaluateArguments(const ast::CallExpr &expr, CallOperands &operands) {
  bool complete = true;
  for (const ast::Argument &argument : expr.getArguments()) {
    Operand operand = evaluateOperand(*argument.value);
    switch (argument.kind) {
    case ast::Argument::Kind::Positional:
      operands.positional.push_back(operand);
      break;
    case ast::Argument::Kind::Keyword:
      operands.keywords.push_back({argument.keyword, operand});
      break;
    case ast::Argument::Kind::Star:
      if (operand.value.is(Value::Kind::Tuple)) {
        for (const Value &element : operand.value.getElements())
          operands.positional.push_back({element, operand.range});
        complete &= spend(operand.value.getElements().size(), operand.range);
        break;
      }
      if (!operand.value.isPoison())
        report(operand.range, DiagId::star_argument, operand.value.describe());
      complete = false;
      break;
    case ast::Argument::Kind::DoubleStar:
      report(argument.range, DiagId::double_star_argument);
      complete = false;
      break;
    }
  }
  return complete;
}

Value Evaluator::call(Operand callee, CallOperands &operands) {
  switch (callee.value.getKind()) {
  case Value::Kind::Function:
    return callFunction(callee.value.getFunction(), operands);
  case Value::Kind::Builtin: {
    const Builtin &builtin = callee.value.getBuiltin();
    return builtin.handler(*this, builtin, operands);
  }
  case Value::Kind::Poison:
    return Value::poison();
  case Value::Kind::Foreign: {
    llvm::StringRef name = callee.value.getForeignName();
    if (name == "torch.device")
      return makeForeign("device");
    if (!reportTensorWork(name, callee.range))
      report(callee.range, DiagId::foreign_call, name);
    return Value::poison();
  }
  default: {
    DiagnosticBuilder builder = report(callee.range, DiagId::not_callable, callee.value.describe());
    if (callee.value.is(Value::Kind::Tensor))
      builder.hint("index it with `[...]`");
    return Value::poison();
  }
  }
}

//===------------------------------------------------------------------------===//
// Functions of the program
//===------------------------------------------------------------------------===//

Value Evaluator::callFunction(const Function &function, CallOperands &operands) {
  for (const Frame &frame : frames)
    if (frame.function->definition == function.definition &&
        frame.function->lambda == function.lambda && frame.function->scope == function.scope) {
      report(operands.range, DiagId::recursion, function.getName());
      return Value::poison();
    }
  if (frames.size() >= maxCalls)
    stop(operands.range, DiagId::calls_too_deep, maxCalls);
  // A call costs more memory than a step: its variables live as long as the evaluation.
  if (!spend(16 + function.getParams().size(), operands.range))
    return Value::poison();
  calledDefinitions.insert(function.definition);

  Scope &locals = makeScope(function.scope, function.definition);
  if (!bindArguments(function, operands, locals))
    return Value::poison();
  frames.push_back({&function, operands.range});
  Scope *caller = std::exchange(scope, &locals);
  llvm::scope_exit leave([&] {
    scope = caller;
    frames.pop_back();
  });
  for (const ast::Param &param : function.getParams()) {
    if (!param.annotation || param.kind == ast::Param::Kind::VarArgs)
      continue;
    Scope::Binding &binding = locals.bindings[param.name.text];
    if (binding.value.is(Value::Kind::None))
      continue;
    binding.value =
        checkAnnotation(param.annotation, {binding.value, binding.range}, param.name.text);
  }
  if (function.lambda) {
    Operand result = evaluateOperand(*function.lambda->getBody());
    returnRange = result.range;
    return result.value;
  }
  return finishCall(function, runBlock(function.definition->getBody()));
}

Value Evaluator::finishCall(const Function &function, Completion completion) {
  const ast::FunctionDefStmt &definition = *function.definition;
  if (completion.isPoison() || stopped)
    return Value::poison();
  if (completion.isOpen()) {
    returnRange = definition.getName().range;
    return Value::none();
  }
  if (!completion.isDone()) {
    report(definition.getName().range, DiagId::missing_return, function.getName());
    return Value::poison();
  }
  Operand result = *completion.last;
  result.value = checkAnnotation(definition.getReturnAnnotation(), result, function.getName());
  returnRange = result.range;
  return result.value;
}

bool Evaluator::bindArguments(const Function &function, CallOperands &operands, Scope &locals) {
  llvm::ArrayRef<ast::Param> params = function.getParams();
  llvm::SmallVector<Value> rest;
  auto refuse = [&](DiagnosticBuilder builder) {
    if (!library.contains(function.getRange()))
      builder.note(function.getRange(), DiagId::note_defined_here, function.getName());
    return false;
  };

  // By position.
  size_t next = 0, positions = 0;
  bool takesRest = false;
  for (const ast::Param &param : params) {
    takesRest |= param.kind == ast::Param::Kind::VarArgs;
    positions += param.kind == ast::Param::Kind::PositionalOnly ||
                 param.kind == ast::Param::Kind::Positional;
  }
  for (const Operand &operand : operands.positional) {
    if (next < positions) {
      locals.bindings[params[next++].name.text] = {operand.value, operand.range};
      continue;
    }
    if (!takesRest)
      return refuse(report(operand.range, DiagId::too_many_arguments, function.getName(),
                           count(positions, "argument"), operands.positional.size()));
    rest.push_back(operand.value);
  }

  // By name.
  llvm::SmallSetVector<llvm::StringRef, 8> names;
  for (const ast::Param &param : params)
    if (param.kind == ast::Param::Kind::Positional || param.kind == ast::Param::Kind::KeywordOnly)
      names.insert(param.name.text);
  for (const CallOperands::Keyword &keyword : operands.keywords) {
    llvm::StringRef name = keyword.name.text;
    if (!names.contains(name)) {
      NearestName nearest(name);
      for (llvm::StringRef candidate : names)
        nearest.consider(candidate);
      DiagnosticBuilder builder =
          report(keyword.name.range, DiagId::unknown_keyword, function.getName(), name);
      builder.hint(nearest.getQuestion());
      return refuse(builder);
    }
    bool isNew =
        locals.bindings.insert({name, {keyword.operand.value, keyword.operand.range}}).second;
    if (!isNew)
      return refuse(report(keyword.name.range, DiagId::argument_given_twice, function.getName(),
                           keyword.name.text));
  }

  // By default.
  for (auto [i, param] : llvm::enumerate(params)) {
    if (param.kind == ast::Param::Kind::VarArgs) {
      locals.bindings[param.name.text] = {makeTuple(rest, operands.range), operands.range};
      continue;
    }
    if (locals.bindings.count(param.name.text))
      continue;
    if (function.defaults[i].is(Value::Kind::Unassigned))
      return refuse(
          report(operands.range, DiagId::missing_argument, function.getName(), param.name.text));
    locals.bindings[param.name.text] = {function.defaults[i], param.defaultValue->getRange()};
  }
  return true;
}
