#!/usr/bin/env python3
# Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the polynomials of the math expansions and prints them as C++ tables.

Each is the weighted minimax approximation on its interval, found by least squares whose weights grow where the
error is large (Lawson's iteration), with the leading coefficients held where exact results depend on them.
"""
import math

import numpy as np


def nodes(low, high, count=4001):
    t = np.cos(np.pi * (np.arange(count) + 0.5) / count)
    return (low + high) / 2 + (high - low) / 2 * t


def reweighted(solve, points, rounds):
    """The best of `rounds` weighted fits; `solve(weights)` returns coefficients and errors."""
    weights = np.ones_like(points)
    best = None
    for _ in range(rounds):
        coefficients, errors = solve(weights)
        worst = errors.max()
        if best is None or worst < best[0]:
            best = (worst, coefficients)
        weights = weights * (errors / worst + 1e-2)
        weights /= weights.mean()
    return best


def polynomial(function, low, high, degree, weight=lambda x: np.ones_like(x), fixed=()):
    """Minimises |weight * (function - sum c_k x^k)|, the first coefficients fixed."""
    x = nodes(low, high)
    matrix = np.vander(x, degree + 1, increasing=True)
    free = matrix[:, len(fixed):]
    target = function(x) - matrix[:, :len(fixed)] @ np.array(fixed, dtype=float)

    def solve(weights):
        scale = np.sqrt(weights) * weight(x)
        c = np.linalg.lstsq(free * scale[:, None], target * scale, rcond=None)[0]
        return c, np.abs(weight(x) * (free @ c - target))

    worst, c = reweighted(solve, x, 400)
    return worst, [np.concatenate([fixed, c])]


def odd_rational(function, high, over, under):
    """Minimises the relative error of x * P(x^2) / Q(x^2), with `over` and `under` coefficients and Q(0) = 1."""
    x = nodes(-high, high)
    x = x[x > 1e-4]
    y = function(x)
    numerator = np.stack([x ** (2 * k + 1) for k in range(over)], 1)
    denominator = np.stack([x ** (2 * k) for k in range(1, under)], 1)
    last = np.ones_like(x)

    def solve(weights):
        nonlocal last
        scale = np.sqrt(weights) / y / last
        matrix = np.concatenate([numerator, -y[:, None] * denominator], 1) * scale[:, None]
        norms = np.linalg.norm(matrix, axis=0)
        c = np.linalg.lstsq(matrix / norms, y * scale, rcond=1e-17)[0] / norms
        last = np.maximum(1 + denominator @ c[over:], 1e-3)
        return c, np.abs(numerator @ c[:over] / last / y - 1)

    worst, c = reweighted(solve, x, 400)
    return worst, [c[:over], np.concatenate([[1.0], c[over:]])]


def show(name, fit):
    worst, tables = fit
    print(f"// {name}: error 2^{math.log2(worst):.1f}")
    for table in tables:
        print("{" + ", ".join(f"{float(np.float32(c))!r}f" for c in table) + "}")


def quotient(over, under, series):
    """over(x) / under(x), by `series` where the quotient is 0/0."""
    return lambda x: np.where(np.abs(x) < 1e-3, series(x), over(x) / np.where(x == 0, 1, under(x)))


ln2 = math.log(2)
erf = np.vectorize(math.erf)
erfc = np.vectorize(math.erfc)
em1 = quotient(np.expm1, lambda x: x, lambda x: 1 + x / 2 + x * x / 6 + x**3 / 24)


def log_tail(f):
    series = sum((-1) ** k * f**k / (k + 3) for k in range(80))
    return np.where(np.abs(f) < 0.2, series, (np.log1p(f) - f + f * f / 2) / np.where(f == 0, 1, f) ** 3)


def sin_tail(u):
    series = sum((-1) ** (k + 1) * u**k / math.factorial(2 * k + 3) for k in range(8))
    r = np.sqrt(u)
    return np.where(u < 0.3, series, (np.sin(r) / np.where(u == 0, 1, r) - 1) / np.where(u == 0, 1, u))


def atanh_tail(u):
    return sum(u**k / (2 * k + 3) for k in range(60))


def erf_quotient(u):
    x = np.sqrt(u)
    return np.where(u < 1e-9, 2 / math.sqrt(math.pi) * (1 - u / 3), erf(x) / np.where(u == 0, 1, x)) - 1


show("2^f on [-1, 1]", polynomial(np.exp2, -1, 1, 7, lambda f: 2.0**-f, (1,)))
show("e^r on [-ln 2, ln 2]", polynomial(np.exp, -ln2, ln2, 7, lambda r: np.exp(-r), (1, 1)))
show("e^r on [-ln 2 / 2, ln 2 / 2]", polynomial(np.exp, -ln2 / 2, ln2 / 2, 5, lambda r: np.exp(-r), (1, 1)))
show("(e^r - 1) / r on [-ln 2 / 2, ln 2 / 2]", polynomial(em1, -ln2 / 2, ln2 / 2, 5, fixed=(1,)))
show("(e^2r - 1) / r on [-ln 2 / 4, ln 2 / 4], absolute error after * r",
     polynomial(lambda r: 2 * em1(2 * r), -ln2 / 4, ln2 / 4, 4, np.abs, (2,)))
show("2^f on [0, 1], approximate", polynomial(np.exp2, 0, 1, 3, lambda f: 2.0**-f))
show("tanh on [0, 5], approximate", odd_rational(np.tanh, 5, 3, 3))
show("(log(1 + f) - f + f^2 / 2) / f^3 on [-1/4, 1/2]",
     polynomial(log_tail, -0.25, 0.5, 7, lambda f: np.abs(f**3 / np.log1p(f))))
show("(sin(r) / r - 1) / r^2 over r^2, r in [0, pi / 2]", polynomial(sin_tail, 0, 2.4764, 3, lambda u: u))
show("(atanh(s) / s - 1) / s^2 over s^2, s in [0, 1/5]", polynomial(atanh_tail, 0, 0.0403, 3, lambda u: u, (1 / 3,)))
show("erf(x) / x - 1 over x^2, x in [0, 0.93]", polynomial(erf_quotient, 0, 0.865, 6))
show("log(erfc(x)) on [0.92, 4], error of erf",
     polynomial(lambda x: np.log(erfc(x)), 0.92, 4, 7, erfc))
