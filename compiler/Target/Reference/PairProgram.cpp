//===- PairProgram.cpp - Decoding and evaluating bodies ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Reference/PairProgram.h"
#include "attnc/ArgumentLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <bit>
#include <cstring>

using namespace mlir;
using namespace attnc;
using namespace attnc::reference;

template <typename T> static T read(const void *data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T), sizeof(T));
  return value;
}

Cell reference::readElement(const void *data, ElementType type, int64_t index) {
  switch (type) {
  case ElementType::F32:
    return {.f = read<float>(data, index)};
  case ElementType::F16:
    return {.f = convertF16ToFloat(read<uint16_t>(data, index))};
  case ElementType::BF16:
    return {.f = convertBF16ToFloat(read<uint16_t>(data, index))};
  case ElementType::I8:
    return {.i = read<int8_t>(data, index)};
  case ElementType::U8:
    return {.i = read<uint8_t>(data, index)};
  case ElementType::I16:
    return {.i = read<int16_t>(data, index)};
  case ElementType::I32:
    return {.i = read<int32_t>(data, index)};
  case ElementType::I64:
    return {.i = read<int64_t>(data, index)};
  case ElementType::Bool:
    return {.i = read<uint8_t>(data, index) != 0};
  }
  return {.i = 0};
}

//===------------------------------------------------------------------------===//
// Decoding
//===------------------------------------------------------------------------===//

/// The width of an integer or bool; 64 for anything else.
static unsigned getBits(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? integer.getWidth() : 64;
}

static bool hasFloatBitcast(Operation *op) {
  return op->walk([](arith::BitcastOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

namespace attnc::reference {
class Decoder {
public:
  Decoder(attn::KernelOp kernel, const KernelInfo &info, const LaunchArguments &arguments,
          const BoundArguments &bound, Arithmetic arithmetic)
      : kernel(kernel), info(info), arguments(arguments), bound(bound), arithmetic(arithmetic) {}

  LogicalResult decode(Region &body) {
    for (BlockArgument argument : body.getArguments())
      define(argument);
    for (Operation &op : body.front().without_terminator())
      if (failed(decode(op)))
        return failure();
    program.yielded = registers.lookup(body.front().getTerminator()->getOperand(0));
    return success();
  }

  PairProgram program;

private:
  unsigned define(Value value, Cell initial = {.i = 0}) {
    registers[value] = program.initial.size();
    program.initial.push_back(initial);
    return registers[value];
  }

  LogicalResult decode(Operation &op) {
    if (failed(checkTypes(op)))
      return failure();
    return TypeSwitch<Operation *, LogicalResult>(&op)
        .Case<arith::ConstantOp, attn::DimOp, attn::GetOp>([&](auto known) {
          define(known.getResult(), getValue(known));
          return success();
        })
        .Case([&](attn::LoadOp load) { return decode(load); })
        .Case<arith::MulUIExtendedOp, arith::MulSIExtendedOp>([&](auto product) {
          emit(op, lookupEvaluator("arith.muli"), product.getLow());
          emit(op, lookupEvaluator((op.getName().getStringRef() + " high").str()),
               product.getHigh());
          return success();
        })
        .Case([&](arith::BitcastOp bitcast) {
          bool fromFloat = bitcast.getIn().getType().isF32();
          emit(op, lookupEvaluator(fromFloat ? "bitcast f32 to int" : "bitcast int to f32"),
               bitcast.getResult());
          return success();
        })
        .Default([&](Operation *) -> LogicalResult {
          PairProgram::Evaluator evaluate = lookupEvaluator(op.getName().getStringRef());
          if (!evaluate || op.getNumResults() != 1 || op.getNumOperands() > 3)
            return op.emitError() << "the reference device does not know `" << op.getName() << "`";
          emit(op, evaluate, op.getResult(0));
          return success();
        });
  }

  LogicalResult checkTypes(Operation &op) {
    auto isKnown = [](Type type) {
      if (auto integer = dyn_cast<IntegerType>(type))
        return integer.getWidth() <= 64;
      return isa<Float32Type, Float16Type, BFloat16Type, IndexType>(type);
    };
    bool onlyWords = !isa<arith::BitcastOp>(op) ||
                     llvm::all_of(op.getOperandTypes(),
                                  [](Type type) { return type.isF32() || type.isInteger(32); });
    for (Type type : llvm::concat<Type>(llvm::to_vector(op.getOperandTypes()),
                                        llvm::to_vector(op.getResultTypes())))
      if (!isKnown(type) || !onlyWords)
        return op.emitError() << "the reference device does not know `" << op.getName()
                              << "` on type " << type;
    return success();
  }

  /// Values that are the same for every pair.
  Cell getValue(arith::ConstantOp constant) {
    return TypeSwitch<Attribute, Cell>(constant.getValue())
        .Case([](FloatAttr value) -> Cell { return {.f = value.getValueAsDouble()}; })
        .Case([](IntegerAttr value) -> Cell {
          bool isBool = value.getType().isInteger(1);
          return {.i = isBool ? int64_t(value.getValue().getBoolValue())
                              : value.getValue().getSExtValue()};
        });
  }

  Cell getValue(attn::DimOp dim) {
    const std::pair<StringRef, int64_t> dims[] = {
        {"B", bound.B}, {"Hq", bound.Hq}, {"Hkv", bound.Hkv}, {"Q", bound.Q}, {"KV", bound.KV}};
    for (auto [name, value] : dims)
      if (name == dim.getName())
        return {.i = value};
    return {.i = bound.extents[llvm::find(info.extents, dim.getName()) - info.extents.begin()]};
  }

  Cell getValue(attn::GetOp get) {
    auto scalar = llvm::find_if(
        info.scalars, [&](const ScalarInfo &scalar) { return scalar.name == get.getScalar(); });
    int64_t slot = ArgumentLayout(info).getScalar(scalar - info.scalars.begin());
    if (isFloat(scalar->type))
      return {.f = std::bit_cast<float>(static_cast<int32_t>(bound.slots[slot]))};
    return {.i = bound.slots[slot]};
  }

  LogicalResult decode(attn::LoadOp op) {
    SmallVector<int64_t> sizes, strides;
    const char *data;
    ElementType type;
    if (attn::TableOp table = kernel.lookupTable(op.getSource())) {
      auto value = cast<DenseElementsAttr>(table.getValue());
      sizes.assign(value.getType().getShape().begin(), value.getType().getShape().end());
      strides.assign(sizes.size(), 1);
      for (int64_t i = static_cast<int64_t>(sizes.size()) - 2; i >= 0; --i)
        strides[i] = strides[i + 1] * sizes[i + 1];
      data = copyTable(value, type);
    } else {
      const TensorView &view = arguments.captures.at(op.getSource().str());
      sizes.assign(view.sizes.begin(), view.sizes.end());
      strides.assign(view.strides.begin(), view.strides.end());
      data = static_cast<const char *>(view.data);
      type = view.type;
    }
    auto load = std::make_unique<Load>(Load{data, type, {}, op.getLoc()});
    for (auto [i, index] : llvm::enumerate(op.getIndices()))
      load->dims.push_back({sizes[i], strides[i], op.getCheck(i), registers.lookup(index)});
    emit(*op, nullptr, op.getResult());
    program.operations.back().load = load.get();
    program.loads.push_back(std::move(load));
    return success();
  }

  /// A copy of a table's elements, as f32 or i64.
  const char *copyTable(DenseElementsAttr value, ElementType &type) {
    bool isFloatTable = isa<FloatType>(value.getElementType());
    type = isFloatTable ? ElementType::F32 : ElementType::I64;
    auto storage = std::make_unique<char[]>(value.getNumElements() * getSize(type));
    char *next = storage.get();
    auto append = [&](auto element) {
      std::memcpy(next, &element, sizeof(element));
      next += sizeof(element);
    };
    bool isSigned =
        !value.getElementType().isUnsignedInteger() && !value.getElementType().isInteger(1);
    if (isFloatTable)
      for (APFloat element : value.getValues<APFloat>())
        append(static_cast<float>(element.convertToDouble()));
    else
      for (APInt element : value.getValues<APInt>())
        append(isSigned ? element.getSExtValue() : static_cast<int64_t>(element.getZExtValue()));
    program.tables.push_back(std::move(storage));
    return program.tables.back().get();
  }

  void emit(Operation &op, PairProgram::Evaluator evaluate, Value result) {
    PairProgram::Operation out;
    out.evaluate = evaluate;
    if (evaluate)
      for (auto [i, operand] : llvm::enumerate(op.getOperands()))
        out.operands[i] = registers.lookup(operand);
    if (op.getNumOperands())
      out.bits = getBits(op.getOperand(0).getType());
    out.resultBits = getBits(result.getType());
    out.arithmetic = arithmetic;
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      out.predicate = static_cast<int>(compare.getPredicate());
    if (auto compare = dyn_cast<arith::CmpFOp>(op))
      out.predicate = static_cast<int>(compare.getPredicate());
    out.finish = getFinish(op, result.getType());
    out.result = define(result);
    program.operations.push_back(out);
  }

  PairProgram::Finish getFinish(Operation &op, Type type) {
    using enum PairProgram::Finish;
    if (isa<attn::LoadOp, arith::SelectOp>(op))
      return Nothing;
    if (type.isF16())
      return RoundF16;
    if (type.isBF16())
      return RoundBF16;
    if (type.isF32())
      return arithmetic == Arithmetic::F32 ? RoundF32 : F32Range;
    return getBits(type) < 64 ? Wrap : Nothing;
  }

  attn::KernelOp kernel;
  const KernelInfo &info;
  const LaunchArguments &arguments;
  const BoundArguments &bound;
  Arithmetic arithmetic;
  llvm::DenseMap<Value, unsigned> registers;
};
} // namespace attnc::reference

FailureOr<PairProgram> PairProgram::decode(mlir::Operation *op, attn::KernelOp kernel,
                                           const KernelInfo &info, const LaunchArguments &arguments,
                                           const BoundArguments &bound, Arithmetic arithmetic) {
  if (hasFloatBitcast(op))
    arithmetic = Arithmetic::F32;
  Decoder decoder(kernel, info, arguments, bound, arithmetic);
  if (failed(decoder.decode(op->getRegion(0))))
    return failure();
  return std::move(decoder.program);
}

//===------------------------------------------------------------------------===//
// Evaluating
//===------------------------------------------------------------------------===//

/// The element that `load` reads: an index from -n to -1 counts from the end, what is then outside
/// is clamped, and a tensor without elements gives 0.
static Cell evaluateLoad(const Load &load, const std::vector<Cell> &registers, Findings &findings) {
  int64_t offset = 0;
  bool isEmpty = false;
  for (auto [i, dim] : llvm::enumerate(load.dims)) {
    int64_t index = registers[dim.index].i, size = dim.size;
    bool isBroken = (dim.check != attn::IndexCheck::Wrap && index < 0) ||
                    (dim.check == attn::IndexCheck::Inside && index >= size);
    bool isClamped = index < -size || index >= size;
    if ((isBroken && !findings.broken) || (isClamped && !findings.broken && !findings.clamped)) {
      (isBroken ? findings.broken : findings.clamped) = &load;
      findings.dim = static_cast<int64_t>(i);
      findings.index = index;
      findings.size = size;
    }
    if (index < 0 && index >= -size)
      index += size;
    isEmpty |= size == 0;
    offset += std::clamp<int64_t>(index, 0, std::max<int64_t>(size - 1, 0)) * dim.stride;
  }
  if (isEmpty)
    return isFloat(load.type) ? Cell{.f = 0} : Cell{.i = 0};
  return readElement(load.data, load.type, offset);
}

static Cell finish(Cell value, PairProgram::Finish how, unsigned bits) {
  switch (how) {
  case PairProgram::Finish::Nothing:
    return value;
  case PairProgram::Finish::F32Range:
    return {.f = limitToF32Range(value.f)};
  case PairProgram::Finish::RoundF32:
    return {.f = static_cast<float>(value.f)};
  case PairProgram::Finish::RoundF16:
    return {.f = convertF16ToFloat(convertFloatToF16(static_cast<float>(value.f)))};
  case PairProgram::Finish::RoundBF16:
    return {.f = convertBF16ToFloat(convertFloatToBF16(static_cast<float>(value.f)))};
  case PairProgram::Finish::Wrap:
    return {.i = bits == 1 ? value.i & 1 : llvm::SignExtend64(value.i, bits)};
  }
  return value;
}

Cell PairProgram::evaluate(std::vector<Cell> &registers, ArrayRef<Cell> arguments,
                           Findings &findings) const {
  llvm::copy(arguments, registers.begin());
  for (const Operation &op : operations) {
    Cell value = op.load ? evaluateLoad(*op.load, registers, findings)
                         : op.evaluate(op, registers[op.operands[0]], registers[op.operands[1]],
                                       registers[op.operands[2]]);
    registers[op.result] = finish(value, op.finish, op.resultBits);
  }
  return registers[yielded];
}
