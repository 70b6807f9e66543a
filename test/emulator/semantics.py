#!/usr/bin/env python3
"""Every arithmetic and conversion instruction on a table of edge values against exact fractions and integers.

usage: semantics.py ATTN_EMU [--verbose]

Instructions with the same operand widths share a kernel. Values: signed zeros, subnormals, the neighbours of one and of
powers of two, the largest values, infinities, NaNs with payloads, and numbers that are halfway between results."""
import itertools
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import exact
import tensors
from exact import BF16, F16, F32, F64, TF32

random.seed(11)
CASES = []  # (instruction, widths of the operands, width of the result, function of bits)


def add(text, widths, result, function, tables=None):
    CASES.append((text, tuple(widths), result, function, tables))


EDGES = {
    F32: [0, 0x80000000, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x80800000, 0x3F800000, 0xBF800000, 0x3F800001,
          0x3F7FFFFF, 0x3FC00000, 0x40000000, 0x3F000000, 0xBF000000, 0x40490FDB, 0x3EAAAAAB, 0x4B800000, 0x4B7FFFFF,
          0x4F000000, 0xCF000000, 0x4F7FFFFF, 0x5F000000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FFFFFFF,
          0x7F800001, 0xFFC12345, 0x33800000, 0x33800001, 0x1E3CE508, 0x40200000, 0xC0200000, 0x38800000, 0x477FE000,
          0x477FF000, 0x33000000],
    F64: [0, 1 << 63, 1, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x3FF0000000000000, 0xBFF0000000000000,
          0x3FF0000000000001, 0x3FE0000000000000, 0x4004000000000000, 0xC004000000000000, 0x41DFFFFFFFC00000,
          0x41E0000000000000, 0x43E0000000000000, 0xC3E0000000000000, 0x43F0000000000000, 0x7FEFFFFFFFFFFFFF,
          0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x3CA0000000000000, 0x3FD5555555555555,
          0x36A0000000000000, 0x47EFFFFFF0000000, 0x400921FB54442D18, 0x3810000000000000, 0x3690000000000000],
    F16: [0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x3C00, 0xBC00, 0x3C01, 0x3BFF, 0x3800, 0x4000, 0x4248, 0x3555, 0x6400,
          0x6BFF, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7FFF, 0x7C01, 0xFE12, 0x1400, 0x4100],
    BF16: [0, 0x8000, 1, 0x8001, 0x7F, 0x80, 0x3F80, 0xBF80, 0x3F81, 0x3F7F, 0x3F00, 0x4000, 0x4049, 0x3EAB, 0x4B80,
           0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FFF, 0x7F81, 0xFFC1, 0x3380, 0x4020],
}
INTEGERS = {16: [0, 1, 2, 3, 7, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0x8001, 0xFFFF, 0xFFFE, 12345],
            32: [0, 1, 2, 3, 7, 31, 32, 33, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0xFFFFFF, 0x1000000,
                 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0xDEADBEEF, 0x12345678, 1000000007],
            64: [0, 1, 2, 3, 31, 63, 64, 65, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x1FFFFFFFFFFFFF,
                 0x20000000000001, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0x8000000000000001, 0xFFFFFFFFFFFFFFFF,
                 0xDEADBEEF12345678, 0x7FFFFF4000000001]}


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def s_or_u(value, bits, is_signed):
    return signed(value, bits) if is_signed else value


def trunc_div(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def integers():
    for bits, is_signed in itertools.product((16, 32, 64), (False, True)):
        t = f"{'s' if is_signed else 'u'}{bits}"
        full = 1 << bits

        def wrapped(f, bits=bits, is_signed=is_signed, full=full):
            return lambda *v: f(*(s_or_u(x, bits, is_signed) for x in v)) % full
        table = [INTEGERS[bits]] * 2
        add(f"add.{t}", [bits] * 2, bits, wrapped(lambda a, b: a + b), table)
        add(f"sub.{t}", [bits] * 2, bits, wrapped(lambda a, b: a - b), table)
        add(f"mul.lo.{t}", [bits] * 2, bits, wrapped(lambda a, b: a * b), table)
        add(f"mul.hi.{t}", [bits] * 2, bits, wrapped(lambda a, b, n=bits: a * b >> n), table)
        if bits < 64:
            add(f"mul.wide.{t}", [bits] * 2, 2 * bits,
                lambda a, b, n=bits, s=is_signed: s_or_u(a, n, s) * s_or_u(b, n, s) % (1 << 2 * n), table)
            add(f"mad.wide.{t}", [bits, bits, 2 * bits], 2 * bits,
                lambda a, b, c, n=bits, s=is_signed: (s_or_u(a, n, s) * s_or_u(b, n, s) + c) % (1 << 2 * n),
                [INTEGERS[bits]] * 2 + [INTEGERS[2 * bits]])
        add(f"mad.lo.{t}", [bits] * 3, bits, wrapped(lambda a, b, c: a * b + c), [INTEGERS[bits]] * 3)
        add(f"mad.hi.{t}", [bits] * 3, bits, wrapped(lambda a, b, c, n=bits: (a * b >> n) + c), [INTEGERS[bits]] * 3)
        add(f"div.{t}", [bits] * 2, bits, wrapped(lambda a, b: trunc_div(a, b) if b else -1), table)
        add(f"rem.{t}", [bits] * 2, bits, wrapped(lambda a, b: a - trunc_div(a, b) * b if b else a), table)
        add(f"min.{t}", [bits] * 2, bits, wrapped(min), table)
        add(f"max.{t}", [bits] * 2, bits, wrapped(max), table)
        add(f"sad.{t}", [bits] * 3, bits, wrapped(lambda a, b, c: c + abs(a - b)), [INTEGERS[bits]] * 3)
        add(f"shr.{t}", [bits, 32], bits, lambda a, n, b=bits, s=is_signed: (s_or_u(a, b, s) >> min(n, b)) % (1 << b),
            [INTEGERS[bits], INTEGERS[32]])
        if is_signed:
            add(f"abs.{t}", [bits], bits, wrapped(abs), [INTEGERS[bits]])
            add(f"neg.{t}", [bits], bits, wrapped(lambda a: -a), [INTEGERS[bits]])
        else:
            add(f"shl.b{bits}", [bits, 32], bits, lambda a, n, b=bits: (a << min(n, b)) % (1 << b),
                [INTEGERS[bits], INTEGERS[32]])
            for name, f in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)):
                add(f"{name}.b{bits}", [bits] * 2, bits, f, table)
            add(f"not.b{bits}", [bits], bits, lambda a, n=bits: a ^ ((1 << n) - 1), [INTEGERS[bits]])
            add(f"cnot.b{bits}", [bits], bits, lambda a: int(a == 0), [INTEGERS[bits]])
        for compare, f in (("eq", lambda a, b: a == b), ("ne", lambda a, b: a != b), ("lt", lambda a, b: a < b),
                           ("le", lambda a, b: a <= b), ("gt", lambda a, b: a > b), ("ge", lambda a, b: a >= b)):
            add(f"set.{compare}.u32.{t}", [bits] * 2, 32,
                lambda a, b, f=f, n=bits, s=is_signed: 0xFFFFFFFF * f(s_or_u(a, n, s), s_or_u(b, n, s)), table)
    for sign in ("u", "s"):
        is_signed = sign == "s"
        add(f"add.sat.s32" if is_signed else "add.u32", [32] * 2, 32,
            (lambda a, b: min(max(signed(a, 32) + signed(b, 32), -2**31), 2**31 - 1) % 2**32) if is_signed else
            (lambda a, b: (a + b) % 2**32), [INTEGERS[32]] * 2)
        add("mul24.lo." + sign + "32", [32] * 2, 32, lambda a, b, s=is_signed:
            s_or_u(a & 0xFFFFFF, 24, s) * s_or_u(b & 0xFFFFFF, 24, s) % 2**32, [INTEGERS[32]] * 2)
        add("mul24.hi." + sign + "32", [32] * 2, 32, lambda a, b, s=is_signed:
            (s_or_u(a & 0xFFFFFF, 24, s) * s_or_u(b & 0xFFFFFF, 24, s) >> 16) % 2**32, [INTEGERS[32]] * 2)
        for bits in (32, 64):
            def bfe(a, pos, length, bits=bits, is_signed=is_signed):
                pos, length = pos & 255, length & 255
                msb = bits - 1
                fill = 0 if not is_signed or length == 0 else a >> min(pos + length - 1, msb) & 1
                out = 0
                for i in range(bits):
                    out |= (a >> (pos + i) & 1 if i < length and pos + i <= msb else fill) << i
                return out
            add(f"bfe.{sign}{bits}", [bits, 32, 32], bits, bfe,
                [INTEGERS[bits], [0, 1, 5, 31, 32, 63, 64, 255, 256], [0, 1, 8, 31, 32, 33, 64, 255, 257]])
            add(f"bfind.{sign}{bits}", [bits], 32, lambda a, n=bits, s=is_signed:
                ((a ^ ((1 << n) - 1) if s and a >> (n - 1) else a).bit_length() - 1) % 2**32, [INTEGERS[bits]])
            add(f"bfind.shiftamt.{sign}{bits}", [bits], 32, lambda a, n=bits, s=is_signed:
                (lambda found: (n - found if found else -1))
                ((a ^ ((1 << n) - 1) if s and a >> (n - 1) else a).bit_length()) % 2**32, [INTEGERS[bits]])
    for bits in (32, 64):
        add(f"popc.b{bits}", [bits], 32, lambda a: bin(a).count("1"), [INTEGERS[bits]])
        add(f"clz.b{bits}", [bits], 32, lambda a, n=bits: n - a.bit_length(), [INTEGERS[bits]])
        add(f"brev.b{bits}", [bits], bits, lambda a, n=bits: int(f"{a:0{n}b}"[::-1], 2), [INTEGERS[bits]])
    for lut in (0x80, 0x96, 0xE8, 0x1B, 0xFE, 0xCA):
        add(f"lop3.b32@{lut}", [32] * 3, 32, lambda a, b, c, t=lut:
            sum((t >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i for i in range(32)),
            [INTEGERS[32][-8:]] * 3)
    amounts = [0, 1, 7, 31, 32, 33, 64, 0xFFFFFFFF]
    for direction, mode in itertools.product("lr", ("clamp", "wrap")):
        def shf(a, b, c, left=direction == "l", wrap=mode == "wrap"):
            n = c & 31 if wrap else min(c, 32)
            both = b << 32 | a
            return (both << n >> 32) % 2**32 if left else (both >> n) % 2**32
        add(f"shf.{direction}.{mode}.b32", [32] * 3, 32, shf, [INTEGERS[32], INTEGERS[32][-6:], amounts])
    selectors = [0x3210, 0x7654, 0x5214, 0xFEDC, 0x8888, 0xB3A2, 0, 1, 2, 3]

    def prmt(a, b, c):
        source = b << 32 | a
        out = 0
        for j in range(4):
            pick = c >> (4 * j) & 15
            byte = source >> (8 * (pick & 7)) & 255
            out |= ((255 if byte & 128 else 0) if pick & 8 else byte) << (8 * j)
        return out
    values = INTEGERS[32][-8:]
    add("prmt.b32", [32] * 3, 32, prmt, [values, values, selectors])
    modes = {"f4e": (0x3210, 0x4321, 0x5432, 0x6543), "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
             "rc8": (0x0000, 0x1111, 0x2222, 0x3333), "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
             "ecr": (0x0000, 0x1110, 0x2210, 0x3210), "rc16": (0x1010, 0x3232, 0x1010, 0x3232)}
    for mode, rows in modes.items():
        add(f"prmt.b32.{mode}", [32] * 3, 32, lambda a, b, c, r=rows: prmt(a, b, r[c & 3]), [values, values, selectors])

    def dp4a(a, b, c, sa, sb):
        return sum(s_or_u(a >> 8 * i & 255, 8, sa) * s_or_u(b >> 8 * i & 255, 8, sb) for i in range(4)) + c

    def dp2a(a, b, c, sa, sb, high):
        return sum(s_or_u(a >> 16 * i & 0xFFFF, 16, sa) * s_or_u(b >> 8 * (i + 2 * high) & 255, 8, sb)
                   for i in range(2)) + c
    for sa, sb in itertools.product("us", repeat=2):
        add(f"dp4a.{sa}32.{sb}32", [32] * 3, 32,
            lambda a, b, c, p=sa == "s", q=sb == "s": dp4a(a, b, c, p, q) % 2**32, [values] * 3)
        for half in ("lo", "hi"):
            add(f"dp2a.{half}.{sa}32.{sb}32", [32] * 3, 32, lambda a, b, c, p=sa == "s", q=sb == "s", h=half == "hi":
                dp2a(a, b, c, p, q, h) % 2**32, [values] * 3)
    for source, target in itertools.product(itertools.product("us", (16, 32, 64)), repeat=2):
        (s, n), (t, m) = source, target

        def cvt(a, s=s, n=n, m=m):
            return s_or_u(a, n, s == "s") % (1 << m)

        def cvt_sat(a, s=s, n=n, t=t, m=m):
            low, high = (-(1 << (m - 1)), (1 << (m - 1)) - 1) if t == "s" else (0, (1 << m) - 1)
            return min(max(s_or_u(a, n, s == "s"), low), high) % (1 << m)
        add(f"cvt.{t}{m}.{s}{n}", [n], m, cvt, [INTEGERS[n]])
        add(f"cvt.sat.{t}{m}.{s}{n}", [n], m, cvt_sat, [INTEGERS[n]])


def extreme(form, a, b, is_min, keep_nan, ftz):
    if ftz:
        a, b = form.flush(a), form.flush(b)
    nan_a, nan_b = form.is_nan(a), form.is_nan(b)
    canonical = 0x7FFFFFFFFFFFFFFF if form is F64 else form.nan
    if (nan_a or nan_b) if keep_nan else (nan_a and nan_b):
        return canonical
    if nan_a or nan_b:
        return b if nan_a else a

    def key(x):
        if form.is_inf(x):
            return (1 - 2 * form.is_negative(x)) * 10**400, 0
        return form.value(x), not form.is_negative(x)
    return min(a, b, key=key) if is_min else max(a, b, key=key)


def floats():
    for form, bits in ((F32, 32), (F64, 64)):
        edges = EDGES[form]
        triples = [edges] * 3
        name = form.name
        modes = ("rn", "rz", "rm", "rp")
        for mode in modes:
            variants = [("", {}), (".ftz", {"ftz": True}), (".sat", {"sat": True}),
                        (".ftz.sat", {"ftz": True, "sat": True})] if form is F32 else [("", {})]
            for suffix, flags in variants:
                for op, count in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("div", 2), ("sqrt", 1)):
                    if op in ("div", "sqrt") and "sat" in suffix:
                        continue
                    add(f"{op}.{mode}{suffix}.{name}", [bits] * count, bits,
                        lambda *v, op=op, m=mode, fl=flags, form=form: exact.arithmetic(form, op, list(v), m, **fl),
                        triples[:count])
                if "sat" not in suffix:
                    one = form.round(exact.Fraction(1))
                    add(f"rcp.{mode}{suffix}.{name}", [bits], bits, lambda a, m=mode, fl=flags, form=form, one=one:
                        exact.arithmetic(form, "div", [one, a], m, **fl), [edges])
        for which in ("min", "max"):
            for suffix in ("", ".ftz", ".NaN", ".ftz.NaN") if form is F32 else ("",):
                add(f"{which}{suffix}.{name}", [bits] * 2, bits, lambda a, b, w=which, s=suffix, form=form:
                    extreme(form, a, b, w == "min", "NaN" in s, "ftz" in s), [edges] * 2)
        add(f"abs.{name}", [bits], bits, lambda a, form=form: a & (form.sign - 1), [edges])
        add(f"neg.{name}", [bits], bits, lambda a, form=form: a ^ form.sign, [edges])
        add(f"copysign.{name}", [bits] * 2, bits, lambda a, b, form=form: (a & form.sign) | (b & (form.sign - 1)), [edges] * 2)
        for compare in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
            for suffix in ("", ".ftz") if form is F32 else ("",):
                add(f"set.{compare}{suffix}.u32.{name}", [bits] * 2, 32, lambda a, b, c=compare, s=suffix, form=form:
                    0xFFFFFFFF * compare_floats(form, a, b, c, "ftz" in s), [edges] * 2)
        for mode, width, sign in itertools.product(("rni", "rzi", "rmi", "rpi"), (16, 32, 64), "us"):
            add(f"cvt.{mode}.{sign}{width}.{name}", [bits], width, lambda a, m=mode, w=width, s=sign, form=form:
                exact.to_integer(form, a, m, w, s == "s"), [edges])
        for mode, width, sign in itertools.product(modes, (16, 32, 64), "us"):
            add(f"cvt.{mode}.{name}.{sign}{width}", [width], bits, lambda a, m=mode, w=width, s=sign, form=form:
                form.round(exact.Fraction(s_or_u(a, w, s == "s")), m), [INTEGERS[width]])
    for mode in ("rn", "rz", "rm", "rp"):
        add(f"cvt.{mode}.f32.f64", [64], 32, lambda a, m=mode: exact.convert(F64, F32, a, m), [EDGES[F64]])
        add(f"cvt.{mode}.f16.f32", [32], 16, lambda a, m=mode: exact.convert(F32, F16, a, m), [EDGES[F32]])
    for mode in ("rn", "rz"):
        add(f"cvt.{mode}.bf16.f32", [32], 16, lambda a, m=mode: exact.convert(F32, BF16, a, m), [EDGES[F32]])
        add(f"cvt.{mode}.relu.f16.f32", [32], 16, lambda a, m=mode: relu(F16, exact.convert(F32, F16, a, m)), [EDGES[F32]])
        for form in (F16, BF16):
            for suffix in ("", ".relu"):
                add(f"cvt.{mode}{suffix}.{form.name}x2.f32", [32, 32], 32, lambda a, b, m=mode, f=form, s=suffix:
                    half_pair(f, a, b, m, bool(s)), [EDGES[F32]] * 2)
    add("cvt.f64.f32", [32], 64, lambda a: exact.convert(F32, F64, a), [EDGES[F32]])
    add("cvt.f32.f16", [16], 32, lambda a: exact.convert(F16, F32, a), [EDGES[F16]])
    add("cvt.f32.bf16", [16], 32, lambda a: exact.convert(BF16, F32, a), [EDGES[BF16]])
    add("cvt.rna.tf32.f32", [32], 32, lambda a:
        TF32.nan if F32.is_nan(a) else (exact.convert(F32, TF32, a, "rna") << 13) % 2**32, [EDGES[F32]])
    for mode in ("rni", "rzi", "rmi", "rpi"):
        add(f"cvt.{mode}.f32.f32", [32], 32, lambda a, m=mode: to_whole(F32, a, m), [EDGES[F32]])
        add(f"cvt.{mode}.s32.f16", [16], 32, lambda a, m=mode: exact.to_integer(F16, a, m, 32, True), [EDGES[F16]])
    add("cvt.sat.f32.f32", [32], 32, lambda a: exact.arithmetic(F32, "mul", [a, 0x3F800000], sat=True), [EDGES[F32]])


def to_whole(form, bits, mode):
    if form.is_nan(bits):
        return form.nan
    if form.is_inf(bits):
        return bits
    value = {"rni": round, "rzi": exact.math.trunc, "rmi": exact.math.floor, "rpi": exact.math.ceil}[mode](form.value(bits))
    return form.round(exact.Fraction(value), "rn", form.is_negative(bits))


def relu(form, bits):
    return bits if form.is_nan(bits) or not form.is_negative(bits) else 0


def half_pair(form, a, b, mode, clamps):
    high, low = [exact.convert(F32, form, x, mode) for x in (a, b)]
    if clamps:
        high, low = relu(form, high), relu(form, low)
    return high << 16 | low


def compare_floats(form, a, b, name, ftz):
    if ftz:
        a, b = form.flush(a), form.flush(b)
    nan = form.is_nan(a) or form.is_nan(b)
    if name == "num":
        return not nan
    if name == "nan":
        return nan
    if nan:
        return len(name) == 3

    def key(x):
        return (1 - 2 * form.is_negative(x)) * 10**400 if form.is_inf(x) else form.value(x)
    x, y = key(a), key(b)
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[name.replace("u", "")]


def halves():
    for form in (F16, BF16):
        edges = EDGES[form]
        for op, count in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)):
            for suffix, flags in (("", {}), (".ftz", {"ftz": True}), (".sat", {"sat": True}), (".relu", {"relu": True})):
                if suffix == ".relu" and op != "fma" or form is BF16 and suffix in (".ftz", ".sat"):
                    continue
                function = lambda *v, op=op, fl=flags, form=form: exact.arithmetic(form, op, list(v), **fl)
                add(f"{op}.rn{suffix}.{form.name}", [16] * count, 16, function, [edges] * count)
                pairs = [x | edges[(7 * i + 3) % len(edges)] << 16 for i, x in enumerate(edges)]
                add(f"{op}.rn{suffix}.{form.name}x2", [32] * count, 32, lambda *v, f=function:
                    f(*(x & 0xFFFF for x in v)) | f(*(x >> 16 for x in v)) << 16, [pairs] * count)
        for mode, op, suffix in itertools.product(("rn", "rz", "rm", "rp"), ("add", "sub", "fma"), ("", ".sat")):
            narrow = 2 if op == "fma" else 1
            add(f"{op}.{mode}{suffix}.f32.{form.name}", [16] * narrow + [32], 32, lambda *v, op=op, m=mode, s=suffix, form=form:
                exact.arithmetic(F32, op, [exact.convert(form, F32, x) for x in v[:-1]] + [v[-1]], m, sat=s == ".sat"),
                [edges] * narrow + [EDGES[F32]])
        for which, suffix in itertools.product(("min", "max"), ("", ".NaN")):
            add(f"{which}{suffix}.{form.name}", [16] * 2, 16, lambda a, b, w=which, s=suffix, form=form:
                extreme(form, a, b, w == "min", bool(s), False), [edges] * 2)
        for compare, suffix in itertools.product(("eq", "ne", "lt", "geu", "nan"), ("", ".ftz") if form is F16 else ("",)):
            add(f"set.{compare}{suffix}.u32.{form.name}", [16] * 2, 32, lambda a, b, c=compare, s=suffix, form=form:
                0xFFFFFFFF * compare_floats(form, a, b, c, bool(s)), [edges] * 2)
        add(f"neg.{form.name}", [16], 16, lambda a: a ^ 0x8000, [edges])
        add(f"abs.{form.name}", [16], 16, lambda a: a & 0x7FFF, [edges])


def small_bits(value, fraction_bits, bias, largest):
    """A fraction as an 8-bit float, nearest even, clamped."""
    sign = 128 if value < 0 else 0
    value = abs(value)
    exponent = 1 - bias
    while exact.Fraction(2) ** (exponent + 1) <= value and exponent < 40:
        exponent += 1
    unit = exact.Fraction(2) ** (exponent - fraction_bits)
    value = min(round(value / unit) * unit, exact.Fraction(largest))
    exponent = 1 - bias
    while exact.Fraction(2) ** (exponent + 1) <= value:
        exponent += 1
    whole = int(value / exact.Fraction(2) ** (exponent - fraction_bits))
    return sign | (whole if whole < 1 << fraction_bits else
                   (exponent + bias << fraction_bits) + whole - (1 << fraction_bits))


def small_floats():
    for name, fraction_bits, bias, largest in (("e4m3", 3, 7, 448), ("e5m2", 2, 15, 57344)):
        def narrow(form, bits, f=fraction_bits, b=bias, m=largest):
            if form.is_nan(bits):
                return 0x7F
            if form.is_inf(bits):
                return small_bits(exact.Fraction(m), f, b, m) | (128 if form.is_negative(bits) else 0)
            return small_bits(form.value(bits), f, b, m) | (128 if form.is_negative(bits) else 0)
        near = EDGES[F32] + [0x43E00000, 0x43E80000, 0x43E7FFFF, 0x3B000000, 0x3A800000, 0x3A800001, 0x47600000, 0x47700000,
                             0x40680000, 0x40700000, 0x40780000]
        add(f"cvt.rn.satfinite.{name}x2.f32", [32, 32], 16, lambda a, b, n=narrow: n(F32, a) << 8 | n(F32, b), [near] * 2)
        pairs = [x | EDGES[F16][(5 * i + 2) % 25] << 16 for i, x in enumerate(EDGES[F16])]
        add(f"cvt.rn.satfinite.{name}x2.f16x2", [32], 16, lambda a, n=narrow: n(F16, a & 0xFFFF) | n(F16, a >> 16) << 8,
            [pairs])

        def widen(bits, f=fraction_bits, b=bias, e4m3=name == "e4m3"):
            field, fraction = (bits & 127) >> f, bits & (1 << f) - 1
            if e4m3 and bits & 127 == 127 or not e4m3 and field == 31 and fraction:
                return 0x7FFF
            sign = 0x8000 if bits & 128 else 0
            if not e4m3 and field == 31:
                return sign | 0x7C00
            value = (fraction + ((1 << f) if field else 0)) * exact.Fraction(2) ** (max(field, 1) - b - f)
            return F16.round(value) | sign
        bytes_ = [x | (255 - x) << 8 for x in range(256)]
        add(f"cvt.rn.f16x2.{name}x2", [16], 32, lambda a, w=widen: w(a & 255) | w(a >> 8) << 16, [bytes_])


def approximations():
    """Special values exactly, others within the documented bound: the function returns (low, high)."""
    nan, inf = 0x7FFFFFFF, 0x7F800000

    def rule(function, special, bound, ftz):
        def check(a):
            if ftz:
                a = F32.flush(a)
            if F32.is_nan(a):
                return nan
            if a in special:
                return special[a]
            x = float(np.uint32(a).view(np.float32)) if not F32.is_inf(a) else None
            if x is None:
                return None
            result = function(x)
            if isinstance(result, int):
                return result
            return result - bound(x, result), result + bound(x, result)
        return check
    unit = lambda y: 2.0 ** (exact.math.floor(exact.math.log2(max(abs(y), 2.0**-126))) - 23)
    power = lambda x: 2.0**x if x < 128 else inf
    log = lambda x: exact.math.log2(x) if x > 0 else nan
    top = 0x80000000
    for ftz in (False, True):
        s = ".ftz" if ftz else ""
        add(f"ex2.approx{s}.f32", [32], 32, rule(power, {0: 0x3F800000, top: 0x3F800000, inf: inf, top | inf: 0},
                                                 lambda x, y: 2 * unit(y), ftz), [EDGES[F32]])
        add(f"lg2.approx{s}.f32", [32], 32, rule(log, {0: top | inf, top: top | inf, inf: inf, top | inf: nan},
                                                 lambda x, y: 2.0**-22 if 0.5 < x < 2 else abs(y) * 2.0**-22, ftz),
            [EDGES[F32]])
        add(f"rcp.approx{s}.f32", [32], 32,
            rule(lambda x: (1 / x if abs(1 / x) < 2.0**128 else inf | (top if x < 0 else 0)),
                 {0: inf, top: top | inf, inf: 0, top | inf: top},
                 lambda x, y: unit(y) + (2.0**-126 if ftz and abs(y) < 2.0**-126 else 0), ftz), [EDGES[F32]])
        add(f"rsqrt.approx{s}.f32", [32], 32, rule(lambda x: x**-0.5 if x > 0 else nan,
                                                   {0: inf, top: top | inf, inf: 0, top | inf: nan},
                                                   lambda x, y: y * 2.0**-22.9, ftz), [EDGES[F32]])
        add(f"sqrt.approx{s}.f32", [32], 32, rule(lambda x: x**0.5 if x > 0 else nan, {0: 0, top: top, inf: inf, top | inf: nan},
                                                  lambda x, y: y * 2.0**-23, ftz), [EDGES[F32]])
        small = [x for x in EDGES[F32] if F32.is_nan(x) or F32.is_inf(x) or abs(F32.value(x)) < 6]
        add(f"sin.approx{s}.f32", [32], 32, rule(exact.math.sin, {inf: nan, top | inf: nan, 0: 0, top: top},
                                                 lambda x, y: 2.0**-20.5, ftz), [small])
        add(f"cos.approx{s}.f32", [32], 32, rule(exact.math.cos, {inf: nan, top | inf: nan}, lambda x, y: 2.0**-20.5, ftz),
            [small])
    add("tanh.approx.f32", [32], 32, rule(exact.math.tanh, {inf: 0x3F800000, top | inf: 0xBF800000, 0: 0, top: top},
                                          lambda x, y: abs(y) * 2.0**-11, False), [EDGES[F32]])


def agrees(got, expected):
    if isinstance(expected, tuple):
        low, high = expected
        value = float(np.uint32(got).view(np.float32))
        return low <= value <= high
    return expected is None or got == expected


REGISTERS = {16: ("b16", "h"), 32: ("b32", "r"), 64: ("b64", "d")}
LIMIT = 1024  # rows of a table


def kernel_text(name, widths, items):
    """Loads the operands of one row and stores the result of each instruction."""
    lines = [f".visible .entry {name}(.param .u64 out" + "".join(f",.param .u64 in{i}" for i in range(len(widths))) +
             ",.param .u32 rows)", "{", ".reg .pred %p<2>;", ".reg .b16 %h<9>;", ".reg .b32 %r<9>;", ".reg .b64 %d<9>;",
             ".reg .b32 %i<9>;", ".reg .b64 %a<9>;", "mov.u32 %i0,%ctaid.x;", "mov.u32 %i1,%ntid.x;", "mov.u32 %i2,%tid.x;",
             "mad.lo.u32 %i0,%i0,%i1,%i2;", "ld.param.u32 %i3,[rows];", "setp.ge.u32 %p0,%i0,%i3;", "@%p0 exit;",
             "mul.wide.u32 %a0,%i0,8;"]
    operands = []
    for i, width in enumerate(widths):
        kind, letter = REGISTERS[width]
        lines += [f"ld.param.u64 %a2,[in{i}];", "add.u64 %a2,%a2,%a0;", f"ld.global.{kind} %{letter}{i + 1},[%a2];"]
        operands.append(f"%{letter}{i + 1}")
    lines += ["ld.param.u64 %a1,[out];", "add.u64 %a1,%a1,%a0;", "mul.wide.u32 %a3,%i3,8;"]
    for text, _, result, _, _ in items:
        opcode, _, table = text.partition("@")
        kind, letter = REGISTERS[result]
        lines.append(f"{opcode} %{letter}0,{','.join(operands)}{',' + table if table else ''};")
        wide = "%d0"
        if result < 64:
            lines.append(f"cvt.u64.u{result} %d0,%{letter}0;")
        lines += [f"st.global.b64 [%a1],{wide};", "add.u64 %a1,%a1,%a3;"]
    return lines + ["ret;", "}"]


def rows_of(tables):
    rows = list(itertools.product(*tables))
    if len(rows) > LIMIT:
        rows = random.sample(rows, LIMIT)
    return rows


def main():
    emu = sys.argv[1]
    for group in (integers, floats, halves, small_floats, approximations):
        group()
    groups = {}
    for item in CASES:
        key = (item[1], tuple(map(tuple, item[4])))
        groups.setdefault(key, []).append(item)
    failed = checked = 0
    with tempfile.TemporaryDirectory() as folder:
        text = [".version 8.6", ".target sm_90", ".address_size 64"]
        for number, ((widths, _), items) in enumerate(groups.items()):
            text += kernel_text(f"k{number}", widths, items)
        pathlib.Path(f"{folder}/k.ptx").write_text("\n".join(text) + "\n")
        for number, ((widths, tables), items) in enumerate(groups.items()):
            rows = rows_of(tables)
            count = len(rows)
            given = {f"in{i}": ("I64", np.array([r[i] for r in rows], np.uint64).view(np.int64)) for i in range(len(widths))}
            tensors.write(f"{folder}/in.st", given)
            line = [emu, f"{folder}/k.ptx", "--entry", f"k{number}", "--grid", str((count + 127) // 128), "--block", "128",
                    "--arg", f"out=i64[{len(items)},{count}]:uninit", "--out", f"{folder}/out.st"]
            for name in given:
                line += ["--arg", f"{name}={folder}/in.st#{name}"]
            result = subprocess.run(line + ["--arg", f"rows=u32:{count}"], capture_output=True, text=True, timeout=300)
            if result.returncode:
                print(f"FAIL {[i[0] for i in items][:3]}...: {result.stderr[:1500]}")
                return 1
            got = tensors.read(f"{folder}/out.st")["out"].view(np.uint64)
            for values, (name, _, width, function, _) in zip(got, items):
                bad = [(row, int(g), function(*row)) for row, g in zip(rows, values)
                       if not agrees(int(g), function(*row))]
                is_f64 = width == 64 and (name.endswith(".f64") or name == "cvt.f64.f32") and "neg" not in name
                if is_f64:  # f64 keeps NaN payloads; any NaN will do
                    bad = [b for b in bad if not (F64.is_nan(b[1]) and F64.is_nan(b[2]))]
                checked += 1
                if bad:
                    failed += 1
                    row, g, e = bad[0]
                    print(f"FAIL {name}: {len(bad)} of {count}, e.g. {[hex(x) for x in row]} gives {g:#x}, expected {hex(e) if isinstance(e, int) else e}")
    print(f"{checked} instructions, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
