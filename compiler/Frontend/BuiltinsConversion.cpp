//===- BuiltinsConversion.cpp - Conversions, constructors, tensor queries ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Builtins.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <limits>

using namespace attnc;

/// `value` as torch's `.to(type)` makes it: rounded through a float type, kept by integer types.
static Value convert(Evaluator &evaluator, Value value, ElementType type, SourceRange place) {
  ScalarOps &ops = evaluator.getOps();
  switch (getScalarKind(type)) {
  case ScalarKind::Int:
    return ops.toInt(value, place);
  case ScalarKind::Bool:
    return ops.toBool(value, place);
  case ScalarKind::Float:
    return ops.round(ops.toFloat(value, place), type, place);
  }
  return value;
}

static bool isRow(const Operand &operand) {
  return operand.value.is(Value::Kind::Tensor) && operand.value.getTensor().getRank() > 0;
}

/// Whether converting a tensor to `type` changes none of the values that its loads give.
static bool keepsElements(const Operand &tensor, ElementType type) {
  ElementType stored = tensor.value.getTensor().declaration->type;
  if (getScalarKind(stored) != getScalarKind(type))
    return false;
  return getScalarKind(type) != ScalarKind::Float || type == ElementType::F32 || type == stored;
}

/// Converts a number, or a tensor whose values the conversion keeps.
static Value convertOperand(Evaluator &evaluator, Operand operand, ElementType type,
                            CallOperands &operands) {
  if (isRow(operand) && keepsElements(operand, type))
    return operand.value;
  if (!evaluator.requireScalar(operand, operands.name))
    return Value::poison();
  return convert(evaluator, operand.value, type, evaluator.getUserRange(operands.range));
}

static bool isDouble(const Value &value) {
  return value.is(Value::Kind::Foreign) &&
         (value.getForeignName() == "torch.float64" || value.getForeignName() == "torch.double");
}

/// The type a `dtype` argument names: `otherwise` if it was left out, nothing (reported) if it is
/// no type that numbers can have.
static std::optional<ElementType> getTypeArgument(Evaluator &evaluator, Operand type,
                                                  ElementType otherwise) {
  if (!type.range.isValid() || type.value.is(Value::Kind::None))
    return otherwise;
  if (std::optional<ElementType> named = evaluator.getNamedType(type.value))
    return named;
  if (isDouble(type.value))
    evaluator.report(type.range, DiagId::no_double);
  else
    evaluator.report(type.range, DiagId::operand_type, "dtype", "a type", type.value.describe());
  return std::nullopt;
}

//===------------------------------------------------------------------------===//
// int, float, bool and their methods
//===------------------------------------------------------------------------===//

static Value callInt(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  return convertOperand(evaluator, arranged->front(), ElementType::I64, operands);
}

static Value callBool(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  return convertOperand(evaluator, arranged->front(), ElementType::Bool, operands);
}

/// The number that a string stands for in `float("-inf")`.
static std::optional<double> parseFloat(llvm::StringRef text) {
  text = text.trim();
  double sign = 1;
  if (text.consume_front("-"))
    sign = -1;
  else
    text.consume_front("+");
  std::string lower = text.lower();
  if (lower == "inf" || lower == "infinity")
    return sign * std::numeric_limits<double>::infinity();
  if (lower == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  double value;
  if (lower.empty() || !(llvm::isDigit(lower[0]) || lower[0] == '.') ||
      llvm::StringRef(lower).getAsDouble(value))
    return std::nullopt;
  return sign * value;
}

static Value callFloat(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  const Operand &operand = arranged->front();
  if (operand.value.is(Value::Kind::String)) {
    if (std::optional<double> value = parseFloat(operand.value.getString()))
      return Value::real(*value);
    evaluator.report(operand.range, DiagId::not_a_float, operand.range.text());
    return Value::poison();
  }
  return convertOperand(evaluator, operand, ElementType::F32, operands);
}

static Value callHalf(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  return convertOperand(evaluator, arranged->front(),
                        builtin.name == "half" ? ElementType::F16 : ElementType::BF16, operands);
}

static Value callDouble(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  evaluator.report(operands.range, DiagId::no_double);
  return Value::poison();
}

/// `x.to(type)`, `x.to(device)`, `x.to(device, type)`, `x.to(other)`, `x.type(type)`.
static Value callTo(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  std::optional<ElementType> type;
  for (const Operand &operand : llvm::drop_begin(*arranged)) {
    if (!operand.range.isValid())
      continue;
    if (isDouble(operand.value)) {
      evaluator.report(operand.range, DiagId::no_double);
      return Value::poison();
    }
    if (std::optional<ElementType> named = evaluator.getNamedType(operand.value))
      type = named;
    else if (operand.value.isScalar() && !operand.value.isConstant())
      type = getStorageType(operand.value);
  }
  return type ? convertOperand(evaluator, arranged->front(), *type, operands)
              : arranged->front().value;
}

static Value callTypeAs(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  Operand other = (*arranged)[1];
  if (other.value.is(Value::Kind::Tensor))
    return convertOperand(evaluator, arranged->front(), other.value.getTensor().declaration->type,
                          operands);
  if (!evaluator.requireScalar(other, operands.name))
    return Value::poison();
  return convertOperand(evaluator, arranged->front(), getStorageType(other.value), operands);
}

/// Methods that say where a tensor lies, or that make a copy.
static Value callIdentity(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  return arranged ? arranged->front().value : Value::poison();
}

static Value callItem(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  const Operand &object = operands.positional.front();
  DiagnosticBuilder builder = evaluator.report(operands.range, DiagId::item_call);
  std::string text = object.range.text().str();
  if (!isRow(object)) {
    SourceRange call = {operands.range.file, object.range.end, operands.range.end};
    evaluator.suggest(builder, "write `" + text + "`", {Edit{call, ""}});
  } else {
    builder.hint("index it: `" + text + "[0]`");
  }
  return Value::poison();
}

//===------------------------------------------------------------------------===//
// Constructors of scalars
//===------------------------------------------------------------------------===//

/// Whether a size is that of a scalar: `()`, or left out.
static bool isScalarSize(Evaluator &evaluator, Operand size, CallOperands &operands) {
  if (!size.range.isValid() ||
      (size.value.is(Value::Kind::Tuple) && size.value.getElements().empty()))
    return true;
  evaluator.report(operands.range, DiagId::tensor_work, operands.name);
  return false;
}

/// torch.tensor(c), torch.as_tensor(c), x.new_tensor(c).
static Value callTensor(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  size_t first = builtin.namespaces & InMethods ? 1 : 0;
  Operand value = (*arranged)[first], type = (*arranged)[first + 1];
  if (value.value.is(Value::Kind::Tuple)) {
    evaluator.report(operands.range, DiagId::tensor_work, operands.name);
    return Value::poison();
  }
  if (!evaluator.requireScalar(value, operands.name))
    return Value::poison();
  std::optional<ElementType> named = getTypeArgument(evaluator, type, getStorageType(value.value));
  return named ? convert(evaluator, value.value, *named, evaluator.getUserRange(operands.range))
               : Value::poison();
}

/// The type of what a constructor is like.
static std::optional<ElementType> getTypeOfLike(Evaluator &evaluator, Operand like,
                                                CallOperands &operands) {
  if (like.value.is(Value::Kind::Tensor)) {
    if (!isRow(like))
      return like.value.getTensor().declaration->type;
    evaluator.report(operands.range, DiagId::tensor_work, operands.name);
    return std::nullopt;
  }
  if (!evaluator.requireScalar(like, operands.name))
    return std::nullopt;
  return getStorageType(like.value);
}

/// zeros, ones and full, alone, with `_like` and with `new_`.
static Value callFull(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  llvm::ArrayRef<Operand> rest = *arranged;
  bool isLike = builtin.name.ends_with("_like"), isNew = builtin.name.starts_with("new_");
  std::optional<ElementType> type;
  if (isLike || isNew) {
    type = getTypeOfLike(evaluator, rest.front(), operands);
    if (!type)
      return Value::poison();
    rest = rest.drop_front();
  }
  if (!isLike) {
    if (!isScalarSize(evaluator, rest.front(), operands))
      return Value::poison();
    rest = rest.drop_front();
  }
  Operand value = {builtin.name.contains("ones") ? Value::integer(1) : Value::integer(0), {}};
  if (builtin.name.contains("full")) {
    value = rest.front();
    rest = rest.drop_front();
    if (!evaluator.requireScalar(value, operands.name))
      return Value::poison();
    if (!type)
      type = getStorageType(value.value);
  }
  type = getTypeArgument(evaluator, rest.front(), type.value_or(ElementType::F32));
  return type ? convert(evaluator, value.value, *type, evaluator.getUserRange(operands.range))
              : Value::poison();
}

//===------------------------------------------------------------------------===//
// Questions
//===------------------------------------------------------------------------===//

/// `t.size()`, `t.size(0)`.
static Value callSize(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  const Operand &object = (*arranged)[0];
  Value shape = object.value.is(Value::Kind::Tensor)
                    ? evaluator.getShape(object.value.getTensor(), operands.range)
                    : evaluator.makeTuple({}, operands.range);
  if (!(*arranged)[1].range.isValid())
    return shape;
  return evaluator.index({shape, object.range}, (*arranged)[1], operands.range);
}

static Value callNumElements(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  const Operand &object = arranged->front();
  return object.value.is(Value::Kind::Tensor)
             ? evaluator.getNumElements(object.value.getTensor(), operands.range)
             : Value::integer(1);
}

static Value callRank(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  const Operand &object = arranged->front();
  return Value::integer(object.value.is(Value::Kind::Tensor) ? object.value.getTensor().getRank()
                                                             : 0);
}

/// torch.finfo(type), torch.iinfo(type).
static Value callLimits(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  std::optional<ElementType> type = getTypeArgument(evaluator, arranged->front(), ElementType::F32);
  if (!type)
    return Value::poison();
  bool fits = builtin.name == "finfo" ? isFloat(*type) : isInteger(*type);
  if (!fits) {
    evaluator.report(arranged->front().range, DiagId::operand_type, operands.name,
                     builtin.name == "finfo" ? "a float type" : "an integer type",
                     "`" + getName(*type) + "`");
    return Value::poison();
  }
  return Value::limits(*type);
}

//===------------------------------------------------------------------------===//
// The table
//===------------------------------------------------------------------------===//

llvm::ArrayRef<Builtin> attnc::getConversionBuiltins() {
  static const Builtin rows[] = {
      {"int", InPlain | InMethods, callInt, "x|input"},
      {"float", InPlain | InMethods, callFloat, "x|input"},
      {"bool", InPlain | InMethods, callBool, "x|input"},
      {"long", InMethods, callInt, "x"},
      {"short", InMethods, callInt, "x"},
      {"half", InMethods, callHalf, "x"},
      {"bfloat16", InMethods, callHalf, "x"},
      {"double", InMethods, callDouble, "x"},
      {"to", InMethods, callTo, "x dtype=|device|other *"},
      {"type", InMethods, callTo, "x dtype="},
      {"type_as", InMethods, callTypeAs, "x other"},
      {"item", InMethods, callItem, "x"},
      {"clone", InTorch | InMethods, callIdentity, "x"},
      {"detach", InMethods, callIdentity, "x"},
      {"contiguous", InMethods, callIdentity, "x"},
      {"cpu", InMethods, callIdentity, "x"},
      {"cuda", InMethods, callIdentity, "x *"},

      {"tensor", InTorch, callTensor, "data dtype="},
      {"as_tensor", InTorch, callTensor, "data dtype="},
      {"scalar_tensor", InTorch, callTensor, "s dtype="},
      {"new_tensor", InMethods, callTensor, "x data dtype="},
      {"zeros", InTorch, callFull, "size= dtype="},
      {"ones", InTorch, callFull, "size= dtype="},
      {"full", InTorch, callFull, "size fill_value dtype="},
      {"zeros_like", InTorch, callFull, "input dtype="},
      {"ones_like", InTorch, callFull, "input dtype="},
      {"full_like", InTorch, callFull, "input fill_value dtype="},
      {"new_zeros", InMethods, callFull, "x size= dtype="},
      {"new_ones", InMethods, callFull, "x size= dtype="},
      {"new_full", InMethods, callFull, "x size fill_value dtype="},

      {"size", InMethods, callSize, "x dim="},
      {"numel", InTorch | InMethods, callNumElements, "input|x"},
      {"nelement", InMethods, callNumElements, "x"},
      {"dim", InMethods, callRank, "x"},
      {"ndimension", InMethods, callRank, "x"},
      {"finfo", InTorch, callLimits, "dtype="},
      {"iinfo", InTorch, callLimits, "dtype"},
  };
  return rows;
}
