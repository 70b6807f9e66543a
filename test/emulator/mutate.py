#!/usr/bin/env python3
"""Breaks kernels in one place at a time and counts how the emulator finds out.

usage: mutate.py ATTN_EMU [FILE.ptx...] [--every N] [--kind KIND,...] [--verbose]

The kernels are those of flash.py, or Inputs/window.attn compiled by attnc to bf16 with lse. A mutant is *caught by a
check* (a fault is reported), by a *wrong result* (the error against the oracle is over the tolerance), by *other bits*
than the unbroken kernel gives, it is *equivalent* (EQUIVALENT below gives the reason), or *not reached*: none of the
problems executes the line of a compiled kernel. All others are missed; then the exit status is 1. Deleted barriers and
waits must be caught by a check. --every N takes each N-th mutant of a kind, --kind those of some kinds."""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

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
        if line.startswith(("max.ftz", "max.f32")):
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
        if line.startswith(("add.ftz", "mul.ftz", "add.rn.f32", "mul.rn.f32")):
            yield from edit("operation", i, replace(line, "add", "sub") or replace(line, "mul", "add"))
        if line.startswith("rcp."):
            yield from edit("operation", i, replace(line, "rcp.", "sqrt."))
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


def follows_last_tile(kernel, number):
    """The wait and the barrier between the last tile and the output of a compiled kernel."""
    return kernel.kind is CompiledProblem and sum(l.startswith("bar.sync") for l in kernel.lines[number:]) == 1


def joins_next_group(kernel, number):
    """A commit of a kernel that waits for all groups only, with another commit behind it."""
    steps = [l for l in kernel.lines[number + 1:] if l.startswith(("cp.async.commit", "cp.async.wait"))]
    waits = {l for l in kernel.lines if l.startswith("cp.async.wait")}
    return steps and steps[0].startswith("cp.async.commit") and waits == {"cp.async.wait_group 0;"}


# (kinds, the places by kernel and line number, reason).
EQUIVALENT = [({"delete barrier", "barrier to warp barrier", "delete wait", "weaken wait"}, follows_last_tile,
               "a warp puts its rows of the output where its own rows of Q were, which it read before the barrier of the "
               "last tile; no copies are on their way then"),
              ({"delete commit"}, joins_next_group, "the copies belong to the next group, waited for at the same place")]
MUST_CHECK = {"delete barrier", "delete wait", "weaken wait", "barrier to warp barrier"}


class Problem:
    """Inputs of a kernel, and the bits it gives unbroken."""

    def __init__(self, emu, lines, sizes, folder, tiles, seed):
        self.folder = f"{folder}/{seed}"
        pathlib.Path(self.folder).mkdir(exist_ok=True)
        self.sizes = sizes
        self.prepare(emu, sizes, tiles, seed)
        tensors.write(f"{self.folder}/in.st", {n: ("BF16", x) for n, x in zip("qkv", self.inputs)})
        self.line += ["--steps", "200000", "--workers", "1"]
        assert self.run(lines) == (0, ""), self.run(lines)
        self.bits = self.output()
        assert max(self.errors()) <= 1, self.errors()

    def prepare(self, emu, sizes, tiles, seed):
        rows, columns, width, _ = sizes
        step = max(rows, columns)
        length = -(-max(2 * rows, tiles * columns) // step) * step
        self.inputs = flash.inputs(length, width, 2, seed)
        self.line, self.scale = flash.command(emu, f"{self.folder}/k.ptx", *sizes, length, 2, self.folder)

    def errors(self):
        return flash.errors(self.folder, *self.inputs, self.scale)

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
        if max(self.errors()) > 1:
            return "wrong result", ""
        return ("missed" if self.output() == self.bits else "other bits"), ""


class CompiledProblem(Problem):
    """Two query heads over one of keys, in a window; `tiles` chooses one of SHAPES, `sizes` is the metadata."""
    # Queries, keys, and elements between the rows of a tensor: rows that do not begin at multiples of 16 bytes are copied
    # in another way.
    SHAPES = {3: (160, 160, 0), 12: (637, 637, 0), 0: (450, 1, 0), 5: (266, 266, 1), 1: (70, 0, 0)}

    def prepare(self, emu, sizes, tiles, seed):
        length, keys, space = self.SHAPES[tiles]
        width, heads = sizes["head_dim"], 2
        stride = width + space
        rng = np.random.default_rng(seed)
        self.inputs = [tensors.to_bf16(rng.standard_normal((n, rows, stride)))
                       for n, rows in ((heads, length), (1, keys), (1, keys))]
        self.scale = sizes["scale"]
        blocks = heads * -(-length // sizes["query_block"])
        members = [f"B=i64:1;Hq=i64:{heads};Hkv=i64:1;Q=i64:{length};KV=i64:{keys};scale=f32:{self.scale!r};pad=i32:0"]
        for name, count, rows in (("q", heads, length), ("k", 1, keys), ("v", 1, keys), ("o", heads, length)):
            place = f"bf16[{heads},{length},{stride}]:5" if name == "o" else f"{self.folder}/in.st#{name}"
            members.append(f"{name}={place};{name}b=i64:{count * rows * stride};{name}h=i64:{rows * stride};{name}r=i64:{stride}")
        members.append(f"lse=f32[{heads},{length}]:uninit;lb=i64:{heads * length};lh=i64:{length};lr=i64:1")
        self.line = [emu, f"{self.folder}/k.ptx", "--grid", str(blocks), "--block", str(sizes["threads"]), "--shared",
                     str(sizes["shared_bytes"]), "--out", f"{self.folder}/out.st", "--arg", "p={" + ";".join(members) + "}"]

    def errors(self):
        """Of O and LSE (natural), in units of what bf16 inputs and probabilities allow."""
        width = self.sizes["head_dim"]
        q, k, v = [tensors.from_bf16(x[..., :width]).astype(np.float64) for x in self.inputs]
        got = tensors.read(f"{self.folder}/out.st")
        s = q @ k.transpose(0, 2, 1) * self.scale
        distance = np.arange(s.shape[1])[:, None] - np.arange(s.shape[2])
        s = np.where((distance >= 0) & (distance < 260), s, -np.inf)
        top = np.maximum(s.max(-1, keepdims=True, initial=-np.inf), -1e30)
        p = np.exp(s - top)
        total = p.sum(-1, keepdims=True)
        out = np.full(got["o"].shape, 5.0)  # between the rows
        out[..., :width] = p / np.maximum(total, 1e-30) @ v
        with np.errstate(divide="ignore", invalid="ignore"):
            lse = (top + np.log(total))[..., 0]
            off = np.where(got["lse"] == lse, 0, np.abs(got["lse"] - lse))
        worst = (np.abs(tensors.from_bf16(got["o"]) - out) / 0.02).max(), (off / 2e-5).max()
        return [np.inf if np.isnan(x) else x for x in worst]


def statements(text):
    """One statement a line, without spaces after commas, as the patterns above want them."""
    lines, begun = [], ""
    inBody = False
    for line in text.splitlines():
        line = line.split("//")[0].strip()
        inBody |= line == "{"
        begun = f"{begun} {line}".strip()
        if inBody and begun and not begun.endswith((";", ":", "{", "}")):
            continue
        lines.append(re.sub(r",\s+", ",", re.sub(r"\s+", " ", begun)) if inBody else line)
        begun = ""
    return lines


def long_entry(text):
    """Without the functions of other entries, which have the name of the main one and a suffix."""
    functions = re.compile(r"^\.(?:visible )?\.?(?:func|entry)[^\n]*?(\w+)\(.*?^\}\n", re.MULTILINE | re.DOTALL)
    return functions.sub(lambda found: "" if found[1].endswith(("_short", "_combine", "_summarize")) else found[0], text)


class Kernel:
    def __init__(self, emu, path, sizes, folder):
        text = long_entry(pathlib.Path(path).read_text())
        metadata = re.search(r"^//   (\{.*\})$", text, re.M)
        self.kind = CompiledProblem if metadata else Problem
        self.lines = statements(text) if metadata else text.splitlines()
        self.emu, self.sizes, self.folder = emu, json.loads(metadata.group(1)) if metadata else sizes, folder
        self.small = self.kind(emu, self.lines, self.sizes, folder, 3, 5)
        self.others = {}

    def judge(self, lines):
        """The small problem on one schedule, then on the five of CI, then larger ones and others."""
        verdict = self.small.judge(lines)
        if verdict[0] == "missed":
            verdict = self.small.judge(lines, ["--schedules", "ci"])
        for seed, tiles in enumerate((12, 0, 5, 1) if self.kind is CompiledProblem else (12,), 6):
            if verdict[0] != "missed":
                break
            if seed not in self.others:
                self.others[seed] = self.kind(self.emu, self.lines, self.sizes, self.folder, tiles, seed)
            verdict = self.others[seed].judge(lines)
        return verdict

    def reaches(self, number):
        """Whether any of the problems executes a line."""
        lines = self.lines[:number] + ["trap;"] + self.lines[number:]
        return any(problem.run(lines)[0] for problem in (self.small, *self.others.values()))


def main():
    arguments = sys.argv[2:]

    def option(name, default):
        if name not in arguments:
            return default
        at = arguments.index(name)
        value = arguments[at + 1]
        del arguments[at:at + 2]
        return value
    every, only = int(option("--every", 1)), option("--kind", "").split(",")
    verbose = "--verbose" in arguments
    names = [name for name in arguments if not name.startswith("--")]
    table = collections.defaultdict(collections.Counter)
    missed, weak, equivalents = [], [], collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        compiled = [name for name in names if not pathlib.Path(name).name.startswith("fa2_")]
        hand = [name for name in names if name not in compiled]
        forms = list(flash.forms(hand)) if hand or not names else []
        for path, *sizes in forms + [(name,) for name in compiled]:
            kernel = Kernel(sys.argv[1], path, sizes, folder)
            seen = collections.Counter()
            for kind, number, lines in mutants(kernel.lines):
                seen[kind] += 1
                if (only != [""] and kind not in only) or (seen[kind] % every and kind not in MUST_CHECK):
                    continue
                verdict, detail = kernel.judge(lines)
                if verdict == "missed" and kernel.kind is CompiledProblem and not kernel.reaches(number):
                    verdict = "not reached"
                place = f"{pathlib.Path(path).name}:{number + 1}: {kind}: {kernel.lines[number]}"
                if verdict in ("missed", "crash", "refused"):
                    reason = next((r for kinds, holds, r in EQUIVALENT if kind in kinds and holds(kernel, number)), "")
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
    columns = ["check", "wrong result", "other bits", "equivalent", "not reached", "missed", "refused", "crash"]
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
    print(f"{count} mutants, {caught} caught, {total['equivalent']} equivalent, {total['not reached']} not reached, {len(missed)} missed, "
          f"{len(weak)} barriers or waits not caught by a check")
    return 1 if missed or weak else 0


if __name__ == "__main__":
    sys.exit(main())
