"""Numbers: bases, precision, large scores, and runs that repeat."""

import numpy as np
from attention import agree, attend, close, dense, random_probe, uniform_probe


def n1_natural_logarithm():
    """LSE is the natural logarithm."""
    _, lse = attend("", *uniform_probe(1, 1, 1, 4, 64, 16))
    close(lse, 4.158883083359672, "LSE")


def n2_f32_is_f32():
    """f32 is computed in f32."""
    q, k, v = random_probe(1, 1, 1, 512, 512, 64)
    o, lse = attend("", q, k, v)
    expected, _ = dense(q, k, v)
    assert np.abs(o - expected).max() < 5e-6


def n3_large_inputs():
    """bf16 with inputs times 5 and times 10."""
    for gain in (5, 10):
        q, k, v = random_probe(1, 1, 1, 200, 200, 64, dtype="bf16", gain=gain)
        agree(*attend("", q, k, v, "bf16"), q, k, v, "bf16")


def n4_huge_scores_at_masked_pairs():
    """Scores that are huge where the mask excludes them."""
    for text, mod in (("(q - kv)", lambda s, b, h, q, kv: s + (q - kv)), ("100 * (kv - q)", lambda s, b, h, q, kv: s + 100 * (kv - q))):
        for n in (257, 1025):
            q, k, v = random_probe(1, 1, 1, n, n, 64, dtype="bf16")
            program = f"def score_mod(s, b, h, q, kv):\n    return s + {text}\nmask_mod = causal\n"
            agree(*attend(program, q, k, v, "bf16"), q, k, v, "bf16", score_mod=mod, mask=lambda b, h, q, kv: q >= kv)


def r2_runs_repeat():
    """The same call gives the same bits, every time and with other work running."""
    q, k, v = random_probe(2, 4, 2, 300, 300, 64, dtype="bf16")
    first = attend("mask_mod = causal\n", q, k, v, "bf16")
    for _ in range(20):
        for got, expected in zip(attend("mask_mod = causal\n", q, k, v, "bf16"), first):
            assert np.array_equal(got, expected)


def r3_lse_on_the_cpu():
    """LSE exists on the host, for all dtypes."""
    for dtype in ("f32", "f16", "bf16"):
        q, k, v = random_probe(1, 2, 2, 65, 65, 80, dtype=dtype)
        agree(*attend("mask_mod = causal\n", q, k, v, dtype), q, k, v, dtype, mask=lambda b, h, q, kv: q >= kv)
