//===- EvaluateExpressions.cpp - Expressions other than operators and calls -===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Builtins.h"
#include "compiler/Frontend/Evaluator.h"
#include "compiler/Frontend/NearestName.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace attnc;

Value Evaluator::evaluate(const ast::Expr &expr) {
  if (++depth > maxDepth)
    stop(expr.getRange(), DiagId::evaluation_too_deep, maxDepth);
  llvm::scope_exit leave([this] { --depth; });
  if (!spend(1, expr.getRange()))
    return Value::poison();
  return dispatch(expr);
}

Value Evaluator::dispatch(const ast::Expr &expr) {
  switch (expr.getKind()) {
  case ast::Expr::Kind::IntLiteral:
    return Value::integer(llvm::cast<ast::IntLiteral>(expr).getValue());
  case ast::Expr::Kind::FloatLiteral:
    return Value::real(llvm::cast<ast::FloatLiteral>(expr).getValue());
  case ast::Expr::Kind::BoolLiteral:
    return Value::boolean(llvm::cast<ast::BoolLiteral>(expr).getValue());
  case ast::Expr::Kind::NoneLiteral:
    return Value::none();
  case ast::Expr::Kind::EllipsisLiteral:
    return makeForeign("...");
  case ast::Expr::Kind::StringLiteral:
    return makeString(llvm::cast<ast::StringLiteral>(expr).getValue());
  case ast::Expr::Kind::Name:
    return lookup(llvm::cast<ast::NameExpr>(expr).getName(), expr.getRange());
  case ast::Expr::Kind::Tuple:
    return evaluateElements(llvm::cast<ast::TupleExpr>(expr).getElements(), expr.getRange());
  case ast::Expr::Kind::List:
    return evaluateElements(llvm::cast<ast::ListExpr>(expr).getElements(), expr.getRange());
  case ast::Expr::Kind::Unary: {
    const auto &operation = llvm::cast<ast::UnaryExpr>(expr);
    return unary(operation.getOp(), evaluateOperand(*operation.getOperand()), expr.getRange());
  }
  case ast::Expr::Kind::Binary:
    return evaluateBinary(llvm::cast<ast::BinaryExpr>(expr), /*parent=*/nullptr);
  case ast::Expr::Kind::Bool:
    return evaluateBool(llvm::cast<ast::BoolExpr>(expr));
  case ast::Expr::Kind::Compare:
    return evaluateCompare(llvm::cast<ast::CompareExpr>(expr));
  case ast::Expr::Kind::Conditional:
    return evaluateConditional(llvm::cast<ast::ConditionalExpr>(expr));
  case ast::Expr::Kind::Call:
    return evaluateCall(llvm::cast<ast::CallExpr>(expr));
  case ast::Expr::Kind::Subscript:
    return evaluateSubscript(llvm::cast<ast::SubscriptExpr>(expr));
  case ast::Expr::Kind::Slice:
    return Value::poison();
  case ast::Expr::Kind::Attribute:
    return evaluateAttribute(llvm::cast<ast::AttributeExpr>(expr));
  case ast::Expr::Kind::Lambda:
    return evaluateLambda(llvm::cast<ast::LambdaExpr>(expr));
  case ast::Expr::Kind::Comprehension:
    return evaluateComprehension(llvm::cast<ast::ComprehensionExpr>(expr));
  }
  llvm_unreachable("unknown expression");
}

Value Evaluator::evaluateElements(llvm::ArrayRef<const ast::Expr *> elements, SourceRange range) {
  llvm::SmallVector<Value> values;
  for (const ast::Expr *element : elements) {
    values.push_back(evaluate(*element));
    if (values.back().is(Value::Kind::Unassigned))
      values.back() = Value::poison();
  }
  return makeTuple(values, range);
}

Value Evaluator::evaluateLambda(const ast::LambdaExpr &expr) {
  return makeFunction(nullptr, &expr, expr.getParams());
}

Value Evaluator::evaluateConditional(const ast::ConditionalExpr &expr) {
  Value chosen = condition(evaluateOperand(*expr.getCondition()));
  if (chosen.isPoison())
    return Value::poison();
  if (chosen.is(Value::Kind::Bool))
    return evaluate(chosen.getBool() ? *expr.getTrueValue() : *expr.getFalseValue());
  ++conditionDepth;
  Operand taken = evaluateOperand(*expr.getTrueValue());
  Operand other = evaluateOperand(*expr.getFalseValue());
  --conditionDepth;
  return choose(chosen, taken, other, expr.getRange());
}

//===------------------------------------------------------------------------===//
// Subscripts
//===------------------------------------------------------------------------===//

static bool isWholeSlice(const ast::Expr *expr) {
  const auto *slice = llvm::dyn_cast<ast::SliceExpr>(expr);
  return slice && !slice->getLower() && !slice->getUpper() && !slice->getStep();
}

Value Evaluator::evaluateSubscript(const ast::SubscriptExpr &expr) {
  Operand base = evaluateOperand(*expr.getBase());
  if (base.value.isPoison())
    return Value::poison();
  llvm::ArrayRef<const ast::Expr *> written = expr.getIndices();
  if (base.value.is(Value::Kind::Tuple) && written.size() == 1)
    if (const auto *slice = llvm::dyn_cast<ast::SliceExpr>(written[0]))
      return evaluateSlice(base, *slice, expr.getRange());
  // `t[i, :]` and `t[i, ...]` are the row `t[i]`.
  while (!written.empty() &&
         (isWholeSlice(written.back()) || llvm::isa<ast::EllipsisLiteral>(written.back())))
    written = written.drop_back();
  llvm::SmallVector<Operand> indices;
  for (const ast::Expr *index : written) {
    if (llvm::isa<ast::SliceExpr>(index) || llvm::isa<ast::EllipsisLiteral>(index) ||
        llvm::isa<ast::NoneLiteral>(index)) {
      report(index->getRange(), DiagId::tensor_slice, base.value.describe());
      return Value::poison();
    }
    Operand operand = evaluateOperand(*index);
    // `t[(i, j)]` is `t[i, j]`.
    if (operand.value.is(Value::Kind::Tuple) && base.value.is(Value::Kind::Tensor)) {
      for (const Value &element : operand.value.getElements())
        indices.push_back({element, operand.range});
      continue;
    }
    indices.push_back(operand);
  }
  return index(base, indices, expr.getRange());
}

std::optional<int64_t> Evaluator::evaluateSliceBound(const ast::Expr *expr, bool &failed) {
  if (!expr)
    return std::nullopt;
  Operand bound = evaluateOperand(*expr);
  if (bound.value.is(Value::Kind::None))
    return std::nullopt;
  if (bound.value.is(Value::Kind::Int))
    return bound.value.getInt();
  failed = true;
  if (!bound.value.isPoison())
    report(bound.range, DiagId::slice_bound,
           bound.value.isRuntime() ? std::string("a value known at run time only")
                                   : bound.value.describe());
  return std::nullopt;
}

Value Evaluator::evaluateSlice(Operand base, const ast::SliceExpr &slice, SourceRange range) {
  bool failed = false;
  std::optional<int64_t> lower = evaluateSliceBound(slice.getLower(), failed);
  std::optional<int64_t> upper = evaluateSliceBound(slice.getUpper(), failed);
  int64_t step = evaluateSliceBound(slice.getStep(), failed).value_or(1);
  if (failed)
    return Value::poison();
  if (step == 0) {
    report(slice.getStep()->getRange(), DiagId::zero_step);
    return Value::poison();
  }
  llvm::ArrayRef<Value> elements = base.value.getElements();
  auto size = static_cast<int64_t>(elements.size());
  // Bounds as Python takes them: from the end if negative, then held to the tuple.
  int64_t first = step > 0 ? 0 : -1, last = step > 0 ? size : size - 1;
  auto place = [&](std::optional<int64_t> bound, int64_t absent) {
    if (!bound)
      return absent;
    int64_t at = *bound < 0 ? (*bound < -size ? -1 : *bound + size) : *bound;
    return std::clamp(at, first, last);
  };
  int64_t begin = place(lower, step > 0 ? first : last);
  int64_t end = place(upper, step > 0 ? last : first);
  // No step leads further than out of the tuple.
  step = std::clamp(step, -size - 1, size + 1);
  llvm::SmallVector<Value> taken;
  for (int64_t i = begin; step > 0 ? i < end : i > end; i += step)
    taken.push_back(elements[i]);
  return makeTuple(taken, range);
}

//===------------------------------------------------------------------------===//
// Attributes
//===------------------------------------------------------------------------===//

Value Evaluator::evaluateAttribute(const ast::AttributeExpr &expr) {
  // `self.window`: the object stayed in Python.
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(expr.getBase()))
    if (isObject(*name)) {
      report(expr.getRange(), DiagId::object_attribute, expr.getName().text, name->getName());
      return Value::poison();
    }
  Operand base = evaluateOperand(*expr.getBase());
  if (base.value.isPoison())
    return Value::poison();
  return getAttribute(base, expr.getName(), expr.getRange());
}

bool Evaluator::isObject(const ast::NameExpr &name) const {
  static const llvm::StringRef usual[] = {"self", "cls",    "config", "cfg",
                                          "args", "module", "model"};
  if (!llvm::is_contained(usual, name.getName()))
    return false;
  for (Scope *inner = scope; inner; inner = inner->parent)
    if (inner->bindings.count(name.getName()))
      return false;
  return true;
}

std::optional<Value> Evaluator::findModuleAttribute(ModuleKind module, llvm::StringRef name) {
  if (module == ModuleKind::Typing)
    return makeForeign(name);
  if (const Builtin *builtin = findBuiltin(module == ModuleKind::Torch ? InTorch : InMath, name))
    return Value::builtin(builtin);
  if (std::optional<double> constant = findConstant(name))
    return Value::real(*constant);
  if (module == ModuleKind::Math)
    return std::nullopt;
  if (std::optional<ElementType> type = findTorchType(name))
    return Value::type(*type);
  static const llvm::StringRef submodules[] = {"nn", "functional", "special"};
  if (llvm::is_contained(submodules, name))
    return Value::module(ModuleKind::Torch);
  // Names that stand in annotations and calls without meaning anything here.
  static const llvm::StringRef foreign[] = {
      "Tensor",      "device",    "dtype",      "float64",    "double",
      "Size",        "cuda",      "BoolTensor", "LongTensor", "IntTensor",
      "FloatTensor", "complex64", "compile",    "attention",  "flex_attention"};
  if (llvm::is_contained(foreign, name))
    return makeForeign(("torch." + name).str());
  return std::nullopt;
}

Value Evaluator::getModuleAttribute(ModuleKind module, ast::Name name, SourceRange range) {
  if (std::optional<Value> value = findModuleAttribute(module, name.text))
    return *value;
  llvm::StringRef moduleName = module == ModuleKind::Torch ? "torch" : "math";
  if (module == ModuleKind::Torch && reportTensorWork(name.text, range))
    return Value::poison();
  if (!isNews(name.range, DiagId::unknown_function))
    return Value::poison();
  NearestName nearest(name.text);
  forEachBuiltinName(module == ModuleKind::Torch ? InTorch : InMath,
                     [&](llvm::StringRef candidate) { nearest.consider(candidate); });
  DiagnosticBuilder builder = report(name.range, DiagId::unknown_function, moduleName, name.text);
  builder.hint(nearest.getQuestion());
  return Value::poison();
}

bool Evaluator::reportTensorWork(llvm::StringRef name, SourceRange range) {
  switch (classifyTensorWork(name)) {
  case TensorWork::None:
    return false;
  case TensorWork::Construction:
    report(range, DiagId::tensor_work, name);
    return true;
  case TensorWork::Reduction:
    report(range, DiagId::reduction, name);
    return true;
  }
  return false;
}

/// An attribute of torch.finfo or torch.iinfo.
static std::optional<Value> getLimit(ElementType type, llvm::StringRef name) {
  if (!isFloat(type)) {
    auto [least, largest] = getIntegerLimits(type);
    if (name == "min")
      return Value::integer(least);
    if (name == "max")
      return Value::integer(largest);
    return std::nullopt;
  }
  // Of the significand with its hidden bit, and of the exponents.
  int digits = type == ElementType::F32 ? 24 : type == ElementType::F16 ? 11 : 8;
  int largest = type == ElementType::F16 ? 15 : 127;
  double max = std::ldexp(2.0 - std::ldexp(1.0, 1 - digits), largest);
  if (name == "max")
    return Value::real(max);
  if (name == "min")
    return Value::real(-max);
  if (name == "eps")
    return Value::real(std::ldexp(1.0, 1 - digits));
  if (name == "tiny" || name == "smallest_normal")
    return Value::real(std::ldexp(1.0, 1 - largest));
  return std::nullopt;
}

Value Evaluator::getAttribute(Operand base, ast::Name name, SourceRange range) {
  llvm::StringRef text = name.text;
  switch (base.value.getKind()) {
  case Value::Kind::Module:
    return getModuleAttribute(base.value.getModule(), name, range);
  case Value::Kind::Foreign:
    return makeForeign((base.value.getForeignName() + "." + text).str());
  case Value::Kind::Limits:
    if (std::optional<Value> limit = getLimit(base.value.getType(), text))
      return *limit;
    break;
  case Value::Kind::Function:
    if (text == "__name__")
      return makeString(base.value.getFunction().getName());
    break;
  case Value::Kind::Tensor: {
    const TensorRef &tensor = base.value.getTensor();
    if (text == "shape")
      return getShape(tensor, range);
    if (text == "ndim")
      return Value::integer(tensor.getRank());
    if (text == "dtype")
      return Value::type(tensor.declaration->type);
    if (text == "device")
      return makeForeign("device");
    break;
  }
  default:
    if (!base.value.isScalar())
      break;
    if (text == "shape")
      return makeTuple({}, range);
    if (text == "ndim")
      return Value::integer(0);
    if (text == "device")
      return makeForeign("device");
    if (text == "dtype")
      return Value::type(getStorageType(base.value));
    break;
  }
  reportUnknownAttribute(base, name);
  return Value::poison();
}

void Evaluator::reportUnknownAttribute(Operand base, ast::Name name) {
  bool isMethod = findBuiltin(InMethods, name.text) != nullptr;
  if (isMethod && (base.value.isScalar() || base.value.is(Value::Kind::Tensor))) {
    report(name.range, DiagId::method_not_called, name.text);
    return;
  }
  if (base.value.is(Value::Kind::Tensor) && reportTensorWork(name.text, name.range))
    return;
  if (!isNews(name.range, DiagId::unknown_attribute))
    return;
  NearestName nearest(name.text);
  forEachBuiltinName(InMethods, [&](llvm::StringRef candidate) { nearest.consider(candidate); });
  for (llvm::StringRef attribute : {"shape", "ndim", "dtype", "device"})
    nearest.consider(attribute);
  DiagnosticBuilder builder =
      report(name.range, DiagId::unknown_attribute, base.value.describe(), name.text);
  if (base.value.isScalar() || base.value.is(Value::Kind::Tensor))
    builder.hint(nearest.getQuestion());
}
