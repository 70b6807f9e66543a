//===- Functions.h - Math functions and what they should give -----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_BENCH_MATH_SWEEP_FUNCTIONS_H
#define TEST_BENCH_MATH_SWEEP_FUNCTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include <cmath>
#include <limits>

namespace attnc {

/// A function, its double version, its exact one, and the bounds that are promised.
struct MathFunction {
  const char *name;
  /// The op of the math dialect, or of arith.
  const char *op;
  bool approximate;
  /// Of one argument, or of two.
  double (*unary)(double);
  double (*binary)(double, double);
  /// Rounded from MPFR; of x alone where the function has one argument.
  double (*exact)(double x, double y);
  /// An error within either bound is right.
  double ulpBound;
  double absoluteBound = 0;
  /// Errors count for arguments up to this size, or quotients where the function has two; beyond it
  /// results stay within [-1, 1], or below the second argument.
  float range = std::numeric_limits<float>::infinity();

  bool isOutside(float x, float y) const {
    return binary ? std::fabs(static_cast<double>(x) / y) > range : std::fabs(x) > range;
  }
};

llvm::ArrayRef<MathFunction> getMathFunctions();

} // namespace attnc

#endif // TEST_BENCH_MATH_SWEEP_FUNCTIONS_H
