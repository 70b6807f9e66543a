"""Errors and messages: each names the argument, what was found, and the way out."""

import numpy as np
from attention import Settings, agree, attend, random_probe, refused, run_program


def e1_captured_mask_too_small():
    """A captured mask of batch and head size 2 with tensors of 4."""
    q, k, v = random_probe(4, 4, 4, 8, 8, 16)
    program = "keep: bool[B, Hq, Q, KV]\ndef mask_mod(b, h, q, kv):\n    return keep[b, h, q, kv]\n"
    refused(program, q, k, v, "keep", "2", "4", captures={"keep": np.ones((2, 2, 8, 8), bool)})


def e2_precedence_slip():
    """`a & b % 2 == 0` is refused with the parenthesised forms; both of them work and differ."""
    q, k, v = random_probe(2, 1, 1, 4, 4, 16)
    refused("def mask_mod(b, h, q, kv):\n    return (q >= kv) & b % 2 == 0\n", q, k, v, "variant.attn:2:", "(b % 2 == 0)")
    o, lse = attend("def mask_mod(b, h, q, kv):\n    return (q >= kv) & (b % 2 == 0)\n", q, k, v)
    agree(o, lse, q, k, v, "f32", mask=lambda b, h, q, kv: (q >= kv) & (b % 2 == 0))


def e4_write_to_a_capture():
    """A mod that writes."""
    q, k, v = random_probe(1, 1, 1, 4, 4, 16)
    refused("buf: f32[KV]\ndef score_mod(s, b, h, q, kv):\n    buf[kv] = s\n    return s\n", q, k, v, "variant.attn:3:5: error",
            captures={"buf": np.zeros(4, np.float32)})


def e5_if_on_data_and_item():
    """`if` on a score gives the bits of `where`; `.item()` is an error that says what to write."""
    q, k, v = random_probe(1, 1, 1, 70, 70, 32)
    branch = attend("def score_mod(score, b, h, q, kv):\n    if score > 0:\n        return score\n    return 0.5 * score\n", q, k, v)
    select = attend("def score_mod(score, b, h, q, kv):\n    return where(score > 0, score, 0.5 * score)\n", q, k, v)
    assert all(np.array_equal(x, y) for x, y in zip(branch, select))
    refused("off: i32[]\ndef mask_mod(b, h, q, kv):\n    return q + off.item() >= kv\n", q, k, v, "variant.attn:3:", "item",
            captures={"off": np.int32(1)})


def e6_mixed_dtypes():
    """q and v in bf16, k in f32."""
    q, k, v = random_probe(1, 1, 1, 4, 4, 16)
    refused("", q, k, v, "k", "f32", "bf16", dtypes={"q": "bf16", "v": "bf16"})


def e7_documented_limits():
    """Limits are named errors, and the largest head dim, past every tuned size, is run."""
    q, k, v = random_probe(1, 3, 2, 4, 4, 16)
    refused("", q, k, v, "3", "2")
    q, k, v = random_probe(1, 1, 1, 4, 4, 16)
    refused("t: f32[1, 1, 1, 1, 1, 1, 1]\n", q, k, v, "variant.attn:1:", "6")
    refused("", q[0], k, v, "q", "4 dimensions", "3")
    largest = 256 if Settings.device == "emulator" else 576
    q, k, v = random_probe(1, 1, 1, 40, 40, largest + 1, 16)
    refused("", q, k, v, f"{largest + 1}", f"{largest}")
    q, k, v = random_probe(1, 1, 1, 40, 40, largest, largest - 76)
    agree(*attend("", q, k, v), q, k, v, "f32")


def k3_one_program_many_lengths():
    """One program at lengths 128, 200, 1000 and 64 in turn."""
    for n in (128, 200, 1000, 64):
        q, k, v = random_probe(1, 1, 1, n, n, 32)
        agree(*attend("mask_mod = and_masks(causal, sliding_window(100))\n", q, k, v), q, k, v, "f32",
              mask=lambda b, h, q, kv: (q >= kv) & (q - kv < 100))


def p1_no_gpu_needed():
    """The host is the default device."""
    q, k, v = random_probe(1, 1, 1, 4, 4, 16)
    tensors = {name: ("F32", x.shape, x.tobytes()) for name, x in (("q", q), ("k", k), ("v", v))}
    code, message, _ = run_program("", tensors, device="host")
    assert code == 0, message
