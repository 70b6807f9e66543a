"""Families of masks: what the analysis should find of each.

A family has a program, the same mask in numpy, its captured tensors, and what must be found: `exact` where every empty and full block is,
else whether the share may be less, which docs/masks.md tells."""

import numpy as np


class Family:
    def __init__(self, name, program, mask, exact=True, Q=1000, KV=1000, B=1, H=1, captures=None, flags=()):
        self.name, self.program, self.mask, self.exact = name, program, mask, exact
        self.Q, self.KV, self.B, self.H = Q, KV, B, H
        self.captures, self.flags = captures or {}, list(flags)

    def evaluate(self, b, h):
        """The mask of one batch and head at all pairs."""
        q, kv = np.arange(self.Q)[:, None], np.arange(self.KV)[None, :]
        return np.broadcast_to(self.mask(b, h, q, kv), (self.Q, self.KV))


def predicate(expression, declarations=""):
    return f"{declarations}\ndef mask_mod(b, h, q, kv):\n    return {expression}\n"


def make_families():
    rng = np.random.default_rng(11)
    S = 1000
    lengths = np.sort(rng.choice(np.arange(1, S), 12, replace=False))
    sorted_ids = np.searchsorted(lengths, np.arange(S), side="right").astype(np.int32)
    shuffled_ids = rng.permutation(13).astype(np.int32)[sorted_ids]
    interleaved = (np.arange(S) % 7).astype(np.int32)
    prefix = np.array([300, 77], np.int32)
    used = np.array([1000, 411], np.int32)
    windows = np.array([50, 400, 1000], np.int32)
    keep = rng.random((S, S)) < 0.5
    blocks = rng.random((8, 8)) < 0.4
    positions = np.sort(rng.integers(0, 1500, S)).astype(np.int32)
    is_global = np.zeros(S, bool)
    is_global[[3, 500]] = True
    # A tree in the order of a walk: a token's descendants follow it, up to `last`.
    last = np.arange(S, dtype=np.int32)
    for i in range(S):
        last[i] = min(S - 1, i + int(rng.integers(0, 200 if i % 50 == 0 else 6)))
    for i in reversed(range(S)):
        last[i] = max(last[i], last[i + 1:last[i] + 1].max(initial=0))
    home = rng.permutation(63).astype(np.int32)
    ids_dtype = "doc: i32[KV]"
    same = lambda ids: lambda b, h, q, kv: ids[q] == ids[kv]
    causal = lambda q, kv: q >= kv

    def diffusion(b, h, q, kv, n=500, size=50):
        x_q, x_kv = q >= n, kv >= n
        bq, bk = np.where(x_q, (q - n) // size, q // size), np.where(x_kv, (kv - n) // size, kv // size)
        return ((bq == bk) & (x_q == x_kv)) | ((bq > bk) & x_kv & ~x_q) | ((bq >= bk) & x_kv & x_q)

    diffusion_text = """n = 500
size = 50

def mask_mod(b, h, q, kv):
    x_q = q >= n
    x_kv = kv >= n
    bq = where(x_q, (q - n) // size, q // size)
    bk = where(x_kv, (kv - n) // size, kv // size)
    diagonal = (bq == bk) & (x_q == x_kv)
    offset = (bq > bk) & x_kv & ~x_q
    return diagonal | offset | ((bq >= bk) & x_kv & x_q)
"""
    return [
        Family("full", "mask_mod = full\n", lambda b, h, q, kv: np.ones(())),
        Family("empty", "mask_mod = empty\n", lambda b, h, q, kv: np.zeros(())),
        Family("causal", "mask_mod = causal\n", lambda b, h, q, kv: causal(q, kv)),
        Family("causal, bottom right", "mask_mod = causal_bottom_right\n", lambda b, h, q, kv: q + 400 >= kv, Q=600),
        Family("anti-causal", predicate("q <= kv"), lambda b, h, q, kv: q <= kv),
        Family("causal at an offset (scalar argument)", predicate("q + off >= kv", "off: i32"),
               lambda b, h, q, kv: q + 300 >= kv, Q=300, flags=["--set", "off=300"]),
        Family("sliding window", "mask_mod = and_masks(causal, sliding_window(256))\n",
               lambda b, h, q, kv: causal(q, kv) & (q - kv < 256)),
        Family("window of a scalar argument", predicate("0 <= q - kv < n", "n: i32"),
               lambda b, h, q, kv: (0 <= q - kv) & (q - kv < 200), flags=["--set", "n=200"]),
        Family("square of the distance", predicate("(q - kv) * (q - kv) < 9000"), lambda b, h, q, kv: (q - kv) ** 2 < 9000),
        Family("window on both sides", predicate("abs(q - kv) <= 130"), lambda b, h, q, kv: abs(q - kv) <= 130),
        Family("outside a window", predicate("abs(q - kv) > 130"), lambda b, h, q, kv: abs(q - kv) > 130),
        Family("window and sink tokens", "mask_mod = and_masks(causal, sink_window(200, 70))\n",
               lambda b, h, q, kv: causal(q, kv) & ((q - kv < 200) | (kv < 70))),
        Family("prefix", "mask_mod = prefix_lm(300)\n", lambda b, h, q, kv: (kv < 300) | causal(q, kv)),
        Family("prefix of each batch", predicate("(kv < n[b]) | (q >= kv)", "n: i32[B]"),
               lambda b, h, q, kv: (kv < prefix[b]) | causal(q, kv), B=2, captures={"n": prefix}),
        Family("padding", predicate("kv < n[b]", "n: i32[B]"), lambda b, h, q, kv: kv < used[b], B=2, captures={"n": used}),
        Family("padding of queries and keys, causal", predicate("(kv < n[b]) & (q < n[b]) & (q >= kv)", "n: i32[B]"),
               lambda b, h, q, kv: (kv < used[b]) & (q < used[b]) & causal(q, kv), B=2, captures={"n": used}),
        Family("block-causal", "mask_mod = block_causal(100)\n", lambda b, h, q, kv: q // 100 >= kv // 100),
        Family("chunked", "mask_mod = chunked(200)\n", lambda b, h, q, kv: (q // 200 == kv // 200) & causal(q, kv)),
        Family("chunks by bits", predicate("((q ^ kv) < 128) & ((q & ~63) >= (kv & ~63))"),
               lambda b, h, q, kv: ((q ^ kv) < 128) & ((q & ~63) >= (kv & ~63))),
        Family("dilated window", "mask_mod = dilated_window(100, 4)\n",
               lambda b, h, q, kv: (0 <= q - kv) & (q - kv < 400) & ((q - kv) % 4 == 0)),
        Family("widely dilated", predicate("(q >= kv) & ((q - kv) % 300 < 10)"),
               lambda b, h, q, kv: causal(q, kv) & ((q - kv) % 300 < 10)),
        Family("strided and local", predicate("(q >= kv) & ((q - kv < 100) | (kv % 64 >= 60))"),
               lambda b, h, q, kv: causal(q, kv) & ((q - kv < 100) | (kv % 64 >= 60))),
        Family("longformer", predicate("(abs(q - kv) <= 100) | (q < 20) | (kv < 20)"),
               lambda b, h, q, kv: (abs(q - kv) <= 100) | (q < 20) | (kv < 20)),
        Family("longformer, globals of a table", predicate("(abs(q - kv) <= 100) | g[q] | g[kv]", "g: bool[KV]"),
               lambda b, h, q, kv: (abs(q - kv) <= 100) | is_global[q] | is_global[kv], captures={"g": is_global}),
        Family("window and tokens at both ends", predicate("(abs(q - kv) <= 40) | (kv < 70) | (kv >= KV - 90)"),
               lambda b, h, q, kv: (abs(q - kv) <= 40) | (kv < 70) | (kv >= 910)),
        Family("same column", predicate("(q >= kv) & (q % 200 == kv % 200)"), lambda b, h, q, kv: causal(q, kv) & (q % 200 == kv % 200)),
        Family("checkerboard", predicate("(q + kv) % 2 == 0"), lambda b, h, q, kv: (q + kv) % 2 == 0),
        Family("neighbourhood, 2-D", "mask_mod = neighbourhood_2d(32, 9)\n",
               lambda b, h, q, kv: (abs(q // 32 - kv // 32) <= 4) & (abs(q % 32 - kv % 32) <= 4), exact=False),
        Family("disc, 2-D", predicate("(q // 32 - kv // 32) ** 2 + (q % 32 - kv % 32) ** 2 <= 20"),
               lambda b, h, q, kv: (q // 32 - kv // 32) ** 2 + (q % 32 - kv % 32) ** 2 <= 20),
        Family("neighbourhood, 3-D",
               predicate("(abs(q // 100 - kv // 100) <= 1) & (abs(q // 10 % 10 - kv // 10 % 10) <= 2) & (abs(q % 10 - kv % 10) <= 2)"),
               lambda b, h, q, kv: (abs(q // 100 - kv // 100) <= 1) & (abs(q // 10 % 10 - kv // 10 % 10) <= 2)
               & (abs(q % 10 - kv % 10) <= 2), exact=False),
        Family("two parts", predicate("where(q < 450, kv < 450, (q - 450) // 60 >= (kv - 450) // 60)"),
               lambda b, h, q, kv: np.where(q < 450, kv < 450, (q - 450) // 60 >= (kv - 450) // 60)),
        Family("block diffusion", diffusion_text, diffusion),
        Family("documents, sorted", "doc: i32[KV]\nmask_mod = document(doc)\n", same(sorted_ids), captures={"doc": sorted_ids}),
        Family("documents, sorted, causal", predicate("(doc[q] == doc[kv]) & (q >= kv)", ids_dtype),
               lambda b, h, q, kv: (sorted_ids[q] == sorted_ids[kv]) & causal(q, kv), captures={"doc": sorted_ids}),
        Family("documents, sorted, windowed", predicate("(doc[q] == doc[kv]) & (q >= kv) & (q - kv < 90)", ids_dtype),
               lambda b, h, q, kv: (sorted_ids[q] == sorted_ids[kv]) & causal(q, kv) & (q - kv < 90), captures={"doc": sorted_ids}),
        Family("documents, unsorted", predicate("doc[q] == doc[kv]", ids_dtype), same(shuffled_ids), exact=False,
               captures={"doc": shuffled_ids}),
        Family("documents, interleaved", predicate("doc[q] == doc[kv]", ids_dtype), same(interleaved), exact=False,
               captures={"doc": interleaved}),
        Family("shared prefix", predicate("((kv < 150) | (doc[q] == doc[kv])) & (q >= kv)", ids_dtype),
               lambda b, h, q, kv: ((kv < 150) | (sorted_ids[q] == sorted_ids[kv])) & causal(q, kv),
               captures={"doc": sorted_ids}),
        Family("shared prefix and padding",
               predicate("((kv < 150) | ((doc[q] == doc[kv]) & (q >= 150))) & (kv < 930) & (q < 970)", ids_dtype),
               lambda b, h, q, kv: ((kv < 150) | ((sorted_ids[q] == sorted_ids[kv]) & (q >= 150))) & (kv < 930) & (q < 970),
               captures={"doc": sorted_ids}),
        Family("token positions", predicate("pos[kv] <= pos[q]", "pos: i32[KV]"),
               lambda b, h, q, kv: positions[kv] <= positions[q], captures={"pos": positions}),
        Family("speculative tree", predicate("(kv <= q) & (q <= last[kv])", "last: i32[KV]"),
               lambda b, h, q, kv: (kv <= q) & (q <= last[kv]), exact=False, captures={"last": last}),
        Family("window of each head", predicate("0 <= q - kv < n[h]", "n: i32[Hq]"),
               lambda b, h, q, kv: (0 <= q - kv) & (q - kv < windows[h]), H=3, captures={"n": windows}),
        Family("pages", predicate("home[kv // 16] * 16 + kv % 16 <= q", "home: i32[63]"),
               lambda b, h, q, kv: home[np.minimum(kv // 16, 62)] * 16 + kv % 16 <= q, captures={"home": home}),
        Family("table of blocks", predicate("blk[q // 128, kv // 128]", "blk: bool[8, 8]"),
               lambda b, h, q, kv: blocks[q // 128, kv // 128], captures={"blk": blocks}),
        Family("random table, causal", predicate("keep[q, kv] & (q >= kv)", "keep: bool[Q, KV]"),
               lambda b, h, q, kv: keep[q, kv] & causal(q, kv), captures={"keep": keep}),
        Family("random table", predicate("keep[q, kv]", "keep: bool[Q, KV]"), lambda b, h, q, kv: keep[q, kv], exact=False,
               captures={"keep": keep}),
        Family("neither of two", predicate("not ((q - kv >= 200) or (q < kv))"),
               lambda b, h, q, kv: ~((q - kv >= 200) | (q < kv))),
        Family("one of two", predicate("(q >= kv) ^ (kv < 300)"), lambda b, h, q, kv: causal(q, kv) ^ (kv < 300)),
        Family("two windows", predicate("(0 <= q - kv < 100) | (400 <= q - kv < 500)"),
               lambda b, h, q, kv: ((0 <= q - kv) & (q - kv < 100)) | ((400 <= q - kv) & (q - kv < 500))),
        Family("a corner", predicate("(q - kv >= 100) & (kv >= 95) & (q < 900)"),
               lambda b, h, q, kv: (q - kv >= 100) & (kv >= 95) & (q < 900)),
    ]
