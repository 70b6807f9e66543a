#!/usr/bin/env python3
"""Writes the safetensors files that the tests of attn-run need, good and hostile ones, to a folder.

usage: make_tensors.py FOLDER

Only the standard library is used, so that nothing between the test and the bytes can mend them."""
import json
import pathlib
import struct
import sys


def file_of(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensors(**named):
    """A whole file of name=(dtype, shape, bytes)."""
    header, data = {}, b""
    for name, (dtype, shape, raw) in named.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    return file_of(header, data)


def f32(*values):
    return struct.pack(f"<{len(values)}f", *values)


def entry(shape, begin, end, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def qkv(q=2, kv=3, d=4, dtype="F32", heads=2, key_heads=1, **more):
    """q is 0, k is 0, v counts keys."""
    size = {"F32": 4, "F16": 2, "BF16": 2, "F64": 8, "I32": 4}[dtype]
    keys = f32(*(key for _ in range(key_heads) for key in range(kv) for _ in range(d)))
    return dict(q=(dtype, [1, heads, q, d], bytes(size * heads * q * d)),
                k=(dtype, [1, key_heads, kv, d], bytes(size * key_heads * kv * d)),
                v=(dtype, [1, key_heads, kv, d], keys if dtype == "F32" else bytes(size * key_heads * kv * d)), **more)


FILES = {
    "good": tensors(**qkv(slopes=("F32", [2], f32(0.5, 0.25)))),
    "misspelt": tensors(**qkv(slope=("F32", [2], f32(0.5, 0.25)))),
    "wrong_size": tensors(**qkv(slopes=("F32", [3], f32(1, 2, 3)))),
    "wrong_type": tensors(**qkv(slopes=("I32", [2], bytes(8)))),
    "wrong_rank": tensors(**qkv(slopes=("F32", [2, 1], bytes(8)))),
    "mixed": tensors(**(qkv() | {"k": ("BF16", [1, 1, 3, 4], bytes(24))})),
    "integers": tensors(**qkv(dtype="I32")),
    "doubles": tensors(**qkv(dtype="F64")),
    "no_q": tensors(**{name: value for name, value in qkv().items() if name != "q"}),
    "flat": tensors(**(qkv() | {"q": ("F32", [4, 4], bytes(64))})),
    "groups": tensors(**qkv(heads=3, key_heads=2)),
    "zero_dim": tensors(**qkv(d=0)),
    "wide": tensors(**qkv(d=577)),
    "wide_values": tensors(**(qkv() | {"v": ("F32", [1, 1, 3, 577], bytes(4 * 3 * 577))})),
    "other_keys": tensors(**(qkv() | {"v": ("F32", [1, 1, 5, 4], bytes(80))})),
    "scalar": tensors(**qkv(cap=("F32", [], f32(2)), n=("I64", [], struct.pack("<q", 3)))),
    "scalar_shape": tensors(**qkv(cap=("F32", [1], f32(2)))),
    "bools": tensors(**qkv(keep=("BOOL", [3], bytes([1, 0, 2])))),
    # One [B, S, 3, H, D] tensor with q, k and v inside: B = 1, S = 3, H = 1, D = 4.
    "interleaved": tensors(qkv=("F32", [1, 3, 3, 1, 4], f32(*(
        float(s) if part == 2 else 0.0 for s in range(3) for part in range(3) for _ in range(4))))),
    # Sequence-major: [B, S, H, D], S = 2 keys of 1 head; v counts keys.
    "bshd": tensors(q=("F32", [1, 2, 2, 4], bytes(64)), k=("F32", [1, 2, 1, 4], bytes(32)),
                    v=("F32", [1, 2, 1, 4], f32(0, 0, 0, 0, 1, 1, 1, 1))),
    "thd": tensors(q=("F32", [2, 2, 4], bytes(64)), k=("F32", [2, 1, 4], bytes(32)),
                   v=("F32", [2, 1, 4], f32(0, 0, 0, 0, 1, 1, 1, 1))),
    # Hostile files.
    "empty": b"",
    "short": b"\x08\0\0",
    "long_header": b"\xff" * 8 + b"{}",
    "not_json": file_of(b"{]"),
    "nested": file_of(b"[" * 100_000),
    "truncated": file_of({"q": entry([2], 0, 8)}, b"1234567"),
    "overlap": file_of({"q": entry([1], 0, 4), "k": entry([1], 2, 6)}, b"123456"),
    "gap": file_of({"q": entry([1], 4, 8)}, b"12345678"),
    "overflow": file_of({"q": entry([2**62, 2**62], 0, 8)}, b"12345678"),
    "twice": file_of(b'{"q":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},'
                     b'"q":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}'),
    "negative": file_of({"q": entry([-1], 0, 4)}, b"1234"),
    "control": file_of({"a\nb\x1b[31m": 1}),
}

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name, data in FILES.items():
    (folder / f"{name}.safetensors").write_bytes(data)
