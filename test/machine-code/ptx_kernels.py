"""Kernels as attnc and ptxas make them, and what they need of a GPU."""
import json
import pathlib
import re
import subprocess
import sys

# The most shared memory of a block, by the CUDA programming guide.
SHARED_KIB = {"sm_80": 163, "sm_86": 99, "sm_87": 163, "sm_89": 99, "sm_90": 227, "sm_90a": 227, "sm_100": 227, "sm_120": 99}
FUNCTION = re.compile(r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
                      r".*?Used (\d+) registers([^\n]*)", re.DOTALL)
EXPECTED = re.compile(r"ptxas info\b|\s+\d+ bytes stack|\s*$")


def run(*command):
    """The output of a command that must succeed, with what it says on the side."""
    words = list(map(str, command))
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def get_shared_bytes(kernel):
    """The dynamic shared memory of a block of each entry that a kernel with this metadata has."""
    entries = {kernel["name"]: kernel["shared_bytes"]}
    if grid := kernel.get("short_grid"):
        entries |= {kernel["name"] + "_short": grid["shared_bytes"], kernel["name"] + "_combine": grid["combine_shared_bytes"]}
    if summaries := kernel.get("summaries"):
        entries[kernel["name"] + "_summarize"] = summaries["shared_bytes"]
    return entries


class Tools:
    """The programs that make kernels."""

    def __init__(self, attnc="attnc", ptxas="ptxas"):
        self.attnc, self.ptxas = attnc, ptxas
        self.version = re.search(r"release [\d.]+, V[\d.]+", run(ptxas, "--version"))[0]

    def write_ptx(self, program, arch, flags, ptx):
        run(self.attnc, program, "--arch", arch, *flags, "-o", ptx)

    def assemble(self, ptx, arch, cubin):
        """(entries, warnings) of a file of PTX: for each entry the metadata of its kernel, with the registers and bytes of memory it has."""
        text = run(self.ptxas, "-v", f"-arch={arch}", ptx, "-o", cubin)
        kernels = json.loads(run(self.attnc, "--inspect", ptx))
        expected = {entry: (kernel, shared) for kernel in kernels for entry, shared in get_shared_bytes(kernel).items()}
        found = {name: rest for name, *rest in FUNCTION.findall(text)}
        if found.keys() != expected.keys():
            sys.exit(f"{ptx}: expected the entries {', '.join(expected)}, got {', '.join(found)}")
        entries = []
        for name, (kernel, shared) in expected.items():
            stack, stores, loads, registers, rest = found[name]
            static = re.search(r"(\d+) bytes smem", rest)
            entries.append(kernel | {"entry": name, "stack": int(stack), "spill_stores": int(stores), "spill_loads": int(loads),
                                     "registers": int(registers), "shared": shared + (int(static[1]) if static else 0)})
        return entries, [line for line in text.splitlines() if not EXPECTED.match(line)]


NOT_THERE_YET = pathlib.Path(__file__).resolve().parent / "not-there-yet.json"


def read_not_there_yet(section):
    """The figures of today, which may not get worse where a bar is missed."""
    return json.loads(NOT_THERE_YET.read_text())[section]


def lower_not_there_yet(section, measured):
    """Lowers the figures of a section to those measured, and drops what is not among these. None is raised."""
    table = json.loads(NOT_THERE_YET.read_text())
    table[section] = {what: {name: min(figure, measured[what][name]) for name, figure in figures.items() if name in measured[what]}
                      for what, figures in table[section].items() if what in measured}
    lines = [f'  "{name}": {{\n' + ",\n".join(f'    "{what}": {json.dumps(figures)}' for what, figures in entries.items()) + "\n  }"
             for name, entries in table.items()]
    NOT_THERE_YET.write_text("{\n" + ",\n".join(lines) + "\n}\n")
