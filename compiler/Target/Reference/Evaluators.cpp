//===- Evaluators.cpp - What each op of a body computes ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Reference/PairProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringMap.h"
#include <bit>
#include <cmath>
#include <limits>

using namespace attnc;
using namespace attnc::reference;
using Operation = PairProgram::Operation;

static Cell real(double x) { return {.f = x}; }
static Cell integer(int64_t x) { return {.i = x}; }
static Cell wrapped(uint64_t x) { return {.i = static_cast<int64_t>(x)}; }

/// The bits of an integer without its sign extension.
static uint64_t toUnsigned(Cell x, unsigned bits) {
  auto value = static_cast<uint64_t>(x.i);
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}
/// As a signed number; a true i1 is -1.
static int64_t toSigned(Cell x, unsigned bits) { return bits == 1 ? -x.i : x.i; }

static Cell compareInts(const Operation &op, Cell a, Cell b, Cell) {
  using mlir::arith::CmpIPredicate;
  int64_t x = toSigned(a, op.bits), y = toSigned(b, op.bits);
  uint64_t ux = toUnsigned(a, op.bits), uy = toUnsigned(b, op.bits);
  switch (static_cast<CmpIPredicate>(op.predicate)) {
  case CmpIPredicate::eq:
    return integer(x == y);
  case CmpIPredicate::ne:
    return integer(x != y);
  case CmpIPredicate::slt:
    return integer(x < y);
  case CmpIPredicate::sle:
    return integer(x <= y);
  case CmpIPredicate::sgt:
    return integer(x > y);
  case CmpIPredicate::sge:
    return integer(x >= y);
  case CmpIPredicate::ult:
    return integer(ux < uy);
  case CmpIPredicate::ule:
    return integer(ux <= uy);
  case CmpIPredicate::ugt:
    return integer(ux > uy);
  case CmpIPredicate::uge:
    return integer(ux >= uy);
  }
  return integer(0);
}

static Cell compareFloats(const Operation &op, Cell a, Cell b, Cell) {
  using mlir::arith::CmpFPredicate;
  double x = a.f, y = b.f;
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (static_cast<CmpFPredicate>(op.predicate)) {
  case CmpFPredicate::AlwaysFalse:
    return integer(false);
  case CmpFPredicate::AlwaysTrue:
    return integer(true);
  case CmpFPredicate::ORD:
    return integer(!unordered);
  case CmpFPredicate::UNO:
    return integer(unordered);
  case CmpFPredicate::OEQ:
    return integer(x == y);
  case CmpFPredicate::OGT:
    return integer(x > y);
  case CmpFPredicate::OGE:
    return integer(x >= y);
  case CmpFPredicate::OLT:
    return integer(x < y);
  case CmpFPredicate::OLE:
    return integer(x <= y);
  case CmpFPredicate::ONE:
    return integer(!unordered && x != y);
  case CmpFPredicate::UEQ:
    return integer(unordered || x == y);
  case CmpFPredicate::UGT:
    return integer(unordered || x > y);
  case CmpFPredicate::UGE:
    return integer(unordered || x >= y);
  case CmpFPredicate::ULT:
    return integer(unordered || x < y);
  case CmpFPredicate::ULE:
    return integer(unordered || x <= y);
  case CmpFPredicate::UNE:
    return integer(unordered || x != y);
  }
  return integer(0);
}

static double maximum(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return std::numeric_limits<double>::quiet_NaN();
  if (x == y)
    return std::signbit(x) ? y : x;
  return x > y ? x : y;
}
static double minimum(double x, double y) { return -maximum(-x, -y); }

/// Quotients and remainders are total: 0 where the divisor is 0.
static int64_t divideSigned(int64_t x, int64_t y) {
  if (y == 0)
    return 0;
  return y == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x / y;
}
static int64_t remainderSigned(int64_t x, int64_t y) { return y == 0 || y == -1 ? 0 : x % y; }

static int64_t truncateUnsigned(double x, unsigned bits) {
  if (!(x > 0))
    return 0;
  double limit = std::ldexp(1.0, static_cast<int>(bits));
  if (x >= limit)
    return static_cast<int64_t>(~uint64_t(0) >> (64 - bits));
  return static_cast<int64_t>(static_cast<uint64_t>(x));
}

static Cell fusedMultiplyAdd(const Operation &op, Cell a, Cell b, Cell c) {
  if (op.arithmetic == Arithmetic::F32)
    return real(
        std::fma(static_cast<float>(a.f), static_cast<float>(b.f), static_cast<float>(c.f)));
  return real(std::fma(a.f, b.f, c.f));
}

static int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (; exponent; exponent >>= 1, factor *= factor)
    if (exponent & 1)
      result *= factor;
  return static_cast<int64_t>(result);
}

PairProgram::Evaluator reference::lookupEvaluator(llvm::StringRef name) {
#define EVALUATE [](const Operation &op, Cell a, Cell b, Cell c)->Cell
  static const llvm::StringMap<PairProgram::Evaluator> evaluators = {
      // Floats.
      {"arith.addf", EVALUATE{return real(a.f + b.f);
}
}
, {"arith.subf", EVALUATE{return real(a.f - b.f);
}
}
, {"arith.mulf", EVALUATE{return real(a.f * b.f);
}
}
, {"arith.divf", EVALUATE{return real(a.f / b.f);
}
}
, {"arith.remf", EVALUATE{return real(std::fmod(a.f, b.f));
}
}
, {"arith.negf", EVALUATE{return real(-a.f);
}
}
, {"arith.maximumf", EVALUATE{return real(maximum(a.f, b.f));
}
}
, {"arith.minimumf", EVALUATE{return real(minimum(a.f, b.f));
}
}
, {"arith.maxnumf", EVALUATE{return real(std::fmax(a.f, b.f));
}
}
, {"arith.minnumf", EVALUATE{return real(std::fmin(a.f, b.f));
}
}
, {"arith.cmpf", compareFloats}, {"arith.extf", EVALUATE{return a;
}
}
, {"arith.truncf", EVALUATE{return a;
}
}
, {"math.absf", EVALUATE{return real(std::fabs(a.f));
}
}
, {"math.acos", EVALUATE{return real(std::acos(a.f));
}
}
, {"math.asin", EVALUATE{return real(std::asin(a.f));
}
}
, {"math.atan", EVALUATE{return real(std::atan(a.f));
}
}
, {"math.atan2", EVALUATE{return real(std::atan2(a.f, b.f));
}
}
, {"math.ceil", EVALUATE{return real(std::ceil(a.f));
}
}
, {"math.copysign", EVALUATE{return real(std::copysign(a.f, b.f));
}
}
, {"math.cos", EVALUATE{return real(std::cos(a.f));
}
}
, {"math.erf", EVALUATE{return real(std::erf(a.f));
}
}
, {"math.exp", EVALUATE{return real(std::exp(a.f));
}
}
, {"math.exp2", EVALUATE{return real(std::exp2(a.f));
}
}
, {"math.expm1", EVALUATE{return real(std::expm1(a.f));
}
}
, {"math.floor", EVALUATE{return real(std::floor(a.f));
}
}
, {"math.fma", fusedMultiplyAdd}, {"math.log", EVALUATE{return real(std::log(a.f));
}
}
, {"math.log10", EVALUATE{return real(std::log10(a.f));
}
}
, {"math.log1p", EVALUATE{return real(std::log1p(a.f));
}
}
, {"math.log2", EVALUATE{return real(std::log2(a.f));
}
}
, {"math.powf", EVALUATE{return real(std::pow(a.f, b.f));
}
}
, {"math.round", EVALUATE{return real(std::round(a.f));
}
}
, {"math.roundeven", EVALUATE{return real(std::nearbyint(a.f));
}
}
, {"math.rsqrt", EVALUATE{return real(1 / std::sqrt(a.f));
}
}
, {"math.sin", EVALUATE{return real(std::sin(a.f));
}
}
, {"math.sqrt", EVALUATE{return real(std::sqrt(a.f));
}
}
, {"math.tan", EVALUATE{return real(std::tan(a.f));
}
}
, {"math.tanh", EVALUATE{return real(std::tanh(a.f));
}
}
, {"math.trunc", EVALUATE{return real(std::trunc(a.f));
}
}
, {"math.isnan", EVALUATE{return integer(std::isnan(a.f));
}
}
, {"math.isinf", EVALUATE{return integer(std::isinf(a.f));
}
}
, {"math.isfinite", EVALUATE{return integer(std::isfinite(a.f));
}
}
,

    // Integers; results are wrapped to their width afterwards.
    {"arith.addi", EVALUATE{return wrapped(uint64_t(a.i) + uint64_t(b.i));
}
}
, {"arith.subi", EVALUATE{return wrapped(uint64_t(a.i) - uint64_t(b.i));
}
}
, {"arith.muli", EVALUATE{return wrapped(uint64_t(a.i) * uint64_t(b.i));
}
}
, {"arith.andi", EVALUATE{return integer(a.i & b.i);
}
}
, {"arith.ori", EVALUATE{return integer(a.i | b.i);
}
}
, {"arith.xori", EVALUATE{return integer(a.i ^ b.i);
}
}
, {"arith.shli", EVALUATE{uint64_t n = toUnsigned(b, op.bits);
return wrapped(n >= op.bits ? 0 : uint64_t(a.i) << n);
}
}
, {"arith.shrui", EVALUATE{uint64_t n = toUnsigned(b, op.bits);
return wrapped(n >= op.bits ? 0 : toUnsigned(a, op.bits) >> n);
}
}
, {"arith.shrsi", EVALUATE{uint64_t n = toUnsigned(b, op.bits);
return integer(toSigned(a, op.bits) >> (n >= op.bits ? op.bits - 1 : n));
}
}
, {"arith.maxsi", EVALUATE{return toSigned(a, op.bits) > toSigned(b, op.bits) ? a : b;
}
}
, {"arith.minsi", EVALUATE{return toSigned(a, op.bits) < toSigned(b, op.bits) ? a : b;
}
}
, {"arith.maxui", EVALUATE{return toUnsigned(a, op.bits) > toUnsigned(b, op.bits) ? a : b;
}
}
, {"arith.minui", EVALUATE{return toUnsigned(a, op.bits) < toUnsigned(b, op.bits) ? a : b;
}
}
, {"arith.mulsi_extended high", EVALUATE{auto product = static_cast<__int128>(a.i) * b.i;
return integer(static_cast<int64_t>(product >> op.bits));
}
}
, {"arith.mului_extended high",
   EVALUATE{auto product =
                static_cast<unsigned __int128>(toUnsigned(a, op.bits)) * toUnsigned(b, op.bits);
return wrapped(static_cast<uint64_t>(product >> op.bits));
}
}
, {"arith.divsi", EVALUATE{return integer(divideSigned(a.i, b.i));
}
}
, {"arith.remsi", EVALUATE{return integer(remainderSigned(a.i, b.i));
}
}
, {"arith.divui", EVALUATE{uint64_t y = toUnsigned(b, op.bits);
return wrapped(y ? toUnsigned(a, op.bits) / y : 0);
}
}
, {"arith.remui", EVALUATE{uint64_t y = toUnsigned(b, op.bits);
return wrapped(y ? toUnsigned(a, op.bits) % y : 0);
}
}
, {"arith.floordivsi", EVALUATE{return integer(attn::floorDiv(a.i, b.i));
}
}
, {"attn.floordiv", EVALUATE{return integer(attn::floorDiv(a.i, b.i));
}
}
, {"attn.floormod", EVALUATE{return integer(attn::floorMod(a.i, b.i));
}
}
, {"arith.cmpi", compareInts}, {"arith.extsi", EVALUATE{return integer(toSigned(a, op.bits));
}
}
, {"arith.extui", EVALUATE{return wrapped(toUnsigned(a, op.bits));
}
}
, {"arith.trunci", EVALUATE{return a;
}
}
, {"math.absi", EVALUATE{return wrapped(a.i < 0 ? -uint64_t(a.i) : uint64_t(a.i));
}
}
, {"math.ctpop", EVALUATE{return integer(std::popcount(toUnsigned(a, op.bits)));
}
}
, {"math.ctlz",
   EVALUATE{return integer(std::countl_zero(toUnsigned(a, op.bits)) - int(64 - op.bits));
}
}
, {"math.cttz",
   EVALUATE{return integer(std::min<int>(std::countr_zero(toUnsigned(a, op.bits)), op.bits));
}
}
, {"math.ipowi", EVALUATE{return integer(power(a.i, b.i));
}
}
,

    // Between the two.
    {"arith.select", EVALUATE{return a.i ? b : c;
}
}
, {"arith.sitofp", EVALUATE{return real(double(toSigned(a, op.bits)));
}
}
, {"arith.uitofp", EVALUATE{return real(double(toUnsigned(a, op.bits)));
}
}
, {"arith.fptosi", EVALUATE{return integer(attn::toInt(a.f, op.resultBits));
}
}
, {"arith.fptoui", EVALUATE{return integer(truncateUnsigned(a.f, op.resultBits));
}
}
, {"attn.to_int", EVALUATE{return integer(attn::toInt(a.f, op.resultBits));
}
}
, {"bitcast f32 to int", EVALUATE{return integer(std::bit_cast<int32_t>(static_cast<float>(a.f)));
}
}
, {"bitcast int to f32", EVALUATE{return real(std::bit_cast<float>(static_cast<int32_t>(a.i)));
}
}
,
}
;
#undef EVALUATE
return evaluators.lookup(name);
}
