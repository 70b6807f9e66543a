//===- EvaluateDeclarations.cpp - Constants, tables and launch arguments ----===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Builtins.h"
#include "compiler/Frontend/Dimensions.h"
#include "compiler/Frontend/Evaluator.h"
#include "compiler/Frontend/NearestName.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <limits>

using namespace attnc;

static constexpr unsigned maxRank = 6;

//===------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------===//

std::optional<Evaluator::DeclaredType> Evaluator::getDeclaredType(const ast::Expr &annotation) {
  const ast::Expr *base = &annotation;
  const auto *shape = llvm::dyn_cast<ast::SubscriptExpr>(base);
  if (shape)
    base = shape->getBase();
  const auto *name = llvm::dyn_cast<ast::NameExpr>(base);
  if (!name)
    return std::nullopt;
  std::optional<ElementType> type = parseElementType(std::string_view(name->getName()));
  if (!type)
    return std::nullopt;
  return DeclaredType{*type, shape};
}

Value Evaluator::convertTo(Operand operand, ElementType type, llvm::StringRef name) {
  operand.value = load(operand.value, operand.range);
  Value value = operand.value;
  if (value.isPoison())
    return value;
  ScalarKind expected = getScalarKind(type);
  bool fits = value.isScalar() &&
              (value.getScalarKind() == expected ||
               (expected == ScalarKind::Float && value.getScalarKind() == ScalarKind::Int));
  if (!fits) {
    DiagnosticBuilder builder =
        report(operand.range, DiagId::declared_type, name, getName(type), value.describe());
    if (value.isScalar() && expected != ScalarKind::Bool)
      suggestWrap(builder, expected == ScalarKind::Int ? "int" : "float", operand.range);
    return Value::poison();
  }
  if (expected == ScalarKind::Float) {
    SourceRange place = getUserRange(operand.range);
    return ops.round(ops.toFloat(value, place), type, place);
  }
  if (value.is(Value::Kind::Int)) {
    auto [least, largest] = getIntegerLimits(type);
    if (value.getInt() < least || value.getInt() > largest) {
      report(operand.range, DiagId::integer_outside, value.getInt(), getName(type), least, largest);
      return Value::poison();
    }
  }
  return value;
}

Value Evaluator::checkAnnotation(const ast::Expr *annotation, Operand value, llvm::StringRef name) {
  std::optional<DeclaredType> type =
      annotation ? getDeclaredType(*annotation) : std::optional<DeclaredType>();
  if (!type || value.value.isPoison())
    return value.value;
  if (!type->shape)
    return convertTo(value, type->type, name);
  // The sizes of a parameter mean nothing: those of the tensor are declared.
  size_t rank = type->shape->getIndices().size();
  bool fits = value.value.is(Value::Kind::Tensor) && value.value.getTensor().getRank() == rank &&
              value.value.getTensor().declaration->type == type->type;
  if (fits)
    return value.value;
  DiagnosticBuilder builder =
      report(value.range, DiagId::declared_type, name,
             getName(type->type) + "[] of rank " + llvm::utostr(rank), value.value.describe());
  if (value.value.is(Value::Kind::Tensor)) {
    const Declaration &declaration = *value.value.getTensor().declaration;
    builder.note(declaration.range, DiagId::note_declared_here, declaration.name);
  }
  return Value::poison();
}

//===------------------------------------------------------------------------===//
// Declarations
//===------------------------------------------------------------------------===//

bool Evaluator::checkDeclarable(llvm::StringRef name, SourceRange range) {
  if (isDimension(name)) {
    report(range, DiagId::reserved_name, name, "a dimension");
    return false;
  }
  if (isLaunchName(name)) {
    report(range, DiagId::reserved_name, name, "a name that every launch has");
    return false;
  }
  return true;
}

Declaration &Evaluator::addDeclaration(Declaration declaration) {
  SourceRange range = declaration.range;
  Declaration &added = program.declarations.emplace_back(std::move(declaration));
  if (program.declarations.size() > maxDeclarations)
    stop(range, DiagId::too_many_declarations, maxDeclarations);
  return added;
}

void Evaluator::runDeclaration(const ast::DeclStmt &stmt) {
  ast::Name name = stmt.getName();
  std::optional<DeclaredType> type = getDeclaredType(*stmt.getAnnotation());
  if (name.text == "scale" && type) {
    declareScale(stmt, *type);
    return;
  }
  if (!type) {
    if (!stmt.getValue()) {
      reportMissingType(stmt);
      bind(name.text, Value::poison(), name.range);
      return;
    }
    if (!checkForeignType(*stmt.getAnnotation())) {
      bind(name.text, Value::poison(), name.range);
      return;
    }
    Operand value = evaluateOperand(*stmt.getValue());
    value.value = override(name.text, name.range, value.value);
    if (name.text == "scale")
      setScale(value);
    bind(name.text, value.value, name.range);
    return;
  }
  if (type->shape) {
    declareTensor(stmt, *type);
    return;
  }
  if (stmt.getValue()) {
    Operand value = evaluateOperand(*stmt.getValue());
    Value converted = overrideDeclared(name, value, type->type);
    bind(name.text, converted, name.range);
    return;
  }
  if (defines.use(name.text))
    defines.addError(name.text, "`" + name.text.str() +
                                    "` is a launch argument, not a constant: give it at launch, or "
                                    "declare it with a value");
  addDeclaration({Declaration::Kind::Scalar, name.text, type->type, name.range, {}, {}});
  ScalarKind kind = getScalarKind(type->type);
  bind(name.text, Value::runtime(kind, program.graph.getScalar(name.text, kind, name.range)),
       name.range);
}

/// The element type for what another language, or a slip of the finger, calls `written`; empty for
/// other names.
static std::string findRelatedType(llvm::StringRef written) {
  written.consume_front("torch.");
  llvm::StringRef family = written.take_while([](char c) { return !llvm::isDigit(c); });
  llvm::StringRef digits = written.drop_front(family.size());
  int64_t bits = 0;
  if (!digits.empty() && digits.getAsInteger(10, bits))
    return {};
  auto isOneOf = [family](llvm::ArrayRef<llvm::StringRef> names) {
    return llvm::is_contained(names, family);
  };
  if (isOneOf({"f", "fp", "float", "double"}))
    return bits == 16 ? "f16" : "f32";
  if (isOneOf({"bf", "bfloat"}))
    return "bf16";
  if (isOneOf({"u", "uint"}))
    return "u8";
  if (isOneOf({"i", "int", "s"}) && !digits.empty()) {
    int64_t nearest = 8;
    for (int64_t size : {16, 32, 64})
      if (std::abs(size - bits) < std::abs(nearest - bits))
        nearest = size;
    return "i" + llvm::itostr(nearest);
  }
  return llvm::StringSwitch<std::string>(written)
      .Case("int", "i32")
      .Case("long", "i64")
      .Case("short", "i16")
      .Case("half", "f16")
      .Case("bool", "bool")
      .Default("");
}

/// An annotation of Python means nothing; but a name with a width, or one with sizes, is a type.
bool Evaluator::checkForeignType(const ast::Expr &annotation) {
  const auto *shape = llvm::dyn_cast<ast::SubscriptExpr>(&annotation);
  const ast::Expr *base = shape ? shape->getBase() : &annotation;
  llvm::StringRef written = base->getRange().text();
  bool isMeant = shape || (llvm::isa<ast::NameExpr>(base) && llvm::isDigit(written.back()));
  std::string related = isMeant ? findRelatedType(written) : std::string();
  if (related.empty())
    return true;
  report(base->getRange(), DiagId::unknown_type, written).hint("did you mean `" + related + "`?");
  return false;
}

void Evaluator::reportMissingType(const ast::DeclStmt &stmt) {
  SourceRange range = stmt.getAnnotation()->getRange();
  llvm::StringRef text = range.text();
  const ast::Expr *base = stmt.getAnnotation();
  if (const auto *subscript = llvm::dyn_cast<ast::SubscriptExpr>(base))
    base = subscript->getBase();
  llvm::StringRef written = base->getRange().text();
  std::string meant = findRelatedType(written);
  if (meant.empty()) {
    NearestName nearest(written);
    for (llvm::StringRef type : {"f32", "f16", "bf16", "i8", "u8", "i16", "i32", "i64", "bool"})
      nearest.consider(type);
    meant = nearest.get();
  }
  DiagnosticBuilder builder = report(range, DiagId::missing_type, stmt.getName().text, text);
  if (!meant.empty()) {
    builder.hint("did you mean `" + meant + "`?");
  } else if (text.ends_with("Tensor")) {
    builder.hint("write its element type and sizes, e.g. `" + stmt.getName().text.str() +
                 ": f32[B, KV]`");
  }
}

//===------------------------------------------------------------------------===//
// -D
//===------------------------------------------------------------------------===//

Value Evaluator::makeDefined(const DefineValue &defined, SourceRange range) {
  switch (defined.kind) {
  case DefineValue::Kind::None:
    return Value::none();
  case DefineValue::Kind::Int:
    return Value::integer(defined.integer);
  case DefineValue::Kind::Float:
    return Value::real(defined.real);
  case DefineValue::Kind::Bool:
    return Value::boolean(defined.boolean);
  case DefineValue::Kind::List: {
    llvm::SmallVector<Value> elements;
    for (const DefineValue &element : defined.elements)
      elements.push_back(makeDefined(element, range));
    return makeTuple(elements, range);
  }
  }
  llvm_unreachable("unknown kind of value");
}

/// Whether a value given with -D may stand for `value`: of its type, an int also for a float.
static bool canReplace(const Value &given, const Value &value) {
  if (value.is(Value::Kind::Tuple))
    return given.is(Value::Kind::Tuple);
  if (!value.isScalar() || !given.isScalar())
    return value.is(Value::Kind::None) || given.getKind() == value.getKind();
  return given.getScalarKind() == value.getScalarKind() ||
         (given.is(Value::Kind::Int) && value.isScalarOf(ScalarKind::Float));
}

Value Evaluator::override(llvm::StringRef name, SourceRange range, Value value) {
  if (!frames.empty())
    return value;
  const DefineValue *defined = defines.use(name);
  if (!defined || value.isPoison())
    return value;
  Value given = makeDefined(*defined, range);
  if (!canReplace(given, value)) {
    defines.addError(name,
                     "`" + name.str() + "` is " + value.describe() + ", got " + given.describe());
    return value;
  }
  return value.isScalarOf(ScalarKind::Float) ? ops.toFloat(given, range) : given;
}

Value Evaluator::overrideDeclared(ast::Name name, Operand value, ElementType type) {
  const DefineValue *defined = defines.use(name.text);
  if (!defined)
    return convertTo(value, type, name.text);
  Value given = makeDefined(*defined, name.range);
  std::string problem = findMismatch(given, type);
  if (!problem.empty()) {
    defines.addError(name.text, problem);
    return convertTo(value, type, name.text);
  }
  return convertTo({given, name.range}, type, name.text);
}

/// What keeps a constant from being of `type`, or nothing.
std::string Evaluator::findMismatch(Value given, ElementType type) const {
  ScalarKind expected = getScalarKind(type);
  bool fits = given.isConstant() && (given.getScalarKind() == expected ||
                                     (expected == ScalarKind::Float && given.is(Value::Kind::Int)));
  if (!fits)
    return "expected a value of type `" + getName(type) + "`, got " + given.describe();
  auto [least, largest] = getIntegerLimits(type);
  if (expected == ScalarKind::Int && (given.getInt() < least || given.getInt() > largest))
    return "`" + getName(type) + "` holds " + std::to_string(least) + " to " +
           std::to_string(largest);
  return {};
}

//===------------------------------------------------------------------------===//
// Scale
//===------------------------------------------------------------------------===//

void Evaluator::declareScale(const ast::DeclStmt &stmt, const DeclaredType &type) {
  ast::Name name = stmt.getName();
  if (type.shape || !isFloat(type.type)) {
    report(stmt.getAnnotation()->getRange(), DiagId::scale_type,
           stmt.getAnnotation()->getRange().text());
    bind(name.text, Value::poison(), name.range);
    return;
  }
  if (stmt.getValue()) {
    Operand value = evaluateOperand(*stmt.getValue());
    value.value = overrideDeclared(name, value, type.type);
    setScale(value);
    bind(name.text, value.value, name.range);
    return;
  }
  if (defines.use(name.text))
    defines.addError(name.text, "`scale` is a launch argument here; declare it with a value");
  program.scaleArgument = true;
  bind(name.text, makeForeign("scale"), name.range);
}

void Evaluator::setScale(Operand scale) {
  Value value = scale.value;
  if (value.isPoison() || value.is(Value::Kind::None))
    return;
  if (value.is(Value::Kind::Int))
    value = Value::real(static_cast<double>(value.getInt()));
  if (!value.is(Value::Kind::Float)) {
    report(scale.range, DiagId::scale_value,
           value.isRuntime() ? "a value known at launch only" : value.describe());
    return;
  }
  value = ops.round(value, ElementType::F32, scale.range);
  if (!std::isfinite(value.getReal())) {
    report(scale.range, DiagId::scale_value, "an infinity or NaN");
    return;
  }
  program.scale = value.getReal();
}

//===------------------------------------------------------------------------===//
// Captured tensors and tables
//===------------------------------------------------------------------------===//

void Evaluator::declareTensor(const ast::DeclStmt &stmt, const DeclaredType &type) {
  ast::Name name = stmt.getName();
  Declaration declaration;
  declaration.kind = stmt.getValue() ? Declaration::Kind::Table : Declaration::Kind::Capture;
  declaration.name = name.text;
  declaration.type = type.type;
  declaration.range = name.range;
  if (!evaluateSizes(stmt, type, declaration)) {
    bind(name.text, Value::poison(), name.range);
    return;
  }
  const DefineValue *defined = defines.use(name.text);
  if (!stmt.getValue()) {
    if (defined)
      defines.addError(name.text, "`" + name.text.str() + "` is a captured tensor, not a table");
  } else {
    const ast::Expr *literal = stmt.getValue();
    Operand value = evaluateOperand(*literal);
    if (defined) {
      value = {makeDefined(*defined, name.range), name.range};
      literal = nullptr;
    }
    if (!fillTable(value, literal, declaration)) {
      bind(name.text, Value::poison(), name.range);
      return;
    }
  }
  // A name that is taken or reserved must not reach the kernel either.
  if (scope->bindings.count(name.text) || isDimension(name.text) || isLaunchName(name.text)) {
    bind(name.text, Value::poison(), name.range);
    return;
  }
  auto *tensor = new (allocator.Allocate<TensorRef>()) TensorRef();
  tensor->declaration = &addDeclaration(std::move(declaration));
  bind(name.text, Value::tensor(tensor), name.range);
}

bool Evaluator::evaluateSizes(const ast::DeclStmt &stmt, const DeclaredType &type,
                              Declaration &declaration) {
  llvm::ArrayRef<const ast::Expr *> sizes = type.shape->getIndices();
  if (sizes.size() > maxRank) {
    report(type.shape->getRange(), DiagId::rank_limit, maxRank, sizes.size());
    return false;
  }
  bool complete = true;
  for (const ast::Expr *expr : sizes) {
    Operand size = {evaluateSize(*expr), expr->getRange()};
    if (size.value.isPoison()) {
      complete = false;
      continue;
    }
    bool isInt = size.value.isScalarOf(ScalarKind::Int);
    if (!isInt || (size.value.isRuntime() && !isShapeExpression(size.value))) {
      report(size.range, DiagId::size_expression, "`" + size.range.text().str() + "`");
      complete = false;
    } else if (size.value.is(Value::Kind::Int) && size.value.getInt() < 0) {
      report(size.range, DiagId::negative_size, size.value.getInt());
      complete = false;
    } else if (size.value.isRuntime() && stmt.getValue()) {
      report(size.range, DiagId::table_size_at_launch);
      complete = false;
    }
    declaration.sizes.push_back(size.value);
  }
  return complete;
}

/// Binds the names in a size that mean nothing yet: they are extents of the tensor.
void Evaluator::bindExtents(const ast::Expr &expr) {
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(&expr)) {
    llvm::StringRef text = name->getName();
    if (scope->bindings.count(text) || isDimension(text) || moduleNames.count(text))
      return;
    if (isLaunchName(text) || text == "scale") {
      report(expr.getRange(), DiagId::reserved_name, text, "a name that every launch has");
      bind(text, Value::poison(), expr.getRange(), /*isRebinding=*/true);
      return;
    }
    ExprId extent = program.graph.getDimension(text, expr.getRange());
    bind(text, Value::runtime(ScalarKind::Int, extent), expr.getRange(), /*isRebinding=*/true);
  } else if (const auto *binary = llvm::dyn_cast<ast::BinaryExpr>(&expr)) {
    bindExtents(*binary->getLHS());
    bindExtents(*binary->getRHS());
  } else if (const auto *unary = llvm::dyn_cast<ast::UnaryExpr>(&expr)) {
    bindExtents(*unary->getOperand());
  }
}

Value Evaluator::evaluateSize(const ast::Expr &expr) {
  if (llvm::isa<ast::SliceExpr, ast::EllipsisLiteral>(expr)) {
    report(expr.getRange(), DiagId::size_expression, "`" + expr.getRange().text().str() + "`");
    return Value::poison();
  }
  bindExtents(expr);
  return evaluate(expr);
}

/// Whether a size is made of sums, products and divisions, as the launch can compute it.
bool Evaluator::isShapeExpression(Value size) const {
  static constexpr size_t maxNodes = 64;
  std::vector<ExprId> nodes = program.graph.getReachable(size.getExpr());
  if (nodes.size() > maxNodes)
    return false;
  for (ExprId id : nodes) {
    const ExprNode &node = program.graph[id];
    switch (node.op) {
    case ExprOp::IntConstant:
    case ExprOp::Dimension:
    case ExprOp::AddInt:
    case ExprOp::SubInt:
    case ExprOp::MulInt:
      continue;
    case ExprOp::FloorDivInt:
    case ExprOp::FloorModInt: {
      // A divisor that could be 0 or negative has no meaning in a size.
      const ExprNode &divisor = program.graph[node.operands[1]];
      if (divisor.op == ExprOp::IntConstant && static_cast<int64_t>(divisor.payload) > 0)
        continue;
      return false;
    }
    default:
      return false;
    }
  }
  return true;
}

bool Evaluator::fillTable(Operand value, const ast::Expr *literal, Declaration &declaration) {
  uint64_t count = 1;
  for (const Value &size : declaration.sizes) {
    auto factor = static_cast<uint64_t>(size.getInt());
    if (factor > maxTupleWeight || (count *= factor) > maxTupleWeight) {
      report(declaration.range, DiagId::table_too_large, declaration.name, maxTupleWeight);
      return false;
    }
  }
  return fillTable(value, literal, /*dimension=*/0, declaration);
}

/// What is written between the brackets of a tuple or list.
static llvm::ArrayRef<const ast::Expr *> getWrittenElements(const ast::Expr *literal) {
  if (const auto *list = llvm::dyn_cast_or_null<ast::ListExpr>(literal))
    return list->getElements();
  if (const auto *tuple = llvm::dyn_cast_or_null<ast::TupleExpr>(literal))
    return tuple->getElements();
  return {};
}

bool Evaluator::fillTable(Operand value, const ast::Expr *literal, size_t dimension,
                          Declaration &declaration) {
  if (value.value.isPoison())
    return false;
  if (dimension == declaration.sizes.size()) {
    Value element = convertTo(value, declaration.type, declaration.name);
    if (element.isPoison())
      return false;
    if (!element.isConstant()) {
      report(value.range, DiagId::table_element, declaration.name);
      return false;
    }
    declaration.elements.push_back(element);
    return true;
  }
  int64_t size = declaration.sizes[dimension].getInt();
  if (!value.value.is(Value::Kind::Tuple)) {
    report(value.range, DiagId::table_nesting, declaration.name, size, value.value.describe());
    return false;
  }
  llvm::ArrayRef<Value> elements = value.value.getElements();
  if (elements.size() != static_cast<uint64_t>(size)) {
    report(value.range, DiagId::table_size, declaration.name, count(size, "element"),
           elements.size())
        .note(declaration.range, DiagId::note_declared_here, declaration.name);
    return false;
  }
  llvm::ArrayRef<const ast::Expr *> written = getWrittenElements(literal);
  bool complete = true;
  for (auto [i, element] : llvm::enumerate(elements)) {
    const ast::Expr *part = written.size() == elements.size() ? written[i] : nullptr;
    SourceRange range = part ? part->getRange() : value.range;
    complete &= fillTable({element, range}, part, dimension + 1, declaration);
  }
  return complete;
}

std::optional<ElementType> Evaluator::getNamedType(const Value &value) const {
  if (value.is(Value::Kind::Type))
    return value.getType();
  if (!value.is(Value::Kind::Builtin))
    return std::nullopt;
  return llvm::StringSwitch<std::optional<ElementType>>(value.getBuiltin().name)
      .Case("int", ElementType::I64)
      .Case("float", ElementType::F32)
      .Case("bool", ElementType::Bool)
      .Default(std::nullopt);
}
