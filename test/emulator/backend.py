#!/usr/bin/env python3
"""What LLVM's NVPTX backend makes of small IR is taken by the emulator and gives the results IR asks for.

usage: backend.py LLC ATTN_EMU

Single operations: those with the same operands share a kernel. The references are exact fractions and integers, as in
semantics.py; None stands for results that IR leaves open (poison). Then the kernels of Inputs/backend.ll: control flow,
calls, parameters, memory and the instructions of matrix products."""
import itertools
import pathlib
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import exact
import semantics
import tensors
from exact import BF16, F16, F32, F64
from semantics import EDGES, INTEGERS, s_or_u, signed, trunc_div

FLOATS = {"half": F16, "bfloat": BF16, "float": F32, "double": F64}
INTRINSIC = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
BYTES = [0, 1, 2, 3, 7, 8, 0x55, 0x7F, 0x80, 0x81, 0xFE, 0xFF]
LIMIT = 256  # rows of a table


class Cases:
    def __init__(self, flushes):
        self.flushes = flushes  # f32 and f16 subnormals
        self.items, self.declarations = [], set()

    def add(self, name, arguments, result, body, function, *tables):
        """`body` sets %NAME.r from %a, %b, %c; `tables` holds values for each argument."""
        self.items.append((name, tuple(arguments), result, body, function, tables))

    def call(self, name, result, arguments, extra=""):
        """The text of a call of an intrinsic with %a, %b, %c."""
        self.declarations.add(f"declare {result} @{name}({', '.join(arguments)}{extra and ', i1'})")
        values = ", ".join(f"{t} %{v}" for t, v in zip(arguments, "abc"))
        return f"call {result} @{name}({values}{extra})"

    def flush(self, form, bits):
        return form.flush(bits) if self.flushes and form in (F32, F16) else bits


def width(kind):
    if kind.startswith("<"):
        count, _, element = kind.strip("<>").split()
        return int(count) * width(element)
    return int(kind[1:]) if kind[0] == "i" else FLOATS[kind].bits


def integers(cases):
    for bits in (8, 16, 32, 64):
        t, table, full = f"i{bits}", INTEGERS.get(bits, BYTES), 1 << bits
        two = [table, table]

        def binary(op, function, s=False, bits=bits, t=t, two=two):
            def checked(a, b):
                return function(s_or_u(a, bits, s), s_or_u(b, bits, s))
            cases.add(f"{op}.{t}", [t, t], t, f"{op} {t} %a, %b", checked, *two)

        def fits(value, is_signed, bits=bits):
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
            return value if low <= value <= high else None
        binary("add", lambda a, b: a + b)
        binary("sub", lambda a, b: a - b)
        binary("mul", lambda a, b: a * b)
        binary("and", lambda a, b: a & b)
        binary("or", lambda a, b: a | b)
        binary("xor", lambda a, b: a ^ b)
        binary("udiv", lambda a, b: a // b if b else None)
        binary("urem", lambda a, b: a % b if b else None)
        binary("sdiv", lambda a, b, f=fits: f(trunc_div(a, b), True) if b else None, True)
        binary("srem", lambda a, b, f=fits: None if not b or f(trunc_div(a, b), True) is None else
               a - trunc_div(a, b) * b, True)
        binary("shl", lambda a, b, n=bits: a << b if b < n else None)
        binary("lshr", lambda a, b, n=bits: a >> b if b < n else None)
        cases.add(f"ashr.{t}", [t, t], t, f"ashr {t} %a, %b",
                  lambda a, b, n=bits: signed(a, n) >> b if b < n else None, *two)
        for name, is_signed, function in (
                ("smin", 1, min), ("smax", 1, max), ("umin", 0, min), ("umax", 0, max),
                ("sadd.sat", 1, lambda a, b: a + b), ("uadd.sat", 0, lambda a, b: a + b),
                ("ssub.sat", 1, lambda a, b: a - b), ("usub.sat", 0, lambda a, b: a - b)):
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, full - 1)
            cases.add(f"{name}.{t}", [t, t], t, cases.call(f"llvm.{name}.{t}", t, [t, t]),
                      lambda a, b, f=function, s=is_signed, l=low, h=high, n=bits:
                      min(max(f(s_or_u(a, n, s), s_or_u(b, n, s)), l), h), *two)
        for name, extra, function in (
                ("ctpop", "", lambda a: bin(a).count("1")),
                ("bitreverse", "", lambda a, n=bits: int(f"{a:0{n}b}"[::-1], 2)),
                ("ctlz", ", i1 false", lambda a, n=bits: n - a.bit_length()),
                ("cttz", ", i1 false", lambda a, n=bits: (a & -a).bit_length() - 1 if a else n),
                ("abs", ", i1 false", lambda a, n=bits: abs(signed(a, n)))):
            cases.add(f"{name}.{t}", [t], t, cases.call(f"llvm.{name}.{t}", t, [t], extra), function, table)
        if bits > 8:
            cases.add(f"bswap.{t}", [t], t, cases.call(f"llvm.bswap.{t}", t, [t]),
                      lambda a, n=bits: int.from_bytes(a.to_bytes(n // 8, "little"), "big"), table)
        shifts = [0, 1, 5, bits - 1, bits, bits + 3]
        for name, left in (("fshl", True), ("fshr", False)):
            cases.add(f"{name}.{t}", [t] * 3, t, cases.call(f"llvm.{name}.{t}", t, [t] * 3),
                      lambda a, b, c, n=bits, l=left: (a << n | b) << c % n >> n if l else (a << n | b) >> c % n,
                      table, table[-4:], shifts)
        for name, is_signed, function in (("sadd", 1, lambda a, b: a + b), ("uadd", 0, lambda a, b: a + b),
                                          ("ssub", 1, lambda a, b: a - b), ("usub", 0, lambda a, b: a - b),
                                          ("smul", 1, lambda a, b: a * b), ("umul", 0, lambda a, b: a * b)):
            pair = f"{{ {t}, i1 }}"
            call = cases.call(f"llvm.{name}.with.overflow.{t}", pair, [t, t])
            cases.add(f"{name}.overflow.{t}", [t, t], t,
                      [f"%o = {call}", f"%v = extractvalue {pair} %o, 0", f"%w = extractvalue {pair} %o, 1",
                       f"%r = select i1 %w, {t} 77, {t} %v"],
                      lambda a, b, f=function, s=is_signed, n=bits, fit=fits:
                      77 if fit(f(s_or_u(a, n, s), s_or_u(b, n, s)), s) is None else f(a, b), *two)
        for name, is_signed, function in (
                ("eq", 0, lambda a, b: a == b), ("ne", 0, lambda a, b: a != b),
                ("slt", 1, lambda a, b: a < b), ("sle", 1, lambda a, b: a <= b), ("sgt", 1, lambda a, b: a > b),
                ("sge", 1, lambda a, b: a >= b), ("ult", 0, lambda a, b: a < b), ("ule", 0, lambda a, b: a <= b),
                ("ugt", 0, lambda a, b: a > b), ("uge", 0, lambda a, b: a >= b)):
            holds = lambda a, b, f=function, s=is_signed, n=bits: f(s_or_u(a, n, s), s_or_u(b, n, s))
            cases.add(f"icmp.{name}.{t}", [t, t], t, [f"%o = icmp {name} {t} %a, %b", f"%r = select i1 %o, {t} %a, {t} %b"],
                      lambda a, b, f=holds: a if f(a, b) else b, *two)
            cases.add(f"icmp.and.{name}.{t}", [t, t], "i32",
                      [f"%o = icmp {name} {t} %a, %b", f"%p = icmp ugt {t} %a, 3", "%q = and i1 %o, %p",
                       "%s = xor i1 %o, %p", "%u = zext i1 %q to i32", "%v = sext i1 %s to i32", "%r = sub i32 %u, %v"],
                      lambda a, b, f=holds: int(f(a, b) or a > 3), *two)
        for divisor, (op, is_signed) in itertools.product((3, 7, 10, 16, -5), (("sdiv", 1), ("udiv", 0), ("srem", 1), ("urem", 0))):
            def divide(a, d=divisor, rem=op[1:] == "rem", s=is_signed, n=bits):
                x, y = s_or_u(a, n, s), d if s else d % (1 << n)
                q = trunc_div(x, y)
                return x - q * y if rem else q
            cases.add(f"{op}.{divisor}.{t}".replace("-", "m"), [t], t, f"{op} {t} %a, {divisor}", divide, table)
        for other in (8, 16, 32, 64):
            if other > bits:
                cases.add(f"sext.{t}.i{other}", [t], f"i{other}", f"sext {t} %a to i{other}", lambda a, n=bits: signed(a, n), table)
                cases.add(f"zext.{t}.i{other}", [t], f"i{other}", f"zext {t} %a to i{other}", lambda a: a, table)
            if other < bits:
                cases.add(f"trunc.{t}.i{other}", [t], f"i{other}", f"trunc {t} %a to i{other}", lambda a: a, table)
    for op, function in (("add", lambda a, b: a + b), ("sub", lambda a, b: a - b), ("mul", lambda a, b: a * b),
                         ("shl", lambda a, b: a << b % 128), ("lshr", lambda a, b: a >> b % 128),
                         ("ashr", lambda a, b: signed(a, 128) >> b % 128)):
        amount = ["%m = and i64 %c, 127", "%y = zext i64 %m to i128"] if "sh" in op else ["%y = zext i64 %c to i128"]
        cases.add(f"{op}.i128", ["i64"] * 3, "i64",
                  ["%h = zext i64 %a to i128", "%g = shl i128 %h, 64", "%l = zext i64 %b to i128", "%x = or i128 %g, %l",
                   *amount, f"%z = {op} i128 %x, %y", "%w = lshr i128 %z, 64", "%v = trunc i128 %w to i64",
                   "%u = trunc i128 %z to i64", "%r = xor i64 %u, %v"],
                  lambda a, b, c, f=function: (lambda z: (z ^ z >> 64) % 2**64)(f(a << 64 | b, c) % 2**128),
                  INTEGERS[64], INTEGERS[64][-5:], INTEGERS[64])
    for kind, count, bits in (("<4 x i8>", 4, 8), ("<2 x i16>", 2, 16), ("<2 x i32>", 2, 32)):
        values = [int.from_bytes(random.randbytes(count * bits // 8), "little") for _ in range(20)]
        split = lambda x, n=count, w=bits: [x >> w * i & (1 << w) - 1 for i in range(n)]
        join = lambda parts, w=bits: sum((x % (1 << w)) << w * i for i, x in enumerate(parts))
        for op, function in (("add", lambda a, b: a + b), ("sub", lambda a, b: a - b), ("mul", lambda a, b: a * b),
                             ("and", lambda a, b: a & b), ("xor", lambda a, b: a ^ b)):
            cases.add(f"{op}.v{count}i{bits}", [kind] * 2, kind, f"{op} {kind} %a, %b",
                      lambda a, b, f=function, s=split, j=join: j([f(x, y) for x, y in zip(s(a), s(b))]), values, values)
        mask = f"<{count} x i1>"
        cases.add(f"icmp.v{count}i{bits}", [kind] * 2, kind,
                  [f"%o = icmp slt {kind} %a, %b", f"%r = select {mask} %o, {kind} %a, {kind} %b"],
                  lambda a, b, s=split, j=join, n=bits: j([min(x, y, key=lambda z: signed(z, n)) for x, y in zip(s(a), s(b))]),
                  values, values)


def half_away(form, bits):
    if form.is_nan(bits) or form.is_inf(bits):
        return bits
    value = form.value(bits)
    whole = exact.math.floor(abs(value) + Fraction(1, 2))
    return form.round(Fraction(-whole if value < 0 else whole), "rn", form.is_negative(bits))


def floats(cases):
    flush = cases.flush
    for t, form in FLOATS.items():
        n, table = INTRINSIC[t], EDGES[form]
        ftz = cases.flushes and form in (F32, F16)
        for op in ("add", "sub", "mul", "div"):
            # The quotient of f16 with flushing is that of f32, rounded.
            function = lambda *v, o=op, f=form, z=ftz and not (op == "div" and form is F16): exact.arithmetic(f, o, list(v), ftz=z)
            if op == "div" and ftz and form is F32:
                continue  # div.full, within two units
            cases.add(f"f{op}.{n}", [t, t], t, f"f{op} {t} %a, %b", function, table, table)
        cases.add(f"contract.{n}", [t] * 3, t, [f"%m = fmul contract {t} %a, %b", f"%r = fadd contract {t} %m, %c"],
                  lambda *v, f=form, z=ftz: exact.arithmetic(f, "fma", list(v), ftz=z), table, table, table)
        cases.add(f"fma.{n}", [t] * 3, t, cases.call(f"llvm.fma.{n}", t, [t] * 3),
                  lambda *v, f=form, z=ftz: exact.arithmetic(f, "fma", list(v), ftz=z), table, table, table)
        cases.add(f"fneg.{n}", [t], t, f"fneg {t} %a", lambda a, f=form: flush(f, a) ^ f.sign, table)
        cases.add(f"fabs.{n}", [t], t, cases.call(f"llvm.fabs.{n}", t, [t]), lambda a, f=form: flush(f, a) & f.sign - 1, table)
        cases.add(f"copysign.{n}", [t] * 2, t, cases.call(f"llvm.copysign.{n}", t, [t] * 2), lambda a, b, f=form:
                  (flush(f, a) if f is F16 else a) & f.sign - 1 | b & f.sign, table, table)
        if not (ftz and form is F16):
            cases.add(f"sqrt.{n}", [t], t, cases.call(f"llvm.sqrt.{n}", t, [t]),
                      lambda a, f=form, z=ftz: exact.arithmetic(f, "sqrt", [a], ftz=z), table)
        for name, mode in (("floor", "rmi"), ("ceil", "rpi"), ("trunc", "rzi"), ("rint", "rni"), ("nearbyint", "rni"), ("roundeven", "rni")):
            # Only conversions of f32 flush.
            cases.add(f"{name}.{n}", [t], t, cases.call(f"llvm.{name}.{n}", t, [t]), lambda a, f=form, m=mode:
                      semantics.to_whole(f, flush(f, a) if f is F32 else a, m), table)
        cases.add(f"round.{n}", [t], t, cases.call(f"llvm.round.{n}", t, [t]), lambda a, f=form: half_away(f, flush(f, a)), table)
        for name in ("minnum", "maxnum", "minimum", "maximum", "minimumnum", "maximumnum"):
            cases.add(f"{name}.{n}", [t] * 2, t, cases.call(f"llvm.{name}.{n}", t, [t] * 2), lambda a, b, f=form, m=name, z=ftz:
                      semantics.extreme(f, a, b, "min" in m[:3], m in ("minimum", "maximum"), z), table, table)
        for name in ("oeq", "one", "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ult", "ule", "ugt", "uge", "uno"):
            plain = {"ord": "num", "uno": "nan"}.get(name) or name[1:] + ("u" if name[0] == "u" else "")
            holds = lambda a, b, f=form, c=plain, z=ftz: semantics.compare_floats(f, a, b, c, z)
            cases.add(f"fcmp.{name}.{n}", [t] * 2, "i32", [f"%o = fcmp {name} {t} %a, %b", "%r = select i1 %o, i32 3, i32 9"],
                      lambda a, b, h=holds: 3 if h(a, b) else 9, table, table)
        for bits, is_signed in itertools.product((8, 16, 32, 64), (0, 1)):
            i, s = f"i{bits}", "su"[not is_signed]
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)

            def whole(a, f=form, l=low, h=high, clamps=False):
                if f.is_nan(a):
                    return 0 if clamps else None
                value = (-(1 << 70) if f.is_negative(a) else 1 << 70) if f.is_inf(a) else exact.math.trunc(f.value(flush(f, a) if f is F32 else a))
                return min(max(value, l), h) if clamps or l <= value <= h else None
            cases.add(f"fpto{s}i.{n}.{i}", [t], i, f"fpto{s}i {t} %a to {i}", whole, table)
            cases.add(f"fpto{s}i.sat.{n}.{i}", [t], i, cases.call(f"llvm.fpto{s}i.sat.{i}.{n}", i, [t]),
                      lambda a, w=whole: w(a, clamps=True), table)

            def real(a, f=form, s=is_signed, n=bits):
                value = s_or_u(a, n, s)
                # To bf16 by way of f32: two roundings.
                return None if f is BF16 and abs(value) >> 24 else f.round(Fraction(value))
            cases.add(f"{s}itofp.{i}.{n}", [i], t, f"{s}itofp {i} %a to {t}", real, INTEGERS.get(bits, BYTES))
        for u, other in FLOATS.items():
            if other.bits > form.bits:
                cases.add(f"fpext.{n}.{u}", [t], u, f"fpext {t} %a to {u}",
                          lambda a, f=form, o=other: exact.convert(f, o, flush(f, a) if F32 is f else a), table)
            if other.bits < form.bits:
                cases.add(f"fptrunc.{n}.{u}", [t], u, f"fptrunc {t} %a to {u}", lambda a, f=form, o=other:
                          flush(o, exact.convert(f, o, a)) if o is F32 else exact.convert(f, o, a), table)
    for e, form in (("half", F16), ("bfloat", BF16)):
        t, n, ftz = f"<2 x {e}>", "v2" + INTRINSIC[e], cases.flushes and form is F16
        pairs = [x | EDGES[form][(7 * i + 3) % len(EDGES[form])] << 16 for i, x in enumerate(EDGES[form])]
        each = lambda f: lambda *v: f(*(x & 0xFFFF for x in v)) | f(*(x >> 16 for x in v)) << 16
        for op in ("add", "sub", "mul"):
            cases.add(f"f{op}.{n}", [t] * 2, t, f"f{op} {t} %a, %b",
                      each(lambda *v, o=op, f=form, z=ftz: exact.arithmetic(f, o, list(v), ftz=z)), pairs, pairs)
        cases.add(f"fma.{n}", [t] * 3, t, cases.call(f"llvm.fma.{n}", t, [t] * 3),
                  each(lambda *v, f=form, z=ftz: exact.arithmetic(f, "fma", list(v), ftz=z)), pairs, pairs, pairs)
        for name in ("maxnum", "minimum"):
            cases.add(f"{name}.{n}", [t] * 2, t, cases.call(f"llvm.{name}.{n}", t, [t] * 2),
                      each(lambda a, b, f=form, m=name, z=ftz: semantics.extreme(f, a, b, "min" in m[:3], m == "minimum", z)), pairs, pairs)
        cases.add(f"shuffle.{n}", [t] * 2, t, f"shufflevector {t} %a, {t} %b, <2 x i32> <i32 3, i32 0>",
                  lambda a, b: b >> 16 | (a & 0xFFFF) << 16, pairs, pairs)
        cases.add(f"insert.{n}", [t, e, "i32"], t, ["%k = and i32 %c, 1", f"%r = insertelement {t} %a, {e} %b, i32 %k"],
                  lambda a, b, c: a & 0xFFFF | b << 16 if c & 1 else a & 0xFFFF0000 | b, pairs, EDGES[form], [0, 1])
        wide = [x | y << 32 for x, y in zip(EDGES[F32], EDGES[F32][5:] + EDGES[F32][:5])]
        cases.add(f"fptrunc.{n}", ["<2 x float>"], t, f"fptrunc <2 x float> %a to {t}", lambda a, f=form:
                  exact.convert(F32, f, a % 2**32) | exact.convert(F32, f, a >> 32) << 16, wide)
        cases.add(f"fpext.{n}", [t], "<2 x float>", f"fpext {t} %a to <2 x float>", lambda a, f=form:
                  exact.convert(f, F32, a & 0xFFFF) | exact.convert(f, F32, a >> 16) << 32, pairs)


def approximations(cases):
    """f32 by approximate instructions: within the bounds that PTX documents."""
    nan, inf, top = 0x7FFFFFFF, 0x7F800000, 1 << 31

    def near(function, bound, special):
        def check(*bits):
            bits = [cases.flush(F32, x) for x in bits]
            if any(F32.is_nan(x) for x in bits):
                return nan
            if len(bits) == 1 and bits[0] in special:
                return special[bits[0]]
            if any(F32.is_inf(x) for x in bits):
                return None
            value = function(*(F32.value(x) for x in bits))
            if value is None or isinstance(value, int):
                return value
            return value - bound(value), value + bound(value)
        return check
    unit = lambda y: 2.0 ** (exact.math.floor(exact.math.log2(max(abs(y), 2.0**-126))) - 23)

    def quotient(a, b):
        if b == 0 or not 2.0**-126 <= abs(b) <= 2.0**126:
            return None
        return float(a / b) if 2.0**-126 <= abs(a / b) < 2.0**127 else None
    cases.add("fdiv.fast", ["float"] * 2, "float", "fdiv fast float %a, %b", near(quotient, lambda y: 2 * unit(y), {}),
              EDGES[F32], EDGES[F32])
    exponents = [F32.round(Fraction(x, 16)) for x in range(-2000, 2000, 61)]
    cases.add("exp2", ["float"], "float", cases.call("llvm.exp2.f32", "float", ["float"]).replace("call", "call afn", 1),
              near(lambda x: 2.0**float(x) if -125 < x < 127 else None, lambda y: 2 * unit(y), {}), exponents)
    angles = [F32.round(Fraction(x, 16)) for x in range(-96, 97)]
    for name, function in (("sin", exact.math.sin), ("cos", exact.math.cos)):
        cases.add(name, ["float"], "float", cases.call(f"llvm.{name}.f32", "float", ["float"]).replace("call", "call afn", 1),
                  near(lambda x, f=function: f(float(x)), lambda y: 2.0**-20.5, {inf: nan, top | inf: nan}), angles)
    positive = [x for x in EDGES[F32] if not x & top and not F32.is_nan(x) and not F32.is_inf(x)]
    for name, function, bound in (
            ("ex2.approx.ftz", lambda x: 2.0**float(x) if -125 < x < 127 else None, lambda y: 2 * unit(y)),
            ("lg2.approx.ftz", lambda x: exact.math.log2(x) if x > 0 else None, lambda y: max(abs(y), 1) * 2.0**-22),
            ("rcp.approx.ftz", lambda x: float(1 / x) if x and abs(1 / x) >= 2.0**-126 else None, unit),
            ("rsqrt.approx.ftz", lambda x: float(x)**-0.5 if x > 0 else None, lambda y: y * 2.0**-22.9),
            ("sqrt.approx.ftz", lambda x: float(x)**0.5, lambda y: y * 2.0**-23)):
        flushed = lambda *v, f=near(function, bound, {}): f(*map(F32.flush, v))
        cases.add(name, ["float"], "float", cases.call(f"llvm.nvvm.{name}.f", "float", ["float"]), flushed,
                  exponents if "ex2" in name else positive)
    cases.add("tanh.approx", ["float"], "float", cases.call("llvm.nvvm.tanh.approx.f32", "float", ["float"]),
              near(lambda x: exact.math.tanh(float(x)), lambda y: abs(y) * 2.0**-11, {inf: 0x3F800000}), angles)


def parts(kind, bits):
    """(format, bits) of the floats of an operand."""
    element = kind.strip("<>").split()[-1]
    if element not in FLOATS:
        return []
    size = width(element)
    return [(FLOATS[element], bits >> at & (1 << size) - 1) for at in range(0, width(kind), size)]


def kernel(name, arguments, items):
    """IR that loads the operands of one row and stores the result of each operation."""
    parameters = "".join(f", ptr addrspace(1) %in{i}" for i in range(len(arguments)))
    lines = [f"define ptx_kernel void @{name}(ptr addrspace(1) %out{parameters}, i32 %rows) #0 {{",
             "%x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()", "%n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()",
             "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()", "%y = mul i32 %x, %n", "%row = add i32 %y, %t",
             "%isIn = icmp ult i32 %row, %rows", "br i1 %isIn, label %body, label %end", "body:"]
    for i, (kind, value) in enumerate(zip(arguments, "abc")):
        lines += [f"%at{i} = getelementptr i64, ptr addrspace(1) %in{i}, i32 %row", f"%{value} = load {kind}, ptr addrspace(1) %at{i}"]
    for number, (_, _, result, body, _, _) in enumerate(items):
        body = [f"%r = {body}"] if isinstance(body, str) else body
        rename = lambda text: " ".join(
            word if word.strip("%,)(") in ("a", "b", "c") or "%" not in word else word.replace("%", f"%v{number}.")
            for word in text.replace("(", "( ").split())
        lines += [rename(line) for line in body]
        lines += [f"%base{number} = mul i32 %rows, {number}", f"%slot{number} = add i32 %base{number}, %row",
                  f"%to{number} = getelementptr i64, ptr addrspace(1) %out, i32 %slot{number}",
                  f"store {result} %v{number}.r, ptr addrspace(1) %to{number}"]
    return lines + ["br label %end", "end:", "ret void", "}"]


def agrees(got, expected, result):
    """Any NaN will do for a NaN."""
    if parts(result, 0) and not isinstance(expected, tuple):
        return all(g == e or form.is_nan(g) and form.is_nan(e)
                   for (form, g), (_, e) in zip(parts(result, got), parts(result, expected)))
    return semantics.agrees(got, expected)


def translate(llc, source, options):
    """PTX of an IR file."""
    result = subprocess.run([llc, "-mtriple=nvptx64-nvidia-cuda", "--nvptx-short-ptr", *options, source, "-o", "-"],
                            capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"FAIL {source} {options}: {result.stderr[:2000]}")
    return result.stdout


def check(llc, emu, options, flushes, folder):
    random.seed(7)
    cases = Cases(flushes)
    integers(cases)
    floats(cases)
    approximations(cases)
    groups = {}
    for item in cases.items:
        groups.setdefault((item[1], tuple(map(tuple, item[5]))), []).append(item)
    text = ['target triple = "nvptx64-nvidia-cuda"', *sorted(cases.declarations)]
    text += [f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}.x()" for name in ("ctaid", "ntid", "tid")]
    for number, ((arguments, _), items) in enumerate(groups.items()):
        text += kernel(f"k{number}", arguments, items)
    flag = ' "denormal-fp-math-f32"="preserve-sign,preserve-sign"' if flushes else ""
    text.append(f"attributes #0 = {{ nounwind{flag} }}")
    pathlib.Path(f"{folder}/k.ll").write_text("\n".join(text) + "\n")
    pathlib.Path(f"{folder}/k.ptx").write_text(translate(llc, f"{folder}/k.ll", options))
    failed = checked = 0
    for number, ((arguments, tables), items) in enumerate(groups.items()):
        rows = list(itertools.product(*tables))
        rows = random.sample(rows, LIMIT) if len(rows) > LIMIT else rows
        given = {f"in{i}": ("I64", np.array([r[i] for r in rows], np.uint64).view(np.int64)) for i in range(len(arguments))}
        tensors.write(f"{folder}/in.st", given)
        line = [emu, f"{folder}/k.ptx", "--entry", f"k{number}", "--grid", str((len(rows) + 127) // 128), "--block", "128",
                "--arg", f"out=i64[{len(items)},{len(rows)}]:zeros", "--out", f"{folder}/out.st"]
        for name in given:
            line += ["--arg", f"{name}={folder}/in.st#{name}"]
        run = subprocess.run(line + ["--arg", f"rows=u32:{len(rows)}"], capture_output=True, text=True, timeout=300)
        if run.returncode:
            print(f"FAIL {[i[0] for i in items][:5]}: {run.stderr[:1500]}")
            return 1, 0
        got = tensors.read(f"{folder}/out.st")["out"].view(np.uint64)
        for values, (name, _, result, _, function, _) in zip(got, items):
            checked += 1
            for row, bits in zip(rows, values):
                expected = function(*row)
                if expected is None:
                    continue
                if not isinstance(expected, tuple):
                    expected %= 1 << width(result)
                    # bf16 goes by way of f32, which flushes or not as the instruction has it.
                    seen = [p for kind, x in zip((*arguments, result), (*row, expected)) for p in parts(kind, x)]
                    if flushes and any(form is BF16 and 0 < x & 0x7FFF <= 0x80 for form, x in seen):
                        continue
                if not agrees(int(bits), expected, result):
                    failed += 1
                    print(f"FAIL {name} {options}: {[hex(x) for x in row]} gives {int(bits):#x}, expected "
                          f"{expected if isinstance(expected, tuple) else hex(expected)}")
                    break
    return failed, checked


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def signed32(values):
    return np.array([int(v) % 2**32 for v in values], np.uint32).view(np.int32)


def shapes():
    """(kernel, threads, arguments, buffer, its contents afterwards)."""
    threads = range(32)
    yield "cases", 32, ["out=i32[32]:uninit"], "out", [[1, 2, 3, 4, 5, 1, 2][t] if t < 7 else 100 for t in threads]
    yield "calls", 32, ["out=i32[32]:uninit"], "out", [3 * t + 1000 * fibonacci(t & 7) for t in threads]
    yield "locals", 32, ["out=i32[32]:uninit"], "out", [(t & 15) * t ^ 0x03030303 for t in threads]
    yield ("fields", 32, ["p={in=f32[32]:iota;out=f32[32]:zeros;n=i32:20;s=f32:0.5;h=i16:-3;a=i32:100;b=i32:200;c=i32:300;f=f16:0.25}"],
           "out", [t * 0.5 + 0.25 + 100 * (t % 3 + 1) - 3 if t < 20 else 0 for t in threads])
    halves = np.arange(1, 65, dtype=np.float32).view(np.float16).reshape(16, 8)
    with np.errstate(over="ignore"):
        doubled = (halves + halves).view(np.int32).ravel()
    out = [200 - 5 + (t & 7) + 1 + 3 + 1 + (t ^ 1) + 2 * 10 * ((t & 7) + 1) + 7 for t in range(16)]
    out += [0] * 48 + list(np.arange(2, 130, 2, dtype=np.float32).view(np.int32)) + [0] * 192
    out += list(doubled) + [0] * 192 + list(np.arange(1, 65, 4, dtype=np.float32).view(np.int32))
    yield ("memory", 16, ["x={folder}/x.st#x", f"out=i32[{len(out)}]:zeros", "flag=bool:1", "byte=u8:200", "short=i16:-5",
                          "d=f64:7.9"], "out", out)
    yield "together", 64, ["out=i32[64]:uninit"], "out", signed32(
        32 + (1 << t % 32) - 1 + t // 32 * 32 + 32 + 0xAAAAAAAA + (t - 3 if t % 32 >= 3 else 500) + (t ^ 5) for t in range(64))
    copied = np.arange(128)
    for size in (1, 6, 8):
        expected = np.frombuffer(copied.astype(np.int32).tobytes(), np.uint8).reshape(32, 16).copy()
        expected[:, 4 + (size & 3):8] = 0
        expected[:, 8 + size:] = 0
        yield ("copies", 32, ["in=i32[128]:iota", "out=i32[128]:uninit", f"n=i32:{size}"], "out",
               expected.reshape(-1).view(np.int32))


def run_shape(emu, folder, name, threads, arguments, *extra):
    line = [emu, f"{folder}/shapes.ptx", "--entry", name, "--block", str(threads), "--schedules", "ci", "--shared", "1024",
            "--out", f"{folder}/out.st", *extra]
    for argument in arguments:
        line += ["--arg", argument.replace("{folder}", folder)]
    result = subprocess.run(line, capture_output=True, text=True, timeout=300)
    return result.returncode, result.stderr


def check_shapes(llc, emu, options, folder):
    source = str(pathlib.Path(__file__).parent / "Inputs" / "backend.ll")
    text = translate(llc, source, options)
    pathlib.Path(f"{folder}/shapes.ptx").write_text(text)
    tensors.write(f"{folder}/x.st", {"x": ("F32", np.arange(1, 65, dtype=np.float32))})
    failed = count = 0

    def judge(name, run, got, expected):
        nonlocal failed, count
        count += 1
        bad = [i for i, (g, e) in enumerate(zip(got(), expected)) if g != e] if run == (0, "") else None
        if bad or bad is None:
            failed += 1
            print(f"FAIL {name} {options}: {run}" if bad is None else
                  f"FAIL {name} {options}: element {bad[0]} is {got()[bad[0]]}, expected {expected[bad[0]]}")
    for name, threads, arguments, buffer, expected in shapes():
        run = run_shape(emu, folder, name, threads, arguments)
        judge(name, run, lambda: tensors.read(f"{folder}/out.st")[buffer].ravel(), expected)
    rng = np.random.default_rng(3)
    for kind in ("BF16", "F16"):
        # Small whole numbers: products and sums are exact in every format.
        a, b = rng.integers(-3, 4, (16, 16)).astype(np.float32), rng.integers(-3, 4, (16, 8)).astype(np.float32)
        encode = tensors.to_bf16 if kind == "BF16" else (lambda x: x.astype(np.float16))
        tensors.write(f"{folder}/ab.st", {"a": (kind, encode(a)), "b": (kind, encode(b))})
        for rows in (16, 9):
            run = run_shape(emu, folder, "product", 32, ["a={folder}/ab.st#a", "b={folder}/ab.st#b", "out=i32[192]:uninit",
                                                         f"rows=i32:{rows}"])
            product = encode(a[:, :rows] @ b[:rows]).view(np.uint16).ravel()
            # f16 comes with sums in f32 and in f16.
            start, product = (0, product) if kind == "BF16" else (128, np.tile(product, 2))
            judge(f"product {kind}", run,
                  lambda: tensors.read(f"{folder}/out.st")["out"].view(np.uint16).ravel()[start:start + len(product)], product)
    # A fault names the line of the source.
    count += 1
    status, errors = run_shape(emu, folder, "fields", 32,
                               ["p={in=f32[32]:ones;out=f32[8]:zeros;n=i32:20;s=f32:1;h=i16:0;a=i32:1;b=i32:1;c=i32:1;f=f16:1}"])
    if status != 1 or "kernel.attn:12" not in errors:
        failed += 1
        print(f"FAIL source line {options}: {status} {errors[:500]}")
    return failed, count


def main():
    llc, emu = sys.argv[1:3]
    failed = checked = 0
    with tempfile.TemporaryDirectory() as folder:
        for options, flushes in ((["-mcpu=sm_80", "-mattr=+ptx80"], False),
                                 (["-mcpu=sm_80", "-mattr=+ptx80", "-nvptx-prec-divf32=1", "-nvptx-prec-sqrtf32=0"], True),
                                 (["-mcpu=sm_90", "-mattr=+ptx83"], False)):
            for bad, count in (check(llc, emu, options, flushes, folder), check_shapes(llc, emu, options, folder)):
                failed, checked = failed + bad, checked + count
    print(f"{checked} operations and kernels, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
