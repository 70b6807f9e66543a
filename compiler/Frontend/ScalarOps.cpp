//===- ScalarOps.cpp - Arithmetic of the language ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/ScalarOps.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>
#include <limits>

using namespace attnc;
using ast::BinaryOp;
using ast::CompareOp;

//===------------------------------------------------------------------------===//
// Constants
//===------------------------------------------------------------------------===//

static int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

static int64_t floorDiv(int64_t a, int64_t b) {
  if (b == -1)
    return wrap(-static_cast<uint64_t>(a));
  int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

static int64_t floorMod(int64_t a, int64_t b) {
  if (b == -1)
    return 0;
  int64_t remainder = a % b;
  return remainder != 0 && ((remainder < 0) != (b < 0)) ? remainder + b : remainder;
}

static int64_t saturate(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 0x1p63)
    return std::numeric_limits<int64_t>::max();
  if (value < -0x1p63)
    return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

static double foldUnary(ExprOp op, double x) {
  switch (op) {
  case ExprOp::Negate:
    return -x;
  case ExprOp::Abs:
    return std::fabs(x);
  case ExprOp::Exp:
    return std::exp(x);
  case ExprOp::Exp2:
    return std::exp2(x);
  case ExprOp::Expm1:
    return std::expm1(x);
  case ExprOp::Log:
    return std::log(x);
  case ExprOp::Log1p:
    return std::log1p(x);
  case ExprOp::Log2:
    return std::log2(x);
  case ExprOp::Sqrt:
    return std::sqrt(x);
  case ExprOp::Rsqrt:
    return 1.0 / std::sqrt(x);
  case ExprOp::Tanh:
    return std::tanh(x);
  case ExprOp::Sin:
    return std::sin(x);
  case ExprOp::Cos:
    return std::cos(x);
  case ExprOp::Erf:
    return std::erf(x);
  case ExprOp::Floor:
    return std::floor(x);
  case ExprOp::Ceil:
    return std::ceil(x);
  case ExprOp::RoundEven:
    return std::nearbyint(x);
  case ExprOp::Trunc:
    return std::trunc(x);
  default:
    llvm_unreachable("not an operation of one float");
  }
}

static double divide(double a, double b) {
  if (b != 0)
    return a / b;
  if (a == 0 || std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  return std::signbit(a) == std::signbit(b) ? std::numeric_limits<double>::infinity()
                                            : -std::numeric_limits<double>::infinity();
}

static double foldFloat(BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Add:
    return a + b;
  case BinaryOp::Sub:
    return a - b;
  case BinaryOp::Mul:
    return a * b;
  case BinaryOp::Div:
    return divide(a, b);
  case BinaryOp::FloorDiv:
    return std::floor(divide(a, b));
  case BinaryOp::Pow:
    return std::pow(a, b);
  default:
    llvm_unreachable("not arithmetic");
  }
}

template <typename T> static bool foldCompare(CompareOp op, T a, T b) {
  switch (op) {
  case CompareOp::Eq:
    return a == b;
  case CompareOp::Ne:
    return a != b;
  case CompareOp::Lt:
    return a < b;
  case CompareOp::Le:
    return a <= b;
  case CompareOp::Gt:
    return a > b;
  case CompareOp::Ge:
    return a >= b;
  default:
    llvm_unreachable("not a comparison of numbers");
  }
}

//===------------------------------------------------------------------------===//
// Nodes and conversions
//===------------------------------------------------------------------------===//

ExprId ScalarOps::getNode(Value value, SourceRange range) {
  switch (value.getKind()) {
  case Value::Kind::Int:
    return graph.getInt(value.getInt(), range);
  case Value::Kind::Float:
    return graph.getFloat(value.getReal(), range);
  case Value::Kind::Bool:
    return graph.getBool(value.getBool(), range);
  default:
    return value.getExpr();
  }
}

Value ScalarOps::node(ExprOp op, Value value, SourceRange range, bool approximate) {
  return runtime(graph.get(op, getNode(value, range), range, approximate));
}

Value ScalarOps::node(ExprOp op, Value lhs, Value rhs, SourceRange range, bool approximate) {
  ExprId operands[] = {getNode(lhs, range), getNode(rhs, range)};
  return runtime(graph.get(op, operands, range, approximate));
}

Value ScalarOps::toFloat(Value value, SourceRange range) {
  switch (value.getKind()) {
  case Value::Kind::Int:
    return Value::real(static_cast<double>(value.getInt()));
  case Value::Kind::Bool:
    return Value::real(value.getBool());
  case Value::Kind::Float:
    return value;
  default:
    break;
  }
  switch (value.getScalarKind()) {
  case ScalarKind::Int:
    return node(ExprOp::IntToFloat, value, range);
  case ScalarKind::Bool:
    return node(ExprOp::BoolToFloat, value, range);
  case ScalarKind::Float:
    return value;
  }
  llvm_unreachable("unknown kind of scalar");
}

Value ScalarOps::toInt(Value value, SourceRange range) {
  switch (value.getKind()) {
  case Value::Kind::Int:
    return value;
  case Value::Kind::Bool:
    return Value::integer(value.getBool());
  case Value::Kind::Float:
    return Value::integer(saturate(value.getReal()));
  default:
    break;
  }
  switch (value.getScalarKind()) {
  case ScalarKind::Int:
    return value;
  case ScalarKind::Bool:
    return node(ExprOp::BoolToInt, value, range);
  case ScalarKind::Float:
    return node(ExprOp::FloatToInt, value, range);
  }
  llvm_unreachable("unknown kind of scalar");
}

Value ScalarOps::toBool(Value value, SourceRange range) {
  switch (value.getScalarKind()) {
  case ScalarKind::Bool:
    return value;
  case ScalarKind::Int:
    return compare(CompareOp::Ne, value, Value::integer(0), range);
  case ScalarKind::Float:
    return compare(CompareOp::Ne, value, Value::real(0), range);
  }
  llvm_unreachable("unknown kind of scalar");
}

Value ScalarOps::round(Value value, ElementType type, SourceRange range) {
  if (value.is(Value::Kind::Float)) {
    // The graph rounds to f32 as an f32 must be: beyond its range lie the infinities.
    double limit = std::ldexp(1.0 - std::ldexp(1.0, -25), 128);
    double real = value.getReal();
    if (std::fabs(real) >= limit && !std::isnan(real))
      return Value::real(std::copysign(std::numeric_limits<double>::infinity(), real));
    auto rounded = static_cast<float>(real);
    if (type == ElementType::F16)
      rounded = convertF16ToFloat(convertFloatToF16(rounded));
    else if (type == ElementType::BF16)
      rounded = convertBF16ToFloat(convertFloatToBF16(rounded));
    return Value::real(rounded);
  }
  if (type == ElementType::F16)
    return node(ExprOp::RoundToF16, value, range);
  if (type == ElementType::BF16)
    return node(ExprOp::RoundToBF16, value, range);
  return value;
}

//===------------------------------------------------------------------------===//
// Operators
//===------------------------------------------------------------------------===//

Value ScalarOps::arithmetic(BinaryOp op, Value lhs, Value rhs, SourceRange range,
                            bool approximate) {
  bool ints = lhs.isScalarOf(ScalarKind::Int) && rhs.isScalarOf(ScalarKind::Int);
  if (op == BinaryOp::Pow && ints && !(rhs.is(Value::Kind::Int) && rhs.getInt() >= 0))
    ints = false;
  if (ints && op != BinaryOp::Div)
    return intArithmetic(op, lhs, rhs, range);
  return floatArithmetic(op, toFloat(lhs, range), toFloat(rhs, range), range, approximate);
}

/// `value` as the sum of another and a constant, or the product; nothing if it is none.
std::optional<ScalarOps::WithConstant> ScalarOps::splitConstant(Value value, bool isProduct) const {
  if (!value.isRuntime())
    return std::nullopt;
  const ExprNode &node = graph[value.getExpr()];
  bool isDifference = node.op == ExprOp::SubInt;
  if (isProduct ? node.op != ExprOp::MulInt : node.op != ExprOp::AddInt && !isDifference)
    return std::nullopt;
  for (unsigned i : {1u, 0u}) {
    const ExprNode &operand = graph[node.operands[i]];
    if (operand.op != ExprOp::IntConstant || (isDifference && i == 0))
      continue;
    Value other = Value::runtime(ScalarKind::Int, node.operands[1 - i]);
    return WithConstant{other, wrap(isDifference ? -operand.payload : operand.payload)};
  }
  return std::nullopt;
}

/// `lhs op rhs` where one is a constant and the other a sum or product with a constant, so that a
/// chain of them is one operation; nothing for others.
std::optional<Value> ScalarOps::joinConstants(BinaryOp op, Value lhs, Value rhs,
                                              SourceRange range) {
  bool isProduct = op == BinaryOp::Mul;
  if (op != BinaryOp::Sub && lhs.isConstant())
    std::swap(lhs, rhs);
  if (!rhs.isConstant() || (!isProduct && op != BinaryOp::Add && op != BinaryOp::Sub))
    return std::nullopt;
  std::optional<WithConstant> inner = splitConstant(lhs, isProduct);
  if (!inner)
    return std::nullopt;
  Value constant = intArithmetic(op, Value::integer(inner->constant), rhs, range);
  return node(isProduct ? ExprOp::MulInt : ExprOp::AddInt, inner->value, constant, range);
}

Value ScalarOps::intArithmetic(BinaryOp op, Value lhs, Value rhs, SourceRange range) {
  if (op == BinaryOp::Pow)
    return intPower(lhs, static_cast<uint64_t>(rhs.getInt()), range);
  if (std::optional<Value> joined = joinConstants(op, lhs, rhs, range))
    return *joined;
  bool known = lhs.isConstant() && rhs.isConstant();
  int64_t a = known ? lhs.getInt() : 0, b = known ? rhs.getInt() : 0;
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (op) {
  case BinaryOp::Add:
    return known ? Value::integer(wrap(ua + ub)) : node(ExprOp::AddInt, lhs, rhs, range);
  case BinaryOp::Sub:
    return known ? Value::integer(wrap(ua - ub)) : node(ExprOp::SubInt, lhs, rhs, range);
  case BinaryOp::Mul:
    return known ? Value::integer(wrap(ua * ub)) : node(ExprOp::MulInt, lhs, rhs, range);
  case BinaryOp::FloorDiv:
    return known ? Value::integer(floorDiv(a, b)) : node(ExprOp::FloorDivInt, lhs, rhs, range);
  case BinaryOp::Mod:
    return known ? Value::integer(floorMod(a, b)) : node(ExprOp::FloorModInt, lhs, rhs, range);
  default:
    llvm_unreachable("not arithmetic of ints");
  }
}

Value ScalarOps::intPower(Value base, uint64_t exponent, SourceRange range) {
  Value result = Value::integer(1);
  bool first = true;
  for (Value square = base; exponent != 0; exponent >>= 1) {
    if (exponent & 1) {
      result = first ? square : intArithmetic(BinaryOp::Mul, result, square, range);
      first = false;
    }
    if (exponent > 1)
      square = intArithmetic(BinaryOp::Mul, square, square, range);
  }
  return result;
}

Value ScalarOps::floatArithmetic(BinaryOp op, Value lhs, Value rhs, SourceRange range,
                                 bool approximate) {
  if (op == BinaryOp::Mod)
    return addWhereSignsDiffer(fmod(lhs, rhs, range), rhs, rhs, range);
  if (lhs.isConstant() && rhs.isConstant())
    return Value::real(foldFloat(op, lhs.getReal(), rhs.getReal()));
  switch (op) {
  case BinaryOp::Add:
    return node(ExprOp::AddFloat, lhs, rhs, range);
  case BinaryOp::Sub:
    return node(ExprOp::SubFloat, lhs, rhs, range);
  case BinaryOp::Mul:
    return node(ExprOp::MulFloat, lhs, rhs, range);
  case BinaryOp::Div:
    return node(ExprOp::DivFloat, lhs, rhs, range);
  case BinaryOp::FloorDiv:
    return node(ExprOp::Floor, node(ExprOp::DivFloat, lhs, rhs, range), range);
  case BinaryOp::Pow:
    // Small whole powers are products, which are at least as exact.
    if (rhs.is(Value::Kind::Float)) {
      if (rhs.getReal() == 1)
        return lhs;
      if (rhs.getReal() == 2)
        return node(ExprOp::MulFloat, lhs, lhs, range);
      if (rhs.getReal() == 3)
        return node(ExprOp::MulFloat, node(ExprOp::MulFloat, lhs, lhs, range), lhs, range);
    }
    return node(ExprOp::Pow, lhs, rhs, range, approximate);
  default:
    llvm_unreachable("not arithmetic of floats");
  }
}

Value ScalarOps::shift(BinaryOp op, Value lhs, Value rhs, SourceRange range) {
  bool left = op == BinaryOp::ShiftLeft;
  ExprOp nodeOp = left ? ExprOp::ShiftLeft : ExprOp::ShiftRight;
  if (rhs.isConstant()) {
    if (!lhs.isConstant())
      return node(nodeOp, lhs, rhs, range);
    int64_t value = lhs.getInt();
    return Value::integer(left ? wrap(static_cast<uint64_t>(value) << rhs.getInt())
                               : value >> rhs.getInt());
  }
  Value inside = node(ExprOp::LtUnsigned, rhs, Value::integer(64), range);
  Value amount = select(inside, rhs, Value::integer(left ? 0 : 63), range);
  Value shifted = node(nodeOp, lhs, amount, range);
  return left ? select(inside, shifted, Value::integer(0), range) : shifted;
}

Value ScalarOps::bitwise(BinaryOp op, Value lhs, Value rhs, SourceRange range) {
  bool known = lhs.isConstant() && rhs.isConstant();
  if (lhs.isScalarOf(ScalarKind::Bool)) {
    if (known) {
      bool a = lhs.getBool(), b = rhs.getBool();
      return Value::boolean(op == BinaryOp::BitAnd  ? a && b
                            : op == BinaryOp::BitOr ? a || b
                                                    : a != b);
    }
    ExprId a = getNode(lhs, range), b = getNode(rhs, range);
    ExprId result = op == BinaryOp::BitAnd  ? graph.getAnd(a, b, range)
                    : op == BinaryOp::BitOr ? graph.getOr(a, b, range)
                                            : graph.get(ExprOp::Xor, {a, b}, range);
    const ExprNode &made = graph[result];
    return made.op == ExprOp::BoolConstant ? Value::boolean(made.payload != 0) : runtime(result);
  }
  if (known) {
    int64_t a = lhs.getInt(), b = rhs.getInt();
    return Value::integer(op == BinaryOp::BitAnd ? a & b : op == BinaryOp::BitOr ? a | b : a ^ b);
  }
  ExprOp nodeOp = op == BinaryOp::BitAnd  ? ExprOp::AndInt
                  : op == BinaryOp::BitOr ? ExprOp::OrInt
                                          : ExprOp::XorInt;
  return node(nodeOp, lhs, rhs, range);
}

Value ScalarOps::compare(CompareOp op, Value lhs, Value rhs, SourceRange range) {
  bool known = lhs.isConstant() && rhs.isConstant();
  if (lhs.isScalarOf(ScalarKind::Bool)) {
    if (known)
      return Value::boolean(foldCompare(op, lhs.getBool(), rhs.getBool()));
    Value differ = bitwise(BinaryOp::BitXor, lhs, rhs, range);
    return op == CompareOp::Ne ? differ : logicalNot(differ, range);
  }
  bool ints = lhs.isScalarOf(ScalarKind::Int) && rhs.isScalarOf(ScalarKind::Int);
  if (known && ints)
    return Value::boolean(foldCompare(op, lhs.getInt(), rhs.getInt()));
  if (!ints) {
    lhs = toFloat(lhs, range);
    rhs = toFloat(rhs, range);
  }
  if (known)
    return Value::boolean(foldCompare(op, lhs.getReal(), rhs.getReal()));
  switch (op) {
  case CompareOp::Eq:
    return node(ExprOp::Eq, lhs, rhs, range);
  case CompareOp::Ne:
    return node(ExprOp::Ne, lhs, rhs, range);
  case CompareOp::Lt:
    return node(ExprOp::Lt, lhs, rhs, range);
  case CompareOp::Le:
    return node(ExprOp::Le, lhs, rhs, range);
  case CompareOp::Gt:
    return node(ExprOp::Gt, lhs, rhs, range);
  case CompareOp::Ge:
    return node(ExprOp::Ge, lhs, rhs, range);
  default:
    llvm_unreachable("not a comparison of numbers");
  }
}

Value ScalarOps::logicalNot(Value value, SourceRange range) {
  if (value.isConstant())
    return Value::boolean(!value.getBool());
  return runtime(graph.getNot(value.getExpr(), range));
}

Value ScalarOps::negate(Value value, SourceRange range) {
  if (value.is(Value::Kind::Int))
    return Value::integer(wrap(-static_cast<uint64_t>(value.getInt())));
  if (value.isScalarOf(ScalarKind::Int))
    return node(ExprOp::SubInt, Value::integer(0), value, range);
  return unary(ExprOp::Negate, value, range);
}

Value ScalarOps::invert(Value value, SourceRange range) {
  if (value.isScalarOf(ScalarKind::Bool))
    return logicalNot(value, range);
  if (value.isConstant())
    return Value::integer(~value.getInt());
  return node(ExprOp::XorInt, value, Value::integer(-1), range);
}

//===------------------------------------------------------------------------===//
// Functions
//===------------------------------------------------------------------------===//

Value ScalarOps::select(Value condition, Value trueValue, Value falseValue, SourceRange range) {
  if (trueValue.getScalarKind() != falseValue.getScalarKind()) {
    trueValue = toFloat(trueValue, range);
    falseValue = toFloat(falseValue, range);
  }
  if (condition.isConstant())
    return condition.getBool() ? trueValue : falseValue;
  if (trueValue.isIdenticalTo(falseValue))
    return trueValue;
  ExprId result = graph.getSelect(condition.getExpr(), getNode(trueValue, range),
                                  getNode(falseValue, range), range);
  const ExprNode &made = graph[result];
  return made.op == ExprOp::BoolConstant ? Value::boolean(made.payload != 0) : runtime(result);
}

Value ScalarOps::unary(ExprOp op, Value value, SourceRange range, bool approximate) {
  value = toFloat(value, range);
  if (value.isConstant())
    return Value::real(foldUnary(op, value.getReal()));
  return node(op, value, range, approximate);
}

Value ScalarOps::abs(Value value, SourceRange range) {
  if (value.isScalarOf(ScalarKind::Int))
    return max(value, negate(value, range), range);
  return unary(ExprOp::Abs, value, range);
}

Value ScalarOps::fmod(Value lhs, Value rhs, SourceRange range) {
  if (lhs.isScalarOf(ScalarKind::Int) && rhs.isScalarOf(ScalarKind::Int)) {
    Value floored = intArithmetic(BinaryOp::Mod, lhs, rhs, range);
    return addWhereSignsDiffer(floored, lhs, negate(rhs, range), range);
  }
  lhs = toFloat(lhs, range);
  rhs = toFloat(rhs, range);
  if (lhs.isConstant() && rhs.isConstant())
    return Value::real(std::fmod(lhs.getReal(), rhs.getReal()));
  return node(ExprOp::Fmod, lhs, rhs, range);
}

/// `rest`, with `added` where it is not 0 and of another sign than `sign`.
Value ScalarOps::addWhereSignsDiffer(Value rest, Value sign, Value added, SourceRange range) {
  Value zero = Value::integer(0);
  Value differ = bitwise(BinaryOp::BitXor, compare(CompareOp::Lt, rest, zero, range),
                         compare(CompareOp::Lt, sign, zero, range), range);
  Value isWrong =
      bitwise(BinaryOp::BitAnd, compare(CompareOp::Ne, rest, zero, range), differ, range);
  return select(isWrong, arithmetic(BinaryOp::Add, rest, added, range), rest, range);
}

Value ScalarOps::sign(Value value, SourceRange range) {
  if (value.isScalarOf(ScalarKind::Int))
    return max(min(value, Value::integer(1), range), Value::integer(-1), range);
  Value zero = Value::real(0);
  // A zero and NaN stay what they are.
  Value negative =
      select(compare(CompareOp::Lt, value, zero, range), Value::real(-1), value, range);
  return select(compare(CompareOp::Gt, value, zero, range), Value::real(1), negative, range);
}

Value ScalarOps::min(Value lhs, Value rhs, SourceRange range) {
  return extremum(lhs, rhs, /*isMax=*/false, range);
}

Value ScalarOps::max(Value lhs, Value rhs, SourceRange range) {
  return extremum(lhs, rhs, /*isMax=*/true, range);
}

Value ScalarOps::extremum(Value lhs, Value rhs, bool isMax, SourceRange range) {
  bool known = lhs.isConstant() && rhs.isConstant();
  if (lhs.isScalarOf(ScalarKind::Int) && rhs.isScalarOf(ScalarKind::Int)) {
    if (known)
      return Value::integer(isMax ? std::max(lhs.getInt(), rhs.getInt())
                                  : std::min(lhs.getInt(), rhs.getInt()));
    return node(isMax ? ExprOp::MaxInt : ExprOp::MinInt, lhs, rhs, range);
  }
  lhs = toFloat(lhs, range);
  rhs = toFloat(rhs, range);
  if (!known)
    return node(isMax ? ExprOp::MaxFloat : ExprOp::MinFloat, lhs, rhs, range);
  double a = lhs.getReal(), b = rhs.getReal();
  if (std::isnan(a) || std::isnan(b))
    return Value::real(std::numeric_limits<double>::quiet_NaN());
  return Value::real(isMax ? std::max(a, b) : std::min(a, b));
}
