"""Captured tensors and score mods. Accesses outside a tensor are looked for with guard pages by the unit tests of the
host device; here the values are checked."""

import numpy as np
from attention import agree, attend, close, normal, random_probe, refused, rows, round_to, uniform_probe


def c1_predicate_past_the_table():
    """A table of 130 entries, lengths that fit no tile."""
    keep = np.random.default_rng(1).random(130) < 0.5
    q, k, v = random_probe(1, 1, 1, 130, 130, 64)
    program = "keep: bool[N]\ndef mask_mod(b, h, q, kv):\n    return keep[q] & keep[kv]\n"
    agree(*attend(program, q, k, v, captures={"keep": keep}), q, k, v, "f32", mask=lambda b, h, q, kv: keep[q] & keep[kv])


def c2_offset_in_a_tensor():
    """An offset given as a tensor of one element."""
    q, k, v = uniform_probe(1, 1, 1, 8, 16, 16)
    refused("off: i32[1]\ndef mask_mod(b, h, q, kv):\n    return q + off >= kv\n", q, k, v, "variant.attn:3:", "off[0]",
            captures={"off": np.array([4], np.int32)})
    program = "off: i32\ndef mask_mod(b, h, q, kv):\n    return q + off >= kv\n"
    refused(program, q, k, v, "off", captures={"off": np.array([4], np.int32)})
    o, _ = attend(program, q, k, v, captures={"off": np.array(4, np.int32)})
    close(rows(o)[0, 0], (np.arange(8) + 4) / 2, "O")


def c3_read_at_masked_pairs():
    """A bias that ends where the mask does."""
    buf = normal(127, seed=5)
    q, k, v = random_probe(1, 1, 1, 128, 128, 64)
    program = "buf: f32[127]\ndef score_mod(s, b, h, q, kv):\n    return s + buf[kv]\ndef mask_mod(b, h, q, kv):\n    return (kv < 127) & (q >= kv)\n"
    agree(*attend(program, q, k, v, captures={"buf": buf}), q, k, v, "f32",
          score_mod=lambda s, b, h, q, kv: s + buf[np.minimum(kv, 126)], mask=lambda b, h, q, kv: (kv < 127) & (q >= kv))


def c4_negative_index():
    """A negative index: at excluded pairs unseen, elsewhere it counts from the end."""
    rel = normal((1, 2, 64, 64), seed=6)
    q, k, v = random_probe(1, 2, 1, 64, 64, 64)
    program = "rel: f32[B, Hq, Q, KV]\ndef score_mod(s, b, h, q, kv):\n    return s + rel[b, h, q, q - kv]\n"
    mod = lambda s, b, h, q, kv: s + rel[b, h, q, q - kv]
    agree(*attend(program, q, k, v, captures={"rel": rel}), q, k, v, "f32", score_mod=mod)
    agree(*attend(program + "mask_mod = causal\n", q, k, v, captures={"rel": rel}), q, k, v, "f32", score_mod=mod,
          mask=lambda b, h, q, kv: q >= kv)


def c5_index_taken_for_uniform():
    """A bias by distance times a factor of the head."""
    for b, h, s, dtype in ((2, 8, 256, "bf16"), (1, 2, 130, "f32")):
        rel, slope = normal(2 * s - 1, seed=7), normal(h, seed=8)
        q, k, v = random_probe(b, h, h, s, s, 64, dtype=dtype)
        program = "rel: f32[Q + KV - 1]\nslope: f32[Hq]\ndef score_mod(s, b, h, q, kv):\n    return s + rel[q - kv + KV - 1] * slope[h]\n"
        agree(*attend(program, q, k, v, dtype, {"rel": rel, "slope": slope}), q, k, v, dtype,
              score_mod=lambda x, b, h, q, kv: x + rel[q - kv + s - 1] * slope[h])


def c6_builtins_on_narrow_types():
    """Builtins on captured f16, bf16 and int values."""
    functions = {"exp": np.exp, "log": np.log, "log2": np.log2, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "tanh": np.tanh,
                 "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "sin": np.sin, "cos": np.cos, "abs": np.abs, "floor": np.floor}
    q, k, v = random_probe(1, 1, 1, 33, 40, 16)
    real = 0.25 + 3 * np.random.default_rng(9).random(40).astype(np.float32)
    for declared, x, stored in (("f16", round_to(real, "f16"), "f16"), ("bf16", round_to(real, "bf16"), "bf16"),
                                ("i32", np.arange(1, 41, dtype=np.int32), None)):
        for name, function in functions.items():
            program = f"x: {declared}[KV]\ndef score_mod(s, b, h, q, kv):\n    return s + 0.1 * {name}(x[kv])\n"
            values = 0.1 * function(x.astype(np.float64))
            o, lse = attend(program, q, k, v, captures={"x": (x, stored)})
            agree(o, lse, q, k, v, "f32", score_mod=lambda s, b, h, q, kv: s + values[kv])


def c7_features_are_not_dropped():
    """Every feature changes the result on long and short shapes, and matches the reference."""
    features = {
        "softcap": ("score_mod = softcap(20.0)\n", dict(score_mod=lambda s, *_: 20 * np.tanh(s / 20))),
        "window": ("def mask_mod(b, h, q, kv):\n    p = q + KV - Q\n    return (p >= kv) & (p - kv < 9)\n", None),
        "bias": ("t: f32[Q, KV]\nscore_mod = bias(t)\n", None),
        "scale": ("scale: f32 = 0.5\n", dict(scale=0.5)),
    }
    for n_q, n_kv in ((1, 200), (8, 200), (130, 200)):
        table = normal((n_q, n_kv), seed=3)
        q, k, v = random_probe(1, 2, 1, n_q, n_kv, 64, gain=np.sqrt(30))
        plain, _ = attend("", q, k, v)
        for name, (program, expected) in features.items():
            if name == "window":
                expected = dict(mask=lambda b, h, q, kv: (q + n_kv - n_q >= kv) & (q + n_kv - n_q - kv < 9))
            if name == "bias":
                expected = dict(score_mod=lambda s, b, h, q, kv: s + table[q, kv])
            o, lse = attend(program, q, k, v, captures={"t": table} if name == "bias" else None)
            agree(o, lse, q, k, v, "f32", **expected)
            assert not np.allclose(o, plain, atol=1e-3), f"{name} changed nothing"


def c8_sign_of_alibi():
    """ALiBi lowers what lies behind."""
    program = "def score_mod(s, b, h, q, kv):\n    return s - 0.6931471805599453 * (q - kv)\nmask_mod = causal\n"
    o, _ = attend(program, *uniform_probe(1, 1, 1, 3, 3, 16))
    close(rows(o)[0, 0, 2], (0 / 4 + 1 / 2 + 2) / 1.75, "row 2")
