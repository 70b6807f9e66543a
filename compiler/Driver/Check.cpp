//===- Check.cpp - Judging results by the reference -------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/Check.h"
#include "compiler/Target/Reference/PairProgram.h"
#include "compiler/Target/Reference/Reference.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

void OutputCheck::print(llvm::raw_ostream &os) const {
  os << llvm::format("%-4s error %.3g, limit %.3g: %s", name.c_str(), error, limit,
                     passes() ? "pass" : "FAIL");
  if (!passes()) {
    os << "; worst at [";
    llvm::interleaveComma(worst, os);
    os << llvm::format("] (got %.9g, expected %.9g), ", static_cast<double>(got),
                       static_cast<double>(expected))
       << beyond << " beyond";
  }
  os << "\n";
}

/// Makes room for what a tensor like `like` holds, as f32.
static TensorView makeView(const TensorView &like, std::vector<float> &data) {
  int64_t elements = 1;
  for (int64_t size : like.sizes)
    elements *= size;
  data.resize(elements);
  return {data.data(), ElementType::F32, like.sizes, getContiguousStrides(like.sizes)};
}

/// The elements of a float tensor in logical order.
static std::vector<float> readAll(const TensorView &view) {
  std::vector<float> values;
  std::vector<int64_t> index(view.sizes.size(), 0);
  int64_t elements = 1;
  for (int64_t size : view.sizes)
    elements *= size;
  values.reserve(elements);
  for (int64_t i = 0; i < elements; ++i) {
    int64_t offset = 0;
    for (size_t dim = 0; dim < index.size(); ++dim)
      offset += index[dim] * view.strides[dim];
    values.push_back(static_cast<float>(reference::readElement(view.data, view.type, offset).f));
    for (size_t dim = index.size(); dim-- > 0;) {
      if (++index[dim] < view.sizes[dim])
        break;
      index[dim] = 0;
    }
  }
  return values;
}

static double getDifference(float got, float want) {
  if (got == want || (std::isnan(got) && std::isnan(want)))
    return 0;
  double difference = std::fabs(static_cast<double>(got) - static_cast<double>(want));
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

static double getLargestFinite(const std::vector<float> &values) {
  double largest = 0;
  for (float value : values)
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(static_cast<double>(value)));
  return largest;
}

/// The spacing of `type` at `x`.
static double getUlp(ElementType type, double x) {
  int mantissa = type == ElementType::F16 ? 10 : type == ElementType::BF16 ? 7 : 23;
  return x > 0 ? std::ldexp(1.0, std::ilogb(x) - mantissa) : 0;
}

OutputCheck driver::compareOutput(std::string name, const TensorView &output,
                                  const std::vector<float> &want, double limit) {
  OutputCheck check;
  check.name = std::move(name);
  check.limit = limit;
  std::vector<float> got = readAll(output);
  size_t worst = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    double difference = getDifference(got[i], want[i]);
    check.beyond += difference > check.limit;
    if (difference > check.error) {
      check.error = difference;
      worst = i;
    }
  }
  if (want.empty())
    return check;
  check.got = got[worst];
  check.expected = want[worst];
  check.worst.assign(output.sizes.size(), 0);
  for (size_t dim = output.sizes.size(), rest = worst; dim-- > 0; rest /= output.sizes[dim])
    check.worst[dim] = static_cast<int64_t>(rest % output.sizes[dim]);
  return check;
}

/// The limit for an output by what f32 without fusion makes of it.
static double getLimit(const std::vector<float> &want, const std::vector<float> &unfused,
                       double floor) {
  double error = 0;
  for (size_t i = 0; i < want.size(); ++i)
    error = std::max(error, getDifference(unfused[i], want[i]));
  // Where f32 without fusion does not get there at all, only the floor is left.
  return (std::isfinite(error) ? 2 * error : 0) + floor;
}

/// To tf32: nearest, halves away from zero. What would become infinite is NaN: rows that meet it
/// are to be computed with the value itself.
static float roundToTf32(float value) {
  if (!std::isfinite(value))
    return value;
  auto rounded = std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 0x1000) & 0xffffe000);
  return std::isfinite(rounded) ? rounded : std::numeric_limits<float>::quiet_NaN();
}

/// What `change` makes of the elements of `view`, in `data`.
static TensorView mapElements(const TensorView &view, float (*change)(float),
                              std::vector<float> &data) {
  data = readAll(view);
  std::transform(data.begin(), data.end(), data.begin(), change);
  return {data.data(), ElementType::F32, view.sizes, getContiguousStrides(view.sizes)};
}

FailureOr<Judge> Judge::create(attn::KernelOp kernel, const KernelInfo &info,
                               const LaunchArguments &arguments, const BoundArguments &bound,
                               unsigned threads, bool roundsToTf32) {
  Judge judge;
  judge.dtype = info.dtype;
  auto run = [&](Results &results, const LaunchArguments &arguments,
                 reference::Precision precision) {
    TensorView o = makeView(arguments.o, results.o), lse;
    if (arguments.lse)
      lse = makeView(*arguments.lse, results.lse);
    return reference::run(kernel, info, arguments, bound,
                          {&o, arguments.lse ? &lse : nullptr, nullptr}, precision, threads);
  };
  FailureOr<reference::Summary> summary = run(judge.exact, arguments, reference::Precision::Exact);
  if (failed(summary) || failed(run(judge.unfused, arguments, reference::Precision::Unfused)))
    return failure();
  judge.rounding = 0x1p-23 * summary->largestScore;
  judge.pairs = summary->pairs;
  if (!roundsToTf32)
    return judge;
  LaunchArguments roundedArguments = arguments;
  std::vector<float> q, k, v, magnitudes;
  roundedArguments.q = mapElements(arguments.q, roundToTf32, q);
  roundedArguments.k = mapElements(arguments.k, roundToTf32, k);
  roundedArguments.v = mapElements(arguments.v, roundToTf32, v);
  Results ofMagnitudes;
  if (failed(run(judge.rounded.emplace(), roundedArguments, reference::Precision::Exact)))
    return failure();
  roundedArguments.v =
      mapElements(roundedArguments.v, [](float value) { return std::fabs(value); }, magnitudes);
  if (failed(run(ofMagnitudes, roundedArguments, reference::Precision::Exact)))
    return failure();
  judge.weightRounding = 0x1p-11 * getLargestFinite(ofMagnitudes.o);
  return judge;
}

/// Of each row of `columns` elements the one of two that `output` is nearer to.
static std::vector<float> chooseRows(const TensorView &output, int64_t columns,
                                     const std::vector<float> &first,
                                     const std::vector<float> &second) {
  std::vector<float> got = readAll(output), chosen = first;
  for (size_t row = 0; row < got.size(); row += columns) {
    double ofFirst = 0, ofSecond = 0;
    for (size_t i = row; i < row + columns; ++i) {
      ofFirst = std::max(ofFirst, getDifference(got[i], first[i]));
      ofSecond = std::max(ofSecond, getDifference(got[i], second[i]));
    }
    if (ofSecond < ofFirst)
      std::copy_n(&second[row], columns, &chosen[row]);
  }
  return chosen;
}

std::vector<OutputCheck> Judge::compare(const TensorView &o,
                                        const std::optional<TensorView> &lse) const {
  std::vector<float> wantedO = exact.o, wantedLse = exact.lse;
  if (rounded) {
    wantedO = chooseRows(o, o.sizes.back(), rounded->o, exact.o);
    if (lse)
      wantedLse = chooseRows(*lse, 1, rounded->lse, exact.lse);
  }
  double largest = getLargestFinite(exact.o);
  double base = dtype == ElementType::F32 ? 2e-6 * largest : 2 * getUlp(dtype, largest);
  double floor = base + std::min(rounding, 0x1p-8) * largest + weightRounding;
  std::vector<OutputCheck> checks = {
      compareOutput("o", o, wantedO, getLimit(exact.o, unfused.o, floor))};
  if (lse)
    checks.push_back(
        compareOutput("lse", *lse, wantedLse,
                      getLimit(exact.lse, unfused.lse,
                               2e-6 * std::max(1.0, getLargestFinite(exact.lse)) + 2 * rounding)));
  return checks;
}
