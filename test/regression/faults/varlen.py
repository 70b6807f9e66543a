"""Decode, packed sequences and pages."""

import numpy as np
from attention import agree, attend, close, dense, normal, random_probe, rows, uniform_probe


def packed(q_lengths, k_lengths):
    """Document ids and positions of packed sequences."""
    ids = [np.repeat(np.arange(len(n)), n).astype(np.int32) for n in (q_lengths, k_lengths)]
    positions = [np.concatenate([np.arange(x) for x in n] or [[]]).astype(np.int32) for n in (q_lengths, k_lengths)]
    return ids, positions


DOCUMENTS = """qdoc: i32[Q]
kdoc: i32[KV]
qpos: i32[Q]
kpos: i32[KV]
shift: i32[N]

def mask_mod(b, h, q, kv):
    return (qdoc[q] == kdoc[kv]) & (qpos[q] + shift[qdoc[q]] >= kpos[kv])
"""


def run_documents(q_lengths, k_lengths, d=16):
    (qdoc, kdoc), (qpos, kpos) = packed(q_lengths, k_lengths)
    shift = np.array(k_lengths, np.int32) - np.array(q_lengths, np.int32)
    q, k, v = random_probe(1, 1, 1, len(qdoc), len(kdoc), d)
    captures = {"qdoc": qdoc, "kdoc": kdoc, "qpos": qpos, "kpos": kpos, "shift": shift}
    o, lse = attend(DOCUMENTS, q, k, v, captures=captures)
    agree(o, lse, q, k, v, "f32", mask=lambda b, h, q, kv: (qdoc[q] == kdoc[kv]) & (qpos[q] + shift[qdoc[q]] >= kpos[kv]))
    return o, v, qdoc


def v1_one_key_per_document():
    """Documents of 76, 34 and 146 queries with one key each, bottom-right causal."""
    o, v, qdoc = run_documents((76, 34, 146), (1, 1, 1))
    for document in range(3):
        own = np.flatnonzero(qdoc == document)
        assert np.array_equal(o[0, 0, own[-1]], v[0, 0, document]) and (o[0, 0, own[:-1]] == 0).all()


def v2_unwritten_cache_slots():
    """A cache of 256 slots, 10 of them filled."""
    program = "pos: i32\ndef mask_mod(b, h, q, kv):\n    return kv <= pos\n"
    o, _ = attend(program, *uniform_probe(1, 1, 1, 1, 256, 64), flags=["--set", "pos=9"])
    close(rows(o), 4.5, "O")


def v3_empty_document():
    """A document without keys, and one without queries."""
    run_documents((0, 1023), (1, 2044))
    run_documents((5, 0, 40), (0, 7, 50))
    program = "lengths: i32[B]\nmask_mod = padding(lengths)\n"
    q, k, v = random_probe(3, 1, 1, 10, 50, 16)
    lengths = np.array([0, 50, 0], np.int32)
    agree(*attend(program, q, k, v, captures={"lengths": lengths}), q, k, v, "f32", mask=lambda b, h, q, kv: kv < lengths[b])


def v4_pages():
    """Requests of 5, 70 and 0 tokens over shuffled pages of one pool; free pages hold poison."""
    lengths, page, pages = np.array([5, 70, 0], np.int32), 16, 8
    order = np.random.default_rng(4).permutation(pages)
    owner, pos = np.full(page * pages, -1, np.int32), np.zeros(page * pages, np.int32)
    taken = 0
    for request, length in enumerate(lengths):
        for start in range(0, length, page):
            slots = order[taken] * page + np.arange(page)
            owner[slots], pos[slots] = request, start + np.arange(page)
            taken += 1
    used = (owner >= 0) & (pos < lengths[np.maximum(owner, 0)])
    q, k, v = random_probe(3, 2, 1, 4, page * pages, 32)
    k, v = k[:1].copy(), v[:1].copy()
    clean = [np.broadcast_to(x, (3, *x.shape[1:])) for x in (k, v)]
    expected = dense(q, *clean, mask=lambda b, h, q, kv: (owner[kv] == b) & (pos[kv] < lengths[b]))
    k[:, :, ~used] = np.nan
    v[:, :, ~used] = np.nan
    program = "owner: i32[KV]\npos: i32[KV]\nlen_: i32[B]\ndef mask_mod(b, h, q, kv):\n    return (owner[kv] == b) & (pos[kv] < len_[b])\n"
    flags = []
    for name in "kv":
        flags += ["--view", f"{name}={name}_pool:3,1,{page * pages},32:0,0,32,1:0"]
    o, lse = attend(program, q, k, v, captures={"owner": owner, "pos": pos, "len_": lengths, "k_pool": k, "v_pool": v}, flags=flags)
    close(o, expected[0], "O", 1e-5)
    close(lse, expected[1], "LSE", 1e-5)
    assert (o[2] == 0).all() and np.isneginf(lse[2]).all()
