#!/usr/bin/env python3
"""Counts the instructions in the loops of kernels for sm_80, and judges them.

usage: density.py [--attnc PROGRAM] [--ptxas PROGRAM] [--nvdisasm PROGRAM] [--json FILE] [--tighten]

All figures are instructions of a lane for each score it has, without the matrix products themselves; both sides of a branch
count. The unmasked loop is the hottest one, over full blocks of keys; the masked one is that over partial blocks. A kernel that misses
a bar fails if one of its loops is longer than in not-there-yet.json; --tighten lowers that table to what is measured. Kernels in f16
have the code of those in bf16, but for its types. Counts move with ptxas: bars are for 13.0.

Exit status 0 if nothing fails, 1 if something does."""
import argparse
import json
import pathlib
import sys
import tempfile

import ptx_kernels
import sass

ARCH, SHARED_PER_SM, SHARED_RESERVED, REGISTERS_PER_SM = "sm_80", 164 * 1024, 1024, 65536
IDS = "doc: i32[B, KV]\n"
VARIANTS = {
    "plain": "",
    "causal": "mask_mod = causal\n",
    "window": "mask_mod = and_masks(causal, sliding_window(1024))\n",
    "documents": IDS + "mask_mod = document(doc)\n",
    "causal documents": IDS + "mask_mod = and_masks(document(doc), causal)\n",
    "columns": "def mask_mod(b, h, q_idx, kv_idx):\n    return kv_idx % 3 != 0\n",
    "ALiBi": "score_mod = alibi\n",
    "softcap": "score_mod = softcap(30.0)\n",
    "softcap, approximate": "score_mod = softcap(30.0)\n",
}
# Masks that no block passes unmasked have the masked loop only.
NEVER_FULL = {"columns"}
FLAGS = {"softcap, approximate": ["--approx", "tanh"]}

UNMASKED = {64: 7.3, 128: 10.0}
# What a masked loop may have beyond the unmasked one of its kernel. A general mask has its own arithmetic besides: one comparison of
# ids, and in causal documents one of positions; that of columns alone is shared by all rows of a lane.
MASK = {"causal": 1.6, "window": 2.2, "documents": 2.4 + 1, "causal documents": 2.4 + 2, "columns": 2.4}
# What an unmasked loop may have beyond that of plain attention.
SCORE = {"ALiBi": 1.6, "softcap": 5.5, "softcap, approximate": 2.3}
# At most this share of what FlexAttention (torch 2.15, its default sizes for an A100) has for the same variant, by loop and head dim.
FLEX_SHARE = 0.80
FLEX = {
    ("plain", "unmasked"): {64: 10.41, 128: 14.47},
    ("causal", "unmasked"): {64: 10.33, 128: 14.44},
    ("causal", "masked"): {64: 12.86, 128: 17.16},
    ("window", "masked"): {64: 16.12, 128: 20.19},
    ("causal documents", "masked"): {64: 15.50, 128: 20.31},
    ("ALiBi", "unmasked"): {64: 13.67, 128: 17.94},
    ("softcap", "unmasked"): {64: 28.44, 128: 32.53},
    ("softcap, approximate", "unmasked"): {64: 13.44, 128: 17.44},
}


class Kernel:
    """One variant's kernel: its resources and its two loops."""

    def __init__(self, tools, nvdisasm, variant, dtype, dim):
        with tempfile.TemporaryDirectory() as folder:
            program, ptx, cubin = (pathlib.Path(folder, name) for name in ("kernel.attn", "kernel.ptx", "kernel.cubin"))
            program.write_text(VARIANTS[variant])
            tools.write_ptx(program, ARCH, ["--dtype", dtype, "--head-dim", dim, *FLAGS.get(variant, [])], ptx)
            entries, _ = tools.assemble(ptx, ARCH, cubin)
            (self.facts,) = [entry for entry in entries if entry["entry"] == entry["name"]]
            loops = sass.find_loops(sass.disassemble(cubin, self.facts["entry"], nvdisasm))
        expected = 1 if variant in NEVER_FULL else 2
        if len(loops) != expected:
            raise sass.SassError(f"{variant}: expected {expected} loops with products, got {len(loops)}")
        self.loops = sorted(loops, key=lambda loop: (-loop.mma, loop.instructions))
        self.unmasked, self.masked = (loop.per_score(dim, dim) for loop in (self.loops[0], self.loops[-1]))
        warps = self.facts["threads"] // sass.WARP
        self.keys = round(self.loops[0].scores(dim, dim) * self.facts["threads"]) // self.facts["query_block"]
        # Registers are given to warps in units of 256.
        registers = warps * -(-32 * self.facts["registers"] // 256) * 256
        self.blocks_per_sm = min(SHARED_PER_SM // (self.facts["shared"] + SHARED_RESERVED), REGISTERS_PER_SM // registers)
        self.tile = f"{self.facts['query_block']} x {self.keys}, {warps} warps"


def rows(kernels, dim):
    """(variant, what, measured, bar) of all kernels of one head dim."""
    plain = kernels["plain"]
    yield "plain", "unmasked loop", plain.unmasked, UNMASKED[dim]
    yield "plain", "warps of a block", plain.facts["threads"] // sass.WARP, 4
    yield "plain", "share of an SM that a block takes", 1 / plain.blocks_per_sm if plain.blocks_per_sm else 9, 0.5
    for variant, bar in MASK.items():
        kernel = kernels[variant]
        unmasked = plain.unmasked if variant in NEVER_FULL else kernel.unmasked
        yield variant, "added by the mask", kernel.masked - unmasked, bar
        yield variant, "unmasked loop against that of plain", abs(unmasked - plain.unmasked), 0
    for variant, bar in SCORE.items():
        yield variant, "added to the unmasked loop", kernels[variant].unmasked - plain.unmasked, bar
    for (variant, loop), figures in FLEX.items():
        yield variant, f"{loop} loop, share of FlexAttention's", getattr(kernels[variant], loop) / figures[dim], FLEX_SHARE


def judge(tools, nvdisasm, dim, table):
    """The rows of a head dim, each with its verdict, and the loops of all kernels."""
    kernels, others = ({variant: Kernel(tools, nvdisasm, variant, dtype, dim) for variant in VARIANTS} for dtype in ("bf16", "f16"))
    print(f"\nbf16, head dim {dim}")
    results, figures, longer = [], {}, set()
    for variant, kernel in kernels.items():
        print(f"  {variant:22} {kernel.tile:22} unmasked {kernel.unmasked:6.2f}, masked {kernel.masked:6.2f}, "
              f"{kernel.facts['registers']} registers, {kernel.facts['spill_stores']} bytes spilled")
        if others[variant].loops != kernel.loops:
            results.append({"what": f"f16 D {dim} {variant}: loops against those of bf16", "measured": 1, "bar": 0, "verdict": "FAIL"})
        name = f"D {dim} {variant}"
        figures[name] = {"unmasked": round(kernel.unmasked, 2), "masked": round(kernel.masked, 2)}
        if variant in NEVER_FULL:
            del figures[name]["unmasked"]
        if any(figure > table.get(name, {}).get(loop, 0) for loop, figure in figures[name].items()):
            longer.add(variant)
    for variant, what, measured, bar in rows(kernels, dim):
        # To the digit that is shown, so that the table says what is compared.
        measured, bar = round(measured, 2), round(bar, 2)
        verdict = "pass" if measured <= bar else "FAIL" if variant in longer else "not yet"
        results.append({"what": f"D {dim} {variant}: {what}", "measured": measured, "bar": bar, "verdict": verdict})
    return results, figures


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--attnc", default="attnc")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the table")
    parser.add_argument("--tighten", action="store_true")
    options = parser.parse_args()
    tools = ptx_kernels.Tools(options.attnc, options.ptxas)
    table = ptx_kernels.read_not_there_yet("density")
    print(f"{ARCH}, ptxas {tools.version}")
    results, figures = [], {}
    for dim in UNMASKED:
        more, loops = judge(tools, options.nvdisasm, dim, table)
        results += more
        figures |= loops
    print(f"\n{'measured':>9} {'bar':>6}")
    for row in results:
        print(f"{row['measured']:9.2f} {row['bar']:6.2f} {row['verdict']:8} {row['what']}")
    for name, loops in figures.items():
        for loop, figure in loops.items():
            known = table.get(name, {}).get(loop)
            if known is None or figure > known:
                print(f"longer: {name}, {loop} loop of {figure}, {known} in {ptx_kernels.NOT_THERE_YET.name}")
    counts = {verdict: sum(row["verdict"] == verdict for row in results) for verdict in ("pass", "not yet", "FAIL")}
    print(f"{counts['pass']} pass, {counts['not yet']} are not there yet, {counts['FAIL']} fail")
    if any(figure < table[name][loop] for name, loops in figures.items() if name in table for loop, figure in loops.items()):
        print(f"note: {ptx_kernels.NOT_THERE_YET.name} can be lowered: density.py --tighten")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    if options.tighten:
        ptx_kernels.lower_not_there_yet("density", figures)
    return 1 if counts["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
