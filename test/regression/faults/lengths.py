"""Lengths and tails."""

import numpy as np
from attention import agree, attend, close, normal, random_probe, rows, uniform_probe


def l1_keys_past_the_end():
    """One query, 64 keys: keys past the end are not counted."""
    o, lse = attend("", *uniform_probe(1, 1, 1, 1, 64, 16))
    close(rows(o), 31.5, "O")
    close(lse, np.log(64), "LSE")


def l2_decode_a_little_over_a_tile():
    """One query, 129 keys, the position captured."""
    program = "off: i32[]\ndef mask_mod(b, h, q, kv):\n    return q + off >= kv\n"
    o, lse = attend(program, *uniform_probe(1, 1, 1, 1, 129, 64), captures={"off": np.int32(128)})
    close(rows(o), 64, "O")
    close(lse, np.log(129), "LSE")


def l3_mostly_padding():
    """Lengths where a tile is mostly padding."""
    for n in (1, 2, 7, 31, 32, 33):
        for dtype in ("f32", "bf16"):
            q, k, v = random_probe(1, 1, 1, n, n, 64, dtype=dtype)
            agree(*attend("", q, k, v, dtype), q, k, v, dtype)


def l4_rows_past_the_end():
    """A document mask at lengths around tiles; NaN lies in the padding of Q, K and V."""
    for q_len, kv_len in ((200, 200), (129, 129), (255, 255), (500, 512), (512, 500), (333, 444)):
        q, k, v = random_probe(1, 2, 1, q_len, kv_len, 64)
        n = max(q_len, kv_len)
        doc = (np.arange(n) // 70).astype(np.int32)[None]
        program = "doc: i32[B, N]\ndef mask_mod(b, h, q, kv):\n    return doc[b, q] == doc[b, kv]\n"
        clean = attend(program, q, k, v, captures={"doc": doc})
        agree(*clean, q, k, v, "f32", mask=lambda b, h, q, kv: q // 70 == kv // 70)
        padded, flags = {"doc": doc}, []
        for name, x in (("q", q), ("k", k), ("v", v)):
            wide = np.full((*x.shape[:2], x.shape[2] + 7, x.shape[3] + 8), np.nan, np.float32)
            wide[:, :, :x.shape[2], :x.shape[3]] = x
            padded[f"wide_{name}"] = wide
            strides = ",".join(str(s // 4) for s in wide.strides)
            flags += ["--view", f"{name}=wide_{name}:{','.join(map(str, x.shape))}:{strides}:0"]
        poisoned = attend(program, q, k, v, captures=padded, flags=flags)
        for got, expected in zip(poisoned, clean):
            assert np.array_equal(got, expected), "poison in the padding changed the result"


def l5_lengths_per_batch():
    """Per-batch lengths of 0, 1 and 100 hide queries and keys."""
    program = "len_: i32[B]\ndef mask_mod(b, h, q, kv):\n    return (kv < len_[b]) & (q < len_[b])\n"
    o, lse = attend(program, *uniform_probe(3, 1, 1, 128, 128, 64), captures={"len_": np.array([0, 1, 100], np.int32)})
    o = rows(o)[:, 0]
    assert (o[0] == 0).all() and np.isneginf(lse[0]).all()
    assert (o[1] == 0).all() and lse[1, 0, 0] == 0 * normal(1)[0] and np.isneginf(lse[1, 0, 1:]).all()
    close(o[2, :100], 49.5, "O")
    assert (o[2, 100:] == 0).all() and np.isneginf(lse[2, 0, 100:]).all()


def l7_zero_sizes():
    """No batch, no query, no key."""
    for b, q, kv in ((0, 4, 4), (2, 0, 4), (2, 4, 0)):
        o, lse = attend("", *random_probe(b, 2, 1, q, kv, 16))
        assert o.shape == (b, 2, q, 16) and lse.shape == (b, 2, q)
        assert (o == 0).all() and np.isneginf(lse).all()
