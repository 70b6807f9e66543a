#!/usr/bin/env python3
"""Breaks kernels in one place at a time and counts how the emulator finds out.

usage: mutate.py ATTN_EMU [FILE.ptx...] [--every N] [--kind KIND] [--verbose]

The kernels are those of flash.py. A mutant is *caught by a check* (a fault is reported), by a *wrong result* (the
error against the oracle is over the tolerance), by *other bits* than the unbroken kernel gives, or it is *equivalent*
(EQUIVALENT below gives the reason). All others are missed; then the exit status is 1. Deleted barriers and waits
must be caught by a check. --every N takes each N-th mutant of a kind."""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import flash
import tensors

REGISTER = r"%?r\d+"


def replace(line, old, new):
    changed = line.replace(old, new, 1)
    return changed if changed != line else None


def shift_offset(line, by):
    """[r+64] -> [r+64+by], the last address of the line."""
    places = list(re.finditer(r"\[([%\w]+)(?:\+(-?\d+))?\]", line))
    if not places:
        return None
    place = places[-1] if "ldmatrix" in line or "st.global" in line else places[0]
    offset = int(place.group(2) or 0) + by
    return line[:place.start()] + f"[{place.group(1)}+{offset}]" + line[place.end():]


def mutants(lines):
    """Yields (kind, line number, new lines)."""
    def edit(kind, number, new):
        if new is not None and new != lines[number]:
            yield kind, number, lines[:number] + [new] + lines[number + 1:]

    matrix_loads = [i for i, l in enumerate(lines) if l.startswith("ldmatrix")]
    copies = [i for i, l in enumerate(lines) if l.startswith("cp.async.cg")]
    products = [i for i, l in enumerate(lines) if l.startswith("mma.")]

    def swap(kind, first, second):
        """Exchanges the shared addresses of two lines."""
        pattern = r"\[[^\]]*\]"
        a, b = [re.search(pattern, lines[i]).group(0) for i in (first, second)]
        if a == b:
            return
        new = list(lines)
        new[first] = lines[first].replace(a, b, 1)
        new[second] = lines[second].replace(b, a, 1)
        yield kind, first, new

    for i, line in enumerate(lines):
        if line.startswith("bar.sync"):
            yield from edit("delete barrier", i, "")
            yield from edit("barrier to warp barrier", i, "bar.warp.sync -1;")
        if line.startswith("cp.async.wait_group"):
            yield from edit("delete wait", i, "")
            count = int(re.search(r"wait_group (\d+)", line).group(1))
            yield from edit("weaken wait", i, f"cp.async.wait_group {count + 1};")
        if line.startswith("cp.async.commit_group"):
            yield from edit("delete commit", i, "")
        if line.startswith("@"):
            yield from edit("drop predicate", i, line.split(" ", 1)[1])
            yield from edit("negate predicate", i, line[1:].replace("!", "") and ("@!" + line[1:].replace("!", "")))
        if line.startswith("setp."):
            for old, new in ((".lt.", ".le."), (".gt.", ".ge."), (".ne.", ".eq."), (".lt.", ".gt."), (".gt.", ".lt.")):
                yield from edit("change comparison", i, replace(line, old, new))
        if line.startswith("cvt.rn.bf16x2"):
            yield from edit("change rounding", i, replace(line, ".rn.", ".rz."))
            parts = re.match(r"(\S+ \S+?,)(\S+?),(\S+?);", line)
            if parts:
                yield from edit("swap halves", i, f"{parts.group(1)}{parts.group(3)},{parts.group(2)};")
        if line.startswith("fma.rn"):
            yield from edit("change rounding", i, replace(line, ".rn.", ".rz."))
        if line.startswith("max.ftz"):
            yield from edit("max to min", i, replace(line, "max", "min"))
        if line.startswith("shfl."):
            yield from edit("shuffle distance", i, re.sub(r",(1|2),31,-1;", lambda m: f",{3 - int(m.group(1))},31,-1;", line))
            yield from edit("shuffle mask", i, replace(line, ",-1;", ",1;"))
        if line.startswith(("shl.b32", "shr.u32")):
            yield from edit("layout index", i, re.sub(r",(\d+);", lambda m: f",{int(m.group(1)) + 1};", line))
        if line.startswith(("and.b32", "bfe.u32", "xor.b32", "or.b32")):
            yield from edit("layout index", i, re.sub(r",(\d+);", lambda m: f",{int(m.group(1)) ^ 1};", line))
        if line.startswith("xor.b32") and re.search(r"[,]\S+,\S+;", line):
            yield from edit("layout index", i, replace(line, "xor", "or"))
        if line.startswith(("add.s32", "add.s64")):
            yield from edit("layout index", i, re.sub(r",(-?\d+);", lambda m: f",{int(m.group(1)) + 16};", line))
        if line.startswith(("mul.wide.u32", "mul.wide.s32")):
            yield from edit("layout index", i, re.sub(r",(\d+);", lambda m: f",{int(m.group(1)) + 2};", line))
        if line.startswith("st.global"):
            yield from edit("shift offset", i, shift_offset(line, 4))
            yield from edit("delete store", i, "")
        if line.startswith(("add.ftz", "mul.ftz")):
            yield from edit("operation", i, replace(line, "add", "sub") or replace(line, "mul", "add"))
        if line.startswith("rcp.approx"):
            yield from edit("operation", i, replace(line, "rcp.approx.ftz", "sqrt.approx.ftz"))
    for i in copies:
        yield from edit("delete copy", i, "")
        yield from edit("shift offset", i, shift_offset(lines[i], 2))
        yield from edit("shift offset", i, shift_offset(lines[i], 16))
    for i in matrix_loads:
        yield from edit("shift offset", i, shift_offset(lines[i], 2))
        yield from edit("shift offset", i, shift_offset(lines[i], 16))
        trans = replace(lines[i], ".x4.trans.", ".x4.") or replace(lines[i], ".x4.", ".x4.trans.")
        yield from edit("layout transposition", i, trans)
    for first, second in zip(matrix_loads, matrix_loads[1:]):
        yield from swap("swap shared addresses", first, second)
    for first, second in zip(copies, copies[1:]):
        yield from swap("swap shared addresses", first, second)
    for i in products:
        yield from edit("fragment order", i, re.sub(rf"\{{({REGISTER}),({REGISTER})\}}", r"{\2,\1}", lines[i], count=1))
        yield from edit("fragment order", i,
                        re.sub(rf"\{{({REGISTER}),({REGISTER}),({REGISTER}),({REGISTER})\}},\{{({REGISTER}),({REGISTER})\}}",
                               r"{\1,\3,\2,\4},{\5,\6}", lines[i], count=1))


# (kind, pattern of the changed line, reason).
EQUIVALENT = []
MUST_CHECK = {"delete barrier", "delete wait", "weaken wait", "barrier to warp barrier"}


class Problem:
    """Inputs of a kernel, and the bits it gives unbroken."""

    def __init__(self, emu, lines, sizes, folder, tiles, seed):
        rows, columns, width, _ = sizes
        self.folder = f"{folder}/{seed}"
        pathlib.Path(self.folder).mkdir(exist_ok=True)
        step = max(rows, columns)
        length = -(-max(2 * rows, tiles * columns) // step) * step
        self.inputs = flash.inputs(length, width, 2, seed)
        tensors.write(f"{self.folder}/in.st", {n: ("BF16", x) for n, x in zip("qkv", self.inputs)})
        self.line, self.scale = flash.command(emu, f"{self.folder}/k.ptx", *sizes, length, 2, self.folder)
        self.line += ["--steps", "200000", "--workers", "1"]
        assert self.run(lines) == (0, "")
        self.bits = self.output()

    def output(self):
        return pathlib.Path(f"{self.folder}/out.st").read_bytes()

    def run(self, lines, extra=()):
        pathlib.Path(f"{self.folder}/k.ptx").write_text("\n".join(lines) + "\n")
        result = subprocess.run(self.line + list(extra), capture_output=True, text=True, timeout=300)
        return result.returncode, result.stderr

    def judge(self, lines, extra=()):
        status, text = self.run(lines, extra)
        if status == 1:
            return "check", re.search(r"fault: ([^(\n]*)", text).group(1).strip()
        if status == 2:
            return "refused", text.splitlines()[0]
        if status != 0:
            return "crash", f"status {status}"
        if max(flash.errors(self.folder, *self.inputs, self.scale)) > 1:
            return "wrong result", ""
        return ("missed" if self.output() == self.bits else "other bits"), ""


class Kernel:
    def __init__(self, emu, path, sizes, folder):
        self.lines = pathlib.Path(path).read_text().splitlines()
        self.emu, self.sizes, self.folder = emu, sizes, folder
        self.small = Problem(emu, self.lines, sizes, folder, 3, 5)
        self.large = None

    def judge(self, lines):
        """The small problem on one schedule, then on the five of CI, then a larger one."""
        verdict = self.small.judge(lines)
        if verdict[0] == "missed":
            verdict = self.small.judge(lines, ["--schedules", "ci"])
        if verdict[0] == "missed":
            self.large = self.large or Problem(self.emu, self.lines, self.sizes, self.folder, 12, 6)
            verdict = self.large.judge(lines)
        return verdict


def main():
    arguments = sys.argv[2:]

    def option(name, default):
        if name not in arguments:
            return default
        at = arguments.index(name)
        value = arguments[at + 1]
        del arguments[at:at + 2]
        return value
    every, only = int(option("--every", 1)), option("--kind", "")
    verbose = "--verbose" in arguments
    names = [name for name in arguments if not name.startswith("--")]
    table = collections.defaultdict(collections.Counter)
    missed, weak, equivalents = [], [], collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for path, *sizes in flash.forms(names):
            kernel = Kernel(sys.argv[1], path, sizes, folder)
            seen = collections.Counter()
            for kind, number, lines in mutants(kernel.lines):
                seen[kind] += 1
                if (only and kind != only) or (seen[kind] % every and kind not in MUST_CHECK):
                    continue
                verdict, detail = kernel.judge(lines)
                place = f"{pathlib.Path(path).name}:{number + 1}: {kind}: {kernel.lines[number]}"
                if verdict in ("missed", "crash", "refused"):
                    reason = next((r for k, p, r in EQUIVALENT if k == kind and re.search(p, kernel.lines[number])), "")
                    if reason and verdict == "missed":
                        verdict = "equivalent"
                        equivalents[kind, reason] += 1
                    else:
                        missed.append(f"{verdict}: {place} {detail}")
                elif kind in MUST_CHECK and verdict != "check":
                    weak.append(f"{verdict}: {place}")
                table[kind][verdict] += 1
                if verbose:
                    print(f"{verdict} {detail}: {place}", flush=True)
    columns = ["check", "wrong result", "other bits", "equivalent", "missed", "refused", "crash"]
    print(f"{'kind':26}" + "".join(f"{c:>13}" for c in columns))
    total = collections.Counter()
    for kind, row in sorted(table.items()):
        total.update(row)
        print(f"{kind:26}" + "".join(f"{row[c]:13}" for c in columns))
    print(f"{'all':26}" + "".join(f"{total[c]:13}" for c in columns))
    for (kind, reason), count in sorted(equivalents.items()):
        print(f"equivalent, {count} x {kind}: {reason}")
    for text in weak:
        print(f"not caught by a check, {text}")
    for text in missed:
        print(text)
    count = sum(total.values())
    caught = total["check"] + total["wrong result"] + total["other bits"]
    print(f"{count} mutants, {caught} caught, {total['equivalent']} equivalent, {len(missed)} missed, "
          f"{len(weak)} barriers or waits not caught by a check")
    return 1 if missed or weak else 0


if __name__ == "__main__":
    sys.exit(main())
