//===- EvaluateStatements.cpp - Statements and the paths through them -------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// An `if` on a run-time value runs both branches, each on its own copy of the variables, and then
// selects variable by variable. A block says under which condition it has returned, and what.
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Builtins.h"
#include "compiler/Frontend/Evaluator.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

using namespace attnc;

Evaluator::Completion Evaluator::runBlock(ast::Block block) {
  Completion total;
  llvm::scope_exit restore([this, before = conditionDepth] { conditionDepth = before; });
  for (const ast::Stmt *stmt : block) {
    if (!spend(1, stmt->getRange()))
      return total;
    join(total, runStatement(*stmt));
    if (total.isDone())
      break;
    // What follows an early return runs on some paths only.
    if (!total.isOpen())
      ++conditionDepth;
  }
  return total;
}

Evaluator::Completion Evaluator::runStatement(const ast::Stmt &stmt) {
  if (++depth > maxDepth)
    stop(stmt.getRange(), DiagId::evaluation_too_deep, maxDepth);
  llvm::scope_exit leave([this] { --depth; });
  if (stopped)
    return {};
  switch (stmt.getKind()) {
  case ast::Stmt::Kind::FunctionDef:
    runFunctionDef(llvm::cast<ast::FunctionDefStmt>(stmt));
    return {};
  case ast::Stmt::Kind::Assign:
    runAssign(llvm::cast<ast::AssignStmt>(stmt));
    return {};
  case ast::Stmt::Kind::AugAssign:
    runAugAssign(llvm::cast<ast::AugAssignStmt>(stmt));
    return {};
  case ast::Stmt::Kind::Decl:
    if (isModuleScope())
      runDeclaration(llvm::cast<ast::DeclStmt>(stmt));
    else
      runLocalDeclaration(llvm::cast<ast::DeclStmt>(stmt));
    return {};
  case ast::Stmt::Kind::If:
    return runIf(llvm::cast<ast::IfStmt>(stmt), /*clause=*/0);
  case ast::Stmt::Kind::For:
    return runFor(llvm::cast<ast::ForStmt>(stmt));
  case ast::Stmt::Kind::Return: {
    const ast::Expr *value = llvm::cast<ast::ReturnStmt>(stmt).getValue();
    return Completion::done(value ? evaluateOperand(*value)
                                  : Operand{Value::none(), stmt.getRange()});
  }
  case ast::Stmt::Kind::Pass:
    return {};
  case ast::Stmt::Kind::Assert:
    return runAssert(llvm::cast<ast::AssertStmt>(stmt)) ? Completion() : giveUp(stmt);
  case ast::Stmt::Kind::Raise:
    runRaise(llvm::cast<ast::RaiseStmt>(stmt));
    return giveUp(stmt);
  case ast::Stmt::Kind::Expr:
    evaluate(*llvm::cast<ast::ExprStmt>(stmt).getExpr());
    return {};
  case ast::Stmt::Kind::Import:
    runImport(llvm::cast<ast::ImportStmt>(stmt));
    return {};
  }
  llvm_unreachable("unknown statement");
}

//===------------------------------------------------------------------------===//
// Paths
//===------------------------------------------------------------------------===//

std::optional<Value> Evaluator::tryChoose(Value condition, Value value, Value other,
                                          SourceRange range) {
  if (value.isPoison() || other.isPoison() || condition.isPoison())
    return Value::poison();
  if (value.isIdenticalTo(other))
    return value;
  if (value.is(Value::Kind::Tuple) && other.is(Value::Kind::Tuple)) {
    llvm::ArrayRef<Value> a = value.getElements(), b = other.getElements();
    if (a.size() != b.size() || !spend(a.size(), range))
      return std::nullopt;
    llvm::SmallVector<Value> chosen;
    for (size_t i = 0; i < a.size(); ++i) {
      std::optional<Value> element = tryChoose(condition, a[i], b[i], range);
      if (!element)
        return std::nullopt;
      chosen.push_back(*element);
    }
    return makeTuple(chosen, range);
  }
  value = load(value, range);
  other = load(other, range);
  if (!value.isScalar() || !other.isScalar())
    return std::nullopt;
  bool isBool = value.isScalarOf(ScalarKind::Bool);
  if (isBool != other.isScalarOf(ScalarKind::Bool))
    return std::nullopt;
  return ops.select(condition, value, other, getUserRange(range));
}

Value Evaluator::choose(Value condition, Operand value, Operand other, SourceRange range) {
  if (std::optional<Value> chosen = tryChoose(condition, value.value, other.value, range))
    return *chosen;
  bool isNumber = value.value.isScalar() || other.value.isScalar();
  DiagnosticBuilder builder =
      report(range, isNumber ? DiagId::arms_differ : DiagId::choice_at_run_time,
             value.value.describe(), other.value.describe());
  if (!isNumber)
    builder.hint("choose between their results instead");
  else if (value.range.isValid() && other.range.isValid()) {
    builder.note(getUserRange(value.range), DiagId::note_this_is, value.value.describe());
    builder.note(getUserRange(other.range), DiagId::note_this_is, other.value.describe());
  }
  const Operand &boolean = value.value.isScalarOf(ScalarKind::Bool) ? value : other;
  if (value.value.isScalar() && other.value.isScalar() && boolean.range.isValid())
    suggestWrap(builder, "float", boolean.range);
  return Value::poison();
}

/// Makes `first` the completion of both, `second` running on the paths that go on. Later returns
/// are chosen before earlier ones are, so that these come first in what is emitted for a mask.
void Evaluator::join(Completion &first, Completion second) {
  if (first.isDone())
    return;
  if (!second.isDone()) {
    first.returns.append(second.returns.begin(), second.returns.end());
    return;
  }
  Operand result = *second.last;
  for (const Completion::Return &early : llvm::reverse(first.returns))
    result = {choose(early.condition, early.result, result, result.range), result.range};
  first = Completion::done(result);
}

Evaluator::Completion Evaluator::merge(Value condition, Completion taken, Completion other,
                                       SourceRange range) {
  if (taken.isDone() && other.isDone())
    return Completion::done(
        {choose(condition, *taken.last, *other.last, range), other.last->range});
  SourceRange place = getUserRange(range);
  Value otherwise = ops.logicalNot(condition, place);
  Completion both;
  auto add = [&](const Completion &branch, Value branchCondition, bool isAlone) {
    for (const Completion::Return &early : branch.returns) {
      // Behind a branch that always returns the other's condition is known.
      Value when =
          isAlone || early.condition.isPoison()
              ? early.condition
              : ops.bitwise(ast::BinaryOp::BitAnd, branchCondition, early.condition, place);
      both.returns.push_back({when, early.result});
    }
  };
  if (taken.isDone()) {
    both.returns.push_back({condition, *taken.last});
    add(other, otherwise, /*isAlone=*/true);
  } else if (other.isDone()) {
    both.returns.push_back({otherwise, *other.last});
    add(taken, condition, /*isAlone=*/true);
  } else {
    add(taken, condition, /*isAlone=*/false);
    add(other, otherwise, /*isAlone=*/false);
  }
  return both;
}

Evaluator::Bindings Evaluator::mergeBindings(Value condition, const Bindings &taken,
                                             const Bindings &other, SourceRange range) {
  Bindings merged;
  for (const auto &[name, binding] : taken) {
    Scope::Binding result = binding;
    const auto *match = other.find(name);
    if (match == other.end()) {
      result.value = Value::unassigned();
    } else if (!binding.value.isIdenticalTo(match->second.value)) {
      std::optional<Value> chosen =
          binding.value.isPoison() || match->second.value.isPoison() ? Value::poison()
          : binding.value.is(Value::Kind::Unassigned) ||
                  match->second.value.is(Value::Kind::Unassigned)
              ? std::nullopt
              : tryChoose(condition, binding.value, match->second.value, range);
      result.value = chosen.value_or(Value::unassigned());
    }
    merged[name] = result;
  }
  for (const auto &[name, binding] : other)
    if (!taken.count(name))
      merged[name] = {Value::unassigned(), binding.range};
  return merged;
}

Evaluator::Completion Evaluator::runIf(const ast::IfStmt &stmt, size_t clause) {
  if (clause == stmt.getClauses().size())
    return runBlock(stmt.getElseBody());
  const ast::IfStmt::Clause &branch = stmt.getClauses()[clause];
  Value value = condition(evaluateOperand(*branch.condition));
  if (value.is(Value::Kind::Bool))
    return value.getBool() ? runBlock(branch.body) : runIf(stmt, clause + 1);
  if (value.isRuntime())
    return runIfAtRunTime(stmt, clause, value, branch.range);
  // Neither branch can be trusted to be meant.
  for (size_t i = clause; i < stmt.getClauses().size(); ++i)
    poison(stmt.getClauses()[i].body);
  poison(stmt.getElseBody());
  Completion unknown;
  unknown.returns.push_back({Value::poison(), {Value::poison(), stmt.getRange()}});
  return unknown;
}

Evaluator::Completion Evaluator::runIfAtRunTime(const ast::IfStmt &stmt, size_t clause,
                                                Value condition, SourceRange range) {
  if (isModuleScope()) {
    report(stmt.getClauses()[clause].condition->getRange(), DiagId::module_condition);
    for (size_t i = clause; i < stmt.getClauses().size(); ++i)
      poison(stmt.getClauses()[i].body);
    poison(stmt.getElseBody());
    return {};
  }
  // Each clause nests in the one before it.
  if (++depth > maxDepth)
    stop(range, DiagId::evaluation_too_deep, maxDepth);
  llvm::scope_exit leave([this] { --depth; });
  if (!spend(2 * scope->bindings.size(), range))
    return {};
  ++conditionDepth;
  Bindings before = scope->bindings;
  Completion taken = runBlock(stmt.getClauses()[clause].body);
  Bindings after = std::exchange(scope->bindings, std::move(before));
  Completion other = runIf(stmt, clause + 1);
  --conditionDepth;
  if (other.isDone())
    scope->bindings = std::move(after);
  else if (!taken.isDone())
    scope->bindings = mergeBindings(condition, after, scope->bindings, range);
  return merge(condition, taken, other, range);
}

Evaluator::Completion Evaluator::runFor(const ast::ForStmt &stmt) {
  const ast::Expr &iterable = *stmt.getIterable();
  Value value = evaluate(iterable);
  if (!value.is(Value::Kind::Tuple)) {
    if (!value.isPoison())
      report(iterable.getRange(), DiagId::not_iterable, value.describe());
    assign(*stmt.getTarget(), {Value::poison(), iterable.getRange()}, /*isRebinding=*/true);
    poison(stmt.getBody());
    return {};
  }
  Completion total;
  llvm::scope_exit restore([this, before = conditionDepth] { conditionDepth = before; });
  for (const Value &element : value.getElements()) {
    if (!spend(1, stmt.getRange()))
      break;
    assign(*stmt.getTarget(), {element, iterable.getRange()}, /*isRebinding=*/true);
    join(total, runBlock(stmt.getBody()));
    if (total.isDone())
      break;
    if (!total.isOpen())
      ++conditionDepth;
  }
  return total;
}

void Evaluator::poison(ast::Block block) {
  forEachBoundName(block, [&](llvm::StringRef name, SourceRange range) {
    bind(name, Value::poison(), range, /*isRebinding=*/true);
  });
}

//===------------------------------------------------------------------------===//
// Assignments
//===------------------------------------------------------------------------===//

void Evaluator::bind(llvm::StringRef name, Value value, SourceRange range, bool isRebinding) {
  if (isModuleScope() && !isRebinding) {
    auto *previous = scope->bindings.find(name);
    if (previous != scope->bindings.end()) {
      report(range, DiagId::already_defined, name)
          .note(previous->second.range, DiagId::note_defined_here, name);
      return;
    }
    if (!checkDeclarable(name, range))
      return;
  }
  scope->bindings[name] = {value, range};
}

void Evaluator::assign(const ast::Expr &target, Operand value, bool isRebinding) {
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(&target)) {
    bind(name->getName(), value.value, name->getRange(), isRebinding);
    return;
  }
  if (const auto *attribute = llvm::dyn_cast<ast::AttributeExpr>(&target)) {
    // Naming a function as functools would means nothing here.
    if (attribute->getName().text.starts_with("__"))
      return;
    report(target.getRange(), DiagId::attribute_assignment, attribute->getName().text);
    return;
  }
  const auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&target);
  if (!tuple)
    return;
  size_t count = tuple->getElements().size();
  llvm::SmallVector<Value> parts(count, Value::poison());
  if (value.value.is(Value::Kind::Tuple)) {
    llvm::ArrayRef<Value> elements = value.value.getElements();
    if (elements.size() == count)
      parts.assign(elements.begin(), elements.end());
    else
      report(value.range, DiagId::unpack_count, count, elements.size());
  } else if (!value.value.isPoison()) {
    report(value.range, DiagId::unpack_type, count, value.value.describe());
  }
  for (size_t i = 0; i < count; ++i)
    assign(*tuple->getElements()[i], {parts[i], value.range}, isRebinding);
}

void Evaluator::runAssign(const ast::AssignStmt &stmt) {
  Operand value = evaluateOperand(*stmt.getValue());
  if (isModuleScope() && stmt.getTargets().size() == 1)
    if (const auto *name = llvm::dyn_cast<ast::NameExpr>(stmt.getTargets()[0])) {
      value.value = override(name->getName(), name->getRange(), value.value);
      if (name->getName() == "scale")
        setScale(value);
    }
  for (const ast::Expr *target : stmt.getTargets())
    assign(*target, value);
}

void Evaluator::runAugAssign(const ast::AugAssignStmt &stmt) {
  const ast::NameExpr &target = *stmt.getTarget();
  Operand before = evaluateOperand(target);
  Operand change = evaluateOperand(*stmt.getValue());
  std::string spelling = ast::getSpelling(stmt.getOp()).str() + "=";
  Value after = binary(stmt.getOp(), before, change, stmt.getRange(), spelling);
  bind(target.getName(), after, target.getRange(), /*isRebinding=*/true);
}

void Evaluator::runLocalDeclaration(const ast::DeclStmt &stmt) {
  if (!stmt.getValue()) {
    // A bare annotation of Python declares nothing.
    if (!getDeclaredType(*stmt.getAnnotation()))
      return;
    report(stmt.getRange(), DiagId::argument_in_function, stmt.getName().text);
    bind(stmt.getName().text, Value::poison(), stmt.getName().range);
    return;
  }
  Operand value = evaluateOperand(*stmt.getValue());
  value.value = checkAnnotation(stmt.getAnnotation(), value, stmt.getName().text);
  bind(stmt.getName().text, value.value, stmt.getName().range);
}

void Evaluator::runFunctionDef(const ast::FunctionDefStmt &stmt) {
  // A function whose text has errors is not worth a second message.
  Value function = diagnostics.hasErrorIn(stmt.getRange()) && isModuleScope()
                       ? Value::poison()
                       : makeFunction(&stmt, nullptr, stmt.getParams());
  bind(stmt.getName().text, function, stmt.getName().range);
}

//===------------------------------------------------------------------------===//
// Checks and imports
//===------------------------------------------------------------------------===//

/// The text of a message of `assert` or `raise`, as well as it is known.
static std::string getMessage(const ast::Expr *expr) {
  if (!expr)
    return {};
  if (const auto *call = llvm::dyn_cast<ast::CallExpr>(expr))
    if (call->getArguments().size() == 1)
      if (const auto *text = llvm::dyn_cast<ast::StringLiteral>(call->getArguments()[0].value))
        return text->getValue().str();
  if (const auto *text = llvm::dyn_cast<ast::StringLiteral>(expr))
    return text->getValue().str();
  return expr->getRange().text().str();
}

/// What follows a failed check in a function says nothing more; a file goes on.
Evaluator::Completion Evaluator::giveUp(const ast::Stmt &stmt) {
  return isModuleScope() ? Completion() : Completion::done({Value::poison(), stmt.getRange()});
}

bool Evaluator::runAssert(const ast::AssertStmt &stmt) {
  Value holds = condition(evaluateOperand(*stmt.getCondition()));
  if (holds.isRuntime())
    report(stmt.getCondition()->getRange(), DiagId::assert_at_run_time);
  if (!holds.is(Value::Kind::Bool) || holds.getBool())
    return true;
  std::string message = getMessage(stmt.getMessage());
  if (message.empty())
    message = stmt.getCondition()->getRange().text().str();
  report(stmt.getCondition()->getRange(), DiagId::assert_failed, message);
  return false;
}

void Evaluator::runRaise(const ast::RaiseStmt &stmt) {
  if (conditionDepth != 0) {
    report(stmt.getRange(), DiagId::raise_at_run_time);
    return;
  }
  std::string message = getMessage(stmt.getValue());
  report(stmt.getRange(), DiagId::raised, message.empty() ? "no message" : message);
}

void Evaluator::runImport(const ast::ImportStmt &stmt) {
  for (const ast::ImportStmt::Alias &alias : stmt.getAliases()) {
    if (alias.name.text == "*")
      continue;
    llvm::StringRef module = stmt.isFrom() ? stmt.getModule().text : alias.name.text;
    llvm::StringRef root = module.split('.').first;
    ModuleKind kind = root == "math"    ? ModuleKind::Math
                      : root == "torch" ? ModuleKind::Torch
                                        : ModuleKind::Typing;
    ast::Name bound = alias.asName.text.empty() ? alias.name : alias.asName;
    Value value = Value::module(kind);
    if (stmt.isFrom() && alias.name.text != "functional" && alias.name.text != "nn") {
      std::optional<Value> found =
          kind == ModuleKind::Typing ? std::nullopt : findModuleAttribute(kind, alias.name.text);
      if (!found)
        found = lookupPredefined(alias.name.text, alias.name.range);
      if (!found && library.find(alias.name.text))
        found = getLibraryScope().bindings[alias.name.text].value;
      value = found ? *found : makeForeign(alias.name.text);
    }
    bind(bound.text.split('.').first, value, bound.range, /*isRebinding=*/true);
  }
}
