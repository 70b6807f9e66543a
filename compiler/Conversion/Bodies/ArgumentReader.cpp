//===- ArgumentReader.cpp - Reads launch arguments from their slots ---------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/Bodies/ArgumentReader.h"
#include "compiler/Conversion/Bodies/ElementConversion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace attnc;

ArgumentLayout attnc::getArgumentLayout(attn::KernelOp kernel) {
  std::vector<int64_t> ranks;
  for (auto capture : kernel.getBody().getOps<attn::CaptureOp>())
    ranks.push_back(capture.getRank());
  int64_t scalars = llvm::range_size(kernel.getBody().getOps<attn::ScalarOp>());
  return ArgumentLayout(static_cast<int64_t>(kernel.getExtentNames().size()), ranks, scalars);
}

/// The position of the op named `name` among the ops of its kind in `kernel`.
template <typename OpTy> static int64_t getPosition(attn::KernelOp kernel, StringRef name) {
  for (auto [i, op] : llvm::enumerate(kernel.getBody().getOps<OpTy>()))
    if (op.getSymName() == name)
      return static_cast<int64_t>(i);
  llvm_unreachable("the verifier knows each name");
}

static Value createConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

ArgumentReader::ArgumentReader(attn::KernelOp kernel, Value slots, const OpBuilder &entry,
                               const VectorFeatures &features, unsigned memory)
    : kernel(kernel), slots(slots), entry(entry), features(features),
      pointer(LLVM::LLVMPointerType::get(kernel.getContext(), memory)),
      layout(getArgumentLayout(kernel)) {}

//===------------------------------------------------------------------------===//
// Scalars and dimensions
//===------------------------------------------------------------------------===//

Value ArgumentReader::getSlot(int64_t index) {
  Value &value = slotValues[index];
  if (value)
    return value;
  Location loc = kernel.getLoc();
  Value address = LLVM::GEPOp::create(entry, loc, slots.getType(), entry.getI64Type(), slots,
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  value = LLVM::LoadOp::create(entry, loc, entry.getI64Type(), address, /*alignment=*/8);
  return value;
}

Value ArgumentReader::getDim(StringRef name) {
  ArrayRef<StringRef> dimensions = attn::KernelOp::getDimensionNames();
  if (const auto *found = llvm::find(dimensions, name); found != dimensions.end())
    return getSlot(ArgumentLayout::B + (found - dimensions.begin()));
  SmallVector<StringRef> extents = kernel.getExtentNames();
  const auto *found = llvm::find(extents, name);
  assert(found != extents.end() && "the verifier knows each name");
  return getSlot(layout.getExtent(found - extents.begin()));
}

/// The f32 whose bits are in the low half of `slot`.
static Value emitFloatOfSlot(OpBuilder &builder, Location loc, Value slot) {
  Value low = arith::TruncIOp::create(builder, loc, builder.getI32Type(), slot);
  return arith::BitcastOp::create(builder, loc, builder.getF32Type(), low);
}

Value ArgumentReader::getScale() {
  Location loc = kernel.getLoc();
  if (std::optional<float> scale = kernel.getStaticScale())
    return arith::ConstantOp::create(entry, loc, entry.getF32FloatAttr(*scale));
  return emitFloatOfSlot(entry, loc, getSlot(ArgumentLayout::Scale));
}

Value ArgumentReader::getScalar(StringRef name, Type type) {
  Location loc = kernel.getLoc();
  Value slot = getSlot(layout.getScalar(getPosition<attn::ScalarOp>(kernel, name)));
  if (type.isF32())
    return emitFloatOfSlot(entry, loc, slot);
  if (type.isInteger(1))
    return arith::CmpIOp::create(entry, loc, arith::CmpIPredicate::ne, slot,
                                 createConstant(entry, loc, 0));
  if (type.isInteger(32))
    return arith::TruncIOp::create(entry, loc, type, slot);
  return slot;
}

//===------------------------------------------------------------------------===//
// Captured tensors and tables
//===------------------------------------------------------------------------===//

LLVM::GlobalOp ArgumentReader::placeConstant(StringRef name, Type type, Attribute value) {
  auto module = entry.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (auto global = module.lookupSymbol<LLVM::GlobalOp>(name))
    return global;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::GlobalOp::create(builder, kernel.getLoc(), type, /*isConstant=*/true,
                                LLVM::Linkage::Private, name, value, /*alignment=*/0,
                                pointer.getAddressSpace());
}

Value ArgumentReader::getZero() {
  if (!zero)
    zero = LLVM::AddressOfOp::create(
        entry, kernel.getLoc(),
        placeConstant("attnc.zero", entry.getI64Type(), entry.getI64IntegerAttr(0)));
  return zero;
}

ArgumentReader::Source ArgumentReader::readCapture(attn::CaptureOp capture) {
  Location loc = capture.getLoc();
  int64_t position = getPosition<attn::CaptureOp>(kernel, capture.getSymName());
  Source source;
  source.element = capture.getElementType();
  Value none = createConstant(entry, loc, 0);
  Value empty = arith::ConstantIntOp::create(entry, loc, 0, 1);
  for (unsigned dim = 0; dim < capture.getRank(); ++dim) {
    Value size = getSlot(layout.getCaptureSize(position, dim));
    source.sizes.push_back(size);
    Value isEmpty = arith::CmpIOp::create(entry, loc, arith::CmpIPredicate::eq, size, none);
    empty = arith::OrIOp::create(entry, loc, empty, isEmpty);
  }
  for (unsigned dim = 0; dim < capture.getRank(); ++dim) {
    Value stride = getSlot(layout.getCaptureStride(position, dim));
    source.strides.push_back(arith::SelectOp::create(entry, loc, empty, none, stride));
  }
  source.base =
      LLVM::IntToPtrOp::create(entry, loc, pointer, getSlot(layout.getCapturePointer(position)));
  if (capture.getRank() != 0)
    source.base = arith::SelectOp::create(entry, loc, empty, getZero(), source.base);
  return source;
}

/// The elements of a table as stored: narrow integers as i32, which vectors can gather.
static DenseElementsAttr getStoredElements(DenseElementsAttr elements) {
  Type stored = elements.getElementType();
  MLIRContext *context = stored.getContext();
  if (stored.isInteger(1))
    return elements.mapValues(IntegerType::get(context, 8),
                              [](const APInt &value) { return value.zext(8); });
  if (auto integer = dyn_cast<IntegerType>(stored); integer && integer.getWidth() < 32)
    return elements.mapValues(IntegerType::get(context, 32), [&](const APInt &value) {
      return integer.isUnsigned() ? value.zext(32) : value.sext(32);
    });
  if (stored.isF16() || stored.isBF16())
    return elements.mapValues(Float32Type::get(context), [](const APFloat &value) {
      APFloat wide = value;
      bool losesInfo;
      wide.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
      return wide.bitcastToAPInt();
    });
  return elements;
}

ArgumentReader::Source ArgumentReader::placeTable(attn::TableOp table) {
  Location loc = table.getLoc();
  auto elements = cast<DenseElementsAttr>(table.getValue());
  Source source;
  int64_t stride = elements.getNumElements();
  for (int64_t size : elements.getType().getShape()) {
    stride = size == 0 ? 0 : stride / size;
    source.sizes.push_back(createConstant(entry, loc, size));
    source.strides.push_back(createConstant(entry, loc, stride));
  }
  DenseElementsAttr stored = getStoredElements(elements);
  source.element =
      elements.getElementType().isInteger(1) ? elements.getElementType() : stored.getElementType();
  if (elements.empty()) {
    source.base = getZero();
    return source;
  }

  std::string name = (kernel.getSymName() + "." + table.getSymName()).str();
  auto type = LLVM::LLVMArrayType::get(stored.getElementType(), stored.getNumElements());
  auto flat =
      stored.reshape(RankedTensorType::get({stored.getNumElements()}, stored.getElementType()));
  source.base = LLVM::AddressOfOp::create(entry, loc, placeConstant(name, type, flat));
  return source;
}

const ArgumentReader::Source &ArgumentReader::getSource(StringRef name) {
  auto [position, inserted] = sources.try_emplace(name);
  if (inserted) {
    if (attn::CaptureOp capture = kernel.lookupCapture(name))
      position->second = readCapture(capture);
    else
      position->second = placeTable(kernel.lookupTable(name));
  }
  return position->second;
}

//===------------------------------------------------------------------------===//
// Elements
//===------------------------------------------------------------------------===//

namespace {
/// Emits i64 index arithmetic on scalars and vectors; a scalar next to a vector is broadcast.
class IndexArithmetic {
public:
  IndexArithmetic(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// `index` as i64.
  Value widen(Value index) {
    Type i64 = builder.getI64Type();
    if (getElementTypeOrSelf(index.getType()) == i64)
      return index;
    auto vector = dyn_cast<VectorType>(index.getType());
    return arith::ExtSIOp::create(builder, loc, vector ? Type(vector.clone(i64)) : i64, index);
  }
  template <typename OpTy> Value apply(Value lhs, Value rhs) {
    return OpTy::create(builder, loc, lhs, match(rhs, lhs));
  }
  Value select(Value condition, Value lhs, Value rhs) {
    return arith::SelectOp::create(builder, loc, condition, lhs, rhs);
  }
  Value isNegative(Value value) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, value,
                                 match(createConstant(builder, loc, 0), value));
  }
  /// The larger of `value` and 0.
  Value atLeastZero(Value value) {
    return apply<arith::MaxSIOp>(value, createConstant(builder, loc, 0));
  }
  /// The smaller of `value` and size - 1.
  Value below(Value value, Value size) {
    Value last = arith::SubIOp::create(builder, loc, size, createConstant(builder, loc, 1));
    return apply<arith::MinSIOp>(value, last);
  }

private:
  Value match(Value value, Value shape) {
    if (value.getType() == shape.getType())
      return value;
    return vector::BroadcastOp::create(builder, loc, shape.getType(), value);
  }

  OpBuilder &builder;
  Location loc;
};
} // namespace

/// The index that is read for `index` into a dimension of `size` elements.
static Value emitCheckedIndex(IndexArithmetic &emit, Value index, Value size,
                              attn::IndexCheck check) {
  if (check == attn::IndexCheck::Inside)
    return index;
  if (check == attn::IndexCheck::Wrap) {
    Value wrapped = emit.apply<arith::AddIOp>(index, size);
    index = emit.atLeastZero(emit.select(emit.isNegative(index), wrapped, index));
  }
  return emit.below(index, size);
}

/// The elements of type `stored` at `offset`, one or a vector of them, from `base`.
static Value emitRead(OpBuilder &builder, Location loc, Type stored, Value base, Value offset) {
  Type pointer = base.getType();
  auto vector = dyn_cast<VectorType>(offset.getType());
  auto addressOf = [&](Value index, Type type) {
    return LLVM::GEPOp::create(builder, loc, type, stored, base, ArrayRef<LLVM::GEPArg>{index});
  };
  if (!vector)
    return LLVM::LoadOp::create(builder, loc, stored, addressOf(offset, pointer));
  int64_t lanes = vector.getNumElements();
  auto type = VectorType::get(lanes, stored);
  if (stored.getIntOrFloatBitWidth() >= 32) {
    Value all = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(VectorType::get(lanes, builder.getI1Type()), true));
    Value addresses = addressOf(offset, VectorType::get(lanes, pointer));
    return LLVM::masked_gather::create(builder, loc, type, addresses, all, ValueRange(),
                                       stored.getIntOrFloatBitWidth() / 8);
  }
  Value result = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value index = vector::ExtractOp::create(builder, loc, offset, lane);
    Value element = LLVM::LoadOp::create(builder, loc, stored, addressOf(index, pointer));
    result = vector::InsertOp::create(builder, loc, element, result, lane);
  }
  return result;
}

/// An element of type `element`, read as bits, as the value type `result`.
static Value emitWiden(OpBuilder &builder, Location loc, Value bits, Type element, Type result,
                       const VectorFeatures &features) {
  auto vector = dyn_cast<VectorType>(bits.getType());
  auto shaped = [&](Type type) { return vector ? Type(vector.clone(type)) : type; };
  if (element.isInteger(1)) {
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(bits.getType()));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bits, zero);
  }
  if (isa<FloatType>(element)) {
    Value value = bits;
    if (!element.isF32())
      value = arith::BitcastOp::create(builder, loc, shaped(element), bits);
    return emitExtendToF32(builder, loc, value, features);
  }
  if (element.getIntOrFloatBitWidth() == result.getIntOrFloatBitWidth())
    return bits;
  if (element.isUnsignedInteger())
    return arith::ExtUIOp::create(builder, loc, shaped(result), bits);
  return arith::ExtSIOp::create(builder, loc, shaped(result), bits);
}

Value ArgumentReader::emitLoad(OpBuilder &builder, attn::LoadOp load, ValueRange indices) {
  Location loc = load.getLoc();
  const Source &source = getSource(load.getSource());
  IndexArithmetic emit(builder, loc);
  Value uniform = createConstant(builder, loc, 0), varying;
  for (auto [i, operand] : llvm::enumerate(indices)) {
    Value index = emitCheckedIndex(emit, emit.widen(operand), source.sizes[i], load.getCheck(i));
    Value offset = emit.apply<arith::MulIOp>(index, source.strides[i]);
    Value &sum = isa<VectorType>(offset.getType()) ? varying : uniform;
    sum = sum ? emit.apply<arith::AddIOp>(sum, offset) : offset;
  }
  if (varying)
    uniform = emit.apply<arith::AddIOp>(varying, uniform);

  // The type of the bits in memory.
  Type element = source.element;
  Type stored = element;
  if (element.isInteger(1) || element.isUnsignedInteger())
    stored = builder.getI8Type();
  else if (element.isF16() || element.isBF16())
    stored = builder.getI16Type();
  Value bits = emitRead(builder, loc, stored, source.base, uniform);
  return emitWiden(builder, loc, bits, element, load.getType(), features);
}
