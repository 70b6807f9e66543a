"""Faults that show in what is compiled: PTX text and metadata, for every architecture. Nothing is run but for K1."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from attention import Settings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "machine-code"))
from ptx_kernels import SHARED_KIB, get_shared_bytes

GOLDENS = pathlib.Path(__file__).resolve().parent.parent.parent / "goldens"
ARCHS = ",".join(SHARED_KIB)
# A captured table with strides of its own, an index that wraps, and a mask by documents.
PROGRAM = """bias: f32[Hq, Q, KV]
doc: i32[B, KV]

def score_mod(score, b, h, q, kv):
    return score + bias[h, q, kv - 1]

def mask_mod(b, h, q, kv):
    return doc[b, q] == doc[b, kv]
"""


def tool(name):
    """A program of the project, beside attn-run."""
    folder = os.path.dirname(Settings.attn_run)
    return os.path.join(folder, name) if folder else name


def attnc(*words, **options):
    return subprocess.run([tool("attnc"), *map(str, words)], capture_output=True, text=True, **options)


def compile_ptx(program, *flags, archs="sm_80"):
    """[(PTX, metadata of its kernels)], one for each architecture."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "variant.attn").write_text(program)
        done = attnc(folder / "variant.attn", "--lse", "--arch", archs, *flags, "-o", folder / "kernels.ptx")
        assert done.returncode == 0, done.stderr
        files = sorted(folder.glob("kernels*.ptx"))
        assert len(files) == len(archs.split(",")), files
        return [(file.read_text(), json.loads(attnc("--inspect", file).stdout)) for file in files]


def h4_shared_memory_of_each_target():
    """Every head dim fits into the shared memory of every target, or is refused with both sizes."""
    for d in (16, 32, 64, 96, 128, 192, 256):
        for _, kernels in compile_ptx("mask_mod = causal\n", "--dtype", "f16,bf16,f32", "--head-dim", d, archs=ARCHS):
            for kernel in kernels:
                for entry, shared in get_shared_bytes(kernel).items():
                    assert shared <= 1024 * SHARED_KIB[kernel["arch"]], (entry, kernel)
    with tempfile.TemporaryDirectory() as folder:
        done = attnc(GOLDENS / "plain_f32/variant.attn", "--arch", "sm_80", "--head-dim", 512, "-o", f"{folder}/x.ptx")
        assert done.returncode != 0 and "256" in done.stderr and "512" in done.stderr, done.stderr


def e3_simple_mods_compile():
    """The programs of all golden cases compile for every target."""
    programs = {}
    for case in sorted(GOLDENS.glob("*/case.json")):
        spec = json.loads(case.read_text())
        flags = [word for name, value in spec["defines"].items() for word in ("-D", f"{name}={value}")]
        programs.setdefault(((case.parent / spec["attn"]).read_text(), tuple(flags)), None)
    assert len(programs) >= 40, len(programs)
    for program, flags in programs:
        compile_ptx(program, "--head-dim", 64, *flags, archs=ARCHS)


def n2_no_tf32():
    """Kernels in f32 have no products in tf32."""
    for ptx, _ in compile_ptx(PROGRAM, "--dtype", "f32", "--head-dim", "64,128", archs="sm_80,sm_90a,sm_120"):
        assert "fma.rn.f32" in ptx and "tf32" not in ptx and "mma." not in ptx


def find_narrow_products(body, parameters):
    """The 32-bit products and shifts of a function with an operand that comes from one of `parameters`: names with offsets."""
    code = [found.groups() for found in re.finditer(r"^\s+(?:@!?%p\d+ )?([a-z][\w.:]*)\s([^\n]*);", body, re.MULTILINE)]
    tainted, grows = set(), True
    while grows:
        grows = False
        for opcode, operands in code:
            registers = re.findall(r"%[a-z]+\d+", operands)
            results = re.findall(r"%[a-z]+\d+", operands.split("}")[0]) if operands.startswith("{") else registers[:1]
            found = []
            if opcode.startswith("ld.param"):
                name, offset = re.search(r"\[(%?\w+)(?:\+(\d+))?\]", operands).groups()
                # A load of several values takes the slots from there on.
                found = [result for i, result in enumerate(results) if (name, int(offset or 0) + 8 * i) in parameters]
            elif not opcode.startswith(("setp", "ld.", "st.", "bra", "cp.", "bar", "shfl", "vote")):
                found = results if tainted & set(registers[len(results):]) else []
            grows |= not tainted.issuperset(found)
            tainted.update(found)
    return [f"{opcode} {operands}" for opcode, operands in code if re.match(r"(mul\.lo|mad\.lo)\.[su]32|shl\.b32|mul24|mad24", opcode)
            and tainted & set(re.findall(r"%[a-z]+\d+", operands.split(",", 1)[1]))]


def w6_strides_are_64_bits_wide():
    """No stride, of tensors or captured ones, goes into a product of 32 bits without a test of its size."""
    # The slots of q, k, v, o and lse with three strides each; bias with three sizes and strides, doc with two.
    strides = [slot + i for slot in (6, 10, 14, 18, 22) for i in (1, 2, 3)] + [30, 31, 32] + [36, 37]
    # Rows of keys and values are copied with offsets of 32 bits where they are less than 16 MiB apart.
    tested = {13, 17}
    for ptx, kernels in compile_ptx(PROGRAM, "--dtype", "bf16,f32", "--head-dim", 128, archs="sm_80,sm_90a"):
        for kernel in kernels:
            assert [(capture["name"], len(capture["shape"])) for capture in kernel["captures"]] == [("bias", 3), ("doc", 2)], kernel
            assert not kernel["extents"], kernel
        for body in re.split(r"^(?=[^\n]*\.(?:func|entry)\b)", ptx, flags=re.MULTILINE)[1:]:
            entry = re.search(r"\.entry (\w+)", body)
            if entry:
                parameters = {("arguments", 8 * slot) for slot in strides if slot not in tested}
                assert entry[1].endswith(("_combine", "_summarize")) or "16777216" in body, entry[1]
                assert any(f"{name}+{offset}]" in body for name, offset in parameters), entry[1]
            else:
                parameters = {(name, 0) for name in re.findall(r"\.param \.b64 (\w+)", body)}
            narrow = find_narrow_products(body, parameters)
            assert not narrow, narrow
    # The search finds what it looks for.
    body = ("\tld.param.b64 \t%rd1, [k_param_0+56];\n\tcvt.u32.u64 \t%r1, %rd1;\n\tmov.b32 \t%r2, %ctaid.x;\n"
            "\tmul.lo.s32 \t%r3, %r1, %r2;\n")
    assert len(find_narrow_products(body, {("k_param_0", 56)})) == 1


def x2_as_many_barriers_as_emitted():
    """LLVM neither duplicates nor drops a barrier of a block."""
    for dtype in ("bf16", "f32"):
        flags = ["--dtype", dtype, "--head-dim", "64", "--lse", "--arch", "sm_80"]
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "variant.attn")
            program.write_text(PROGRAM)
            emitted = attnc(program, *flags, "--emit=llvm", "-o", "-").stdout.count("nvvm.barrier")
            ptx = attnc(program, *flags, "--emit=ptx", "-o", "-").stdout
        assert emitted > 0 and emitted == len(re.findall(r"\bbar(?:rier)?\.(?:cta\.)?sync(?:\.aligned)?\s", ptx)), (dtype, emitted)


def p2_ptx_without_ptxas():
    """PTX is made where there is no ptxas, and a cubin says what it lacks."""
    with tempfile.TemporaryDirectory() as folder:
        program = GOLDENS / "plain_f32/variant.attn"
        done = attnc(program, "-o", f"{folder}/x.ptx", env={"PATH": folder})
        assert done.returncode == 0, done.stderr
        done = attnc(program, "-o", f"{folder}/x.cubin", env={"PATH": folder})
        assert done.returncode != 0 and "ptxas" in done.stderr, done.stderr


def k1_one_kernel_for_all_lengths():
    """A kernel that was compiled once runs at 20 lengths."""
    (ptx, (kernel,)), = compile_ptx("mask_mod = causal\n", "--dtype", "f16", "--head-dim", 16)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kernel.ptx")
        path.write_text(ptx)
        for length in (1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 129, 191, 200, 257):
            slots = [f"{name}=i64:{size}" for name, size in (("B", 1), ("Hq", 1), ("Hkv", 1), ("Q", length), ("KV", length), ("scale", 0))]
            for name, fill in (("q", "random"), ("k", "random"), ("v", "ones"), ("o", "uninit")):
                slots += [f"{name}=f16[{length},16]:{fill}", f"{name}b=i64:0", f"{name}h=i64:0", f"{name}r=i64:16"]
            slots += [f"lse=f32[{length}]:uninit", "lseb=i64:0", "lseh=i64:0", "lser=i64:1"]
            blocks = -(-length // kernel["query_block"])
            subprocess.run([tool("attn-emu"), path, "--entry", kernel["name"], "--grid", str(blocks), "--block", str(kernel["threads"]),
                            "--shared", str(kernel["shared_bytes"]), "--arg", "slots={" + ";".join(slots) + "}", "--out", f"{folder}/out"],
                           check=True, capture_output=True)
            data = pathlib.Path(folder, "out").read_bytes()
            start = 8 + int.from_bytes(data[:8], "little")
            (entry,) = (entry for name, entry in json.loads(data[8:start]).items() if name.split(".")[-1] == "o")
            begin, end = entry["data_offsets"]
            assert data[start + begin:start + end] == b"\x00\x3c" * (16 * length), length
