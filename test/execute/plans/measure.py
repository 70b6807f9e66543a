#!/usr/bin/env python3
"""Compares plans of attn-run with evaluation of every pair, for all families of masks.

usage: measure.py check | table
`check` fails where a plan is wrong, where less is found than a family promises or than docs/masks.md says, or where refinement leaves an empty or
full block partial. `table` prints the table of docs/masks.md."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

root = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(root / "test/regression/faults"), str(pathlib.Path(__file__).parent)]
from attention import encode, write_tensors
from families import make_families

BLOCKS = (64, 128)


def plan(family, folder, *flags):
    """The plan of a family as attn-run prints it."""
    (folder / "mask.attn").write_text(family.program)
    zeros = lambda heads, length: ("F32", (family.B, heads, length, 8), bytes(family.B * heads * length * 8 * 4))
    tensors = {"q": zeros(family.H, family.Q), "k": zeros(family.H, family.KV), "v": zeros(family.H, family.KV)}
    for name, array in family.captures.items():
        kind, data = encode(array)
        tensors[name] = (kind, array.shape, data)
    write_tensors(folder / "in.safetensors", tensors)
    command = ["attn-run", str(folder / "mask.attn"), "--in", str(folder / "in.safetensors"), "--plan", "--json", *family.flags, *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{family.name}: {done.stderr}"
    return json.loads(done.stdout)["plan"]


def expand(found, family, b, h):
    """A plan as classes of blocks of one batch and head: 0 empty, 1 partial, 2 full."""
    rows, keys = found["block"]
    classes = np.zeros((-(-family.Q // rows), -(-family.KV // keys)), int)
    seen = np.zeros(len(classes), bool)
    for row in found["rows"]:
        if row["batch"] not in (-1, b) or row["head"] not in (-1, h):
            continue
        assert not seen[row["query_block"]], f"{family.name}: a row stands twice"
        seen[row["query_block"]] = True
        end = 0
        for first, last, kind in row["runs"]:
            assert end <= first <= last < classes.shape[1], f"{family.name}: runs {row['runs']} do not ascend"
            end = last + 1
            classes[row["query_block"], first:last + 1] = {"partial": 1, "full": 2}[kind]
    assert seen.all(), f"{family.name}: rows are missing"
    return classes


def classify(pairs, rows, keys):
    """The true classes of blocks."""
    blocks = np.zeros((-(-pairs.shape[0] // rows), -(-pairs.shape[1] // keys)), int)
    for i in range(blocks.shape[0]):
        for j in range(blocks.shape[1]):
            block = pairs[i * rows:(i + 1) * rows, j * keys:(j + 1) * keys]
            blocks[i, j] = 2 if block.all() else 1 if block.any() else 0
    return blocks


def compare(family, found, size):
    """(empty, found empty, full, found full) over all batches and heads; fails where the plan is wrong."""
    counts = np.zeros(4, int)
    for b in range(family.B):
        for h in range(family.H):
            true, classes = classify(family.evaluate(b, h).astype(bool), size, size), expand(found, family, b, h)
            assert not ((classes == 0) & (true != 0)).any(), f"{family.name}, blocks of {size}: an empty block has pairs"
            assert not ((classes == 2) & (true != 2)).any(), f"{family.name}, blocks of {size}: a full block lacks pairs"
            counts += [(true == 0).sum(), ((true == 0) & (classes == 0)).sum(), (true == 2).sum(), ((true == 2) & (classes == 2)).sum()]
    return counts


def share(total, found):
    return f"{100 * found // total} %" if total else "-"


def measure():
    """For each family its counts at each block size."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for family in make_families():
            results = []
            for size in BLOCKS:
                counts = compare(family, plan(family, folder, "--block", f"{size}x{size}"), size)
                refined = counts
                if not family.exact:
                    refined = compare(family, plan(family, folder, "--block", f"{size}x{size}", "--refine-plan", "--verify-plan"), size)
                results.append((counts, refined))
            yield family, results


def print_row(family, results):
    cells = [share(*pair) for counts, _ in results for pair in (counts[0:2], counts[2:4])]
    return f"| {family.name} | " + " | ".join(cells) + " |"


def main():
    rows, failures = [], []
    for family, results in measure():
        rows.append(print_row(family, results))
        for size, (counts, refined) in zip(BLOCKS, results):
            if family.exact and (counts[0] != counts[1] or counts[2] != counts[3]):
                failures.append(f"{family.name}, blocks of {size}: of {counts[0]} empty blocks {counts[1]} are found, of {counts[2]} full ones {counts[3]}")
            if refined[0] != refined[1] or refined[2] != refined[3]:
                failures.append(f"{family.name}, blocks of {size}: refinement leaves empty or full blocks partial")
    if sys.argv[1:] == ["table"]:
        print("\n".join(rows))
    else:
        documented = set(re.findall(r"^\|.*\|$", (root / "docs/masks.md").read_text(), re.M))
        failures += [f"docs/masks.md should have the row: {row}" for row in rows if row not in documented]
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
