"""Loops in the machine code of GPU kernels, from the text of nvdisasm, and what they are made of."""
import collections
import dataclasses
import re
import subprocess

INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(@!?U?P\w+\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
LABEL = re.compile(r"^\s*(\.L[\w$]*)\s*:")
TARGET = re.compile(r"`\((\.L[\w$]*)\)")
# Products of 16 x 8 x 16 in f16 or bf16: 2048 multiply-adds of a warp.
MMA = re.compile(r"HMMA\.16816\b")
WARP = 32


class SassError(Exception):
    """Machine code that is not understood here."""


@dataclasses.dataclass(frozen=True)
class Loop:
    """One iteration of a loop, for a warp: both sides of its branches, and inner loops once."""

    instructions: int
    mma: int

    def scores(self, head_dim, value_dim):
        """The scores that a lane has in an iteration, by the products of q with k and of the weights with v."""
        return self.mma * 2048 / (head_dim + value_dim) / WARP

    def per_score(self, head_dim, value_dim):
        """Instructions without products for each score of a lane."""
        return (self.instructions - self.mma) / self.scores(head_dim, value_dim)


def parse(text):
    """The opcodes of the only kernel in `text`, and for each instruction those that may come next."""
    rows, labels = [], {}
    for line in text.splitlines():
        if found := INSTRUCTION.match(line):
            rows.append(found.groups())
        elif found := LABEL.match(line):
            labels[found[1]] = len(rows)
    following = []
    for index, (guard, opcode, operands) in enumerate(rows):
        base, target = opcode.split(".")[0], TARGET.search(operands)
        if base == "BRA" and target:
            # A branch may have a condition among its operands too.
            falls = guard or opcode != "BRA" or not operands.startswith("`")
            following.append([labels[target[1]]] + [index + 1] * bool(falls))
        elif base in ("BRA", "BRX", "JMP", "JMX"):
            raise SassError(f"a branch to somewhere: {opcode} {operands.split(' (')[0]}")
        else:
            ends = base in ("EXIT", "RET") and not guard
            following.append([] if ends else [index + 1])
    size = len(rows)
    return [opcode for _, opcode, _ in rows], [[after for after in each if after < size] for each in following]


def reach(starts, edges, without):
    """Everything that can be reached from `starts` through edges that do not lead to `without`."""
    seen, todo = set(starts), list(starts)
    while todo:
        for other in edges[todo.pop()]:
            if other != without and other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def find_loops(text):
    """The loops with products in them, in order."""
    opcodes, following = parse(text)
    before, ends = collections.defaultdict(list), collections.defaultdict(list)
    for index, each in enumerate(following):
        for after in each:
            before[after].append(index)
            if after <= index:
                ends[after].append(index)
    loops = {}
    for header, latches in sorted(ends.items()):
        # Code that is laid out behind what it returns to is no loop: that has one entry, its header.
        elsewhere = reach([0], following, without=header)
        latches = [latch for latch in latches if latch not in elsewhere]
        if latches and header:
            loops[header] = reach([latch for latch in latches if latch != header], before, without=header) | {header}
    loops = {header: body for header, body in loops.items() if any(MMA.match(opcodes[index]) for index in body)}
    for header, body in loops.items():
        if any(other != header and other in body for other in loops):
            raise SassError(f"the loop at {16 * header:#x} has a loop with products in it")
    return [Loop(len(body), sum(bool(MMA.match(opcodes[index])) for index in body)) for _, body in sorted(loops.items())]


def disassemble(cubin, entry, nvdisasm="nvdisasm"):
    """The text of an entry's code, with the functions it calls."""
    done = subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True)
    if done.returncode:
        raise SassError(f"{nvdisasm} {cubin}: {done.stderr}")
    sections = re.split(r"^\s*\.section\s+\.text\.(\w+),", done.stdout, flags=re.MULTILINE)
    return dict(zip(sections[1::2], sections[2::2]))[entry]
