//===- IntervalArithmetic.cpp - Emits arithmetic on intervals ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Analysis/IntervalArithmetic.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace attnc::attn;
using arith::CmpIPredicate;

static constexpr int64_t smallest = std::numeric_limits<int64_t>::min();
static constexpr int64_t largest = std::numeric_limits<int64_t>::max();

//===------------------------------------------------------------------------===//
// Single ops
//===------------------------------------------------------------------------===//

Value IntervalArithmetic::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}
Value IntervalArithmetic::constant(bool value) {
  return arith::ConstantIntOp::create(builder, loc, value ? 1 : 0, 1);
}
Value IntervalArithmetic::add(Value lhs, Value rhs) {
  return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}
Value IntervalArithmetic::subtract(Value lhs, Value rhs) {
  return builder.createOrFold<arith::SubIOp>(loc, lhs, rhs);
}
Value IntervalArithmetic::multiply(Value lhs, int64_t factor) {
  return factor == 1 ? lhs : builder.createOrFold<arith::MulIOp>(loc, lhs, constant(factor));
}
Value IntervalArithmetic::minimum(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MinSIOp>(loc, lhs, rhs);
}
Value IntervalArithmetic::maximum(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MaxSIOp>(loc, lhs, rhs);
}
Value IntervalArithmetic::compare(CmpIPredicate predicate, Value lhs, Value rhs) {
  return builder.createOrFold<arith::CmpIOp>(loc, predicate, lhs, rhs);
}
Value IntervalArithmetic::logicalAnd(Value lhs, Value rhs) {
  return builder.createOrFold<arith::AndIOp>(loc, lhs, rhs);
}
Value IntervalArithmetic::logicalOr(Value lhs, Value rhs) {
  return builder.createOrFold<arith::OrIOp>(loc, lhs, rhs);
}
Value IntervalArithmetic::logicalNot(Value value) {
  return builder.createOrFold<arith::XOrIOp>(loc, value, constant(true));
}
Value IntervalArithmetic::choose(Value condition, Value lhs, Value rhs) {
  return builder.createOrFold<arith::SelectOp>(loc, condition, lhs, rhs);
}
Value IntervalArithmetic::load(LoadOp load, ValueRange indices) {
  Value element = emitter.emit(builder, load, indices).front();
  if (element.getType().isInteger(1) || element.getType().isInteger(64))
    return element;
  return arith::ExtSIOp::create(builder, loc, builder.getI64Type(), element);
}
Value IntervalArithmetic::floorDiv(Value lhs, int64_t divisor) {
  return divisor == 1 ? lhs : emitter.emitFloorDiv(builder, loc, lhs, constant(divisor));
}

//===------------------------------------------------------------------------===//
// Intervals
//===------------------------------------------------------------------------===//

Interval IntervalArithmetic::point(int64_t value) { return point(constant(value), value, value); }

Interval IntervalArithmetic::all() { return {constant(smallest), constant(largest)}; }

Interval IntervalArithmetic::allUnless(Value known, Interval interval) {
  return {choose(known, interval.lo, constant(smallest)),
          choose(known, interval.hi, constant(largest))};
}

Value IntervalArithmetic::overflowsInSum(Value lhs, Value rhs, Value sum) {
  Value changed = arith::AndIOp::create(builder, loc, arith::XOrIOp::create(builder, loc, lhs, sum),
                                        arith::XOrIOp::create(builder, loc, rhs, sum));
  return compare(CmpIPredicate::slt, changed, constant(int64_t(0)));
}

Interval IntervalArithmetic::add(Interval lhs, Interval rhs) {
  Value lo = add(lhs.lo, rhs.lo);
  Value hi = lhs.isPoint() && rhs.isPoint() ? lo : add(lhs.hi, rhs.hi);
  std::optional<int64_t> min = llvm::checkedAdd(lhs.min, rhs.min);
  std::optional<int64_t> max = llvm::checkedAdd(lhs.max, rhs.max);
  if (min && max)
    return {lo, hi, *min, *max};
  Value overflows =
      logicalOr(overflowsInSum(lhs.lo, rhs.lo, lo), overflowsInSum(lhs.hi, rhs.hi, hi));
  return allUnless(logicalNot(overflows), {lo, hi});
}

Interval IntervalArithmetic::subtract(Interval lhs, Interval rhs) {
  Value lo = subtract(lhs.lo, rhs.hi);
  Value hi = lhs.isPoint() && rhs.isPoint() ? lo : subtract(lhs.hi, rhs.lo);
  std::optional<int64_t> min = llvm::checkedSub(lhs.min, rhs.max);
  std::optional<int64_t> max = llvm::checkedSub(lhs.max, rhs.min);
  if (min && max)
    return {lo, hi, *min, *max};
  // a - b overflows as the sum (a - b) + b would.
  Value overflows =
      logicalOr(overflowsInSum(lo, rhs.hi, lhs.lo), overflowsInSum(hi, rhs.lo, lhs.hi));
  return allUnless(logicalNot(overflows), {lo, hi});
}

Interval IntervalArithmetic::multiply(Interval lhs, int64_t factor) {
  if (factor == 0)
    return point(int64_t(0));
  Value lo = multiply(lhs.lo, factor);
  Value hi = lhs.isPoint() ? lo : multiply(lhs.hi, factor);
  std::optional<int64_t> min = llvm::checkedMul(lhs.min, factor);
  std::optional<int64_t> max = llvm::checkedMul(lhs.max, factor);
  if (factor < 0) {
    std::swap(lo, hi);
    std::swap(min, max);
  }
  if (min && max)
    return {lo, hi, *min, *max};
  if (factor == smallest)
    return all();
  int64_t limit = largest / std::abs(factor);
  Value fits = logicalAnd(compare(CmpIPredicate::sge, lhs.lo, constant(-limit)),
                          compare(CmpIPredicate::sle, lhs.hi, constant(limit)));
  return allUnless(fits, {lo, hi});
}

Interval IntervalArithmetic::multiply(Interval lhs, Interval rhs) {
  std::optional<int64_t> products[] = {
      llvm::checkedMul(lhs.min, rhs.min), llvm::checkedMul(lhs.min, rhs.max),
      llvm::checkedMul(lhs.max, rhs.min), llvm::checkedMul(lhs.max, rhs.max)};
  int64_t min = largest, max = smallest;
  bool mayWrap = false;
  for (std::optional<int64_t> product : products) {
    mayWrap |= !product;
    min = std::min(min, product.value_or(smallest));
    max = std::max(max, product.value_or(largest));
  }
  Value lo, hi, fits;
  SmallVector<Value, 2> left = {lhs.lo}, right = {rhs.lo};
  if (!lhs.isPoint())
    left.push_back(lhs.hi);
  if (!rhs.isPoint())
    right.push_back(rhs.hi);
  for (Value a : left)
    for (Value b : right) {
      Value product;
      if (mayWrap) {
        // The high half of a product that does not wrap around repeats the sign of the low one.
        auto both = arith::MulSIExtendedOp::create(builder, loc, a, b);
        product = both.getLow();
        Value sign = builder.createOrFold<arith::ShRSIOp>(loc, product, constant(int64_t(63)));
        Value same = compare(CmpIPredicate::eq, both.getHigh(), sign);
        fits = fits ? logicalAnd(fits, same) : same;
      } else {
        product = builder.createOrFold<arith::MulIOp>(loc, a, b);
      }
      lo = lo ? minimum(lo, product) : product;
      hi = hi ? maximum(hi, product) : product;
    }
  return mayWrap ? allUnless(fits, {lo, hi}) : Interval{lo, hi, min, max};
}

Interval IntervalArithmetic::square(Interval value) {
  // The largest integer whose square does not wrap around.
  constexpr int64_t limit = 3037000499;
  Interval size = absolute(value);
  auto times = [&](Value end) { return builder.createOrFold<arith::MulIOp>(loc, end, end); };
  Interval result = {times(size.lo), times(size.hi)};
  if (size.max > limit)
    return allUnless(compare(CmpIPredicate::ule, size.hi, constant(limit)), result);
  result.min = 0;
  result.max = size.max * size.max;
  return result;
}

Interval IntervalArithmetic::floorDiv(Interval lhs, Interval rhs) {
  Value atLo = emitter.emitFloorDiv(builder, loc, lhs.lo, rhs.lo);
  Value atHi = emitter.emitFloorDiv(builder, loc, lhs.hi, rhs.lo);
  if (rhs.min > 0)
    return {atLo, atHi, attnc::attn::floorDiv(lhs.min, lhs.min < 0 ? rhs.min : rhs.max),
            attnc::attn::floorDiv(lhs.max, lhs.max < 0 ? rhs.max : rhs.min)};
  // Monotone in the dividend for any divisor, but for -2^63 by -1, which wraps.
  Interval result = {minimum(atLo, atHi), maximum(atLo, atHi)};
  if (lhs.min == smallest) {
    Value wraps = logicalAnd(compare(CmpIPredicate::eq, lhs.lo, constant(smallest)),
                             compare(CmpIPredicate::eq, rhs.lo, constant(int64_t(-1))));
    return allUnless(logicalNot(wraps), result);
  }
  result.max = std::max(std::abs(lhs.min), std::abs(lhs.max));
  result.min = -result.max;
  return result;
}

Interval IntervalArithmetic::floorMod(Interval lhs, Interval rhs) {
  Value divisor = rhs.lo;
  Value atLo = emitter.emitFloorMod(builder, loc, lhs.lo, divisor);
  Value atHi = emitter.emitFloorMod(builder, loc, lhs.hi, divisor);
  Value same = compare(CmpIPredicate::eq, emitter.emitFloorDiv(builder, loc, lhs.lo, divisor),
                       emitter.emitFloorDiv(builder, loc, lhs.hi, divisor));
  // With one quotient the remainder grows with the dividend; else it lies between 0 and the
  // divisor. At the ends of i64 the wrapped bounds are far outside, which is right.
  Value zero = constant(int64_t(0)), one = constant(int64_t(1));
  Value lo = choose(same, atLo, minimum(zero, add(divisor, one)));
  Value hi = choose(same, atHi, maximum(zero, subtract(divisor, one)));
  Interval result = {lo, hi};
  if (rhs.min > smallest + 1 && rhs.max < largest) {
    result.min = std::min<int64_t>(0, rhs.min + 1);
    result.max = std::max<int64_t>(0, rhs.max - 1);
  }
  return result;
}

Value IntervalArithmetic::and64(Value lhs, Value rhs) {
  return builder.createOrFold<arith::AndIOp>(loc, lhs, rhs);
}
Value IntervalArithmetic::or64(Value lhs, Value rhs) {
  return builder.createOrFold<arith::OrIOp>(loc, lhs, rhs);
}
Value IntervalArithmetic::xor64(Value lhs, Value rhs) {
  return builder.createOrFold<arith::XOrIOp>(loc, lhs, rhs);
}

IntervalArithmetic::Bits IntervalArithmetic::getBits(Interval value) {
  if (value.isPoint())
    return {constant(int64_t(0)), value.lo};
  // Ones from the highest bit down in which the ends differ.
  Value differ = xor64(value.lo, value.hi);
  Value zeros = builder.createOrFold<math::CountLeadingZerosOp>(loc, differ);
  // A shift by 64 is none that is defined.
  Value same = compare(CmpIPredicate::eq, differ, constant(int64_t(0)));
  Value amount = choose(same, constant(int64_t(0)), zeros);
  Value ones = builder.createOrFold<arith::ShRUIOp>(loc, constant(int64_t(-1)), amount);
  Value unknown = choose(same, constant(int64_t(0)), ones);
  return {unknown, and64(value.lo, xor64(unknown, constant(int64_t(-1))))};
}

Interval IntervalArithmetic::fromBits(Value unknown, Value lo, Value hi) {
  return allUnless(compare(CmpIPredicate::sge, unknown, constant(int64_t(0))), {lo, hi});
}

Interval IntervalArithmetic::bitwiseAnd(Interval lhs, Interval rhs) {
  Bits a = getBits(lhs), b = getBits(rhs);
  Interval result = fromBits(or64(a.unknown, b.unknown), and64(a.known, b.known),
                             and64(or64(a.known, a.unknown), or64(b.known, b.unknown)));
  // A side that is not negative bounds the result whatever the other is.
  for (const Interval &side : {lhs, rhs})
    if (side.min >= 0) {
      result.lo = maximum(result.lo, constant(int64_t(0)));
      result.hi = minimum(result.hi, side.hi);
      result.min = 0;
      result.max = std::min(result.max, side.max);
    }
  return result;
}

Interval IntervalArithmetic::bitwiseOr(Interval lhs, Interval rhs) {
  Bits a = getBits(lhs), b = getBits(rhs);
  return fromBits(or64(a.unknown, b.unknown), or64(a.known, b.known),
                  or64(or64(a.known, a.unknown), or64(b.known, b.unknown)));
}

Interval IntervalArithmetic::bitwiseXor(Interval lhs, Interval rhs) {
  Bits a = getBits(lhs), b = getBits(rhs);
  Value unknown = or64(a.unknown, b.unknown);
  Value known = and64(xor64(a.known, b.known), xor64(unknown, constant(int64_t(-1))));
  return fromBits(unknown, known, or64(known, unknown));
}

Interval IntervalArithmetic::shiftRight(Interval lhs, unsigned amount) {
  Value shift = constant(static_cast<int64_t>(amount));
  Value lo = builder.createOrFold<arith::ShRSIOp>(loc, lhs.lo, shift);
  Value hi = builder.createOrFold<arith::ShRSIOp>(loc, lhs.hi, shift);
  return {lo, hi, lhs.min >> amount, lhs.max >> amount};
}

Interval IntervalArithmetic::minimum(Interval lhs, Interval rhs) {
  return {minimum(lhs.lo, rhs.lo), minimum(lhs.hi, rhs.hi), std::min(lhs.min, rhs.min),
          std::min(lhs.max, rhs.max)};
}

Interval IntervalArithmetic::maximum(Interval lhs, Interval rhs) {
  return {maximum(lhs.lo, rhs.lo), maximum(lhs.hi, rhs.hi), std::max(lhs.min, rhs.min),
          std::max(lhs.max, rhs.max)};
}

Interval IntervalArithmetic::absolute(Interval value) {
  Value zero = constant(int64_t(0));
  Value negatedLo = subtract(zero, value.lo), negatedHi = subtract(zero, value.hi);
  Interval result = {maximum(maximum(value.lo, negatedHi), zero), maximum(negatedLo, value.hi)};
  if (value.min == smallest)
    return allUnless(compare(CmpIPredicate::ne, value.lo, constant(smallest)), result);
  result.min = 0;
  result.max = std::max(-value.min, std::abs(value.max));
  return result;
}

Interval IntervalArithmetic::select(Possible condition, Interval lhs, Interval rhs) {
  auto pick = [&](Value a, Value b, Value joined) {
    return choose(condition.canBeTrue, choose(condition.canBeFalse, joined, a), b);
  };
  return {pick(lhs.lo, rhs.lo, minimum(lhs.lo, rhs.lo)),
          pick(lhs.hi, rhs.hi, maximum(lhs.hi, rhs.hi)), std::min(lhs.min, rhs.min),
          std::max(lhs.max, rhs.max)};
}

//===------------------------------------------------------------------------===//
// Conditions
//===------------------------------------------------------------------------===//

Possible IntervalArithmetic::compare(CmpIPredicate predicate, Interval lhs, Interval rhs) {
  switch (predicate) {
  case CmpIPredicate::slt:
    return {compare(CmpIPredicate::slt, lhs.lo, rhs.hi),
            compare(CmpIPredicate::sge, lhs.hi, rhs.lo)};
  case CmpIPredicate::sle:
    return {compare(CmpIPredicate::sle, lhs.lo, rhs.hi),
            compare(CmpIPredicate::sgt, lhs.hi, rhs.lo)};
  case CmpIPredicate::sgt:
    return compare(CmpIPredicate::slt, rhs, lhs);
  case CmpIPredicate::sge:
    return compare(CmpIPredicate::sle, rhs, lhs);
  case CmpIPredicate::eq:
    return {logicalAnd(compare(CmpIPredicate::sle, lhs.lo, rhs.hi),
                       compare(CmpIPredicate::sle, rhs.lo, lhs.hi)),
            logicalOr(compare(CmpIPredicate::ne, lhs.lo, rhs.hi),
                      compare(CmpIPredicate::ne, lhs.hi, rhs.lo))};
  case CmpIPredicate::ne:
    return negate(compare(CmpIPredicate::eq, lhs, rhs));
  default:
    return unknown();
  }
}

Value IntervalArithmetic::hitsRemainder(Residues dividend, int64_t divisor, Value first,
                                        Value last) {
  // Dividends and remainders are residue + step * n: n takes the dividend's place.
  auto divide = [&](Value value) {
    if (dividend.residue)
      value = subtract(value, dividend.residue);
    return floorDiv(value, dividend.step);
  };
  auto divideUp = [&](Value value) {
    return dividend.step == 1 ? value : divide(add(value, constant(dividend.step - 1)));
  };
  Value lo = divideUp(dividend.values.lo), hi = divide(dividend.values.hi);
  first = divideUp(first);
  last = divide(last);
  divisor /= dividend.step;
  // The last multiple of the divisor from which `first` is in reach, and whether `last` is not
  // before the dividends then. Ends are far from those of i64.
  Value multiple = multiply(floorDiv(subtract(hi, first), divisor), divisor);
  Value reaches = compare(CmpIPredicate::sge, add(multiple, last), lo);
  return logicalAnd(compare(CmpIPredicate::sle, first, last), reaches);
}

Possible IntervalArithmetic::compareRemainder(CmpIPredicate predicate, Residues dividend,
                                              int64_t divisor, Interval bound) {
  constexpr int64_t limit = int64_t(1) << 61;
  Value zero = constant(int64_t(0)), one = constant(int64_t(1));
  Value last = constant(divisor - 1);
  auto inside = [&](Value value) {
    return minimum(maximum(value, constant(int64_t(-1))), constant(divisor));
  };
  Value lo = inside(bound.lo), hi = inside(bound.hi);
  auto hits = [&](Value first, Value end) {
    return hitsRemainder(dividend, divisor, maximum(first, zero), minimum(end, last));
  };
  Value below = subtract(hi, one), above = add(lo, one);
  Possible result;
  switch (predicate) {
  case CmpIPredicate::slt:
    result = {hits(zero, below), hits(lo, last)};
    break;
  case CmpIPredicate::sle:
    result = {hits(zero, hi), hits(above, last)};
    break;
  case CmpIPredicate::sgt:
    result = {hits(above, last), hits(zero, hi)};
    break;
  case CmpIPredicate::sge:
    result = {hits(lo, last), hits(zero, below)};
    break;
  case CmpIPredicate::eq:
  case CmpIPredicate::ne: {
    Value equal = hits(lo, hi);
    Value differs = logicalOr(hits(zero, below), hits(above, last));
    result = predicate == CmpIPredicate::eq ? Possible{equal, differs} : Possible{differs, equal};
    break;
  }
  default:
    return unknown();
  }
  Value known = logicalAnd(compare(CmpIPredicate::sge, dividend.values.lo, constant(-limit)),
                           compare(CmpIPredicate::sle, dividend.values.hi, constant(limit)));
  Value unsure = logicalNot(known);
  return {logicalOr(result.canBeTrue, unsure), logicalOr(result.canBeFalse, unsure)};
}

Possible IntervalArithmetic::unknown() { return {constant(true), constant(true)}; }

Possible IntervalArithmetic::known(Value condition) { return {condition, logicalNot(condition)}; }

Possible IntervalArithmetic::both(Possible lhs, Possible rhs) {
  return {logicalAnd(lhs.canBeTrue, rhs.canBeTrue), logicalOr(lhs.canBeFalse, rhs.canBeFalse)};
}

Possible IntervalArithmetic::either(Possible lhs, Possible rhs) {
  return negate(both(negate(lhs), negate(rhs)));
}

Possible IntervalArithmetic::differ(Possible lhs, Possible rhs) {
  return {logicalOr(logicalAnd(lhs.canBeTrue, rhs.canBeFalse),
                    logicalAnd(lhs.canBeFalse, rhs.canBeTrue)),
          logicalOr(logicalAnd(lhs.canBeTrue, rhs.canBeTrue),
                    logicalAnd(lhs.canBeFalse, rhs.canBeFalse))};
}

Possible IntervalArithmetic::select(Possible condition, Possible lhs, Possible rhs) {
  Possible whenTrue = {logicalAnd(condition.canBeTrue, lhs.canBeTrue),
                       logicalAnd(condition.canBeTrue, lhs.canBeFalse)};
  Possible whenFalse = {logicalAnd(condition.canBeFalse, rhs.canBeTrue),
                        logicalAnd(condition.canBeFalse, rhs.canBeFalse)};
  return {logicalOr(whenTrue.canBeTrue, whenFalse.canBeTrue),
          logicalOr(whenTrue.canBeFalse, whenFalse.canBeFalse)};
}
