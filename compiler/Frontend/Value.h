//===- Value.h - Values of the evaluator --------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_VALUE_H
#define COMPILER_FRONTEND_VALUE_H

#include "attnc/ElementType.h"
#include "compiler/Frontend/AST.h"
#include "compiler/Frontend/ExprGraph.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include <cassert>
#include <optional>

namespace attnc {

class Value;
struct Builtin;
struct Function;
struct TensorRef;

/// The modules that programs may name.
enum class ModuleKind : uint8_t { Torch, Math, Typing };

/// Something of Python or torch that a program may mention but not use: a device, `BlockMask`.
struct ForeignName {
  llvm::StringRef name;
};

struct TupleData;

/// A value while a program is evaluated. Cheap to copy: what it points at lives in the evaluator.
class Value {
public:
  enum class Kind : uint8_t {
    /// The result of a mistake that was reported.
    Poison,
    /// A variable that not every path assigns, or not to one type.
    Unassigned,
    None,
    Int,
    Float,
    Bool,
    String,
    Tuple,
    Function,
    Builtin,
    /// An element type, e.g. `torch.float16`.
    Type,
    /// What torch.finfo and torch.iinfo tell of a type.
    Limits,
    Module,
    Foreign,
    /// A captured tensor or table, or a row of it.
    Tensor,
    /// A number or boolean known at run time only.
    Runtime,
  };

  Value() = default;
  static Value poison() { return {}; }
  static Value unassigned() { return Value(Kind::Unassigned); }
  static Value none() { return Value(Kind::None); }
  static Value integer(int64_t value) {
    Value result(Kind::Int);
    result.data.integer = value;
    return result;
  }
  static Value real(double value) {
    Value result(Kind::Float);
    result.data.real = value;
    return result;
  }
  static Value boolean(bool value) {
    Value result(Kind::Bool);
    result.data.boolean = value;
    return result;
  }
  static Value string(const llvm::StringRef *value) { return pointer(Kind::String, value); }
  static Value tuple(const TupleData *value) { return pointer(Kind::Tuple, value); }
  static Value function(const Function *value) { return pointer(Kind::Function, value); }
  static Value builtin(const Builtin *value) { return pointer(Kind::Builtin, value); }
  static Value tensor(const TensorRef *value) { return pointer(Kind::Tensor, value); }
  static Value foreign(const ForeignName *value) { return pointer(Kind::Foreign, value); }
  static Value type(ElementType value) {
    Value result(Kind::Type);
    result.data.integer = static_cast<int64_t>(value);
    return result;
  }
  static Value limits(ElementType value) {
    Value result(Kind::Limits);
    result.data.integer = static_cast<int64_t>(value);
    return result;
  }
  static Value module(ModuleKind value) {
    Value result(Kind::Module);
    result.data.integer = static_cast<int64_t>(value);
    return result;
  }
  static Value runtime(ScalarKind kind, ExprId expr) {
    Value result(Kind::Runtime);
    result.scalar = kind;
    result.data.expr = expr;
    return result;
  }

  Kind getKind() const { return kind; }
  bool is(Kind other) const { return kind == other; }
  bool isPoison() const { return kind == Kind::Poison; }
  bool isRuntime() const { return kind == Kind::Runtime; }
  /// An int, float or bool that is known.
  bool isConstant() const { return is(Kind::Int) || is(Kind::Float) || is(Kind::Bool); }
  bool isScalar() const { return isConstant() || isRuntime(); }

  int64_t getInt() const { return (check(Kind::Int), data.integer); }
  double getReal() const { return (check(Kind::Float), data.real); }
  bool getBool() const { return (check(Kind::Bool), data.boolean); }
  llvm::StringRef getString() const {
    return (check(Kind::String), *static_cast<const llvm::StringRef *>(data.pointer));
  }
  const TupleData &getTuple() const {
    return (check(Kind::Tuple), *static_cast<const TupleData *>(data.pointer));
  }
  llvm::ArrayRef<Value> getElements() const;
  const Function &getFunction() const {
    return (check(Kind::Function), *static_cast<const Function *>(data.pointer));
  }
  const Builtin &getBuiltin() const {
    return (check(Kind::Builtin), *static_cast<const Builtin *>(data.pointer));
  }
  const TensorRef &getTensor() const {
    return (check(Kind::Tensor), *static_cast<const TensorRef *>(data.pointer));
  }
  llvm::StringRef getForeignName() const {
    return (check(Kind::Foreign), static_cast<const ForeignName *>(data.pointer)->name);
  }
  /// Of a Type or of Limits.
  ElementType getType() const {
    assert((is(Kind::Type) || is(Kind::Limits)) && "value of another kind");
    return static_cast<ElementType>(data.integer);
  }
  ModuleKind getModule() const {
    return (check(Kind::Module), static_cast<ModuleKind>(data.integer));
  }
  ExprId getExpr() const { return (check(Kind::Runtime), data.expr); }

  /// The type of a scalar.
  ScalarKind getScalarKind() const;
  bool isScalarOf(ScalarKind other) const { return isScalar() && getScalarKind() == other; }

  /// Whether this is surely the same value: equal constants of one type, one function, one row.
  bool isIdenticalTo(const Value &other) const;

  /// What it is, for messages: "an int", "a function", "a captured tensor of rank 2".
  std::string describe() const;

private:
  explicit Value(Kind kind) : kind(kind) {}
  static Value pointer(Kind kind, const void *value) {
    Value result(kind);
    result.data.pointer = value;
    return result;
  }
  void check(Kind expected) const { assert(kind == expected && "value of another kind"); }

  Kind kind = Kind::Poison;
  ScalarKind scalar = ScalarKind::Int;
  union {
    int64_t integer;
    double real;
    bool boolean;
    ExprId expr;
    const void *pointer;
  } data = {0};
};

/// A tuple or list.
struct TupleData {
  llvm::ArrayRef<Value> elements;
  /// How many values it holds, with those of the tuples within, and how deep these are nested.
  size_t weight = 1;
  unsigned depth = 1;
};
inline llvm::ArrayRef<Value> Value::getElements() const { return getTuple().elements; }

/// A value and the expression that gave it.
struct Operand {
  Value value;
  SourceRange range;
};

/// A captured tensor, a table with its elements, or a scalar launch argument (no sizes).
struct Declaration {
  enum class Kind { Capture, Table, Scalar };

  Kind kind;
  llvm::StringRef name;
  ElementType type;
  SourceRange range;
  /// Each an Int or a run-time int.
  llvm::SmallVector<Value, 4> sizes;
  /// Of a table, the last index running fastest; as Int, Float or Bool.
  std::vector<Value> elements;
};

/// The type that an element of `type` has in expressions.
ScalarKind getScalarKind(ElementType type);

/// The least and largest integer of an integer type.
std::pair<int64_t, int64_t> getIntegerLimits(ElementType type);

/// The type of torch that a scalar stands for.
ElementType getStorageType(const Value &scalar);

/// A declared tensor with its first dimensions indexed.
struct TensorRef {
  const Declaration *declaration;
  /// Ints.
  llvm::ArrayRef<Value> indices;

  unsigned getRank() const { return declaration->sizes.size() - indices.size(); }
  llvm::ArrayRef<Value> getSizes() const {
    return llvm::ArrayRef(declaration->sizes).drop_front(indices.size());
  }
};

/// The variables of a module or of one call.
struct Scope {
  struct Binding {
    Value value;
    /// Where the name was bound last.
    SourceRange range;
  };

  /// Null for a module.
  Scope *parent = nullptr;
  /// The function whose call this is; null for a module or a lambda.
  const ast::FunctionDefStmt *definition = nullptr;
  llvm::SmallMapVector<llvm::StringRef, Binding, 4> bindings;
};

/// A `def` or `lambda` with what surrounds it.
struct Function {
  /// One of both is set.
  const ast::FunctionDefStmt *definition = nullptr;
  const ast::LambdaExpr *lambda = nullptr;
  Scope *scope = nullptr;
  /// The values of the parameters' defaults, Unassigned where there is none.
  llvm::ArrayRef<Value> defaults;

  llvm::ArrayRef<ast::Param> getParams() const {
    return definition ? definition->getParams() : lambda->getParams();
  }
  /// `lambda` for a lambda.
  llvm::StringRef getName() const { return definition ? definition->getName().text : "lambda"; }
  /// The name in the definition, or the whole lambda.
  SourceRange getRange() const {
    return definition ? definition->getName().range : lambda->getRange();
  }
};

} // namespace attnc

#endif // COMPILER_FRONTEND_VALUE_H
