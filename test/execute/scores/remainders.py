"""torch.fmod has the sign of the dividend, as in C; % and torch.remainder that of the divisor, as in Python."""

import math

import numpy
import scores

rng = numpy.random.default_rng(1)


def fmod(x, y):
    return numpy.float32(math.fmod(x, y))


def remainder(x, y):
    rest = fmod(x, y)
    return numpy.float32(rest + y) if rest != 0 and (rest < 0) != (y < 0) else rest


def int_fmod(x, y):
    return 0 if y == 0 else (abs(x) % abs(y)) * (-1 if x < 0 else 1)


def int_remainder(x, y):
    return 0 if y == 0 else x % y


# Quotients of few and of many bits, next to whole numbers, and infinite divisors.
y = (rng.normal(size=4000) * 2.0 ** rng.integers(-30, 30, 4000)).astype(numpy.float32)
quotient = rng.normal(size=4000) * 2.0 ** rng.integers(-3, 40, 4000)
x = numpy.concatenate([y * quotient, y * numpy.rint(quotient), [5.5, -5.5, 5.5, -5.5, 7, -7, 0, 1]]).astype(numpy.float32)
y = numpy.concatenate([y, y, [2, 2, -2, -2, numpy.inf, -numpy.inf, 3, 0.1]]).astype(numpy.float32)
fmods = [fmod(a, b) for a, b in zip(x, y)]
remainders = [remainder(a, b) for a, b in zip(x, y)]
for expression in ["torch.fmod(x, y)", "x.fmod(y)", "math.fmod(x, y)"]:
    scores.check(expression, fmods, x=x, y=y)
for expression in ["x % y", "torch.remainder(x, y)", "x.remainder(y)", "divmod(x, y)[1]"]:
    finite = numpy.isfinite(remainders)
    scores.check(expression, numpy.array(remainders)[finite], x=x[finite], y=y[finite])
for divisor in [0.75, -3.0, 0.1]:
    constant = numpy.float32(divisor)
    near = x[numpy.abs(x) < 1e9]
    scores.check(f"torch.fmod(x, {divisor})", [fmod(a, constant) for a in near], x=near)
    scores.check(f"x % {divisor}", [remainder(a, constant) for a in near], x=near)

# What has no remainder is NaN.
odd = numpy.array([1, -1, 0, numpy.inf, -numpy.inf, numpy.nan, 1], numpy.float32)
zero = numpy.array([0, -0.0, 0, 2, 2, 2, numpy.nan], numpy.float32)
for expression in ["torch.fmod(x, y)", "x % y"]:
    scores.check(f"where(isnan({expression}), 1.0, 0.0)", numpy.ones(len(odd)), x=odd, y=zero)

# Constants are folded to the same.
for a in [5.5, -5.5, 7.25]:
    for b in [2.0, -2.0, 0.3]:
        scores.check(f"x * 0 + torch.fmod({a}, {b})", [math.fmod(a, b)], x=x[:1])
        scores.check(f"x * 0 + {a} % {b}", [a % b], x=x[:1])

# Integers, with the ends of their range and a divisor of 0.
x = rng.integers(-(2**63), 2**63, 1000)
y = rng.integers(-5000, 5000, 1000)
ends = [-(2**63), 2**63 - 1, -(2**63), 7, -7, 7, -7, 9, -(2**63)]
x = numpy.concatenate([x, ends])
y = numpy.concatenate([y, [3, -3, -1, 2, 2, -2, -2, 0, 0]])
pairs = list(zip(x.tolist(), y.tolist()))
scores.check("float(torch.fmod(x, y))", [int_fmod(a, b) for a, b in pairs], x=x, y=y)
scores.check("float(x % y)", [int_remainder(a, b) for a, b in pairs], x=x, y=y)
scores.check("float(torch.remainder(x, y))", [int_remainder(a, b) for a, b in pairs], x=x, y=y)
small = [(a % 10000000 - 5000000, b) for a, b in pairs if b]
scores.check('float(torch.div(x, y, rounding_mode="trunc"))', [int(a / b) for a, b in small],
             x=numpy.array([a for a, _ in small]), y=numpy.array([b for _, b in small]))
