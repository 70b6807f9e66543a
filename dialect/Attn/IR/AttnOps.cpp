//===- AttnOps.cpp - Verifiers and syntax of attn ops -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/IR/AttnOps.h"
#include "dialect/Attn/IR/HeadDim.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace attnc::attn;

Type attnc::attn::getValueType(Type stored) {
  MLIRContext *context = stored.getContext();
  if (isa<Float32Type, Float16Type, BFloat16Type>(stored))
    return Float32Type::get(context);
  auto integer = dyn_cast<IntegerType>(stored);
  if (!integer)
    return {};
  if (stored.isSignlessInteger(1))
    return stored;
  bool known =
      stored.isUnsignedInteger(8) ||
      (integer.isSignless() && llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth()));
  return known ? IntegerType::get(context, 64) : Type();
}

/// True if a value stored as `stored` may be read with type `result`.
static bool isReadableAs(Type stored, Type result) {
  Type value = getValueType(stored);
  return result == value ||
         (result.isInteger(32) && value.isInteger(64) && stored.getIntOrFloatBitWidth() <= 32);
}

//===------------------------------------------------------------------------===//
// KernelOp
//===------------------------------------------------------------------------===//

ArrayRef<StringRef> KernelOp::getDimensionNames() {
  static const StringRef names[] = {"B", "Hq", "Hkv", "Q", "KV"};
  return names;
}

template <typename OpTy> static OpTy lookup(KernelOp kernel, StringRef name) {
  return dyn_cast_or_null<OpTy>(SymbolTable::lookupSymbolIn(kernel, name));
}
CaptureOp KernelOp::lookupCapture(StringRef name) { return lookup<CaptureOp>(*this, name); }
ScalarOp KernelOp::lookupScalar(StringRef name) { return lookup<ScalarOp>(*this, name); }
TableOp KernelOp::lookupTable(StringRef name) { return lookup<TableOp>(*this, name); }

SmallVector<StringRef> KernelOp::getExtentNames() {
  llvm::SmallSetVector<StringRef, 4> names;
  for (auto capture : getBody().getOps<CaptureOp>())
    for (auto dim : capture.getDims().getAsRange<StringAttr>())
      if (!llvm::is_contained(getDimensionNames(), dim.getValue()))
        names.insert(dim.getValue());
  return names.takeVector();
}

std::optional<float> KernelOp::getStaticScale() {
  if (getScaleArgument())
    return std::nullopt;
  if (auto scale = getScale())
    return scale->convertToFloat();
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(getHeadDim())));
}

template <typename OpTy> static OpTy getOnly(KernelOp kernel) {
  auto ops = kernel.getBody().getOps<OpTy>();
  return ops.empty() ? OpTy() : *ops.begin();
}
ScoreOp KernelOp::getScore() { return getOnly<ScoreOp>(*this); }
MaskOp KernelOp::getMask() { return getOnly<MaskOp>(*this); }

LogicalResult KernelOp::verify() {
  auto headDim = static_cast<int64_t>(getHeadDim()), valueDim = static_cast<int64_t>(getValueDim());
  if (!isHeadDim(headDim) || !isHeadDim(valueDim))
    return emitOpError("expected head_dim and value_dim ")
           << getHeadDimRange() << ", got " << headDim << " and " << valueDim;
  if (getScale() && getScaleArgument())
    return emitOpError("expected a constant scale or a scale argument, got both");
  if (getScale() && !getScale()->isFinite())
    return emitOpError("expected a finite scale");
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  unsigned scores = 0, masks = 0;
  for (Operation &op : getBody().front()) {
    scores += isa<ScoreOp>(op);
    masks += isa<MaskOp>(op);
    if (isa<ScoreOp, MaskOp>(op))
      continue;
    if (!isa<CaptureOp, ScalarOp, TableOp>(op))
      return op.emitOpError("expected a declaration, attn.score or attn.mask in a kernel");
    if (scores + masks != 0)
      return op.emitOpError("expected declarations before attn.score and attn.mask");
  }
  if (scores > 1 || masks > 1)
    return emitOpError("expected at most one attn.score and one attn.mask, got ")
           << scores << " and " << masks;
  SmallVector<StringRef> names = getExtentNames();
  llvm::DenseSet<StringRef> extents(names.begin(), names.end());
  WalkResult dims = getBody().walk([&](DimOp dim) -> WalkResult {
    if (dim.isDimension() || extents.contains(dim.getName()))
      return WalkResult::advance();
    return dim.emitOpError("expected B, Hq, Hkv, Q, KV or an extent of a captured tensor, got `")
           << dim.getName() << "`";
  });
  return failure(dims.wasInterrupted());
}

//===------------------------------------------------------------------------===//
// ScoreOp, MaskOp
//===------------------------------------------------------------------------===//

static constexpr StringRef pairNames[] = {"score", "b", "h", "q", "kv"};

/// The argument types of a score or mask body.
static SmallVector<Type> getPairTypes(Operation *op) {
  Builder builder(op->getContext());
  SmallVector<Type> types(4, builder.getI64Type());
  if (isa<ScoreOp>(op))
    types.insert(types.begin(), builder.getF32Type());
  return types;
}

static void setPairNames(Region &body, OpAsmSetValueNameFn setName) {
  ArrayRef<StringRef> names(pairNames);
  for (auto [argument, name] :
       llvm::zip(body.getArguments(), names.take_back(body.getNumArguments())))
    setName(argument, name);
}
void ScoreOp::getAsmBlockArgumentNames(Region &body, OpAsmSetValueNameFn setName) {
  setPairNames(body, setName);
}
void MaskOp::getAsmBlockArgumentNames(Region &body, OpAsmSetValueNameFn setName) {
  setPairNames(body, setName);
}

static LogicalResult verifyPairBody(Operation *op, Type result) {
  Block &block = op->getRegion(0).front();
  SmallVector<Type> arguments = getPairTypes(op);
  if (!llvm::equal(block.getArgumentTypes(), arguments))
    return op->emitOpError("expected ") << arguments.size() << " arguments of types " << arguments
                                        << ", got " << block.getArgumentTypes();
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError("expected a body that ends with attn.yield");
  if (yield.getValue().getType() != result)
    return yield.emitOpError("expected to yield ")
           << result << ", got " << yield.getValue().getType();
  for (Operation &inner : block.without_terminator())
    if (!isMemoryEffectFree(&inner) || inner.getNumRegions() != 0)
      return inner.emitOpError("expected only pure ops without regions in ") << op->getName();
  for (Operation &inner : block)
    for (Type type : inner.getResultTypes())
      if (!type.isF32() && !type.isF16() && !type.isBF16() && !type.isInteger(1) &&
          !type.isInteger(32) && !type.isInteger(64))
        return inner.emitOpError("expected values of type f32, f16, bf16, i1, i32 or i64, got ")
               << type;
  return success();
}
LogicalResult ScoreOp::verifyRegions() {
  return verifyPairBody(*this, Float32Type::get(getContext()));
}
LogicalResult MaskOp::verifyRegions() {
  return verifyPairBody(*this, IntegerType::get(getContext(), 1));
}

/// `(%score, %b, %h, %q, %kv) { ... }`; the types follow from the op.
static void printPairBody(OpAsmPrinter &printer, Operation *, Region &body) {
  printer << "(";
  llvm::interleaveComma(body.getArguments(), printer,
                        [&](Value argument) { printer.printOperand(argument); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

static ParseResult parsePairBody(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  if (failed(parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren)))
    return failure();
  Builder &builder = parser.getBuilder();
  if (arguments.size() != 4 && arguments.size() != 5)
    return parser.emitError(parser.getCurrentLocation(), "expected 4 or 5 arguments");
  for (auto [i, argument] : llvm::enumerate(arguments))
    argument.type =
        arguments.size() == 5 && i == 0 ? Type(builder.getF32Type()) : Type(builder.getI64Type());
  return parser.parseRegion(body, arguments);
}

//===------------------------------------------------------------------------===//
// Declarations
//===------------------------------------------------------------------------===//

static LogicalResult verifyStoredType(Operation *op, Type type) {
  if (getValueType(type))
    return success();
  return op->emitOpError("expected an element type of f32, f16, bf16, i8, ui8, i16, i32, i64 or "
                         "i1, got ")
         << type;
}

LogicalResult CaptureOp::verify() {
  if (failed(verifyStoredType(*this, getElementType())))
    return failure();
  if (getRank() > 6)
    return emitOpError("expected a rank of at most 6, got ") << getRank();
  llvm::SmallDenseSet<Attribute> names;
  for (Attribute name : getDims())
    if (!names.insert(name).second)
      return emitOpError("expected each dimension name once, got ") << name << " twice";
  AffineMap shape = getShape();
  if (shape.getNumDims() != 0 || shape.getNumSymbols() != getDims().size())
    return emitOpError("expected a shape over ")
           << getDims().size() << " symbols and no dims, got " << shape.getNumSymbols() << " and "
           << shape.getNumDims();
  return success();
}

LogicalResult ScalarOp::verify() { return verifyStoredType(*this, getElementType()); }

LogicalResult TableOp::verify() {
  if (!isa<DenseElementsAttr>(getValue()))
    return emitOpError("expected a dense value");
  if (getValue().getShapedType().getRank() > 6)
    return emitOpError("expected a rank of at most 6, got ")
           << getValue().getShapedType().getRank();
  return verifyStoredType(*this, getValue().getElementType());
}

static void printSize(OpAsmPrinter &printer, AffineExpr expr, ArrayAttr dims, bool nested);

/// Prints a sum; a term with a negative constant as `- 1` or `- 2 * "Q"`.
static void printSum(OpAsmPrinter &printer, AffineBinaryOpExpr sum, ArrayAttr dims) {
  // The left side of a sum is another sum or a term.
  auto inner = dyn_cast<AffineBinaryOpExpr>(sum.getLHS());
  if (inner && inner.getKind() == AffineExprKind::Add)
    printSum(printer, inner, dims);
  else
    printSize(printer, sum.getLHS(), dims, /*nested=*/true);

  AffineExpr term = sum.getRHS();
  auto product = dyn_cast<AffineBinaryOpExpr>(term);
  bool scaled = product && product.getKind() == AffineExprKind::Mul;
  auto factor = dyn_cast<AffineConstantExpr>(scaled ? product.getRHS() : term);
  // The smallest integer has no negation to print.
  if (!factor || factor.getValue() >= 0 ||
      factor.getValue() == std::numeric_limits<int64_t>::min()) {
    printer << " + ";
    printSize(printer, term, dims, /*nested=*/true);
    return;
  }
  printer << " - " << -factor.getValue();
  if (scaled) {
    printer << " * ";
    printSize(printer, product.getLHS(), dims, /*nested=*/true);
  }
}

/// Prints an expression of a captured shape, its symbols by their quoted names.
static void printSize(OpAsmPrinter &printer, AffineExpr expr, ArrayAttr dims, bool nested) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    printer << constant.getValue();
    return;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    printer << dims[symbol.getPosition()];
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (nested)
    printer << "(";
  if (binary.getKind() == AffineExprKind::Add) {
    printSum(printer, binary, dims);
  } else {
    printSize(printer, binary.getLHS(), dims, /*nested=*/true);
    printer << (binary.getKind() == AffineExprKind::Mul        ? " * "
                : binary.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                : binary.getKind() == AffineExprKind::CeilDiv  ? " ceildiv "
                                                               : " mod ");
    printSize(printer, binary.getRHS(), dims, /*nested=*/true);
  }
  if (nested)
    printer << ")";
}

static void printCaptureType(OpAsmPrinter &printer, Operation *, TypeAttr elementType,
                             ArrayAttr dims, AffineMapAttr shape) {
  printer << elementType.getValue() << "[";
  llvm::interleaveComma(shape.getValue().getResults(), printer,
                        [&](AffineExpr size) { printSize(printer, size, dims, /*nested=*/false); });
  printer << "]";
}

namespace {
/// Parses the sizes of a captured shape: + and - over *, floordiv, ceildiv and mod. A minus is
/// followed by an integer.
class SizeParser {
public:
  SizeParser(OpAsmParser &parser) : parser(parser) {}

  FailureOr<AffineExpr> parseSum() {
    FailureOr<AffineExpr> sum = parseProduct(parseAtom());
    while (succeeded(sum)) {
      FailureOr<AffineExpr> term = failure();
      if (succeeded(parser.parseOptionalPlus())) {
        term = parseProduct(parseAtom());
      } else {
        SMLoc loc = parser.getCurrentLocation();
        int64_t value = 0;
        OptionalParseResult integer = parser.parseOptionalInteger(value);
        if (!integer.has_value())
          return sum;
        if (failed(*integer))
          return failure();
        if (value >= 0)
          return parser.emitError(loc, "expected an operator before the integer");
        term = parseProduct(getAffineConstantExpr(value, parser.getContext()));
      }
      if (failed(term))
        return failure();
      sum = *sum + *term;
    }
    return sum;
  }

  SmallVector<Attribute> dims;

private:
  /// The product that starts with `lhs`.
  FailureOr<AffineExpr> parseProduct(FailureOr<AffineExpr> lhs) {
    while (succeeded(lhs)) {
      StringRef keyword;
      if (succeeded(parser.parseOptionalStar()))
        keyword = "*";
      else if (failed(parser.parseOptionalKeyword(&keyword, {"floordiv", "ceildiv", "mod"})))
        return lhs;
      FailureOr<AffineExpr> rhs = parseAtom();
      if (failed(rhs))
        return failure();
      lhs = keyword == "*"          ? *lhs * *rhs
            : keyword == "floordiv" ? lhs->floorDiv(*rhs)
            : keyword == "ceildiv"  ? lhs->ceilDiv(*rhs)
                                    : *lhs % *rhs;
    }
    return lhs;
  }

  FailureOr<AffineExpr> parseAtom() {
    MLIRContext *context = parser.getContext();
    if (succeeded(parser.parseOptionalLParen())) {
      FailureOr<AffineExpr> inner = parseSum();
      if (failed(inner) || failed(parser.parseRParen()))
        return failure();
      return inner;
    }
    int64_t value;
    OptionalParseResult integer = parser.parseOptionalInteger(value);
    if (integer.has_value()) {
      if (failed(*integer))
        return failure();
      return getAffineConstantExpr(value, context);
    }
    std::string name;
    if (failed(parser.parseString(&name)))
      return failure();
    Attribute attribute = StringAttr::get(context, name);
    auto found = llvm::find(dims, attribute);
    unsigned position = found - dims.begin();
    if (found == dims.end())
      dims.push_back(attribute);
    return getAffineSymbolExpr(position, context);
  }

  OpAsmParser &parser;
};
} // namespace

static ParseResult parseCaptureType(OpAsmParser &parser, TypeAttr &elementType, ArrayAttr &dims,
                                    AffineMapAttr &shape) {
  Type type;
  if (failed(parser.parseType(type)))
    return failure();
  elementType = TypeAttr::get(type);
  SizeParser sizes(parser);
  SmallVector<AffineExpr> results;
  ParseResult parsed =
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
        FailureOr<AffineExpr> size = sizes.parseSum();
        if (failed(size))
          return failure();
        results.push_back(*size);
        return success();
      });
  if (failed(parsed))
    return failure();
  dims = ArrayAttr::get(parser.getContext(), sizes.dims);
  shape = AffineMapAttr::get(
      AffineMap::get(/*dimCount=*/0, sizes.dims.size(), results, parser.getContext()));
  return success();
}

//===------------------------------------------------------------------------===//
// Reading launch arguments
//===------------------------------------------------------------------------===//

bool DimOp::isDimension() { return llvm::is_contained(KernelOp::getDimensionNames(), getName()); }

LogicalResult DimOp::verify() {
  // The kernel verifies that there is such an extent.
  if (!isDimension() && !getType().isInteger(64))
    return emitOpError("expected an extent to be i64, got ") << getType();
  return success();
}

/// The op that `name` refers to in `kernel`.
template <typename OpTy>
static OpTy lookup(SymbolTableCollection &tables, KernelOp kernel, FlatSymbolRefAttr name) {
  return tables.lookupSymbolIn<OpTy>(kernel, name.getAttr());
}

LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  auto scalar = lookup<ScalarOp>(tables, kernel, getScalarAttr());
  if (!scalar)
    return emitOpError("expected the name of an attn.scalar, got `") << getScalar() << "`";
  if (!isReadableAs(scalar.getElementType(), getType()))
    return emitOpError("expected a result type that holds ")
           << scalar.getElementType() << ", got " << getType();
  return success();
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Type result, StringRef source,
                   ValueRange indices) {
  SmallVector<int32_t> checks(indices.size(), static_cast<int32_t>(IndexCheck::Wrap));
  build(builder, state, result, FlatSymbolRefAttr::get(builder.getContext(), source), indices,
        builder.getDenseI32ArrayAttr(checks));
}

LogicalResult LoadOp::verify() {
  if (getChecks().size() != getIndices().size())
    return emitOpError("expected one check an index, got ")
           << getChecks().size() << " for " << getIndices().size();
  for (int32_t check : getChecks())
    if (!symbolizeIndexCheck(check))
      return emitOpError("expected checks of inside, clamp or wrap, got ") << check;
  return success();
}

LogicalResult LoadOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  Type stored;
  unsigned rank = 0;
  if (auto capture = lookup<CaptureOp>(tables, kernel, getSourceAttr())) {
    stored = capture.getElementType();
    rank = capture.getRank();
  } else if (auto table = lookup<TableOp>(tables, kernel, getSourceAttr())) {
    stored = table.getValue().getElementType();
    rank = table.getValue().getShapedType().getRank();
  } else {
    return emitOpError("expected the name of an attn.capture or attn.table, got `")
           << getSource() << "`";
  }
  if (rank != getIndices().size())
    return emitOpError("expected ") << rank << " indices, got " << getIndices().size();
  if (!isReadableAs(stored, getType()))
    return emitOpError("expected a result type that holds ") << stored << ", got " << getType();
  return success();
}

/// `[inside %a, %b : i32]`: the check before an index where it is not `wrap`, and the types after
/// the indices unless all are i64.
static void printCheckedIndices(OpAsmPrinter &printer, Operation *, OperandRange indices,
                                TypeRange types, DenseI32ArrayAttr checks) {
  printer << "[";
  llvm::interleaveComma(llvm::zip(indices, checks.asArrayRef()), printer, [&](auto pair) {
    auto [index, check] = pair;
    if (static_cast<IndexCheck>(check) != IndexCheck::Wrap)
      printer << stringifyIndexCheck(static_cast<IndexCheck>(check)) << " ";
    printer << index;
  });
  if (llvm::any_of(types, [](Type type) { return !type.isInteger(64); }))
    printer << " : " << types;
  printer << "]";
}

static ParseResult parseCheckedIndices(OpAsmParser &parser,
                                       SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
                                       SmallVectorImpl<Type> &types, DenseI32ArrayAttr &checks) {
  SmallVector<int32_t> values;
  if (failed(parser.parseLSquare()))
    return failure();
  if (failed(parser.parseOptionalRSquare())) {
    ParseResult list = parser.parseCommaSeparatedList([&]() -> ParseResult {
      IndexCheck check = IndexCheck::Wrap;
      StringRef keyword;
      if (succeeded(parser.parseOptionalKeyword(&keyword, {"inside", "clamp", "wrap"})))
        check = *symbolizeIndexCheck(keyword);
      values.push_back(static_cast<int32_t>(check));
      return parser.parseOperand(indices.emplace_back());
    });
    if (failed(list))
      return failure();
    if (succeeded(parser.parseOptionalColon())) {
      if (failed(parser.parseTypeList(types)))
        return failure();
    } else {
      types.assign(indices.size(), parser.getBuilder().getI64Type());
    }
    if (failed(parser.parseRSquare()))
      return failure();
  }
  checks = parser.getBuilder().getDenseI32ArrayAttr(values);
  return success();
}

#define GET_OP_CLASSES
#include "dialect/Attn/IR/AttnOps.cpp.inc"
