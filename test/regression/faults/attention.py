"""What the fault tests share: running a program through attn-run, an f64 dense reference, and the probes.

Tensors are numpy arrays; bf16 is held as float32 whose values are bf16 numbers (see round_to)."""

import json
import pathlib
import subprocess
import tempfile

import numpy as np

DTYPES = {"f32": "F32", "f16": "F16", "bf16": "BF16"}
NUMPY_NAMES = {"float32": "F32", "float16": "F16", "float64": "F64", "int8": "I8", "uint8": "U8", "int16": "I16",
               "int32": "I32", "int64": "I64", "bool": "BOOL"}


class Settings:
    """Filled in by run.py."""
    attn_run = "attn-run"
    device = "host"


def round_to(x, dtype):
    """x rounded to f32, f16 or bf16, as float32 values."""
    x = np.asarray(x, np.float32)
    if dtype == "f16":
        with np.errstate(over="ignore"):
            return x.astype(np.float16).astype(np.float32)
    if dtype == "bf16":
        bits = x.view(np.uint32).astype(np.uint64)
        rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32)
        return np.where(np.isnan(x), x, rounded.view(np.float32))
    return x


def encode(x, dtype=None):
    """(safetensors name, bytes) of an array; `dtype` f16 or bf16 stores float32 values narrower."""
    x = np.ascontiguousarray(x)
    if dtype == "bf16":
        return "BF16", (round_to(x, "bf16").view(np.uint32) >> 16).astype(np.uint16).tobytes()
    if dtype == "f16":
        return "F16", x.astype(np.float16).tobytes()
    if dtype == "f32":
        return "F32", x.astype(np.float32).tobytes()
    return NUMPY_NAMES[x.dtype.name], x.tobytes()


def write_tensors(path, tensors):
    """tensors: name -> (safetensors dtype name, shape, bytes)."""
    header, offset = {}, 0
    for name, (kind, shape, data) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for _, _, data in tensors.values():
            file.write(data)


def read_tensors(path):
    data = pathlib.Path(path).read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    result = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        raw = data[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]]
        if entry["dtype"] == "BF16":
            array = (np.frombuffer(raw, np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            names = {value: key for key, value in NUMPY_NAMES.items()}
            array = np.frombuffer(raw, names[entry["dtype"]])
            array = array.astype(np.float32) if entry["dtype"] == "F16" else array
        result[name] = array.reshape(entry["shape"])
    return result


def run_program(program, tensors, flags=(), device=None):
    """Runs attn-run on stored tensors (name -> (dtype name, shape, bytes)). Returns (exit status, stderr, outputs)."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "variant.attn").write_text(program)
        write_tensors(folder / "in.safetensors", tensors)
        command = [Settings.attn_run, str(folder / "variant.attn"), "--in", str(folder / "in.safetensors"),
                   "--out", str(folder / "out.safetensors"), "--device", device or Settings.device, "--lse", *flags]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        outputs = read_tensors(folder / "out.safetensors") if run.returncode == 0 else None
        return run.returncode, run.stderr, outputs


def attend(program, q, k, v, dtype="f32", captures=None, flags=()):
    """O and LSE of a program as float32 arrays. captures: name -> array, or (array, "bf16" or "f16")."""
    tensors = {name: (DTYPES[dtype], x.shape, encode(x, dtype)[1]) for name, x in (("q", q), ("k", k), ("v", v))}
    for name, x in (captures or {}).items():
        x, stored = x if isinstance(x, tuple) else (np.asarray(x), None)
        kind, data = encode(x, stored)
        tensors[name] = (kind, x.shape, data)
    code, message, outputs = run_program(program, tensors, flags)
    assert code == 0, f"attn-run ended with {code}: {message}"
    return outputs["o"], outputs["lse"]


def refused(program, q, k, v, *words, dtype="f32", dtypes=None, captures=None, flags=(), status=1):
    """Expects an error with this exit status whose message holds all the words."""
    dtypes = dtypes or {}
    tensors = {name: (DTYPES[dtypes.get(name, dtype)], x.shape, encode(x, dtypes.get(name, dtype))[1])
               for name, x in (("q", q), ("k", k), ("v", v))}
    for name, x in (captures or {}).items():
        kind, data = encode(np.asarray(x))
        tensors[name] = (kind, np.asarray(x).shape, data)
    code, message, _ = run_program(program, tensors, flags)
    assert code == status, f"expected exit status {status}, got {code}: {message}"
    for word in words:
        assert word in message, f"expected `{word}` in the message, which is: {message}"


# --- inputs ------------------------------------------------------------------------------------------

def normal(shape, dtype="f32", seed=0):
    return round_to(np.random.default_rng(seed).standard_normal(shape), dtype)


def uniform_probe(b, hq, hkv, q, kv, d, dv=None, dtype="f32"):
    """Probe U: Q = 0, K random, V[b,h,n,:] = n."""
    keys = np.broadcast_to(np.arange(kv, dtype=np.float32)[:, None], (b, hkv, kv, dv or d))
    return np.zeros((b, hq, q, d), np.float32), normal((b, hkv, kv, d), dtype, 1), round_to(keys, dtype)


def random_probe(b, hq, hkv, q, kv, d, dv=None, dtype="f32", gain=1.0, seed=0):
    """Probe R: N(0, 1) inputs, times `gain` for q and k."""
    return (round_to(gain * normal((b, hq, q, d), "f32", seed), dtype),
            round_to(gain * normal((b, hkv, kv, d), "f32", seed + 1), dtype),
            normal((b, hkv, kv, dv or d), dtype, seed + 2))


# --- the reference -----------------------------------------------------------------------------------

def grids(b, h, q, kv):
    """Index grids of shape [B, H, Q, KV]."""
    return np.meshgrid(np.arange(b), np.arange(h), np.arange(q), np.arange(kv), indexing="ij", sparse=True)


def dense(q, k, v, score_mod=None, mask=None, dtype=None, scale=None):
    """Dense attention; f64 without a dtype, else an unfused run in that dtype. mask and score_mod take index grids."""
    real = np.float64 if dtype is None else np.float32
    b, hq, nq, d = q.shape
    group = hq // k.shape[1]
    kk, vv = (np.repeat(x, group, axis=1).astype(real) for x in (k, v))
    scale = 1 / np.sqrt(d) if scale is None else scale
    s = (q.astype(real) @ np.swapaxes(kk, -1, -2)) * real(scale)
    index = grids(b, hq, nq, k.shape[2])
    with np.errstate(all="ignore"):
        if score_mod is not None:
            s = score_mod(s, *index).astype(real)
        if mask is not None:
            s = np.where(mask(*index), s, -np.inf)
        if s.shape[-1] == 0:
            return np.zeros((b, hq, nq, v.shape[3]), real), np.full((b, hq, nq), -np.inf, real)
        m = s.max(-1, keepdims=True)
        p = np.exp(s - np.where(np.isneginf(m), 0, m))
        total = p.sum(-1, keepdims=True)
        lse = np.where(total[..., 0] > 0, m[..., 0] + np.log(total[..., 0]), -np.inf)
        weights = np.where(total > 0, p / total, 0)
    if dtype is not None:
        weights = round_to(weights, dtype)
    o = weights @ vv
    return (round_to(o, dtype) if dtype is not None else o), lse


def agree(o, lse, q, k, v, dtype, score_mod=None, mask=None, scale=None):
    """The rule of probe R: the error is at most twice that of an unfused run in the same dtype, plus 1e-5."""
    ref_o, ref_lse = dense(q, k, v, score_mod, mask, None, scale)
    raw_o, raw_lse = dense(q, k, v, score_mod, mask, dtype, scale)
    for name, got, ref, raw in (("o", o, ref_o, raw_o), ("lse", lse, ref_lse, raw_lse)):
        finite = np.isfinite(ref)
        assert got.shape == ref.shape, f"{name}: shape {got.shape}, expected {ref.shape}"
        assert np.array_equal(got[~finite], ref[~finite].astype(np.float32), equal_nan=True), f"{name}: not as expected where it is not finite"
        if not finite.any():
            continue
        error = np.abs(got[finite] - ref[finite]).max()
        limit = 2 * np.abs(raw[finite] - ref[finite]).max() + 1e-5
        assert error <= limit, f"{name}: error {error:.3g}, limit {limit:.3g}"


def close(got, expected, what, tolerance=2e-6):
    """Equal to a known answer, to `tolerance` relative to the larger of 1 and the answer."""
    expected = np.broadcast_to(np.asarray(expected, np.float64), got.shape)
    same = np.isfinite(expected)
    assert np.array_equal(got[~same], expected[~same].astype(np.float32), equal_nan=True), f"{what}: {got} instead of {expected}"
    error = np.abs(got[same] - expected[same]) / np.maximum(1, np.abs(expected[same]))
    assert not same.any() or error.max() <= tolerance, f"{what}: relative error {error.max():.3g}"


def rows(o):
    """O of probe U as one value a row: every column holds the same."""
    assert np.array_equal(o, np.broadcast_to(o[..., :1], o.shape)), "columns of O differ"
    return o[..., 0]
