//===- IntegerRanges.cpp - What integers of a score or mask can be ----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "dialect/Attn/Transforms/IntegerRanges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attnc::attn;
using Wide = LinearForm::Wide;

/// Sizes of q, k and v beyond this are refused at launch.
static constexpr int64_t maxDimension = std::numeric_limits<int32_t>::max();

//===------------------------------------------------------------------------===//
// LinearForm
//===------------------------------------------------------------------------===//

LinearForm LinearForm::operator+(const LinearForm &other) const {
  LinearForm sum = *this;
  for (unsigned i = 0; i < 4; ++i) {
    sum.positions[i] += other.positions[i];
    sum.sizes[i] += other.sizes[i];
  }
  sum.constant += other.constant;
  return sum;
}

LinearForm LinearForm::operator*(Wide factor) const {
  LinearForm product = *this;
  for (unsigned i = 0; i < 4; ++i) {
    product.positions[i] *= factor;
    product.sizes[i] *= factor;
  }
  product.constant *= factor;
  return product;
}

Wide LinearForm::getMin() const {
  Wide sum = constant;
  // A position from 0 to size - 1 and a size from 1 to the largest: the least value is at a corner.
  for (unsigned i = 0; i < 4; ++i)
    sum += std::min({sizes[i], sizes[i] * maxDimension,
                     sizes[i] * maxDimension + positions[i] * (maxDimension - 1)});
  return sum;
}

bool LinearForm::isSmall() const {
  auto small = [](Wide value) { return value > -(Wide(1) << 62) && value < (Wide(1) << 62); };
  return llvm::all_of(positions, small) && llvm::all_of(sizes, small) && small(constant);
}

//===------------------------------------------------------------------------===//
// Ranges
//===------------------------------------------------------------------------===//

static int64_t getSmallest(Type type) { return llvm::minIntN(type.getIntOrFloatBitWidth()); }
static int64_t getLargest(Type type) { return llvm::maxIntN(type.getIntOrFloatBitWidth()); }

static IntegerRange getFullRange(Type type) {
  // An i1 counts as 0 or 1.
  if (type.isInteger(1))
    return {0, 1, {}, {}};
  return {getSmallest(type), getLargest(type), {}, {}};
}

static IntegerRange getExact(const LinearForm &form, Type type) {
  Wide min = form.getMin(), max = form.getMax();
  if (min < getSmallest(type) || max > getLargest(type))
    return getFullRange(type);
  return {static_cast<int64_t>(min), static_cast<int64_t>(max), {form}, {form}};
}

/// The range from `min` to `max` with the given forms, or all of `type` if the value may wrap
/// around. Forms narrow the range first.
static IntegerRange getRange(Type type, Wide min, Wide max, SmallVector<LinearForm, 2> lower = {},
                             SmallVector<LinearForm, 2> upper = {}) {
  // Products of forms double with each operation; a few say all there is to know.
  constexpr size_t maxForms = 4;
  auto keepUseful = [](SmallVector<LinearForm, 2> &forms) {
    llvm::erase_if(forms, [](const LinearForm &form) { return !form.isSmall(); });
    if (forms.size() > maxForms)
      forms.truncate(maxForms);
  };
  keepUseful(lower);
  keepUseful(upper);
  for (const LinearForm &form : lower)
    min = std::max(min, form.getMin());
  for (const LinearForm &form : upper)
    max = std::min(max, form.getMax());
  if (min < getSmallest(type) || max > getLargest(type))
    return getFullRange(type);
  return {static_cast<int64_t>(min), static_cast<int64_t>(max), std::move(lower), std::move(upper)};
}

/// The sums of each form of `a` and each form of `b`, the latter times `factor`.
static SmallVector<LinearForm, 2> combine(ArrayRef<LinearForm> a, ArrayRef<LinearForm> b,
                                          int factor) {
  SmallVector<LinearForm, 2> sums;
  for (const LinearForm &left : a)
    for (const LinearForm &right : b)
      sums.push_back(left + right * factor);
  return sums;
}

static SmallVector<LinearForm, 2> scale(ArrayRef<LinearForm> forms, int64_t factor) {
  return llvm::to_vector<2>(
      llvm::map_range(forms, [&](const LinearForm &form) { return form * factor; }));
}

/// The forms of a bound, or the constant that it is.
static SmallVector<LinearForm, 2> orConstant(ArrayRef<LinearForm> forms, int64_t bound) {
  SmallVector<LinearForm, 2> result(forms);
  result.push_back(LinearForm(bound));
  return result;
}
static SmallVector<LinearForm, 2> getLower(const IntegerRange &range) {
  return orConstant(range.lower, range.min);
}
static SmallVector<LinearForm, 2> getUpper(const IntegerRange &range) {
  return orConstant(range.upper, range.max);
}

static IntegerRange add(Type type, const IntegerRange &a, const IntegerRange &b) {
  return getRange(type, Wide(a.min) + b.min, Wide(a.max) + b.max,
                  combine(getLower(a), getLower(b), 1), combine(getUpper(a), getUpper(b), 1));
}

static IntegerRange subtract(Type type, const IntegerRange &a, const IntegerRange &b) {
  return getRange(type, Wide(a.min) - b.max, Wide(a.max) - b.min,
                  combine(getLower(a), getUpper(b), -1), combine(getUpper(a), getLower(b), -1));
}

static IntegerRange multiply(Type type, const IntegerRange &a, const IntegerRange &b) {
  auto [min, max] = std::minmax(
      {Wide(a.min) * b.min, Wide(a.min) * b.max, Wide(a.max) * b.min, Wide(a.max) * b.max});
  if (a.min == a.max && b.min != b.max)
    return multiply(type, b, a);
  if (b.min != b.max)
    return getRange(type, min, max);
  if (b.min < 0)
    return getRange(type, min, max, scale(a.upper, b.min), scale(a.lower, b.min));
  return getRange(type, min, max, scale(a.lower, b.min), scale(a.upper, b.min));
}

static IntegerRange join(Type type, const IntegerRange &a, const IntegerRange &b) {
  return getRange(type, std::min(a.min, b.min), std::max(a.max, b.max));
}

static IntegerRange getMinimum(Type type, const IntegerRange &a, const IntegerRange &b) {
  SmallVector<LinearForm, 2> upper = a.upper;
  upper.append(b.upper);
  return getRange(type, std::min(a.min, b.min), std::min(a.max, b.max), {}, std::move(upper));
}

static IntegerRange getMaximum(Type type, const IntegerRange &a, const IntegerRange &b) {
  SmallVector<LinearForm, 2> lower = a.lower;
  lower.append(b.lower);
  return getRange(type, std::max(a.min, b.min), std::max(a.max, b.max), std::move(lower), {});
}

static IntegerRange divide(Type type, const IntegerRange &a, const IntegerRange &b) {
  // A divisor of 0 gives 0. Other quotients are no further from 0 than the dividend, but for one
  // that wraps around.
  if (b.min <= 0) {
    Wide size = std::max(-Wide(a.min), Wide(a.max));
    return getRange(type, a.min >= 0 && b.min >= 0 ? Wide(0) : -std::max(size, Wide(1)),
                    std::max(size, Wide(0)));
  }
  auto [min, max] = std::minmax({floorDiv(a.min, b.min), floorDiv(a.min, b.max),
                                 floorDiv(a.max, b.min), floorDiv(a.max, b.max)});
  return getRange(type, min, max, {}, a.isNonNegative() ? a.upper : SmallVector<LinearForm, 2>());
}

static IntegerRange getRemainder(Type type, const IntegerRange &a, const IntegerRange &b) {
  if (b.min > 0) {
    // Below the divisor, and not above a dividend that is not negative.
    SmallVector<LinearForm, 2> upper;
    for (const LinearForm &form : b.upper)
      upper.push_back(form - 1);
    Wide max = Wide(b.max) - 1;
    if (a.isNonNegative()) {
      upper.append(a.upper);
      max = std::min(max, Wide(a.max));
    }
    return getRange(type, 0, max, {}, std::move(upper));
  }
  return getRange(type, std::min<Wide>(0, Wide(b.min) + 1), std::max<Wide>(0, Wide(b.max) - 1));
}

/// Bitwise and, or, xor: of numbers that are not negative, no further than all bits that are in
/// any.
static IntegerRange combineBits(Operation *op, Type type, const IntegerRange &a,
                                const IntegerRange &b) {
  if (isa<arith::AndIOp>(op) && (a.isNonNegative() || b.isNonNegative()))
    return getRange(type, 0,
                    !a.isNonNegative()   ? b.max
                    : !b.isNonNegative() ? a.max
                                         : std::min(a.max, b.max));
  if (!a.isNonNegative() || !b.isNonNegative())
    return getFullRange(type);
  uint64_t bits = static_cast<uint64_t>(a.max | b.max);
  return getRange(type, 0,
                  bits == 0 ? 0 : Wide(llvm::maskTrailingOnes<uint64_t>(llvm::Log2_64(bits) + 1)));
}

/// The range of what is stored as `stored` and read as `type`.
static IntegerRange getStoredRange(Type stored, Type type) {
  if (type.isInteger(1))
    return getFullRange(type);
  if (stored.isUnsignedInteger(8))
    return getRange(type, 0, 255);
  return getRange(type, getSmallest(stored), getLargest(stored));
}

static IntegerRange getTableRange(TableOp table, Type type) {
  auto values = dyn_cast<DenseIntElementsAttr>(table.getValue());
  Type stored = table.getValue().getElementType();
  // A table without elements gives 0.
  if (!values || values.empty() || type.isInteger(1))
    return values && values.empty() ? getRange(type, 0, 0) : getStoredRange(stored, type);
  bool isUnsigned = stored.isUnsignedInteger();
  auto widen = [&](const APInt &value) {
    return isUnsigned ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue();
  };
  int64_t min = std::numeric_limits<int64_t>::max(), max = std::numeric_limits<int64_t>::min();
  if (values.isSplat()) {
    min = max = widen(values.getSplatValue<APInt>());
    return getRange(type, min, max);
  }
  for (const APInt &value : values.getValues<APInt>()) {
    min = std::min(min, widen(value));
    max = std::max(max, widen(value));
  }
  return getRange(type, min, max);
}

//===------------------------------------------------------------------------===//
// IntegerRanges
//===------------------------------------------------------------------------===//

/// The place of a dimension of q, k, v among those that positions stay below; -1 for others.
static int getSizeIndex(StringRef name) {
  static constexpr StringRef names[] = {"B", "Hq", "Q", "KV"};
  auto found = llvm::find(names, name);
  return found == std::end(names) ? -1 : static_cast<int>(found - std::begin(names));
}

static LinearForm getSizeForm(unsigned index) {
  LinearForm form;
  form.sizes[index] = 1;
  return form;
}

IntegerRanges::IntegerRanges(Operation *scoreOrMask)
    : kernel(scoreOrMask->getParentOfType<KernelOp>()) {
  Block &body = scoreOrMask->getRegion(0).front();
  for (auto [i, argument] : llvm::enumerate(body.getArguments().take_back(4))) {
    LinearForm form;
    form.positions[i] = 1;
    ranges.try_emplace(argument, getExact(form, argument.getType()));
  }
  for (Operation &op : body)
    for (Value result : op.getResults())
      if (isa<IntegerType>(result.getType()))
        ranges.try_emplace(result,
                           op.getNumResults() == 1 ? compute(&op) : getFullRange(result.getType()));
}

IntegerRange IntegerRanges::compute(Operation *op) {
  Type type = op->getResult(0).getType();
  if (type.isInteger(1))
    return getFullRange(type);
  auto operand = [&](unsigned i) -> const IntegerRange & { return get(op->getOperand(i)); };
  return llvm::TypeSwitch<Operation *, IntegerRange>(op)
      .Case([&](arith::ConstantOp constant) {
        return getExact(LinearForm(cast<IntegerAttr>(constant.getValue()).getInt()), type);
      })
      .Case([&](DimOp dim) {
        if (int index = getSizeIndex(dim.getName()); index >= 0)
          return getExact(getSizeForm(index), type);
        return getRange(type, 0, dim.isDimension() ? maxDimension : getLargest(type));
      })
      .Case([&](GetOp get) {
        ScalarOp scalar = kernel.lookupScalar(get.getScalar());
        return getStoredRange(scalar.getElementType(), type);
      })
      .Case([&](LoadOp load) {
        if (TableOp table = kernel.lookupTable(load.getSource()))
          return getTableRange(table, type);
        // A tensor without elements gives 0, which is in every range.
        return getStoredRange(kernel.lookupCapture(load.getSource()).getElementType(), type);
      })
      .Case([&](arith::AddIOp) { return add(type, operand(0), operand(1)); })
      .Case([&](arith::SubIOp) { return subtract(type, operand(0), operand(1)); })
      .Case([&](arith::MulIOp) { return multiply(type, operand(0), operand(1)); })
      .Case([&](arith::MinSIOp) { return getMinimum(type, operand(0), operand(1)); })
      .Case([&](arith::MaxSIOp) { return getMaximum(type, operand(0), operand(1)); })
      .Case([&](arith::SelectOp) { return join(type, operand(1), operand(2)); })
      .Case([&](FloorDivOp) { return divide(type, operand(0), operand(1)); })
      .Case([&](FloorModOp) { return getRemainder(type, operand(0), operand(1)); })
      .Case([&](arith::ShRSIOp) {
        const IntegerRange &count = operand(1);
        if (count.min != count.max || count.min < 0 || count.min > 62)
          return getFullRange(type);
        int64_t divisor = int64_t(1) << count.min;
        return divide(type, operand(0), {divisor, divisor, {}, {}});
      })
      .Case([&](arith::ShLIOp) {
        const IntegerRange &count = operand(1);
        if (count.min != count.max || count.min < 0 || count.min > 62)
          return getFullRange(type);
        int64_t factor = int64_t(1) << count.min;
        return multiply(type, operand(0), {factor, factor, {}, {}});
      })
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
          [&](auto) { return combineBits(op, type, operand(0), operand(1)); })
      .Case([&](arith::ExtSIOp) {
        return op->getOperand(0).getType().isInteger(1) ? getRange(type, -1, 0) : operand(0);
      })
      .Case([&](arith::ExtUIOp) {
        return operand(0).isNonNegative() ? operand(0) : getFullRange(type);
      })
      .Case([&](arith::TruncIOp) {
        const IntegerRange &range = operand(0);
        return range.fits(type.getIntOrFloatBitWidth()) ? range : getFullRange(type);
      })
      .Default([&](Operation *) { return getFullRange(type); });
}

/// A size of a captured tensor as a form, where it is one.
static std::optional<LinearForm> getForm(AffineExpr expr, CaptureOp capture) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return LinearForm(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    int index = getSizeIndex(capture.getDimName(symbol.getPosition()));
    return index < 0 ? std::nullopt : std::optional(getSizeForm(index));
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<LinearForm> lhs = getForm(binary.getLHS(), capture);
  if (!lhs)
    return std::nullopt;
  std::optional<LinearForm> result;
  if (binary.getKind() == AffineExprKind::Add) {
    if (std::optional<LinearForm> rhs = getForm(binary.getRHS(), capture))
      result = *lhs + *rhs;
  } else if (binary.getKind() == AffineExprKind::Mul) {
    if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      result = *lhs * factor.getValue();
  }
  return result && result->isSmall() ? result : std::nullopt;
}

bool IntegerRanges::isBelowSize(Value value, LoadOp load, unsigned dim) const {
  auto kernel = load->getParentOfType<KernelOp>();
  std::optional<LinearForm> size;
  if (TableOp table = kernel.lookupTable(load.getSource()))
    size = LinearForm(table.getValue().getShapedType().getDimSize(dim));
  else if (CaptureOp capture = kernel.lookupCapture(load.getSource()))
    size = getForm(capture.getShape().getResult(dim), capture);
  if (!size)
    return false;
  return llvm::any_of(getUpper(get(value)),
                      [&](const LinearForm &upper) { return (*size - upper).getMin() >= 1; });
}
