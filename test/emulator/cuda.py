#!/usr/bin/env python3
"""Runs the kernels of cuda/kernels.cu on the emulator and compares with numpy.

usage: cuda.py ATTN_EMU KERNELS.ptx [--only NAME] [--perturb]

Each kernel runs under the five CI schedules with all checks on. Results are compared bit for bit, or within the
documented bound where the kernel uses approximate instructions."""
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import tensors

NAMES = {np.dtype(np.float32): ("F32", "f32"), np.dtype(np.float16): ("F16", "f16"),
         np.dtype(np.int32): ("I32", "i32"), np.dtype(np.int64): ("I64", "i64"),
         np.dtype(np.int16): ("I16", "i16"), np.dtype(np.int8): ("I8", "i8")}
RNG = np.random.default_rng(7)
CASES = {}


class Case:
    """inputs: arrays (a tuple ("BF16", bits) for bf16) or ints; output: shape and dtype, or an array to start from."""

    def __init__(self, inputs, output, expected, grid="2", block="64", shared=0, bound=None, extra=()):
        self.inputs, self.output, self.expected = inputs, output, expected
        self.grid, self.block, self.shared, self.bound, self.extra = grid, block, shared, bound, extra


def case(name, *args, **kwargs):
    CASES[name] = Case(*args, **kwargs)


def i32(low=-2**31, high=2**31, n=128):
    return RNG.integers(low, high, n).astype(np.int32)


def i64(n=128):
    return RNG.integers(-2**63, 2**63, n, dtype=np.int64)


def f32(n=128, scale=1.0):
    return (RNG.standard_normal(n) * scale).astype(np.float32)


def wrap(values, bits):
    """Python integers as two's complement."""
    half = 1 << (bits - 1)
    kind = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}[bits]
    return np.array([((int(v) + half) % (1 << bits)) - half for v in values], dtype=kind)


def u(values, bits):
    return [int(v) % (1 << bits) for v in values]


def integers():
    a, b = i32(), i32()
    case("add_i32", [a, b], np.int32, wrap([int(x) + int(y) for x, y in zip(a, b)], 32))
    case("mulhi_i32", [a, b], np.int32, wrap([int(x) * int(y) >> 32 for x, y in zip(a, b)], 32))

    def trunc(x, y):
        q = abs(x) // abs(y)
        return q if (x < 0) == (y < 0) else -q
    b = np.where(b == 0, 1, b >> RNG.integers(0, 31, 128).astype(np.int32)).astype(np.int32)
    b[b == 0] = 3
    case("div_i32", [a, b], np.int32,
         wrap([trunc(int(x), int(y)) * 3 + int(x) - trunc(int(x), int(y)) * int(y) for x, y in zip(a, b)], 32))
    x, y = i64(), i64()
    case("mul_i64", [x, y], np.int64, wrap([int(p) * int(q) + 7 for p, q in zip(x, y)], 64))
    case("mulhi_u64", [x, y], np.int64, wrap([p * q >> 64 for p, q in zip(u(x, 64), u(y, 64))], 64))
    z = y >> RNG.integers(0, 63, 128)
    z[z == 0] = 5
    case("div_u64", [x, z], np.int64, wrap([p // q + p % q for p, q in zip(u(x, 64), u(z, 64))], 64))
    case("shift_i64", [x, y], np.int64,
         wrap([(int(p) << (i & 63)) ^ (int(q) >> (i % 64)) for i, (p, q) in enumerate(zip(x, y))], 64))
    case("add_u128", [x, y], (256, np.int64),
         wrap([w for p, q in zip(u(x, 64), u(y, 64))
               for s in [((p << 64 | q) + (q << 64 | p)) % (1 << 128)] for w in (s, s >> 64)], 64))
    a, b = i32(), i32()
    b[:8] = [0, 1, -1, 2, 1 << 30, -2**31, 5, 6]

    def bits(p, q):
        clz = 32 - q.bit_length()
        brev = int(f"{p:032b}"[::-1], 2)
        source = (q << 32 | p).to_bytes(8, "little")
        perm = int.from_bytes(bytes(source[d] for d in (4, 1, 2, 5)), "little")
        ffs = (q & -q).bit_length()
        return bin(p).count("1") + 100 * clz + (brev ^ perm) + ffs
    case("bits_u32", [a, b], np.int32, wrap([bits(p, q) for p, q in zip(u(a, 32), u(b, 32))], 32))
    case("shift_funnel", [a, b], np.int32,
         wrap([((q << 32 | p) << (i & 31) >> 32) ^ ((q << 32 | p) >> min(i, 32))
               for i, (p, q) in enumerate(zip(u(a, 32), u(b, 32)))], 32))
    bytes_a, bytes_b = a.view(np.int8).reshape(-1, 4).astype(np.int64), b.view(np.int8).reshape(-1, 4).astype(np.int64)
    case("bytes_dp4a", [a, b], np.int32, wrap((bytes_a * bytes_b).sum(1) + np.arange(128), 32))
    s = RNG.integers(-300, 300, 128).astype(np.int16)
    case("narrow_i8", [s], np.int8, np.clip(s, -100, 100).astype(np.int8))


def fractions_fma(a, b, c):
    from fractions import Fraction
    out = []
    for x, y, z in zip(a, b, c):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        out.append(round_f32(exact))
    return np.array(out, np.float32)


def round_f32(exact, mode="n"):
    """A fraction to f32: n nearest even, z, u, d."""
    from fractions import Fraction
    if exact == 0:
        return np.float32(0)
    near = np.float32(float(exact))  # double rounding may be off by one unit: look at the neighbours
    candidates = sorted({float(np.nextafter(near, np.float32(-np.inf))), float(near),
                         float(np.nextafter(near, np.float32(np.inf)))})
    below = max(v for v in candidates if Fraction(v) <= exact)
    above = min(v for v in candidates if Fraction(v) >= exact)
    if below == above:
        return np.float32(below)
    if mode == "d" or (mode == "z" and exact > 0):
        return np.float32(below)
    if mode in "uz":
        return np.float32(above)
    low, high = exact - Fraction(below), Fraction(above) - exact
    if low != high:
        return np.float32(below if low < high else above)
    return np.float32(below if not np.float32(below).view(np.uint32) & 1 else above)


def floats():
    from fractions import Fraction
    a, b, c = f32(), f32(), f32(scale=1e-3)
    case("fma_f32", [a, b, c], np.float32, fractions_fma(a, b, c))
    rows = []
    for x, y in zip(a, b):
        p, q = Fraction(float(x)), Fraction(float(y))
        rows += [round_f32(p + q, "z"), round_f32(p * q, "u"), round_f32(p / q, "d"), np.sqrt(np.abs(x))]
    case("round_f32", [a, b], (512, np.float32), np.array(rows, np.float32))
    wide = f32(scale=1e4)
    wide[:6] = [0.5, 1.5, -2.5, 1e20, -1e20, np.nan]
    clipped = np.nan_to_num(wide.astype(np.float64))

    def clip(v, low=-2**31, high=2**31 - 1):
        return np.clip(v, low, high)
    unsigned = clip(np.floor(np.abs(clipped)), 0, 2**32 - 1).astype(np.uint64).astype(np.uint32).view(np.int32)
    case("convert_f32", [wide], (512, np.int32),
         np.stack([clip(np.rint(clipped)), clip(np.trunc(clipped)), clip(np.ceil(clipped)), unsigned], 1)
         .astype(np.int64).astype(np.int32).ravel())
    x = i64()
    case("convert_i64", [x], (256, np.float32),
         np.array([round_f32(Fraction(int(v)), m) for v in x for m in "nz"], np.float32))
    special = a.copy()
    special[:5] = [np.nan, -0.0, 0.0, np.inf, np.nan]
    other = b.copy()
    other[:5] = [1.0, 0.0, -0.0, np.nan, np.nan]
    low, high = np.fmin(special, other), np.fmax(special, other)
    low[1:3], high[1:3] = -0.0, 0.0
    expected = np.stack([low, high], 1).ravel()
    expected[8:10] = np.array([0x7FFFFFFF] * 2, np.uint32).view(np.float32)
    case("minmax_f32", [special, other], (256, np.float32), expected)
    wide = f32(scale=5)
    x = wide.astype(np.float64)

    def pair(p, q):
        return np.stack([p, q], 1).ravel()
    case("expm_f32", [wide], (256, np.float32), pair(np.exp(x), np.log(np.abs(x) + 0.5)),
         bound=lambda e: 1e-6 * np.abs(e) + 4e-7)
    small = np.clip(wide, -6, 6)
    x = small.astype(np.float64)
    case("trig_f32", [small], (256, np.float32), pair(np.sin(x), np.cos(x)), bound=lambda e: 2**-20.5 + 0 * e)
    x = a.astype(np.float64)
    ab = (np.abs(a) + np.float32(0.25)).astype(np.float64)
    ab1 = (np.abs(a) + np.float32(1)).astype(np.float64)
    case("rsqrt_f32", [a], (256, np.float32), pair(1 / np.sqrt(ab), x / ab1), bound=lambda e: 2**-22 * np.abs(e))
    case("tanh_f32", [a], np.float32, np.tanh(x), bound=lambda e: 2**-10.9 * np.abs(e))
    ha, hb = a.astype(np.float16), b.astype(np.float16)
    total = (ha.astype(np.float64) + hb).astype(np.float16)
    case("half_math", [ha, hb], np.float16, (ha.astype(np.float64) * hb + total).astype(np.float16))
    h2, g2 = f32(256).astype(np.float16), f32(256).astype(np.float16)
    case("half2_math", [h2, g2], (256, np.float16),
         ((h2.astype(np.float64) - g2).astype(np.float16).astype(np.float64) * np.maximum(h2, g2)).astype(np.float16))
    ba, bb = tensors.to_bf16(a), tensors.to_bf16(b)
    fa, fb = tensors.from_bf16(ba).astype(np.float64), tensors.from_bf16(bb).astype(np.float64)
    exact = fa * fb + fa
    case("bf16_math", [("BF16", ba), ("BF16", bb)], (128, "bf16"), round_bf16(exact))
    truncated = (a.view(np.uint32) & 0xFFFF0000).view(np.float32)
    case("half_convert", [a], (256, np.float32), pair(a.astype(np.float16).astype(np.float32), truncated))
    hb = hb.copy()
    hb[:32] = ha[:32]
    case("half_compare", [ha, hb], np.int32, ((ha < hb) + 2 * (ha == hb) + 4 * (ha >= hb)).astype(np.int32))


def round_bf16(exact):
    """Doubles to bf16 bits, one rounding (the inputs have at most 16 bits)."""
    bits = np.asarray(exact, np.float64).view(np.uint64)
    low = bits & ((1 << 45) - 1)
    up = (low > (1 << 44)) | ((low == (1 << 44)) & ((bits >> np.uint64(45)) & np.uint64(1) == 1))
    kept = (bits & ~np.uint64((1 << 45) - 1)) + (up.astype(np.uint64) << np.uint64(45))
    return (kept.view(np.float64).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def control():
    a = i32(1, 1000)

    def collatz(x):
        n = 0
        while x != 1:
            x, n = (3 * x + 1 if x & 1 else x // 2), n + 1
        return n
    case("collatz", [a], np.int32, np.array([collatz(int(x)) for x in a], np.int32))

    def divergent(i, x):
        s = 0
        for j in range(i & 7):
            s += j if x >> j & 1 else sum(k * 3 for k in range(j + 1))
        return s
    case("divergent", [a], np.int32, np.array([divergent(i, int(x)) for i, x in enumerate(a)], np.int32))
    arms = [lambda i: i, lambda i: i * i, lambda i: ~i, lambda i: i << 3, lambda i: i % 5, lambda i: -i,
            lambda i: i ^ 77, lambda i: 1]
    case("switch_case", [a], np.int32, np.array([arms[x & 7](i) for i, x in enumerate(a)], np.int32))

    def local(i):
        t = [int(a[(i + j) & 63]) for j in range(16)]
        for j in range(16):
            k = t[j] & 15
            x = t[k]
            t[k] = t[j]
            t[j] = x
        s = 0
        for x in t:
            s = s * 3 + x
        return s
    case("local_array", [a], np.int32, wrap([local(i) for i in range(128)], 32))
    b = i32(1, 500)
    case("call_gcd", [a, b], np.int32,
         np.array([math.gcd(int(x), int(y)) + (math.gcd(int(y), i + 1) if i & 1 else 0)
                   for i, (x, y) in enumerate(zip(a, b))], np.int32))
    fib = [0, 1, 1, 2, 3, 5, 8, 13]
    case("call_fib", [], np.int32, np.array([fib[i & 7] for i in range(128)], np.int32))
    f = f32()
    case("call_struct", [f], np.float32,
         ((f * np.float32(3) + np.float32(3.5)).astype(np.float32) + (np.arange(128) + 6).astype(np.float32)))
    table = [5, 3, 8, 1, 9, 2, 7, 4]
    case("const_table", [], np.int32, np.array([table[i & 7] + 41 for i in range(128)], np.int32))


def warps():
    m = f32(64 * 64)
    case("transpose", [m], np.float32, m.reshape(64, 64).T.ravel(), grid="2x2", block="32x8")
    a = i32(-1000, 1000, 256)
    case("reduce_shuffle", [a], (2, np.int32), a.reshape(2, 128).sum(1).astype(np.int32), block="128")
    f = i32(-100, 100, 256).astype(np.float32)
    case("reduce_tree", [f], (2, np.float32), f.reshape(2, 128).sum(1), block="128", shared=512)
    a = i32(-1000, 1000)
    case("scan_warp", [a], np.int32, np.cumsum(a.reshape(4, 32), 1).astype(np.int32).ravel())
    w = np.abs(a).reshape(4, 32)
    redux = w.sum(1) ^ w.max(1) ^ np.bitwise_xor.reduce(w, 1)
    case("redux_warp", [np.abs(a)], np.int32, np.repeat(redux, 32).astype(np.int32))
    v = np.concatenate([i32(0, 5, 32), i32(0, 20, 32), i32(0, 8, 32), i32(0, 2, 32)])
    votes = [sum(int(x & 1) << l for l, x in enumerate(r)) + (3 if (r > 10).any() else 0) +
             (7 if (r < 5).all() else 0) for r in v.reshape(4, 32)]
    case("vote_warp", [v], np.int32, wrap(np.repeat(votes, 32), 32))
    match = [sum((int(x) & 3 == int(y) & 3) << l for l, y in enumerate(r)) for r in a.reshape(4, 32) for x in r]
    case("match_warp", [a], np.int32, wrap(match, 32))
    case("half_warps", [a], np.int32, np.repeat(a.reshape(8, 16).sum(1), 16).astype(np.int32))
    h = i32(0, 1000)
    case("histogram", [h], np.zeros(16, np.int32), np.bincount(h & 15, minlength=16).astype(np.int32))
    low = h.astype(np.int64)
    total = int(low.sum()) << 8
    start = np.array([0, 2**31 - 1, 0, 0, 0, 0, 0, 0], np.int32)
    inc = 0
    for _ in range(128):
        inc = 0 if inc >= 9 else inc + 1
    case("atomics", [h], start,
         wrap([h.max(), h.min(), np.bitwise_xor.reduce(h), np.bitwise_or.reduce(h), inc, 0,
               total & 0xFFFFFFFF, total >> 32], 32))
    f = np.abs(f32())
    case("atomic_cas", [f], np.zeros(1, np.float32), np.array([f.max()], np.float32))
    c = i32(0, 100)
    c[70] = 77
    counts = [int((r & 1).sum()) + 1000 * bool((r == 77).any()) for r in c.reshape(2, 64)]
    case("count_votes", [c], np.int32, np.repeat(counts, 64).astype(np.int32))
    n = i32(0, 100, 64)
    case("named_barriers", [n], (64, np.int32), n[::-1] + 1, grid="1", block="128")
    case("last_block", [np.zeros(8, np.int32), np.zeros(1, np.int32), a[:128]], (1, np.int32),
         np.array([a[:128].sum()], np.int32), grid="4", block="32")
    g = i32(0, 100, 32)
    t = np.arange(32)
    for k, expected in enumerate([2 * g[::-1], np.where(t & 1, t, g), g[t ^ 1]]):
        CASES[f"generic_pointer:{k}"] = Case([g, k], (32, np.int32), expected.astype(np.int32), grid="1", block="32")


def copies():
    a = i32(0, 100, 512).astype(np.float32)
    s = a.reshape(4, 128)
    t = np.arange(32)
    expected = sum(s[j][(t + 32 * k) ^ 5] for j in range(4) for k in range(4))
    case("pipeline", [a], (32, np.float32), expected.astype(np.float32), grid="1", block="32")
    a = i32(n=128)
    keep = np.arange(128) % 4 < (np.arange(128) // 4) % 4
    case("copy_short", [a], np.int32, np.where(keep, a, 0).astype(np.int32), grid="1", block="32")
    m = RNG.integers(0, 2**15, 256).astype(np.int16)
    case("ldmatrix_trans", [m], (256, np.int16),
         np.ascontiguousarray(m.reshape(4, 8, 8).transpose(0, 2, 1)).ravel(), grid="1", block="32")


def fragment(matrix, registers, kind):
    """Values by (register, lane, element) of an A or B operand, from the layout tables."""
    out = []
    elements = 1 if matrix.dtype == np.float32 else 2
    for r in range(registers):
        for lane in range(32):
            g, q = lane // 4, lane % 4
            for e in range(elements):
                i = r * elements + e
                if kind == "a":
                    row, col = ((g + 8 * (i & 1), q + 4 * (i >> 1)) if elements == 1 else
                                (g + 8 * ((i >> 1) & 1), 2 * q + (i & 1) + 8 * (i >> 2)))
                    out.append(matrix[row, col])
                else:
                    k = q + 4 * i if elements == 1 else 2 * q + (i & 1) + 8 * (i >> 1)
                    out.append(matrix[k, g])
    return np.array(out, matrix.dtype)


def accumulators(matrix):
    rows = [[matrix[l // 4 + 8 * (i >> 1), 2 * (l % 4) + (i & 1)] for l in range(32)] for i in range(4)]
    return np.array(rows, matrix.dtype).ravel()


def matrices():
    for name, k in [("f16_k16", 16), ("f16_k8", 8), ("bf16_k16", 16), ("bf16_k8", 8), ("tf32_k8", 8), ("tf32_k4", 4)]:
        a, b, c = f32(16 * k).reshape(16, k), f32(k * 8).reshape(k, 8), f32(128).reshape(16, 8)
        if name.startswith("f16"):
            a, b = a.astype(np.float16), b.astype(np.float16)
        elif name.startswith("bf16"):
            a, b = tensors.to_bf16(a.ravel()).reshape(a.shape), tensors.to_bf16(b.ravel()).reshape(b.shape)
        else:
            a, b = [(x.view(np.uint32) & 0xFFFFE000).view(np.float32) for x in (a, b)]
        wide_a, wide_b = [tensors.from_bf16(x) if x.dtype == np.uint16 else x for x in (a, b)]
        d = wide_a.astype(np.float64) @ wide_b.astype(np.float64) + c
        registers = 4 if a.size * a.itemsize == 512 else 2
        fa, fb = fragment(a, registers, "a"), fragment(b, registers // 2, "b")
        case("mma_" + name, [fa.view(np.int32), fb.view(np.int32), accumulators(c)], (128, np.float32),
             accumulators(d), grid="1", block="32", bound=lambda e: 1e-6 * np.abs(e) + 1e-6)
    a, b = f32(256).reshape(16, 16).astype(np.float16), f32(128).reshape(16, 8).astype(np.float16)
    c = f32(128).reshape(16, 8).astype(np.float16)
    d = (a.astype(np.float64) @ b.astype(np.float64) + c).astype(np.float16)
    pack = lambda m: np.ascontiguousarray(accumulators(m).reshape(2, 2, 32).transpose(0, 2, 1)).ravel()
    case("mma_f16_f16", [fragment(a, 4, "a").view(np.int32), fragment(b, 2, "b").view(np.int32), pack(c).view(np.int32)],
         (64, np.int32), pack(d).view(np.int32), grid="1", block="32")


def run(emu, ptx, name, item, folder, extra):
    given = {}
    arguments = []
    for i, value in enumerate(item.inputs):
        if isinstance(value, int):
            arguments += ["--arg", f"k=i32:{value}"]
            continue
        dtype, array = value if isinstance(value, tuple) else (NAMES[value.dtype][0], value)
        given[f"in{i}"] = (dtype, array)
        arguments += ["--arg", f"in{i}={folder}/in.st#in{i}"]
    output = item.output
    if isinstance(output, np.ndarray):
        given["out"] = (NAMES[output.dtype][0], output)
        first = f"out={folder}/in.st#out"
    else:
        count, dtype = output if isinstance(output, tuple) else (len(item.expected), output)
        first = f"out={dtype if isinstance(dtype, str) else NAMES[np.dtype(dtype)][1]}[{count}]:uninit"
    tensors.write(f"{folder}/in.st", given)
    command = [emu, ptx, "--entry", name.split(":")[0], "--grid", item.grid, "--block", item.block,
               "--shared", str(item.shared), "--schedules", "ci", "--out", f"{folder}/out.st", "--arg", first]
    result = subprocess.run(command + arguments + extra, capture_output=True, text=True, timeout=120)
    if result.returncode != 0 or (result.stderr and not extra):
        return f"status {result.returncode}\n{result.stderr[:2000]}"
    got = tensors.read(f"{folder}/out.st")["out"]
    if item.bound is None:
        same = got.tobytes() == np.ascontiguousarray(item.expected.astype(got.dtype)).tobytes()
        if same:
            return None
        bad = np.flatnonzero(got != item.expected.astype(got.dtype))[:5]
        return f"wrong at {bad}: got {got[bad]}, expected {item.expected[bad]}"
    error = np.abs(got.astype(np.float64) - item.expected)
    if np.all(error <= item.bound(item.expected)):
        return None
    return f"outside the bound: {np.max(error / item.bound(item.expected)):.2f} times"


def run_f64(emu, ptx, folder):
    """f64 has no tensor files here: bits travel as i64."""
    a, b = RNG.standard_normal(128), RNG.standard_normal(128)
    item = Case([a.view(np.int64), b.view(np.int64)], (128, np.int64),
                (a / b + np.sqrt(np.abs(b))).view(np.int64))
    return run(emu, ptx, "div_f64", item, folder, [])


def main():
    emu, ptx = sys.argv[1:3]
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    extra = ["--perturb-approx"] if "--perturb" in sys.argv else []
    for group in (integers, floats, control, warps, copies, matrices):
        group()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, item in CASES.items():
            if only and only != name:
                continue
            if extra and item.bound is None:
                continue
            problem = run(emu, ptx, name, item, folder, extra)
            if problem:
                failed += 1
                print(f"FAIL {name}: {problem}")
        if not only and not extra:
            problem = run_f64(emu, ptx, folder)
            if problem:
                failed += 1
                print(f"FAIL div_f64: {problem}")
    print(f"{len(CASES) + 1 if not only else 1} kernels, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
