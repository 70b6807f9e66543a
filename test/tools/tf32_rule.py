"""Judges --tf32 by a golden case, whose expected values are those of f32.

A kernel with --tf32 rounds q, k and v to tf32, and then weights w to (1 + e) w with |e| <= 2^-11 before they multiply v; all else is as
in f32. So its o may be further from the reference on q, k and v that are rounded in the same way than the case allows by

    2^-11 * sum of w |v|

and its lse by nothing. Rows that are computed again are exact to f32, and may agree with the case itself instead."""

import json
import pathlib
import subprocess
import tempfile

import check
import numpy as np
import run_goldens


def round_to_tf32(bits):
    """f32 as uint32, to nearest, halves away from zero, as cvt.rna.tf32.f32 does. What would become infinite is NaN: rows that meet it are
    to be computed again."""
    rounded = (bits + 0x1000) & 0xFFFFE000
    was_finite, is_finite = ((word & 0x7F800000) != 0x7F800000 for word in (bits, rounded))
    return np.where(was_finite, np.where(is_finite, rounded, 0x7FFFFFFF), bits).astype(np.uint32)


def write_rounded(source, target, names):
    """Copies a safetensors file with the f32 tensors `names` rounded to tf32."""
    raw = bytearray(source.read_bytes())
    start = 8 + int.from_bytes(raw[:8], "little")
    for name, info in json.loads(raw[8:start]).items():
        if name in names:
            assert info["dtype"] == "F32"
            first, last = (start + offset for offset in info["data_offsets"])
            raw[first:last] = round_to_tf32(np.frombuffer(raw[first:last], "<u4")).tobytes()
    target.write_bytes(raw)


def get_logical(tensors, spec, name):
    """The tensor `name` of a case in logical order."""
    view = (spec.get("layout") or {}).get(name)
    if not view:
        return tensors[name]
    stored = tensors[view["stored"]].reshape(-1)[view["offset"]:]
    strides = [stride * stored.itemsize for stride in view["strides"]]
    return np.lib.stride_tricks.as_strided(stored, view["shape"], strides)


def get_errors(got, want):
    with np.errstate(invalid="ignore"):
        errors = np.where((got == want) | (np.isnan(got) & np.isnan(want)), 0.0, np.abs(got - want))
    return np.where(np.isnan(errors), np.inf, errors)


def judge(name, got, rounded, exact, allowed, limit):
    """Empty, or what is wrong. Rows are those of the last dimension of o."""
    isOfRounded, isExact = get_errors(got, rounded) <= limit + allowed, get_errors(got, exact) <= limit
    if name == "o":
        isOfRounded, isExact = isOfRounded.all(-1), isExact.all(-1)
    isWrong = ~(isOfRounded | isExact)
    if not isWrong.any():
        return ""
    at = tuple(int(i[0]) for i in np.nonzero(isWrong))
    return f"{name}: {int(isWrong.sum())} of {isWrong.size} beyond, first at {list(at)}: got {got[at]}, expected {rounded[at]} or {exact[at]}\n"


def run_case(case, attn_run, flags=(), environment=None, timeout=120):
    """Why a case failed on the emulator with --tf32, empty if it passed."""
    case = pathlib.Path(case)
    spec = json.loads((case / "case.json").read_text())
    layout = spec.get("layout") or {}
    stored = {layout[name]["stored"] if name in layout else name for name in "qkv"}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_rounded(case / "tensors.safetensors", folder / "in.safetensors", stored)
        results = []
        for device, more in (("emulator", ["--tf32", *flags]), ("reference", ["--weights"])):
            out = folder / f"{device}.safetensors"
            words = run_goldens.attn_run_flags(case, out, device)
            if device == "reference":
                words[words.index("--in") + 1] = str(folder / "in.safetensors")
            run = subprocess.run([attn_run, *words, *more], capture_output=True, text=True, errors="replace", timeout=timeout,
                                 env=environment, stdin=subprocess.DEVNULL)
            if run.returncode:
                return f"attn-run ended with {run.returncode}\n{run.stderr or run.stdout}"
            results.append(check.load(out))
        got, rounded = results
        tensors, golden = check.load(folder / "in.safetensors"), check.load(case / "tensors.safetensors")
    tolerance = spec["tolerance"]
    weights, v = rounded["weights"], np.abs(get_logical(tensors, spec, "v"))
    group = weights.shape[1] // max(v.shape[1], 1)
    with np.errstate(invalid="ignore", over="ignore"):
        products = np.einsum("bhqk,bhkd->bhqd", weights, np.nan_to_num(np.repeat(v, max(group, 1), axis=1), nan=0.0))
    why = ""
    for name, limits, allowed in (("o", tolerance, 2.0**-11 * products), ("lse", tolerance["lse"], 0.0)):
        limit = 2 * limits["err_unfused"] + limits["floor"]
        why += judge(name, got[name], rounded[name], golden[f"{name}_ref"], allowed, limit)
    return why
