#!/usr/bin/env python3
"""Compiles kernels of f32 on tensor cores and judges what ptxas makes of them.

usage: ptxas_tf32.py [--all] [--attnc PROGRAM] [--ptxas PROGRAM]

Head dims 64, 128 and 256 of --tf32 and --tf32x3: an entry is bad if ptxas warns, if it needs more shared memory than the architecture has,
or if it spills more than SPILL_LIMIT bytes, or what not-there-yet.json says of it. Without --all, each program is compiled for one of the
architectures.

Exit status 0 if no entry is bad, else 1."""
import argparse
import pathlib
import sys
import tempfile

import ptx_kernels
from ptx_kernels import SHARED_KIB

ARCHS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
SPILL_LIMIT = 64
PROGRAMS = {
    "causal": "mask_mod = causal\n",
    "plain": "",
    "window": "mask_mod = and_masks(causal, sliding_window(1024))\n",
    "ALiBi": "score_mod = alibi\nmask_mod = causal\n",
    "softcap": "score_mod = softcap(30.0)\n",
    "documents": "doc: i32[B, KV]\nmask_mod = and_masks(document(doc), causal)\n",
}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--attnc", default="attnc")
    parser.add_argument("--ptxas", default="ptxas")
    options = parser.parse_args()
    tools = ptx_kernels.Tools(options.attnc, options.ptxas)
    table = ptx_kernels.read_not_there_yet("tf32_spill_stores")
    faults = entries = 0
    for i, (name, text) in enumerate(PROGRAMS.items()):
        for arch in ARCHS if options.all else [ARCHS[i % len(ARCHS)]]:
            for products in ("tf32", "tf32x3"):
                with tempfile.TemporaryDirectory() as folder:
                    program, ptx, cubin = (pathlib.Path(folder, file) for file in ("kernel.attn", "kernel.ptx", "kernel.cubin"))
                    program.write_text(text)
                    tools.write_ptx(program, arch, ["--dtype", "f32", "--head-dim", "64,128,256", "--lse", f"--{products}"], ptx)
                    found, warnings = tools.assemble(ptx, arch, cubin)
                for warning in warnings:
                    print(f"{name} {products} {arch}: {warning}")
                for entry in found:
                    assert entry["products"] == products, entry
                    limit = table.get(f"{name} {products} D {entry['head_dim']}", {}).get("bytes", SPILL_LIMIT)
                    spills, shared = entry["spill_stores"] > limit, entry["shared"] > 1024 * SHARED_KIB[arch]
                    verdict = "FAIL" if spills or shared else "pass"
                    faults += spills or shared
                    print(f"{verdict} {name} {products} {entry['entry']} {arch}: {entry['registers']} registers, {entry['spill_stores']} bytes "
                          f"of spill stores, {entry['shared']} bytes of shared memory")
                faults += len(warnings)
                entries += len(found)
    print(f"{entries} entries, ptxas {tools.version}: {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
