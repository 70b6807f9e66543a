"""Masks and empty rows."""

import numpy as np
from attention import agree, attend, close, dense, random_probe, rows, uniform_probe

LN = np.log


def m1_fully_masked_rows():
    """Rows without a key give O = 0 and LSE = -inf; the rows after them are right."""
    program = "def mask_mod(b, h, q, kv):\n    return (q >= kv) & (kv >= 128)\n"
    for dtype in ("f32", "f16", "bf16"):
        o, lse = attend(program, *uniform_probe(1, 1, 1, 256, 256, 64, dtype=dtype), dtype)
        o = rows(o)[0, 0]
        assert (o[:128] == 0).all() and np.isneginf(lse[0, 0, :128]).all()
        close(o[128], 128, "row 128", 1e-2 if dtype == "bf16" else 1e-3)
        close(o[255], 191.5, "row 255", 1e-2 if dtype == "bf16" else 1e-3)
        close(lse[0, 0, 255], LN(128), "LSE of row 255")


def m2_first_block_empty():
    """The first visited block of every row is empty."""
    o, lse = attend("def mask_mod(b, h, q, kv):\n    return kv >= 128\n", *uniform_probe(1, 1, 1, 256, 256, 64))
    close(rows(o), 191.5, "O")
    close(lse, LN(128), "LSE")


def m3_minus_inf_bias_row():
    """A row of -inf in an additive bias is an empty row."""
    bias = np.zeros((8, 8), np.float32)
    bias[3] = -np.inf
    program = "bias: f32[Q, KV]\ndef score_mod(s, b, h, q, kv):\n    return s + bias[q, kv]\n"
    o, lse = attend(program, *uniform_probe(1, 1, 1, 8, 8, 16), captures={"bias": bias})
    expected = np.full(8, 3.5)
    expected[3] = 0
    close(rows(o)[0, 0], expected, "O")
    assert np.isneginf(lse[0, 0, 3]) and np.isfinite(np.delete(lse[0, 0], 3)).all()


def m4_lowest_bias_is_no_mask():
    """A row biased by the lowest finite number still sees every key alike."""
    bias = np.zeros((8, 8), np.float32)
    bias[3] = np.finfo(np.float32).min
    program = "bias: f32[Q, KV]\ndef score_mod(s, b, h, q, kv):\n    return s + bias[q, kv]\n"
    o, _ = attend(program, *uniform_probe(1, 1, 1, 8, 8, 16), captures={"bias": bias})
    close(rows(o), 3.5, "O")


def m5_poison_in_masked_keys():
    """NaN and inf in K and V of excluded keys do not show."""
    for poison in (np.nan, np.inf, -np.inf):
        q, k, v = uniform_probe(1, 1, 1, 128, 128, 64)
        k, v = k.copy(), v.copy()
        k[:, :, 100:] = poison
        v[:, :, 100:] = poison
        for dtype in ("f32", "f16", "bf16"):
            o, lse = attend("def mask_mod(b, h, q, kv):\n    return kv < 100\n", q, k, v, dtype)
            close(rows(o), 49.5, f"O with {poison} in {dtype}", 2e-3 if dtype != "f32" else 2e-6)
            close(lse, LN(100), "LSE")


def m6_checkerboard():
    """A mask that varies inside every tile."""
    o, _ = attend("def mask_mod(b, h, q, kv):\n    return (q + kv) % 2 == 0\n", *uniform_probe(1, 1, 1, 512, 512, 64))
    close(rows(o)[0, 0], np.where(np.arange(512) % 2 == 0, 255, 256), "O")


def m7_classes_from_samples():
    """A band inside one tile is not lost, and random predicates agree with brute force."""
    o, lse = attend("def mask_mod(b, h, q, kv):\n    return (kv >= 40) & (kv <= 60)\n", *uniform_probe(1, 1, 1, 256, 256, 64))
    close(rows(o), 50, "O")
    close(lse, LN(21), "LSE")
    rng = np.random.default_rng(7)
    for _ in range(40):
        text, function = random_predicate(rng)
        q_len, kv_len = rng.integers(1, 301, 2)
        q, k, v = uniform_probe(1, 1, 1, q_len, kv_len, 16)
        o, lse = attend(f"def mask_mod(b, h, q, kv):\n    return {text}\n", q, k, v)
        expected, expected_lse = dense(q, k, v, mask=function)
        close(o, expected, f"O of {text} at {q_len}x{kv_len}", 4e-6)
        close(lse, expected_lse, f"LSE of {text} at {q_len}x{kv_len}", 4e-6)


def random_predicate(rng, depth=2):
    """A predicate as text and as a function of index grids."""
    kind = rng.integers(0, 9 if depth else 6)
    c, d = int(rng.integers(-40, 300)), int(rng.integers(1, 40))
    simple = [
        (f"(q - kv < {c})", lambda b, h, q, kv: q - kv < c),
        (f"(q + {c} >= kv)", lambda b, h, q, kv: q + c >= kv),
        (f"(kv // {d} == q // {d})", lambda b, h, q, kv: kv // d == q // d),
        (f"((q + kv) % {d} == 0)", lambda b, h, q, kv: (q + kv) % d == 0),
        (f"({c} <= 2 * kv - q)", lambda b, h, q, kv: c <= 2 * kv - q),
        (f"(abs(q - kv) < {d})", lambda b, h, q, kv: abs(q - kv) < d),
    ]
    if kind < 6:
        return simple[kind]
    left, f = random_predicate(rng, depth - 1)
    right, g = random_predicate(rng, depth - 1)
    return [(f"({left} & {right})", lambda *i: f(*i) & g(*i)), (f"({left} | {right})", lambda *i: f(*i) | g(*i)),
            (f"(~{left} ^ {right})", lambda *i: ~f(*i) ^ g(*i))][kind - 6]


def m8_offset_queries():
    """Queries 256 to 383 of a causal mask over 512, the offset a launch argument."""
    program = "off: i32[]\ndef mask_mod(b, h, q, kv):\n    return q + off >= kv\n"
    o, _ = attend(program, *uniform_probe(1, 1, 1, 128, 512, 64), captures={"off": np.int32(256)})
    close(rows(o)[0, 0], (np.arange(128) + 256) / 2, "O")
    program = program.replace("i32[]", "i32")
    o, _ = attend(program, *uniform_probe(1, 1, 1, 128, 512, 64), flags=["--set", "off=256"])
    close(rows(o)[0, 0], (np.arange(128) + 256) / 2, "O")


def m11_block_table_alone_masks():
    """A captured table of blocks is the only mask."""
    table = np.zeros((4, 4), bool)
    for row, keys in enumerate([(0, 1), (0, 2), (1, 3), (2, 3)]):
        table[row, list(keys)] = True
    for block, expected in ((256, [255.5, 383.5, 639.5, 767.5]), (64, [63.5, 95.5, 159.5, 191.5])):
        program = f"blk: bool[4, 4]\ndef mask_mod(b, h, q, kv):\n    return blk[q // {block}, kv // {block}]\n"
        o, _ = attend(program, *uniform_probe(1, 1, 1, 4 * block, 4 * block, 64), captures={"blk": table})
        close(rows(o)[0, 0], np.repeat(expected, block), "O")


def m12_window_off_by_one():
    """A window counts the row's own key."""
    for op, row4, row129 in (("<=", 2.0, 127.0), ("<", 2.5, 127.5)):
        program = f"def mask_mod(b, h, q, kv):\n    return (q >= kv) & (q - kv {op} 4)\n"
        o, _ = attend(program, *uniform_probe(1, 1, 1, 130, 130, 64))
        close(rows(o)[0, 0, [4, 129]], [row4, row129], "O")


def m13_lengths_off_the_tile():
    """Causal with lengths that fit no tile, in every dtype and several head dims."""
    for dtype in ("f32", "f16", "bf16"):
        for d in (16, 64, 128):
            q, k, v = random_probe(1, 2, 1, 100, 300, d, dtype=dtype)
            o, lse = attend("mask_mod = causal\n", q, k, v, dtype)
            agree(o, lse, q, k, v, dtype, mask=lambda b, h, q, kv: q >= kv)
