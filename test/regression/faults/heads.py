"""Heads, groups and head dims."""

import numpy as np
from attention import Settings, agree, attend, close, random_probe, rows


def h1_odd_head_dims():
    """Head dims that are odd or a multiple of nothing; the scale is that of the real head dim."""
    for d in (1, 7, 16, 40, 63, 72, 80, 88, 96, 100):
        for dtype in ("f32", "f16", "bf16"):
            q, k, v = random_probe(1, 2, 1, 130, 130, d, dtype=dtype)
            agree(*attend("", q, k, v, dtype), q, k, v, dtype)


def h2_group_ratios():
    """Ratios of query to key heads that are no power of two."""
    for hq, hkv in ((12, 2), (28, 4), (6, 2), (5, 5), (7, 1)):
        for s in (1, 8):
            q = np.zeros((2, hq, s, 32), np.float32)
            tag = 100 * np.arange(2)[:, None] + np.arange(hkv)
            v = np.broadcast_to(tag[:, :, None, None], (2, hkv, 64, 32)).astype(np.float32)
            o, _ = attend("", q, v, v)
            assert np.array_equal(rows(o), np.repeat(tag, hq // hkv, axis=1)[:, :, None] * np.ones(s, np.float32))


def h3_mask_by_head():
    """A mask that depends on the head, few queries."""
    q = np.zeros((1, 32, 8, 16), np.float32)
    v = np.broadcast_to(np.arange(64, dtype=np.float32)[:, None], (1, 32, 64, 16))
    o, _ = attend("def mask_mod(b, h, q, kv):\n    return kv % 32 == h\n", q, v, v)
    close(rows(o)[0], np.broadcast_to(np.arange(32)[:, None] + 16, (32, 8)), "O")


def h5_two_head_dims():
    """Key and value head dims that differ, up to 576 and 512, or up to 256 in kernels for GPUs."""
    largest = ((256, 200, 70), (200, 256, 40)) if Settings.device == "emulator" else ((576, 512, 70), (576, 576, 40))
    for d, dv, n in ((128, 96, 130), (64, 128, 130), (192, 128, 130), (16, 48, 130), (3, 1, 50), *largest):
        for dtype in ("f32", "bf16"):
            q, k, v = random_probe(1, 2, 1, n, n, d, dv, dtype=dtype)
            agree(*attend("", q, k, v, dtype), q, k, v, dtype)


def h6_small_head_dims():
    """Small and unusual head dims."""
    for d in (8, 16, 24, 192):
        q, k, v = random_probe(1, 1, 1, 130, 130, d)
        agree(*attend("", q, k, v), q, k, v, "f32")
