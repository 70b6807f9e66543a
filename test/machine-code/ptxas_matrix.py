#!/usr/bin/env python3
"""Compiles the golden cases' programs for every element type, head dim and GPU architecture, and judges what ptxas makes of them.

usage: ptxas_matrix.py [options] --results FILE

Each program takes all of f16, bf16 and f32, head dims 64, 128 and 256, and sm_80 to sm_120, whatever the case itself has. An entry
is bad if ptxas warns, if it needs more shared memory than the architecture has, or if it spills more than SPILL_LIMIT bytes
(those of plain and causal attention up to head dim 128 on sm_80: none at all). What FILE has is not compiled again while the
PTX and ptxas are the same, so a run that was stopped goes on where it was.

FILE holds one line of JSON for each call of ptxas. Exit status 0 if no entry is bad, 1 if one is, 2 for the command line."""
import argparse
import collections
import hashlib
import json
import pathlib
import re
import sys
import tempfile

import ptx_kernels
from ptx_kernels import SHARED_KIB

DTYPES = ("f16", "bf16", "f32")
HEAD_DIMS = (64, 128, 256)
SPILL_LIMIT = 64
# The programs that must not spill on sm_80.
UNSPILLED = {"": "plain", "mask_mod = causal": "causal"}


class Program:
    """A program of the golden cases, and the first case that has it."""

    def __init__(self, case: pathlib.Path):
        spec = json.loads((case / "case.json").read_text())
        self.name = case.name
        self.path = case / spec.get("attn", "variant.attn")
        self.defines = spec.get("defines", {})
        lines = [re.sub(r"\s*#.*", "", line) for line in self.path.read_text().splitlines()]
        self.text = "\n".join(line for line in lines if line.strip())

    @property
    def key(self):
        return self.text, tuple(sorted(self.defines.items()))

    def spill_limit(self, dim, arch):
        """The most bytes of spill stores that its kernels may have."""
        return 0 if arch == "sm_80" and dim <= 128 and self.text in UNSPILLED else SPILL_LIMIT


def find_programs(goldens):
    """The cases with different programs, by name."""
    programs = {}
    for case in sorted(path.parent for path in goldens.glob("*/case.json")):
        program = Program(case)
        programs.setdefault(program.key, program)
    return list(programs.values())


class Matrix:
    """Rows of kernels, those of a file of results and new ones."""

    def __init__(self, options):
        self.options = options
        self.tools = ptx_kernels.Tools(options.attnc, options.ptxas)
        self.known = {}
        if options.results.exists():
            for line in options.results.read_text().splitlines():
                row = json.loads(line)
                self.known[row["hash"]] = row

    def compile(self, program, arch, dtypes):
        """One row: the kernels of a program for an architecture."""
        with tempfile.TemporaryDirectory() as folder:
            ptx, cubin = pathlib.Path(folder, "kernels.ptx"), pathlib.Path(folder, "kernels.cubin")
            defines = [word for name, value in program.defines.items() for word in ("-D", f"{name}={value}")]
            self.tools.write_ptx(program.path, arch, [*defines, "--dtype", ",".join(dtypes), "--head-dim", ",".join(map(str, HEAD_DIMS)),
                                                      "--lse"], ptx)
            content = hashlib.sha256(ptx.read_bytes() + self.tools.version.encode()).hexdigest()
            if content in self.known:
                return self.known[content] | {"program": program.name}
            entries, warnings = self.tools.assemble(ptx, arch, cubin)
        assert len(entries) >= len(dtypes) * len(HEAD_DIMS), entries
        keys = ("entry", "dtype", "head_dim", "registers", "spill_stores", "spill_loads", "stack", "shared")
        row = {"hash": content, "program": program.name, "arch": arch, "warnings": warnings,
               "entries": [{key: entry[key] for key in keys} for entry in entries]}
        with self.options.results.open("a") as file:
            file.write(json.dumps(row) + "\n")
        return row


def find_faults(program, row):
    """What is wrong with the kernels of a row, but for what they spill."""
    arch = row["arch"]
    for warning in row["warnings"]:
        yield f"{program.name} {arch}: {warning}"
    for entry in row["entries"]:
        limit = 1024 * SHARED_KIB[arch]
        if entry["shared"] > limit:
            yield f"{program.name} {entry['entry']} {arch}: {entry['shared']} bytes of shared memory, at most {limit}"


def find_spills(rows):
    """(element type and head dim, bytes, text) of each entry that spills more than it may."""
    for program, row in rows:
        for entry in row["entries"]:
            limit = program.spill_limit(entry["head_dim"], row["arch"])
            if entry["spill_stores"] > limit:
                shape = f"{entry['dtype']} D {entry['head_dim']}"
                yield (shape, entry["spill_stores"], f"{program.name} {entry['entry']} {row['arch']}: {entry['spill_stores']} bytes of spill "
                                                     f"stores with {entry['registers']} registers, at most {limit}")


def parse_list(allowed):
    def parse(text):
        words = text.split(",")
        for word in words:
            if word not in allowed:
                raise argparse.ArgumentTypeError(f"expected some of {', '.join(allowed)}, got {word}")
        return words
    return parse


def print_table(rows):
    """The worst entries of each element type, head dim and architecture."""
    cells = collections.defaultdict(list)
    for program, row in rows:
        for entry in row["entries"]:
            over = entry["spill_stores"] > program.spill_limit(entry["head_dim"], row["arch"])
            cells[entry["dtype"], entry["head_dim"], row["arch"]].append((entry["spill_stores"], over, entry["registers"]))
    print("dtype  D    arch     entries  registers  spill stores: most  median  above the limit")
    for (dtype, dim, arch), kernels in sorted(cells.items(), key=lambda cell: (DTYPES.index(cell[0][0]), cell[0][1])):
        spills = sorted(stores for stores, _, _ in kernels)
        print(f"{dtype:6} {dim:<4} {arch:8} {len(kernels):7} {max(registers for _, _, registers in kernels):10} "
              f"{spills[-1]:19} {spills[len(spills) // 2]:7} {sum(over for _, over, _ in kernels):16}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--results", required=True, type=pathlib.Path)
    parser.add_argument("--attnc", default="attnc")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--goldens", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "goldens")
    parser.add_argument("--archs", type=parse_list(SHARED_KIB), default=list(SHARED_KIB))
    parser.add_argument("--only", default="", help="programs with this in their name")
    parser.add_argument("--diagonal", action="store_true",
                        help="of each program one architecture and element type, so that all of them occur")
    parser.add_argument("--not-there-yet", action="store_true",
                        help="spills fail only where more entries spill too much, or spill more, than the table says of --diagonal")
    parser.add_argument("--tighten", action="store_true", help="lowers that table to what is found by --diagonal")
    options = parser.parse_args()
    if options.tighten:
        # The table is of all these programs, each for the architecture and element type that it has there.
        if not options.diagonal:
            parser.error("expected --diagonal with --tighten, got all kernels, which are not those of the table")
        for option in ("--only", "--archs", "--goldens"):
            name = option.lstrip("-")
            if getattr(options, name) != parser.get_default(name):
                parser.error(f"expected --tighten without {option}, got some of the kernels of the table")

    matrix, rows, faults = Matrix(options), [], []
    programs = [program for program in find_programs(options.goldens) if options.only in program.name]
    if options.diagonal:
        cells = [(program, options.archs[i % len(options.archs)], [DTYPES[i // len(options.archs) % len(DTYPES)]])
                 for i, program in enumerate(programs)]
    else:
        cells = [(program, arch, DTYPES) for arch in options.archs for program in programs]
    for number, (program, arch, dtypes) in enumerate(cells):
        if sys.stderr.isatty():
            print(f"\r\033[K{number} of {len(cells)}: {program.name} {arch}", end="", file=sys.stderr, flush=True)
        row = matrix.compile(program, arch, dtypes)
        rows.append((program, row))
        faults += find_faults(program, row)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)

    print_table(rows)
    found = {}
    for shape, stores, text in find_spills(rows):
        figures = found.setdefault(shape, {"entries": 0, "bytes": 0})
        figures["entries"] += 1
        figures["bytes"] = max(figures["bytes"], stores)
        if options.not_there_yet:
            print(text)
        else:
            faults.append(text)
    if options.not_there_yet:
        table = ptx_kernels.read_not_there_yet("spill_stores")
        for shape, figures in found.items():
            for what, figure in figures.items():
                known = table.get(shape, {}).get(what, 0)
                if figure > known:
                    faults.append(f"{shape}: {figure} {what} above the limit for spill stores, at most {known}")
    if options.tighten:
        ptx_kernels.lower_not_there_yet("spill_stores", found)
    print("\n".join(faults))
    print(f"{sum(len(row['entries']) for _, row in rows)} entries of {len(programs)} programs, ptxas {matrix.tools.version}: "
          f"{len(faults)} faults")
    return 1 if faults or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
