//===- math-sweep.cpp - Errors of the math expansions -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Compiles each math function for a CPU with fused multiply-add and for one without, runs it over
// f32 and prints the largest errors; exits with 1 if one is beyond its bound. References are the C
// library's functions of double, themselves compared with MPFR at every 64th point and where the
// error is largest.
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Host/HostCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/MLIRContext.h"
#include "test/bench/math-sweep/CompiledFunction.h"
#include "test/bench/math-sweep/Functions.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/TargetSelect.h"
#include <bit>
#include <cmath>

using namespace attnc;

namespace {
/// The arguments of one function.
struct Points {
  std::vector<float> x, y;

  void add(float a, float b = 0) {
    x.push_back(a);
    y.push_back(b);
  }
};

struct Errors {
  double ulp = 0;
  double absolute = 0;
  float x = 0, y = 0;
  /// Results beyond the bound, and one of them.
  uint64_t wrong = 0;
  float wrongX = 0, wrongY = 0, wrongResult = 0;
};
} // namespace

static const float specials[] = {0.0f,
                                 0.5f,
                                 1.0f,
                                 1.5f,
                                 2.0f,
                                 3.0f,
                                 4.0f,
                                 0x1p-149f,
                                 0x1p-127f,
                                 0x1p-126f,
                                 0x1p-24f,
                                 0x1p23f,
                                 0x1p24f,
                                 16777215.0f,
                                 8388607.5f,
                                 88.7f,
                                 0x1.fffffep127f,
                                 0x1.fffffep-1f,
                                 0x1.000002p0f,
                                 HUGE_VALF,
                                 NAN};

/// Special values, and every `stride`th of the floats with the given bit patterns.
static Points getUnaryPoints(uint64_t first, uint64_t last, uint64_t stride) {
  Points points;
  for (float special : specials)
    for (float value : {special, -special})
      points.add(value);
  for (uint64_t bits = first; bits <= last; bits += stride)
    points.add(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return points;
}

/// Pairs of special values, and for every `stride`th x of the given bit patterns some y for which
/// x^y is within range or near its ends, or for which x / y is where the function has such a range.
static Points getBinaryPoints(float range, uint64_t first, uint64_t last, uint64_t stride) {
  Points points;
  for (float a : specials)
    for (float b : specials)
      for (float x : {a, -a})
        for (float y : {b, -b})
          points.add(x, y);
  uint64_t state = first;
  auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  for (uint64_t bits = first; bits <= last; bits += stride) {
    float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isfinite(range)) {
      // Quotients of any number of bits, and such as lie next to whole numbers.
      double quotient = std::exp2(next() * 46 - 2);
      points.add(x, static_cast<float>(x / quotient));
      points.add(x, static_cast<float>(-x / std::nearbyint(quotient)));
      continue;
    }
    double log = std::log2(std::fabs(static_cast<double>(x)));
    points.add(x, static_cast<float>((next() * 290 - 155) / log));
    points.add(x, std::nearbyint(static_cast<float>(next() * 80 - 40)));
    points.add(static_cast<float>(std::exp2(next() * 2 - 1)),
               static_cast<float>(next() * 256 - 128));
  }
  return points;
}

/// The distance of f32 numbers around `value`.
static double getUlp(double value) {
  int exponent = value == 0 ? -126 : std::max(std::ilogb(value), -126);
  return std::ldexp(1.0, std::min(exponent, 127) - 23);
}

/// Adds the error of `result` to `errors`.
static void measure(const MathFunction &function, float x, float y, float result, double expected,
                    Errors &errors) {
  auto isWrong = [&] {
    errors.wrongX = x, errors.wrongY = y, errors.wrongResult = result;
    ++errors.wrong;
  };
  if (std::isnan(expected) || std::isnan(result)) {
    if (std::isnan(expected) != std::isnan(result))
      isWrong();
    return;
  }
  if (function.isOutside(x, y)) {
    if (!(std::fabs(result) <= (function.binary ? std::fabs(y) : 1.000001f)))
      isWrong();
    return;
  }
  if (std::signbit(result) != std::signbit(expected) && (result == 0) == (expected == 0))
    return isWrong();
  // Infinity stands for 2^128, the first number beyond f32.
  auto limit = [](double value) {
    return std::isinf(value) ? std::copysign(0x1p128, value) : value;
  };
  double bounded = std::fabs(expected) > 0x1p128 ? std::copysign(0x1p128, expected) : expected;
  double error = std::fabs(limit(result) - bounded);
  double ulps = error / getUlp(bounded);
  if (ulps > function.ulpBound && error > function.absoluteBound)
    isWrong();
  errors.absolute = std::max(errors.absolute, error);
  if (ulps > errors.ulp) {
    errors.ulp = ulps;
    errors.x = x, errors.y = y;
  }
}

static double getReference(const MathFunction &function, double x, double y) {
  return function.unary ? function.unary(x) : function.binary(x, y);
}

/// True if the reference agrees with MPFR but for rounding to double.
static bool isReferenceRight(const MathFunction &function, double x, double y) {
  double value = getReference(function, x, y), exact = function.exact(x, y);
  return (std::isnan(value) && std::isnan(exact)) || value == exact ||
         std::fabs(value - exact) <= std::fabs(exact) * 0x1p-50 || std::fabs(exact) < 0x1p-1000;
}

/// Runs the function over `points`. Returns false where the reference is wrong.
static bool sweep(const MathFunction &function, const CompiledFunction &compiled,
                  const Points &points, Errors &errors) {
  constexpr unsigned width = CompiledFunction::width;
  alignas(64) float x[width], y[width], result[width];
  for (size_t i = 0; i < points.x.size(); i += width) {
    for (unsigned lane = 0; lane < width; ++lane) {
      size_t point = std::min(i + lane, points.x.size() - 1);
      x[lane] = points.x[point], y[lane] = points.y[point];
    }
    compiled(x, y, result);
    for (unsigned lane = 0; lane < width; ++lane)
      measure(function, x[lane], y[lane], result[lane], getReference(function, x[lane], y[lane]),
              errors);
    if ((i / width) % 4 == 0 && !isReferenceRight(function, x[0], y[0])) {
      llvm::errs() << function.name << ": the reference differs from MPFR at " << x[0] << ", "
                   << y[0] << "\n";
      return false;
    }
  }
  return isReferenceRight(function, errors.x, errors.y);
}

/// Sweeps one function on one CPU and prints a row. Returns whether every error is within its
/// bound.
static bool report(mlir::MLIRContext &context, const MathFunction &function, llvm::StringRef cpu,
                   uint64_t stride) {
  HostTarget target = llvm::cantFail(HostTarget::get(cpu));
  if (llvm::Error error = target.checkRunsHere()) {
    llvm::errs() << llvm::toString(std::move(error)) << "\n";
    return true;
  }
  llvm::Expected<CompiledFunction> compiled = CompiledFunction::compile(
      context, function.op, function.binary != nullptr, function.approximate, target);
  if (!compiled) {
    llvm::errs() << function.name << ": " << llvm::toString(compiled.takeError()) << "\n";
    return false;
  }
  Errors errors;
  bool isRight = true;
  constexpr uint64_t pointsAtOnce = 1 << 20;
  for (uint64_t first = 0; first <= UINT32_MAX; first += pointsAtOnce * stride) {
    uint64_t last = std::min<uint64_t>(first + pointsAtOnce * stride - 1, UINT32_MAX);
    isRight &= sweep(function, *compiled,
                     function.binary ? getBinaryPoints(function.range, first, last, stride)
                                     : getUnaryPoints(first, last, stride),
                     errors);
  }
  llvm::outs() << llvm::format("%-6s %-10s %10.2f ", function.name, cpu.str().c_str(), errors.ulp);
  if (function.absoluteBound != 0)
    llvm::outs() << llvm::format("%10.2e", errors.absolute);
  else
    llvm::outs() << "         -";
  llvm::outs() << llvm::format("   %.9g", errors.x);
  if (function.binary)
    llvm::outs() << llvm::format(", %.9g", errors.y);
  llvm::outs() << "\n";
  if (errors.wrong != 0)
    llvm::outs() << llvm::format("  %llu beyond the bound, as %.9g at %.9g, %.9g\n",
                                 static_cast<unsigned long long>(errors.wrong), errors.wrongResult,
                                 errors.wrongX, errors.wrongY);
  return isRight && errors.wrong == 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::opt<uint64_t> stride(
      "stride", llvm::cl::init(4093),
      llvm::cl::desc("Distance of the points in bit patterns; 1 for all of f32"));
  llvm::cl::opt<std::string> only("function", llvm::cl::desc("Only the function of this name"));
  llvm::cl::ParseCommandLineOptions(argc, argv, "Measures the math expansions over f32\n");
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  mlir::MLIRContext context;
  context
      .loadDialect<mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::LLVM::LLVMDialect>();
  registerHostTranslations(context);

  llvm::outs() << "name   cpu           max ulp    max abs   at\n";
  bool isRight = true;
  for (const MathFunction &function : getMathFunctions()) {
    if (!only.empty() && only != function.name)
      continue;
    for (llvm::StringRef cpu : {"x86-64-v3", "x86-64"})
      isRight &= report(context, function, cpu, stride);
  }
  return isRight ? 0 : 1;
}
