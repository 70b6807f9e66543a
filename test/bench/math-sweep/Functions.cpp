//===- Functions.cpp - Math functions and what they should give -------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/bench/math-sweep/Functions.h"
#include <cmath>
#include <mpfr.h>

using namespace attnc;

/// The double nearest to what an MPFR function of one argument gives.
template <int (*function)(mpfr_t, const mpfr_t, mpfr_rnd_t)> static double exact(double x, double) {
  mpfr_t value;
  mpfr_init2(value, 80);
  mpfr_set_d(value, x, MPFR_RNDN);
  function(value, value, MPFR_RNDN);
  double result = mpfr_get_d(value, MPFR_RNDN);
  mpfr_clear(value);
  return result;
}

static int roundEven(mpfr_t result, const mpfr_t value, mpfr_rnd_t) {
  return mpfr_roundeven(result, value);
}
static int roundDown(mpfr_t result, const mpfr_t value, mpfr_rnd_t) {
  return mpfr_floor(result, value);
}
static int roundUp(mpfr_t result, const mpfr_t value, mpfr_rnd_t) {
  return mpfr_ceil(result, value);
}
static int roundToZero(mpfr_t result, const mpfr_t value, mpfr_rnd_t) {
  return mpfr_trunc(result, value);
}

/// `function` of MPFR on two numbers, rounded to double.
static double exactOfTwo(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t), double x,
                         double y) {
  mpfr_t lhs, rhs;
  mpfr_init2(lhs, 80);
  mpfr_init2(rhs, 80);
  mpfr_set_d(lhs, x, MPFR_RNDN);
  mpfr_set_d(rhs, y, MPFR_RNDN);
  function(lhs, lhs, rhs, MPFR_RNDN);
  double result = mpfr_get_d(lhs, MPFR_RNDN);
  mpfr_clear(lhs);
  mpfr_clear(rhs);
  return result;
}

static double exactPow(double x, double y) { return exactOfTwo(mpfr_pow, x, y); }
static double exactFmod(double x, double y) { return exactOfTwo(mpfr_fmod, x, y); }

/// As C's rsqrt, which gives -inf at -0; MPFR's gives +inf.
static int reciprocalSquareRoot(mpfr_t result, const mpfr_t value, mpfr_rnd_t mode) {
  if (!mpfr_zero_p(value))
    return mpfr_rec_sqrt(result, value, mode);
  return mpfr_ui_div(result, 1, value, mode);
}

llvm::ArrayRef<MathFunction> attnc::getMathFunctions() {
  constexpr double roughly = 4096; // 2^-11 in ulp, where an ulp is smallest
  static const MathFunction functions[] = {
      {"exp", "math.exp", false, std::exp, nullptr, exact<mpfr_exp>, 4},
      {"exp2", "math.exp2", false, std::exp2, nullptr, exact<mpfr_exp2>, 4},
      {"expm1", "math.expm1", false, std::expm1, nullptr, exact<mpfr_expm1>, 4},
      {"log", "math.log", false, std::log, nullptr, exact<mpfr_log>, 4},
      {"log2", "math.log2", false, std::log2, nullptr, exact<mpfr_log2>, 4},
      {"log1p", "math.log1p", false, std::log1p, nullptr, exact<mpfr_log1p>, 4},
      {"pow", "math.powf", false, nullptr, std::pow, exactPow, 4},
      {"fmod", "arith.remf", false, nullptr, std::fmod, exactFmod, 0, 0, 0x1p44f},
      {"rsqrt", "math.rsqrt", false, [](double x) { return 1 / std::sqrt(x); }, nullptr,
       exact<reciprocalSquareRoot>, 4},
      {"tanh", "math.tanh", false, std::tanh, nullptr, exact<mpfr_tanh>, 4, 0x1p-22},
      {"erf", "math.erf", false, std::erf, nullptr, exact<mpfr_erf>, 4, 0x1p-22},
      {"sin", "math.sin", false, std::sin, nullptr, exact<mpfr_sin>, 4, 0x1p-22, 1e5f},
      {"cos", "math.cos", false, std::cos, nullptr, exact<mpfr_cos>, 4, 0x1p-22, 1e5f},
      {"floor", "math.floor", false, std::floor, nullptr, exact<roundDown>, 0},
      {"ceil", "math.ceil", false, std::ceil, nullptr, exact<roundUp>, 0},
      {"trunc", "math.trunc", false, std::trunc, nullptr, exact<roundToZero>, 0},
      {"round", "math.roundeven", false, std::nearbyint, nullptr, exact<roundEven>, 0},
      // Denormal results may be 0.
      {"exp~", "math.exp", true, std::exp, nullptr, exact<mpfr_exp>, roughly, 0x1p-126},
      {"exp2~", "math.exp2", true, std::exp2, nullptr, exact<mpfr_exp2>, roughly, 0x1p-126},
      {"tanh~", "math.tanh", true, std::tanh, nullptr, exact<mpfr_tanh>, roughly},
  };
  return functions;
}
