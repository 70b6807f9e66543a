//===- Decoder.cpp - Modifiers and operands of one instruction ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Decoder.h"
#include "runtime/emulator/Half.h"
#include "runtime/emulator/ProgramBuilder.h"
#include "runtime/emulator/Windows.h"

#include <bit>

namespace attnc::emu {
namespace {

/// Splits `ld.global.v2.f32` at its dots.
std::vector<std::string_view> splitOpcode(std::string_view opcode) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  while (true) {
    size_t dot = opcode.find('.', start);
    parts.push_back(opcode.substr(start, dot - start));
    if (dot == std::string_view::npos)
      return parts;
    start = dot + 1;
  }
}

unsigned getWidth(Type type) {
  if (type == Type::Pred)
    return 0;
  unsigned size = getTypeSize(type);
  return size <= 4 ? 4 : size;
}

/// Bits of an immediate as a value of `type`.
uint64_t convertImmediate(const AstOperand &operand, Type type) {
  uint64_t value = operand.value;
  if (operand.kind == AstOperand::Kind::Integer) {
    if (type == Type::F64)
      return value;
    return value;
  }
  double number = operand.kind == AstOperand::Kind::Float32
                      ? std::bit_cast<float>(static_cast<uint32_t>(value))
                      : std::bit_cast<double>(value);
  switch (type) {
  case Type::F64:
    return operand.kind == AstOperand::Kind::Float64 ? value : std::bit_cast<uint64_t>(number);
  case Type::F16:
    return roundToHalf(number);
  case Type::BF16:
    return roundToBrain(number);
  case Type::B64:
  case Type::U64:
  case Type::S64:
    return operand.kind == AstOperand::Kind::Float64 ? value : value;
  default:
    return operand.kind == AstOperand::Kind::Float32
               ? value
               : std::bit_cast<uint32_t>(static_cast<float>(number));
  }
}

} // namespace

Decoder::Decoder(ProgramBuilder &builder, const AstInstruction &source, Instruction &out)
    : out(out), source(source), builder(builder), parts(splitOpcode(source.opcode)),
      taken(parts.size()) {
  taken[0] = true;
}

void Decoder::fail(std::string message, std::string key) const {
  throw DecodeError{source.location, std::move(message), std::move(key)};
}

void Decoder::failUnknown() const {
  fail("unknown instruction `" + source.opcode + "`", "unknown " + source.opcode);
}

void Decoder::refuse(std::string_view reason) const {
  fail("instruction `" + source.opcode + "` is not supported: " + std::string(reason),
       "refused " + source.opcode);
}

bool Decoder::has(std::string_view modifier) const {
  for (size_t i = 1; i < parts.size(); ++i)
    if (!taken[i] && parts[i] == modifier)
      return true;
  return false;
}

bool Decoder::take(std::string_view modifier) {
  for (size_t i = 1; i < parts.size(); ++i) {
    if (!taken[i] && parts[i] == modifier) {
      taken[i] = true;
      return true;
    }
  }
  return false;
}

int Decoder::takeOneOf(std::initializer_list<std::string_view> choices) {
  for (size_t i = 1; i < parts.size(); ++i) {
    if (taken[i])
      continue;
    int index = 0;
    for (std::string_view choice : choices) {
      if (parts[i] == choice) {
        taken[i] = true;
        return index;
      }
      ++index;
    }
  }
  return -1;
}

Type Decoder::takeType() {
  for (size_t i = 1; i < parts.size(); ++i) {
    if (taken[i])
      continue;
    Type type = parseType(parts[i]);
    if (type == Type::None)
      continue;
    taken[i] = true;
    return type;
  }
  return Type::None;
}

Type Decoder::expectType() {
  Type type = takeType();
  if (type == Type::None)
    failUnknown();
  return type;
}

Type Decoder::expectTypeOf(std::initializer_list<Type> types) {
  Type type = expectType();
  for (Type allowed : types)
    if (type == allowed)
      return type;
  failUnknown();
}

Space Decoder::takeSpace() {
  switch (takeOneOf({"global", "shared", "shared::cta", "local", "param", "const", "param::entry",
                     "param::func"})) {
  case 0:
    return Space::Global;
  case 1:
  case 2:
    return Space::Shared;
  case 3:
    return Space::Local;
  case 4:
  case 6:
  case 7:
    return Space::Param;
  case 5:
    return Space::Const;
  default:
    return Space::Generic;
  }
}

RoundingMode Decoder::takeRounding(bool &isGiven) {
  int index = takeOneOf({"rn", "rz", "rm", "rp", "rna"});
  isGiven = index >= 0;
  return isGiven ? static_cast<RoundingMode>(index) : RoundingMode::NearestEven;
}

/// Cache operators and eviction hints have no meaning here.
void Decoder::takeCacheHints() {
  while (takeOneOf({"ca",
                    "cg",
                    "cs",
                    "lu",
                    "cv",
                    "wb",
                    "wt",
                    "L1::evict_normal",
                    "L1::evict_unchanged",
                    "L1::evict_first",
                    "L1::evict_last",
                    "L1::no_allocate",
                    "L2::evict_normal",
                    "L2::evict_first",
                    "L2::evict_last",
                    "L2::64B",
                    "L2::128B",
                    "L2::256B",
                    "L2::cache_hint",
                    "level::eviction_priority"}) >= 0) {
  }
}

Ordering Decoder::takeOrdering() {
  Ordering ordering = Ordering::Weak;
  switch (takeOneOf({"weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"})) {
  case 1:
  case 2:
  case 6:
    ordering = Ordering::Relaxed;
    break;
  case 3:
    ordering = Ordering::Acquire;
    break;
  case 4:
    ordering = Ordering::Release;
    break;
  case 5:
    ordering = Ordering::AcquireRelease;
    break;
  default:
    break;
  }
  if (take("cluster"))
    refuse("clusters");
  takeOneOf({"cta", "gpu", "sys"});
  return ordering;
}

void Decoder::finishModifiers() {
  for (size_t i = 1; i < parts.size(); ++i)
    if (!taken[i])
      fail("unknown modifier `." + std::string(parts[i]) + "` of instruction `" + source.opcode +
               "`",
           "unknown " + source.opcode);
}

const AstOperand &Decoder::at(size_t index) const {
  if (index >= source.operands.size())
    fail("instruction `" + source.opcode + "` has too few operands");
  return source.operands[index];
}

void Decoder::expectOperands(size_t minimum, size_t maximum) {
  if (source.operands.size() < minimum || source.operands.size() > maximum)
    fail("instruction `" + source.opcode + "` has " + std::to_string(source.operands.size()) +
         " operands, expected " + std::to_string(minimum) +
         (minimum == maximum ? "" : " to " + std::to_string(maximum)));
}

void Decoder::noteRead(const Operand &operand) {
  if (operand.base != Base::Frame)
    return;
  Program &program = builder.getProgram();
  program.registerLists.push_back(operand.number);
}

void Decoder::noteWrite(const Operand &operand) {
  if (operand.base != Base::Frame)
    return;
  // The builder moves writes, marked in the top bit, behind the reads.
  builder.getProgram().registerLists.push_back(operand.number | 0x80000000u);
}

static Operand registerOperand(ProgramBuilder &builder, const AstOperand &operand) {
  const Function &function = builder.currentFunction();
  Type type = function.registers[operand.index].type;
  Operand row;
  row.base = Base::Frame;
  row.width = static_cast<uint8_t>(getWidth(type));
  row.isNarrow = type != Type::Pred && getTypeSize(type) < 4;
  row.isNegated = operand.negated;
  row.number = operand.index;
  row.offset =
      builder.getProgram().functions[builder.currentIndex()].registerOffsets[operand.index];
  return row;
}

Type Decoder::registerType(const AstOperand &operand) const {
  return builder.currentFunction().registers[operand.index].type;
}

Operand Decoder::result(const AstOperand &operand, Type type) {
  if (operand.kind == AstOperand::Kind::Sink)
    return Operand();
  if (operand.kind != AstOperand::Kind::Register || operand.negated || operand.offset != 0)
    throw DecodeError{operand.location, "expected a register as result of `" + source.opcode + "`",
                      ""};
  Operand row = registerOperand(builder, operand);
  unsigned have = getTypeSize(builder.currentFunction().registers[operand.index].type);
  if (row.width == 0 || have < getTypeSize(type))
    throw DecodeError{operand.location,
                      "register `" + operand.name + "` is too narrow for type ." +
                          std::string(getTypeName(type)),
                      ""};
  noteWrite(row);
  return row;
}

Operand Decoder::constant(uint64_t value, unsigned width) {
  Operand row;
  row.base = Base::Constant;
  row.width = static_cast<uint8_t>(width);
  row.offset = builder.constantRow(value, width);
  return row;
}

Operand Decoder::value(const AstOperand &operand, Type type) {
  using Kind = AstOperand::Kind;
  unsigned width = getWidth(type);
  if (operand.negated)
    throw DecodeError{operand.location, "`!` needs a predicate", ""};
  switch (operand.kind) {
  case Kind::Register: {
    if (operand.offset != 0)
      throw DecodeError{operand.location, "unexpected offset after a register", ""};
    Operand row = registerOperand(builder, operand);
    unsigned have = getTypeSize(builder.currentFunction().registers[operand.index].type);
    if (row.width == 0 || have < getTypeSize(type))
      throw DecodeError{operand.location,
                        "register `" + operand.name + "` is too narrow for type ." +
                            std::string(getTypeName(type)),
                        ""};
    noteRead(row);
    return row;
  }
  case Kind::Integer:
  case Kind::Float32:
  case Kind::Float64: {
    uint64_t bits = convertImmediate(operand, type);
    return constant(width == 4 ? static_cast<uint32_t>(bits) : bits, width);
  }
  case Kind::Special: {
    Operand row;
    bool isDynamic = false;
    row.base = Base::Special;
    row.offset = builder.specialRow(operand.name, row.width, isDynamic);
    if (row.offset == ~0u)
      throw DecodeError{operand.location, "special register `" + operand.name + "` is not modelled",
                        "special " + operand.name};
    if (row.width < width)
      throw DecodeError{operand.location,
                        "special register `" + operand.name + "` is too narrow for type ." +
                            std::string(getTypeName(type)),
                        ""};
    out.refreshSpecials |= isDynamic;
    return row;
  }
  case Kind::Symbol: {
    Symbol symbol;
    if (!builder.findSymbol(operand.name, operand.scope, symbol))
      throw DecodeError{operand.location, "unknown name `" + operand.name + "`", ""};
    if ((symbol.kind == Symbol::Kind::Local || symbol.kind == Symbol::Kind::FunctionParameter) &&
        !builder.currentFunction().isEntry)
      throw DecodeError{operand.location, "the address of `" + operand.name + "` needs a mov", ""};
    uint64_t address = symbol.address + static_cast<uint64_t>(operand.offset);
    return constant(width == 4 ? static_cast<uint32_t>(address) : address, width);
  }
  default:
    throw DecodeError{operand.location,
                      "expected a register or number as operand of `" + source.opcode + "`", ""};
  }
}

Operand Decoder::predicateResult(const AstOperand &operand) {
  if (operand.kind == AstOperand::Kind::Sink)
    return Operand();
  if (operand.kind != AstOperand::Kind::Register || operand.negated)
    throw DecodeError{operand.location, "expected a predicate register", ""};
  Operand row = registerOperand(builder, operand);
  if (row.width != 0)
    throw DecodeError{operand.location, "expected a predicate register, got `" + operand.name + "`",
                      ""};
  noteWrite(row);
  return row;
}

Operand Decoder::predicate(const AstOperand &operand) {
  if (operand.kind == AstOperand::Kind::Integer) {
    Operand row = constant(operand.value ? 0xFFFFFFFFu : 0, 4);
    row.width = 0;
    return row;
  }
  if (operand.kind != AstOperand::Kind::Register)
    throw DecodeError{operand.location, "expected a predicate register", ""};
  Operand row = registerOperand(builder, operand);
  if (row.width != 0)
    throw DecodeError{operand.location, "expected a predicate register, got `" + operand.name + "`",
                      ""};
  noteRead(row);
  return row;
}

void Decoder::resultWithPredicate(size_t index, Type type) {
  const AstOperand &operand = at(index);
  if (operand.kind != AstOperand::Kind::Pair) {
    out.d = result(operand, type);
    return;
  }
  out.d = result(operand.parts[0], type);
  out.e = predicateResult(operand.parts[1]);
}

void Decoder::address(const AstOperand &operand, Space space, Operand &base, int64_t &offset) {
  using Kind = AstOperand::Kind;
  if (operand.kind != Kind::Address || operand.parts.size() != 1)
    throw DecodeError{operand.location, "expected an address in brackets", ""};
  const AstOperand &inner = operand.parts[0];
  offset = inner.offset;
  if (inner.kind == Kind::Register) {
    base = registerOperand(builder, inner);
    if (base.width != 4 && base.width != 8)
      throw DecodeError{inner.location, "register `" + inner.name + "` cannot hold an address", ""};
    if (base.width == 4 && (space == Space::Global || space == Space::Generic))
      throw DecodeError{inner.location,
                        "register `" + inner.name + "` is too narrow for a 64-bit address", ""};
    noteRead(base);
    return;
  }
  if (inner.kind == Kind::Integer) {
    base = constant(inner.value, 8);
    offset = 0;
    return;
  }
  Symbol symbol;
  if (inner.kind != Kind::Symbol || !builder.findSymbol(inner.name, inner.scope, symbol))
    throw DecodeError{inner.location, "unknown name `" + inner.name + "`", ""};
  bool isRight = true;
  switch (space) {
  case Space::Shared:
    isRight = symbol.kind == Symbol::Kind::Shared;
    break;
  case Space::Local:
    isRight = symbol.kind == Symbol::Kind::Local;
    break;
  case Space::Param:
    isRight = symbol.kind == Symbol::Kind::EntryParameter ||
              symbol.kind == Symbol::Kind::FunctionParameter;
    break;
  case Space::Global:
  case Space::Const:
    isRight = symbol.kind == Symbol::Kind::Global;
    break;
  default:
    break;
  }
  if (!isRight)
    throw DecodeError{inner.location,
                      "`" + inner.name + "` is not in ." + std::string(getSpaceName(space)), ""};
  uint64_t address = symbol.address;
  out.paramIsLocal = symbol.kind == Symbol::Kind::FunctionParameter;
  out.localIsRelative =
      symbol.kind == Symbol::Kind::FunctionParameter || symbol.kind == Symbol::Kind::Local;
  if (space == Space::Generic && symbol.kind == Symbol::Kind::Shared)
    address += sharedWindow;
  base = constant(address, 8);
}

uint64_t Decoder::immediate(size_t index, std::string_view what) {
  const AstOperand &operand = at(index);
  if (operand.kind != AstOperand::Kind::Integer)
    throw DecodeError{operand.location,
                      "expected " + std::string(what) + " as a number in `" + source.opcode + "`",
                      ""};
  return operand.value;
}

uint32_t Decoder::label(const AstOperand &operand) {
  uint32_t target = 0;
  if (operand.kind != AstOperand::Kind::Symbol ||
      !builder.findLabel(operand.name, operand.scope, target))
    throw DecodeError{operand.location, "unknown label `" + operand.name + "`", ""};
  return target;
}

void Decoder::appendVector(const AstOperand &operand, Type type, bool isResult, size_t expected) {
  const AstOperand *elements = &operand;
  size_t count = 1;
  if (operand.kind == AstOperand::Kind::Vector) {
    elements = operand.parts.data();
    count = operand.parts.size();
  }
  if (count != expected)
    throw DecodeError{
        operand.location,
        "expected " + std::to_string(expected) + " elements, got " + std::to_string(count), ""};
  for (size_t i = 0; i < count; ++i) {
    Operand row = isResult ? result(elements[i], type) : value(elements[i], type);
    builder.getProgram().operands.push_back(row);
  }
}

} // namespace attnc::emu
