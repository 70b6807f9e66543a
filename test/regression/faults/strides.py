"""Index width and strides. Large tensors are sparse files, of which only the touched pages cost anything."""

import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np
from attention import Settings, agree, attend, close, encode, normal, random_probe, read_tensors, refused, round_to


def w1_many_batches():
    """70,000 batches, and 131,072 heads in all."""
    for b, h, s in ((70000, 1, 1), (4096, 32, 16)):
        q = np.zeros((b, h, s, 16), np.float32)
        v = np.broadcast_to((np.arange(b) % 251).astype(np.float32)[:, None, None, None], q.shape)
        o, _ = attend("", q, q, v)
        assert np.array_equal(o, v)


def run_sparse(program, tensors, flags):
    """Like attention.attend for tensors given as (dtype, shape, [(byte offset, bytes), ...]), the rest zero and sparse."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "variant.attn").write_text(program)
        header, offset = {}, 0
        for name, (kind, shape, _) in tensors.items():
            width = {"F32": 4, "BF16": 2, "U8": 1}[kind]
            size = int(np.prod(shape, dtype=np.int64)) * width
            header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [offset, offset + size]}
            offset += size
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        with open(folder / "in.safetensors", "wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for name, (_, _, pieces) in tensors.items():
                for at, data in pieces:
                    file.seek(8 + len(text) + header[name]["data_offsets"][0] + at)
                    file.write(data)
            file.truncate(8 + len(text) + offset)
        run = subprocess.run([Settings.attn_run, str(folder / "variant.attn"), "--in", str(folder / "in.safetensors"),
                              "--out", str(folder / "out.safetensors"), "--device", Settings.device, "--lse", *flags],
                             capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, run.stderr
        outputs = read_tensors(folder / "out.safetensors")
        return outputs["o"], outputs["lse"]


def w2_table_beyond_two_gigabytes():
    """A captured table of more than 2^31 elements."""
    n, rows, keys = 46400, 4, 64
    q, k, v = random_probe(1, 1, 1, rows, keys, 64)
    bias = np.random.default_rng(3).integers(0, 5, (rows, keys), dtype=np.uint8)
    tensors = {"table": ("U8", (n, n), [((46300 + i) * n, bias[i].tobytes()) for i in range(rows)])}
    for name, x in (("q", q), ("k", k), ("v", v)):
        tensors[name] = ("F32", x.shape, [(0, x.tobytes())])
    program = f"table: u8[{n}, {n}]\ndef score_mod(s, b, h, q, kv):\n    return s + table[q + 46300, kv]\n"
    o, lse = run_sparse(program, tensors, [])
    agree(o, lse, q, k, v, "f32", score_mod=lambda s, b, h, q, kv: s + bias[q, kv])


def w3_strided_inputs():
    """BSHD data seen as BHSD, and rows padded to D + 8 with poison in the gaps."""
    for d in (64, 256):
        q, k, v = random_probe(2, 4, 2, 70, 90, d)
        stored = {name: np.ascontiguousarray(x.transpose(0, 2, 1, 3)) for name, x in (("q", q), ("k", k), ("v", v))}
        flags, extra = [], {}
        for name, x in stored.items():
            extra[f"{name}_bshd"] = x
            b, s, h, dim = x.shape
            flags += ["--view", f"{name}={name}_bshd:{b},{h},{s},{dim}:{s * h * dim},{dim},{h * dim},1:0"]
        agree(*attend("", q, k, v, captures=extra, flags=flags), q, k, v, "f32")
        wide = np.full((2, 2, 90, d + 8), np.nan, np.float32)
        wide[..., :d] = k
        view = f"k=wide:2,2,90,{d}:{2 * 90 * (d + 8)},{90 * (d + 8)},{d + 8},1:0"
        agree(*attend("", q, k, v, captures={"wide": wide}, flags=["--view", view]), q, k, v, "f32")


def w4_innermost_stride():
    """A last dimension that is not contiguous is an error that names the tensor and its stride."""
    q, k, v = random_probe(1, 1, 1, 8, 8, 16)
    wide = np.zeros((1, 1, 8, 32), np.float32)
    refused("", q, k, v, "q", "stride", "2", captures={"wide": wide}, flags=["--view", "q=wide:1,1,8,16:256,256,32,2:0"])


def w5_row_times_stride():
    """Rows whose offsets pass 2^31 elements."""
    rows, stride, d = 65, 33_554_432, 64
    q, k, v = random_probe(1, 1, 1, 8, rows, d, dtype="bf16")
    pieces = [(2 * (i * stride + offset), encode(x[0, 0, i], "bf16")[1]) for i in range(rows) for x, offset in ((k, 0), (v, d))]
    tensors = {"q": ("BF16", q.shape, [(0, encode(q, "bf16")[1])]),
               "wide": ("BF16", ((rows - 1) * stride + 2 * d,), pieces)}
    flags = ["--view", f"k=wide:1,1,{rows},{d}:0,0,{stride},1:0", "--view", f"v=wide:1,1,{rows},{d}:0,0,{stride},1:{d}"]
    o, lse = run_sparse("", tensors, flags)
    agree(o, lse, q, k, v, "bf16")


def w7_shared_by_stride_zero():
    """K and V shared by all batches and heads through strides of 0."""
    q, k, v = random_probe(3, 4, 1, 40, 50, 32)
    k, v = k[:1], v[:1]
    flags = []
    for name in "kv":
        flags += ["--view", f"{name}={name}_pool:3,4,50,32:0,0,32,1:0"]
    big_k, big_v = (np.broadcast_to(x, (3, 4, 50, 32)) for x in (k, v))
    o, lse = attend("", q, k, v, captures={"k_pool": k, "v_pool": v}, flags=flags)
    agree(o, lse, q, big_k, big_v, "f32")
