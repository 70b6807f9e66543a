//===- AttnBuilder.cpp - From an evaluated program to the attn dialect ------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/AttnBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/bit.h"

using namespace attnc;
using namespace mlir;

static Type getStoredType(OpBuilder &builder, ElementType type) {
  switch (type) {
  case ElementType::F32:
    return builder.getF32Type();
  case ElementType::F16:
    return builder.getF16Type();
  case ElementType::BF16:
    return builder.getBF16Type();
  case ElementType::I8:
    return builder.getI8Type();
  case ElementType::U8:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case ElementType::I16:
    return builder.getI16Type();
  case ElementType::I32:
    return builder.getI32Type();
  case ElementType::I64:
    return builder.getI64Type();
  case ElementType::Bool:
    return builder.getI1Type();
  }
  llvm_unreachable("unknown element type");
}

static Type getValueType(OpBuilder &builder, ScalarKind kind) {
  switch (kind) {
  case ScalarKind::Int:
    return builder.getI64Type();
  case ScalarKind::Float:
    return builder.getF32Type();
  case ScalarKind::Bool:
    return builder.getI1Type();
  }
  llvm_unreachable("unknown kind of scalar");
}

static Location getLocation(MLIRContext *context, SourceRange range) {
  LineColumn begin = range.file->getLineColumn(range.begin);
  LineColumn end = range.file->getLineColumn(range.end);
  return FileLineColRange::get(StringAttr::get(context, range.file->getName()), begin.line,
                               begin.column, end.line, end.column);
}

//===------------------------------------------------------------------------===//
// Declarations
//===------------------------------------------------------------------------===//

namespace {
/// The shape of a captured tensor over the names its sizes use.
class ShapeBuilder {
public:
  ShapeBuilder(MLIRContext *context, const ExprGraph &graph) : context(context), graph(graph) {}

  void add(attnc::Value size) {
    sizes.push_back(size.is(attnc::Value::Kind::Int) ? getAffineConstantExpr(size.getInt(), context)
                                                     : convert(size.getExpr()));
  }
  AffineMap getMap() { return AffineMap::get(/*dimCount=*/0, names.size(), sizes, context); }
  ArrayRef<StringRef> getNames() const { return names; }

private:
  AffineExpr convert(ExprId id) {
    const ExprNode &node = graph[id];
    switch (node.op) {
    case ExprOp::IntConstant:
      return getAffineConstantExpr(static_cast<int64_t>(node.payload), context);
    case ExprOp::Dimension: {
      auto found = llvm::find(names, node.name);
      unsigned position = found - names.begin();
      if (found == names.end())
        names.push_back(node.name);
      return getAffineSymbolExpr(position, context);
    }
    default:
      break;
    }
    AffineExpr lhs = convert(node.operands[0]), rhs = convert(node.operands[1]);
    switch (node.op) {
    case ExprOp::AddInt:
      return lhs + rhs;
    case ExprOp::SubInt:
      return lhs - rhs;
    case ExprOp::MulInt:
      return lhs * rhs;
    case ExprOp::FloorDivInt:
      return lhs.floorDiv(rhs);
    case ExprOp::FloorModInt:
      return lhs % rhs;
    default:
      llvm_unreachable("sizes were checked when they were declared");
    }
  }

  MLIRContext *context;
  const ExprGraph &graph;
  SmallVector<StringRef> names;
  SmallVector<AffineExpr> sizes;
};
} // namespace

static Attribute getElement(OpBuilder &builder, Type type, attnc::Value value) {
  switch (value.getKind()) {
  case attnc::Value::Kind::Float:
    return builder.getFloatAttr(type, value.getReal());
  case attnc::Value::Kind::Bool:
    return builder.getBoolAttr(value.getBool());
  default:
    return IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(),
                                        static_cast<uint64_t>(value.getInt()), /*isSigned=*/true,
                                        /*implicitTrunc=*/true));
  }
}

static void buildDeclaration(OpBuilder &builder, const ExprGraph &graph,
                             const Declaration &declaration) {
  MLIRContext *context = builder.getContext();
  Location location = getLocation(context, declaration.range);
  Type type = getStoredType(builder, declaration.type);
  switch (declaration.kind) {
  case Declaration::Kind::Scalar:
    attn::ScalarOp::create(builder, location, declaration.name, type);
    return;
  case Declaration::Kind::Capture: {
    ShapeBuilder shape(context, graph);
    for (const attnc::Value &size : declaration.sizes)
      shape.add(size);
    attn::CaptureOp::create(builder, location, declaration.name, type,
                            builder.getStrArrayAttr(shape.getNames()), shape.getMap());
    return;
  }
  case Declaration::Kind::Table: {
    SmallVector<int64_t> sizes;
    for (const attnc::Value &size : declaration.sizes)
      sizes.push_back(size.getInt());
    SmallVector<Attribute> elements;
    for (const attnc::Value &element : declaration.elements)
      elements.push_back(getElement(builder, type, element));
    auto tensor = RankedTensorType::get(sizes, type);
    attn::TableOp::create(builder, location, declaration.name,
                          DenseElementsAttr::get(tensor, elements));
    return;
  }
  }
}

//===------------------------------------------------------------------------===//
// Bodies
//===------------------------------------------------------------------------===//

namespace {
/// Emits the nodes that a result needs into the body of attn.score or attn.mask.
class BodyBuilder {
public:
  BodyBuilder(OpBuilder &builder, const ExprGraph &graph, Block &body, bool isScore)
      : builder(builder), graph(graph), body(body), isScore(isScore) {}

  using Value = mlir::Value;

  Value build(ExprId root) {
    for (ExprId id : graph.getReachable(root))
      values[id] = emit(graph[id]);
    return values[root];
  }

private:
  Value emit(const ExprNode &node);
  Value emitLeaf(const ExprNode &node, Location location);
  Value emitComparison(const ExprNode &node, Location location);
  Value emitRounding(const ExprNode &node, Type type, Location location);

  Value operand(const ExprNode &node, unsigned i) { return values.lookup(node.operands[i]); }

  template <typename OpTy> Value binary(const ExprNode &node, Location location) {
    return OpTy::create(builder, location, operand(node, 0), operand(node, 1));
  }
  /// An op of arith or math on floats, which may be approximate.
  template <typename OpTy> Value onFloats(const ExprNode &node, Location location) {
    SmallVector<Value> operands;
    for (ExprId id : node.operands)
      operands.push_back(values.lookup(id));
    OperationState state(location, OpTy::getOperationName());
    state.addOperands(operands);
    state.addTypes(builder.getF32Type());
    auto op = cast<OpTy>(builder.create(state));
    if (node.approximate)
      op.setFastmath(arith::FastMathFlags::afn);
    return op->getResult(0);
  }

  OpBuilder &builder;
  const ExprGraph &graph;
  Block &body;
  bool isScore;
  llvm::DenseMap<ExprId, Value> values;
};
} // namespace

mlir::Value BodyBuilder::emitLeaf(const ExprNode &node, Location location) {
  switch (node.op) {
  case ExprOp::IntConstant:
    return arith::ConstantOp::create(builder, location,
                                     builder.getI64IntegerAttr(static_cast<int64_t>(node.payload)));
  case ExprOp::FloatConstant:
    return arith::ConstantOp::create(
        builder, location,
        builder.getF32FloatAttr(llvm::bit_cast<float>(static_cast<uint32_t>(node.payload))));
  case ExprOp::BoolConstant:
    return arith::ConstantOp::create(builder, location, builder.getBoolAttr(node.payload != 0));
  case ExprOp::Argument:
    return body.getArgument(node.payload - (isScore ? 0 : 1));
  case ExprOp::Dimension:
    return attn::DimOp::create(builder, location, builder.getI64Type(), node.name);
  default:
    return attn::GetOp::create(builder, location, getValueType(builder, node.kind), node.name);
  }
}

mlir::Value BodyBuilder::emitComparison(const ExprNode &node, Location location) {
  if (graph[node.operands[0]].kind == ScalarKind::Float) {
    arith::CmpFPredicate predicate = node.op == ExprOp::Eq   ? arith::CmpFPredicate::OEQ
                                     : node.op == ExprOp::Ne ? arith::CmpFPredicate::UNE
                                     : node.op == ExprOp::Lt ? arith::CmpFPredicate::OLT
                                     : node.op == ExprOp::Le ? arith::CmpFPredicate::OLE
                                     : node.op == ExprOp::Gt ? arith::CmpFPredicate::OGT
                                                             : arith::CmpFPredicate::OGE;
    return arith::CmpFOp::create(builder, location, predicate, operand(node, 0), operand(node, 1));
  }
  arith::CmpIPredicate predicate = node.op == ExprOp::Eq   ? arith::CmpIPredicate::eq
                                   : node.op == ExprOp::Ne ? arith::CmpIPredicate::ne
                                   : node.op == ExprOp::Lt ? arith::CmpIPredicate::slt
                                   : node.op == ExprOp::Le ? arith::CmpIPredicate::sle
                                   : node.op == ExprOp::Gt ? arith::CmpIPredicate::sgt
                                   : node.op == ExprOp::Ge ? arith::CmpIPredicate::sge
                                                           : arith::CmpIPredicate::ult;
  return arith::CmpIOp::create(builder, location, predicate, operand(node, 0), operand(node, 1));
}

mlir::Value BodyBuilder::emitRounding(const ExprNode &node, Type type, Location location) {
  mlir::Value narrow = arith::TruncFOp::create(builder, location, type, operand(node, 0));
  return arith::ExtFOp::create(builder, location, builder.getF32Type(), narrow);
}

mlir::Value BodyBuilder::emit(const ExprNode &node) {
  Location location = getLocation(builder.getContext(), node.range);
  switch (node.op) {
  case ExprOp::IntConstant:
  case ExprOp::FloatConstant:
  case ExprOp::BoolConstant:
  case ExprOp::Argument:
  case ExprOp::Dimension:
  case ExprOp::Scalar:
    return emitLeaf(node, location);
  case ExprOp::Load: {
    SmallVector<Value> indices;
    for (ExprId id : node.operands)
      indices.push_back(values.lookup(id));
    return attn::LoadOp::create(builder, location, getValueType(builder, node.kind), node.name,
                                indices);
  }

  case ExprOp::AddInt:
    return binary<arith::AddIOp>(node, location);
  case ExprOp::SubInt:
    return binary<arith::SubIOp>(node, location);
  case ExprOp::MulInt:
    return binary<arith::MulIOp>(node, location);
  case ExprOp::FloorDivInt:
    return binary<attn::FloorDivOp>(node, location);
  case ExprOp::FloorModInt:
    return binary<attn::FloorModOp>(node, location);
  case ExprOp::AndInt:
  case ExprOp::And:
    return binary<arith::AndIOp>(node, location);
  case ExprOp::OrInt:
  case ExprOp::Or:
    return binary<arith::OrIOp>(node, location);
  case ExprOp::XorInt:
  case ExprOp::Xor:
    return binary<arith::XOrIOp>(node, location);
  case ExprOp::ShiftLeft:
    return binary<arith::ShLIOp>(node, location);
  case ExprOp::ShiftRight:
    return binary<arith::ShRSIOp>(node, location);
  case ExprOp::MinInt:
    return binary<arith::MinSIOp>(node, location);
  case ExprOp::MaxInt:
    return binary<arith::MaxSIOp>(node, location);

  case ExprOp::AddFloat:
    return onFloats<arith::AddFOp>(node, location);
  case ExprOp::SubFloat:
    return onFloats<arith::SubFOp>(node, location);
  case ExprOp::MulFloat:
    return onFloats<arith::MulFOp>(node, location);
  case ExprOp::DivFloat:
    return onFloats<arith::DivFOp>(node, location);
  case ExprOp::Fmod:
    return onFloats<arith::RemFOp>(node, location);
  case ExprOp::MinFloat:
    return onFloats<arith::MinimumFOp>(node, location);
  case ExprOp::MaxFloat:
    return onFloats<arith::MaximumFOp>(node, location);
  case ExprOp::Negate:
    return onFloats<arith::NegFOp>(node, location);
  case ExprOp::Pow:
    return onFloats<math::PowFOp>(node, location);
  case ExprOp::Abs:
    return onFloats<math::AbsFOp>(node, location);
  case ExprOp::Exp:
    return onFloats<math::ExpOp>(node, location);
  case ExprOp::Exp2:
    return onFloats<math::Exp2Op>(node, location);
  case ExprOp::Expm1:
    return onFloats<math::ExpM1Op>(node, location);
  case ExprOp::Log:
    return onFloats<math::LogOp>(node, location);
  case ExprOp::Log1p:
    return onFloats<math::Log1pOp>(node, location);
  case ExprOp::Log2:
    return onFloats<math::Log2Op>(node, location);
  case ExprOp::Sqrt:
    return onFloats<math::SqrtOp>(node, location);
  case ExprOp::Rsqrt:
    return onFloats<math::RsqrtOp>(node, location);
  case ExprOp::Tanh:
    return onFloats<math::TanhOp>(node, location);
  case ExprOp::Sin:
    return onFloats<math::SinOp>(node, location);
  case ExprOp::Cos:
    return onFloats<math::CosOp>(node, location);
  case ExprOp::Erf:
    return onFloats<math::ErfOp>(node, location);
  case ExprOp::Floor:
    return onFloats<math::FloorOp>(node, location);
  case ExprOp::Ceil:
    return onFloats<math::CeilOp>(node, location);
  case ExprOp::RoundEven:
    return onFloats<math::RoundEvenOp>(node, location);
  case ExprOp::Trunc:
    return onFloats<math::TruncOp>(node, location);

  case ExprOp::Eq:
  case ExprOp::Ne:
  case ExprOp::Lt:
  case ExprOp::Le:
  case ExprOp::Gt:
  case ExprOp::Ge:
  case ExprOp::LtUnsigned:
    return emitComparison(node, location);

  case ExprOp::Select:
    return arith::SelectOp::create(builder, location, operand(node, 0), operand(node, 1),
                                   operand(node, 2));
  case ExprOp::IntToFloat:
    return arith::SIToFPOp::create(builder, location, builder.getF32Type(), operand(node, 0));
  case ExprOp::FloatToInt:
    return attn::ToIntOp::create(builder, location, builder.getI64Type(), operand(node, 0));
  case ExprOp::BoolToInt:
    return arith::ExtUIOp::create(builder, location, builder.getI64Type(), operand(node, 0));
  case ExprOp::BoolToFloat:
    return arith::UIToFPOp::create(builder, location, builder.getF32Type(), operand(node, 0));
  case ExprOp::RoundToF16:
    return emitRounding(node, builder.getF16Type(), location);
  case ExprOp::RoundToBF16:
    return emitRounding(node, builder.getBF16Type(), location);
  }
  llvm_unreachable("unknown operation");
}

/// Fills attn.score or attn.mask with what `result` needs.
template <typename OpTy>
static void buildBody(OpBuilder &builder, const ExprGraph &graph, const Program::Result &result) {
  constexpr bool isScore = std::is_same_v<OpTy, attn::ScoreOp>;
  OpBuilder::InsertionGuard guard(builder);
  Location location = getLocation(builder.getContext(), result.range);
  auto op = OpTy::create(builder, location);
  SmallVector<Type> types(4, builder.getI64Type());
  if (isScore)
    types.insert(types.begin(), builder.getF32Type());
  SmallVector<Location> locations(types.size(), location);
  Block *body = builder.createBlock(&op.getBody(), {}, types, locations);
  mlir::Value value = BodyBuilder(builder, graph, *body, isScore).build(result.value);
  attn::YieldOp::create(builder, location, value);
}

attn::KernelOp attnc::buildKernel(OpBuilder &builder, const Program &program,
                                  const KernelSpec &spec, const SourceFile &file) {
  OpBuilder::InsertionGuard guard(builder);
  Location location = getLocation(builder.getContext(), file.getRange(0, 0));
  FloatAttr scale;
  if (program.scale)
    scale = builder.getF32FloatAttr(static_cast<float>(*program.scale));
  auto kernel = attn::KernelOp::create(
      builder, location, spec.name, getStoredType(builder, spec.dtype), spec.headDim, spec.valueDim,
      scale, program.scaleArgument, spec.lse, spec.checked);
  builder.createBlock(&kernel.getBody());
  for (const Declaration &declaration : program.declarations)
    buildDeclaration(builder, program.graph, declaration);
  if (program.score)
    buildBody<attn::ScoreOp>(builder, program.graph, *program.score);
  if (program.mask)
    buildBody<attn::MaskOp>(builder, program.graph, *program.mask);
  return kernel;
}
