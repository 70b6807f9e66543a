//===- Value.cpp - Values of the evaluator ----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Value.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include <limits>

using namespace attnc;

ScalarKind attnc::getScalarKind(ElementType type) {
  if (isFloat(type))
    return ScalarKind::Float;
  return type == ElementType::Bool ? ScalarKind::Bool : ScalarKind::Int;
}

std::pair<int64_t, int64_t> attnc::getIntegerLimits(ElementType type) {
  switch (type) {
  case ElementType::I8:
    return {-128, 127};
  case ElementType::U8:
    return {0, 255};
  case ElementType::I16:
    return {-32768, 32767};
  case ElementType::I32:
    return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  default:
    return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

ElementType attnc::getStorageType(const Value &scalar) {
  switch (scalar.getScalarKind()) {
  case ScalarKind::Int:
    return ElementType::I64;
  case ScalarKind::Float:
    return ElementType::F32;
  case ScalarKind::Bool:
    return ElementType::Bool;
  }
  llvm_unreachable("unknown kind of scalar");
}

ScalarKind Value::getScalarKind() const {
  assert(isScalar() && "not a scalar");
  switch (kind) {
  case Kind::Int:
    return ScalarKind::Int;
  case Kind::Float:
    return ScalarKind::Float;
  case Kind::Bool:
    return ScalarKind::Bool;
  default:
    return scalar;
  }
}

bool Value::isIdenticalTo(const Value &other) const {
  if (kind != other.kind)
    return false;
  switch (kind) {
  case Kind::None:
    return true;
  case Kind::Poison:
  case Kind::Unassigned:
    return false;
  case Kind::Int:
  case Kind::Type:
  case Kind::Limits:
  case Kind::Module:
    return data.integer == other.data.integer;
  case Kind::Float:
    return llvm::bit_cast<uint64_t>(data.real) == llvm::bit_cast<uint64_t>(other.data.real);
  case Kind::Bool:
    return data.boolean == other.data.boolean;
  case Kind::Runtime:
    return scalar == other.scalar && data.expr == other.data.expr;
  case Kind::String:
    return getString() == other.getString();
  case Kind::Foreign:
    return getForeignName() == other.getForeignName();
  case Kind::Tuple:
    return data.pointer == other.data.pointer ||
           llvm::equal(getElements(), other.getElements(),
                       [](const Value &a, const Value &b) { return a.isIdenticalTo(b); });
  case Kind::Function: {
    const Function &a = getFunction(), &b = other.getFunction();
    return &a == &b || (a.definition == b.definition && a.lambda == b.lambda &&
                        a.scope == b.scope && a.defaults.data() == b.defaults.data());
  }
  case Kind::Builtin:
    return data.pointer == other.data.pointer;
  case Kind::Tensor: {
    const TensorRef &a = getTensor(), &b = other.getTensor();
    return a.declaration == b.declaration &&
           llvm::equal(a.indices, b.indices,
                       [](const Value &x, const Value &y) { return x.isIdenticalTo(y); });
  }
  }
  llvm_unreachable("unknown kind of value");
}

static std::string describeTensor(const TensorRef &tensor) {
  const Declaration &declaration = *tensor.declaration;
  std::string text = declaration.kind == Declaration::Kind::Table ? "a table" : "a captured tensor";
  if (!tensor.indices.empty())
    text = "a row of " + text;
  return text + " of rank " + llvm::utostr(tensor.getRank());
}

std::string Value::describe() const {
  switch (kind) {
  case Kind::Poison:
    return "an invalid value";
  case Kind::Unassigned:
    return "an unassigned variable";
  case Kind::None:
    return "`None`";
  case Kind::String:
    return "a string";
  case Kind::Tuple:
    return "a tuple of " + llvm::utostr(getElements().size());
  case Kind::Function:
  case Kind::Builtin:
    return "a function";
  case Kind::Type:
    return "a type";
  case Kind::Limits:
    return "the limits of a type";
  case Kind::Module:
    return "a module";
  case Kind::Foreign:
    return "`" + getForeignName().str() + "`";
  case Kind::Tensor:
    return describeTensor(getTensor());
  case Kind::Int:
  case Kind::Float:
  case Kind::Bool:
  case Kind::Runtime:
    break;
  }
  switch (getScalarKind()) {
  case ScalarKind::Int:
    return "an int";
  case ScalarKind::Float:
    return "a float";
  case ScalarKind::Bool:
    return "a bool";
  }
  llvm_unreachable("unknown kind of scalar");
}
