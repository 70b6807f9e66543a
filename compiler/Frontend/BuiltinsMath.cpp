//===- BuiltinsMath.cpp - Functions of numbers ------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Builtins.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace attnc;
using ast::BinaryOp;
using ast::CompareOp;

static constexpr uint8_t everywhere = InPlain | InTorch | InMath | InMethods;
static constexpr uint8_t asTorch = InTorch | InMethods;
static constexpr uint8_t plainAndTorch = InPlain | InTorch | InMethods;

/// A function of one number: `use(evaluator, number, place)`.
template <typename Use>
static Value callOnNumber(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands,
                          Use use) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged || !evaluator.requireNumber(arranged->front(), operands.name))
    return Value::poison();
  return use(evaluator.getOps(), arranged->front().value, evaluator.getUserRange(operands.range));
}

static Value callUnary(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return callOnNumber(
      evaluator, builtin, operands, [&](ScalarOps &ops, Value x, SourceRange place) {
        return ops.unary(builtin.op, x, place, evaluator.isApproximate(builtin.name));
      });
}

/// math.floor, math.ceil, math.trunc: to an int.
static Value callToInt(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return callOnNumber(evaluator, builtin, operands,
                      [&](ScalarOps &ops, Value x, SourceRange place) {
                        if (x.isScalarOf(ScalarKind::Int))
                          return x;
                        return ops.toInt(ops.unary(builtin.op, x, place), place);
                      });
}

static Value callAbs(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return callOnNumber(evaluator, builtin, operands,
                      [](ScalarOps &ops, Value x, SourceRange place) { return ops.abs(x, place); });
}

static Value callSign(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return callOnNumber(evaluator, builtin, operands, [](ScalarOps &ops, Value x, SourceRange place) {
    return ops.sign(x, place);
  });
}

static Value callNegate(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return callOnNumber(evaluator, builtin, operands, [](ScalarOps &ops, Value x, SourceRange place) {
    return ops.negate(x, place);
  });
}

static Value callSigmoid(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return callOnNumber(
      evaluator, builtin, operands, [&](ScalarOps &ops, Value x, SourceRange place) {
        Value power = ops.unary(ExprOp::Exp, ops.unary(ExprOp::Negate, x, place), place,
                                evaluator.isApproximate("sigmoid"));
        Value one = Value::real(1);
        return ops.arithmetic(BinaryOp::Div, one, ops.arithmetic(BinaryOp::Add, one, power, place),
                              place);
      });
}

static Value callRelu(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return callOnNumber(evaluator, builtin, operands, [](ScalarOps &ops, Value x, SourceRange place) {
    return ops.max(ops.toFloat(x, place), Value::real(0), place);
  });
}

static Value callSquare(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return callOnNumber(evaluator, builtin, operands, [](ScalarOps &ops, Value x, SourceRange place) {
    return ops.arithmetic(BinaryOp::Mul, x, x, place);
  });
}

static Value callReciprocal(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return callOnNumber(evaluator, builtin, operands, [](ScalarOps &ops, Value x, SourceRange place) {
    return ops.arithmetic(BinaryOp::Div, Value::real(1), x, place);
  });
}

static Value callIsNan(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return callOnNumber(evaluator, builtin, operands, [](ScalarOps &ops, Value x, SourceRange place) {
    if (x.isScalarOf(ScalarKind::Int))
      return Value::boolean(false);
    return ops.compare(CompareOp::Ne, x, x, place);
  });
}

/// isinf and isfinite: the size compared with infinity.
static Value compareWithInfinity(CompareOp op, Evaluator &evaluator, const Builtin &builtin,
                                 CallOperands &operands) {
  return callOnNumber(
      evaluator, builtin, operands, [&](ScalarOps &ops, Value x, SourceRange place) {
        if (x.isScalarOf(ScalarKind::Int))
          return Value::boolean(op == CompareOp::Lt);
        return ops.compare(op, ops.abs(x, place),
                           Value::real(std::numeric_limits<double>::infinity()), place);
      });
}
static Value callIsInf(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return compareWithInfinity(CompareOp::Eq, evaluator, builtin, operands);
}
static Value callIsFinite(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  return compareWithInfinity(CompareOp::Lt, evaluator, builtin, operands);
}

/// math.log(x, base) and log10.
static Value callLog(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged || !evaluator.requireNumber((*arranged)[0], operands.name))
    return Value::poison();
  ScalarOps &ops = evaluator.getOps();
  SourceRange place = evaluator.getUserRange(operands.range);
  bool approximate = evaluator.isApproximate("log");
  Value log = ops.unary(ExprOp::Log, (*arranged)[0].value, place, approximate);
  if (builtin.name == "log10")
    return ops.arithmetic(BinaryOp::Mul, log, Value::real(0.4342944819032518), place);
  if (!(*arranged)[1].range.isValid())
    return log;
  if (!evaluator.requireNumber((*arranged)[1], operands.name))
    return Value::poison();
  Value base = ops.unary(ExprOp::Log, (*arranged)[1].value, place, approximate);
  return ops.arithmetic(BinaryOp::Div, log, base, place);
}

//===------------------------------------------------------------------------===//
// Operators as functions
//===------------------------------------------------------------------------===//

template <BinaryOp op>
static Value callBinary(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  return evaluator.binary(op, (*arranged)[0], (*arranged)[1], operands.range, operands.name);
}

template <CompareOp op>
static Value callCompare(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  return evaluator.compare(op, (*arranged)[0], (*arranged)[1], operands.range);
}

template <BinaryOp op>
static Value callLogical(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  bool fits = evaluator.requireBool((*arranged)[0], operands.name);
  if (!evaluator.requireBool((*arranged)[1], operands.name) || !fits)
    return Value::poison();
  return evaluator.binary(op, (*arranged)[0], (*arranged)[1], operands.range, operands.name);
}

static Value callLogicalNot(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged || !evaluator.requireBool(arranged->front(), operands.name))
    return Value::poison();
  return evaluator.unary(ast::UnaryOp::Invert, arranged->front(), operands.range);
}

static Value callBitwiseNot(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  return evaluator.unary(ast::UnaryOp::Invert, arranged->front(), operands.range);
}

/// math.pow and torch.float_power: of floats, whatever the arguments.
static Value callFloatPower(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  for (Operand &operand : *arranged) {
    if (!evaluator.requireNumber(operand, operands.name))
      return Value::poison();
    operand.value =
        evaluator.getOps().toFloat(operand.value, evaluator.getUserRange(operand.range));
  }
  return evaluator.binary(BinaryOp::Pow, (*arranged)[0], (*arranged)[1], operands.range,
                          operands.name);
}

/// The quotient truncated, as C divides.
static Value divideTruncating(Evaluator &evaluator, Operand lhs, Operand rhs,
                              CallOperands &operands) {
  ScalarOps &ops = evaluator.getOps();
  SourceRange place = evaluator.getUserRange(operands.range);
  bool ints = lhs.value.isScalarOf(ScalarKind::Int) && rhs.value.isScalarOf(ScalarKind::Int);
  if (!ints) {
    Value quotient = evaluator.binary(BinaryOp::Div, lhs, rhs, operands.range, operands.name);
    return quotient.isPoison() ? quotient : ops.unary(ExprOp::Trunc, quotient, place);
  }
  // Without the rest the division is exact.
  Value rest = ops.fmod(lhs.value, rhs.value, place);
  Operand whole = {ops.arithmetic(BinaryOp::Sub, lhs.value, rest, place), lhs.range};
  return evaluator.binary(BinaryOp::FloorDiv, whole, rhs, operands.range, operands.name);
}

/// torch.div with its rounding mode.
static Value callDivide(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  Operand lhs = (*arranged)[0], rhs = (*arranged)[1], mode = (*arranged)[2];
  if (!mode.range.isValid() || mode.value.is(Value::Kind::None))
    return evaluator.binary(BinaryOp::Div, lhs, rhs, operands.range, operands.name);
  bool fits = evaluator.requireNumber(lhs, operands.name);
  if (!evaluator.requireNumber(rhs, operands.name) || !fits)
    return Value::poison();
  if (mode.value.is(Value::Kind::String) && mode.value.getString() == "floor")
    return evaluator.binary(BinaryOp::FloorDiv, lhs, rhs, operands.range, operands.name);
  if (mode.value.is(Value::Kind::String) && mode.value.getString() == "trunc")
    return divideTruncating(evaluator, lhs, rhs, operands);
  evaluator.report(
      mode.range, DiagId::operand_type, "rounding_mode", "None, \"floor\" or \"trunc\"",
      mode.value.is(Value::Kind::String) ? mode.range.text().str() : mode.value.describe());
  return Value::poison();
}

static Value callFmod(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  Operand lhs = (*arranged)[0], rhs = (*arranged)[1];
  bool fits = evaluator.requireNumber(lhs, operands.name);
  if (!evaluator.requireNumber(rhs, operands.name) || !fits)
    return Value::poison();
  if (!evaluator.checkDivision(BinaryOp::Mod, lhs, rhs, operands.name))
    return Value::poison();
  return evaluator.getOps().fmod(lhs.value, rhs.value, evaluator.getUserRange(operands.range));
}

static Value callDivmod(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  Operand lhs = (*arranged)[0], rhs = (*arranged)[1];
  Value parts[] = {evaluator.binary(BinaryOp::FloorDiv, lhs, rhs, operands.range, operands.name),
                   evaluator.binary(BinaryOp::Mod, lhs, rhs, operands.range, operands.name)};
  return parts[0].isPoison() ? Value::poison() : evaluator.makeTuple(parts, operands.range);
}

//===------------------------------------------------------------------------===//
// Choices
//===------------------------------------------------------------------------===//

template <bool isMax>
static Value callExtremum(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  llvm::SmallVector<Operand, 4> &numbers = *arranged;
  if (numbers.size() == 1 && numbers[0].value.is(Value::Kind::Tensor) &&
      numbers[0].value.getTensor().getRank() > 0) {
    evaluator.report(operands.range, DiagId::reduction, operands.name);
    return Value::poison();
  }
  if (numbers.size() == 1 && numbers[0].value.is(Value::Kind::Tuple)) {
    Operand tuple = numbers[0];
    numbers.clear();
    for (const Value &element : tuple.value.getElements())
      numbers.push_back({element, tuple.range});
  }
  if (numbers.empty()) {
    evaluator.report(operands.range, DiagId::missing_argument, operands.name, "number");
    return Value::poison();
  }
  for (Operand &number : numbers)
    if (!evaluator.requireNumber(number, operands.name))
      return Value::poison();
  ScalarOps &ops = evaluator.getOps();
  SourceRange place = evaluator.getUserRange(operands.range);
  Value result = numbers[0].value;
  for (const Operand &number : llvm::drop_begin(numbers))
    result = isMax ? ops.max(result, number.value, place) : ops.min(result, number.value, place);
  return result;
}

static Value callClamp(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged || !evaluator.requireNumber((*arranged)[0], operands.name))
    return Value::poison();
  ScalarOps &ops = evaluator.getOps();
  SourceRange place = evaluator.getUserRange(operands.range);
  Value result = (*arranged)[0].value;
  for (size_t i : {1, 2}) {
    Operand bound = i < arranged->size() ? (*arranged)[i] : Operand();
    if (!bound.range.isValid() || bound.value.is(Value::Kind::None))
      continue;
    if (!evaluator.requireNumber(bound, operands.name))
      return Value::poison();
    bool isLower = i == 1 && builtin.name != "clamp_max";
    result = isLower ? ops.max(result, bound.value, place) : ops.min(result, bound.value, place);
  }
  return result;
}

static Value chooseBy(Evaluator &evaluator, Operand condition, Operand value, Operand other,
                      CallOperands &operands) {
  if (!evaluator.requireBool(condition, operands.name) ||
      !evaluator.requireScalar(value, operands.name) ||
      !evaluator.requireScalar(other, operands.name))
    return Value::poison();
  return evaluator.choose(condition.value, value, other, operands.range);
}

static Value callWhere(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  return chooseBy(evaluator, (*arranged)[0], (*arranged)[1], (*arranged)[2], operands);
}

/// `x.where(condition, other)`.
static Value callWhereMethod(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  return chooseBy(evaluator, (*arranged)[1], (*arranged)[0], (*arranged)[2], operands);
}

/// `x.masked_fill(mask, value)`.
static Value callMaskedFill(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  auto arranged = arrangeOperands(evaluator, builtin, operands);
  if (!arranged)
    return Value::poison();
  return chooseBy(evaluator, (*arranged)[1], (*arranged)[2], (*arranged)[0], operands);
}

//===------------------------------------------------------------------------===//
// The table
//===------------------------------------------------------------------------===//

llvm::ArrayRef<Builtin> attnc::getMathBuiltins() {
  static constexpr llvm::StringLiteral one = "x|input|self";
  static constexpr llvm::StringLiteral two = "x|input|self y|other";
  static const Builtin rows[] = {
      {"exp", everywhere, callUnary, one, ExprOp::Exp},
      {"exp2", everywhere, callUnary, one, ExprOp::Exp2},
      {"expm1", everywhere, callUnary, one, ExprOp::Expm1},
      {"log", plainAndTorch, callUnary, one, ExprOp::Log},
      {"log", InMath, callLog, "x base="},
      {"log10", InTorch | InMath | InMethods, callLog, one},
      {"log1p", everywhere, callUnary, one, ExprOp::Log1p},
      {"log2", everywhere, callUnary, one, ExprOp::Log2},
      {"sqrt", everywhere, callUnary, one, ExprOp::Sqrt},
      {"rsqrt", plainAndTorch, callUnary, one, ExprOp::Rsqrt},
      {"tanh", everywhere, callUnary, one, ExprOp::Tanh},
      {"sin", everywhere, callUnary, one, ExprOp::Sin},
      {"cos", everywhere, callUnary, one, ExprOp::Cos},
      {"erf", everywhere, callUnary, one, ExprOp::Erf},
      {"floor", plainAndTorch, callUnary, one, ExprOp::Floor},
      {"ceil", plainAndTorch, callUnary, one, ExprOp::Ceil},
      {"round", plainAndTorch, callUnary, one, ExprOp::RoundEven},
      {"trunc", plainAndTorch, callUnary, one, ExprOp::Trunc},
      {"fix", asTorch, callUnary, one, ExprOp::Trunc},
      {"floor", InMath, callToInt, one, ExprOp::Floor},
      {"ceil", InMath, callToInt, one, ExprOp::Ceil},
      {"trunc", InMath, callToInt, one, ExprOp::Trunc},
      {"fabs", InMath, callUnary, one, ExprOp::Abs},
      {"sigmoid", plainAndTorch, callSigmoid, one},
      {"expit", InTorch, callSigmoid, one},
      {"relu", plainAndTorch, callRelu, one},
      {"abs", plainAndTorch, callAbs, one},
      {"absolute", asTorch, callAbs, one},
      {"sign", plainAndTorch, callSign, one},
      {"sgn", asTorch, callSign, one},
      {"neg", asTorch, callNegate, one},
      {"negative", asTorch, callNegate, one},
      {"square", asTorch, callSquare, one},
      {"reciprocal", asTorch, callReciprocal, one},
      {"isnan", everywhere, callIsNan, one},
      {"isinf", everywhere, callIsInf, one},
      {"isfinite", everywhere, callIsFinite, one},

      {"min", plainAndTorch, callExtremum<false>, "x|input|self *"},
      {"max", plainAndTorch, callExtremum<true>, "x|input|self *"},
      {"minimum", asTorch, callExtremum<false>, two},
      {"maximum", asTorch, callExtremum<true>, two},
      {"clamp", plainAndTorch, callClamp, "x|input|self min= max="},
      {"clip", asTorch, callClamp, "x|input|self min= max="},
      {"clamp_min", asTorch, callClamp, "x|input|self min"},
      {"clamp_max", asTorch, callClamp, "x|input|self max"},
      {"where", InPlain | InTorch, callWhere, "condition x|input|self y|other"},
      {"where", InMethods, callWhereMethod, "x condition y|other"},
      {"masked_fill", asTorch, callMaskedFill, "x|input|self mask value"},

      {"pow", plainAndTorch, callBinary<BinaryOp::Pow>, "x|input|self|base y|exponent|exp"},
      {"pow", InMath, callFloatPower, "x y"},
      {"float_power", asTorch, callFloatPower, "x|input|self y|exponent"},
      {"add", asTorch, callBinary<BinaryOp::Add>, two},
      {"sub", asTorch, callBinary<BinaryOp::Sub>, two},
      {"subtract", asTorch, callBinary<BinaryOp::Sub>, two},
      {"mul", asTorch, callBinary<BinaryOp::Mul>, two},
      {"multiply", asTorch, callBinary<BinaryOp::Mul>, two},
      {"div", asTorch, callDivide, "x|input|self y|other rounding_mode="},
      {"divide", asTorch, callDivide, "x|input|self y|other rounding_mode="},
      {"true_divide", asTorch, callBinary<BinaryOp::Div>, two},
      {"floor_divide", asTorch, callBinary<BinaryOp::FloorDiv>, two},
      {"remainder", asTorch, callBinary<BinaryOp::Mod>, two},
      {"fmod", InTorch | InMath | InMethods, callFmod, two},
      {"divmod", InPlain, callDivmod, "x y"},

      {"logical_and", asTorch, callLogical<BinaryOp::BitAnd>, two},
      {"logical_or", asTorch, callLogical<BinaryOp::BitOr>, two},
      {"logical_xor", asTorch, callLogical<BinaryOp::BitXor>, two},
      {"logical_not", asTorch, callLogicalNot, one},
      {"bitwise_and", asTorch, callBinary<BinaryOp::BitAnd>, two},
      {"bitwise_or", asTorch, callBinary<BinaryOp::BitOr>, two},
      {"bitwise_xor", asTorch, callBinary<BinaryOp::BitXor>, two},
      {"bitwise_not", asTorch, callBitwiseNot, one},
      {"bitwise_left_shift", asTorch, callBinary<BinaryOp::ShiftLeft>, two},
      {"bitwise_right_shift", asTorch, callBinary<BinaryOp::ShiftRight>, two},

      {"eq", asTorch, callCompare<CompareOp::Eq>, two},
      {"ne", asTorch, callCompare<CompareOp::Ne>, two},
      {"not_equal", asTorch, callCompare<CompareOp::Ne>, two},
      {"lt", asTorch, callCompare<CompareOp::Lt>, two},
      {"less", asTorch, callCompare<CompareOp::Lt>, two},
      {"le", asTorch, callCompare<CompareOp::Le>, two},
      {"less_equal", asTorch, callCompare<CompareOp::Le>, two},
      {"gt", asTorch, callCompare<CompareOp::Gt>, two},
      {"greater", asTorch, callCompare<CompareOp::Gt>, two},
      {"ge", asTorch, callCompare<CompareOp::Ge>, two},
      {"greater_equal", asTorch, callCompare<CompareOp::Ge>, two},
  };
  return rows;
}
