#!/usr/bin/env python3
"""Compiles golden cases to object files with headers, and runs them without any library of attnc.

usage: objects.py [--options WORDS] [--cc WORDS] [--emulator WORDS]... [--executors NAME,...] [--image] CASE...

Each case is compiled by `attnc OPTIONS`, and with launch.c by `CC`, as strictly as users may; then run by each EMULATOR
(directly if there is none) with each executor, and judged by goldens/check.py. With --image it is the image that runs."""
import argparse
import contextlib
import io
import json
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GOLDENS = HERE.parent.parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import check

SAFETENSORS = {"f32": "F32", "f16": "F16", "bf16": "BF16"}
BYTES = {"f32": 4, "f16": 2, "bf16": 2}


def run(words, expected=0):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, errors="replace")
    if done.returncode != expected:
        sys.exit(f"`{shlex.join(map(str, words))}` ended with {done.returncode}\n{done.stderr or done.stdout}")
    return done.stdout


def read_tensors(path):
    """Name: (shape, bytes)."""
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    return {name: (info["shape"], raw[start + info["data_offsets"][0]:start + info["data_offsets"][1]])
            for name, info in header.items() if name != "__metadata__"}


def write_tensors(path, tensors):
    """The same, with the type of each."""
    header, data = {}, b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<q", len(text)) + text + data)


def get_strides(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= size
    return strides


def get_float_bits(value):
    return struct.unpack("<i", struct.pack("<f", value))[0] & 0xffffffff


def make_input(spec, kernel, tensors):
    """What launch.c reads."""
    dims = spec["dims"]
    data, pointers = bytearray(), []
    slots = [dims[name] for name in ("B", "Hq", "Hkv", "Q", "KV")]
    scale = kernel["scale"] if kernel["scale"] is not None else spec["scale"]
    slots.append(get_float_bits(scale))

    def place(content):
        data.extend(bytes(-len(data) % 64))
        pointers.append((len(slots), len(data)))
        slots.append(0)
        data.extend(content)
        return pointers[-1][1]

    for name in "qkv":
        shape, content = tensors[name]
        place(content)
        slots.extend(get_strides(shape)[:3])
    o_shape = [dims["B"], dims["Hq"], dims["Q"], dims["Dv"]]
    o_bytes = dims["B"] * dims["Hq"] * dims["Q"] * dims["Dv"] * BYTES[kernel["dtype"]]
    outputs = [place(bytes(o_bytes)), o_bytes]
    slots.extend(get_strides(o_shape)[:3])
    lse_bytes = dims["B"] * dims["Hq"] * dims["Q"] * 4
    outputs += [place(bytes(lse_bytes)), lse_bytes]
    slots.extend(get_strides(o_shape[:3])[:3])
    for extent in kernel["extents"]:
        slots.append(next(tensors[capture["name"]][0][capture["shape"].index(extent)]
                          for capture in kernel["captures"] if extent in capture["shape"]))
    for capture in kernel["captures"]:
        shape, content = tensors[capture["name"]]
        place(content)
        slots.extend([*shape, *get_strides(shape)])
    for scalar in kernel["scalars"]:
        value = spec["scalars"][scalar["name"]]
        slots.append(get_float_bits(value) if scalar["type"].startswith(("f", "bf")) else int(value))
    words = [len(slots), *slots, len(pointers), *(word for pair in pointers for word in pair), *outputs, len(data)]
    return struct.pack(f"<{len(words)}q", *words) + bytes(data)


def run_case(case, options, cc, emulators, executors, is_image, folder):
    spec = json.loads((case / "case.json").read_text())
    dims, dtype = spec["dims"], spec["dtype"]
    defines = [word for key, value in spec["defines"].items() for word in ("-D", f"{key}={value}")]
    attnc = ["attnc", case / spec["attn"], "--name", "kernel", "--dtype", dtype, "--head-dim", f"{dims['D']}:{dims['Dv']}",
             "--lse", *defines, *options]
    run([*attnc, "-o", folder / "kernel.o", "--header", folder / "kernel.h"])
    undefined = run(["llvm-nm", "-u", folder / "kernel.o"])
    if undefined:
        sys.exit(f"{case.name}: the object needs {undefined}")
    kernel, = json.loads(run(["attnc", "--inspect", folder / "kernel.o"]))
    code = [folder / "kernel.o"]
    if is_image:
        run([*attnc, "-o", folder / "kernel.so"])
        code = [f'-DIMAGE="{folder / "kernel.so"}"', f"-DQUERY_BLOCK={kernel['query_block']}", "-ldl"]
    run([*cc, "-Wall", "-Wextra", "-Werror", "-pedantic", f"-DKERNEL={kernel['name']}", f"-I{folder}", HERE / "launch.c",
         *code, "-o", folder / "launch", "-pthread"])
    (folder / "input").write_bytes(make_input(spec, kernel, read_tensors(case / "tensors.safetensors")))
    for emulator in emulators or [[]]:
        for executor in executors:
            run([*emulator, folder / "launch", folder / "input", folder / "output", executor])
            result = (folder / "output").read_bytes()
            shape = [dims["B"], dims["Hq"], dims["Q"]]
            split = len(result) - 4 * shape[0] * shape[1] * shape[2]
            write_tensors(folder / "out.safetensors", {"o": (SAFETENSORS[dtype], [*shape, dims["Dv"]], result[:split]),
                                                       "lse": ("F32", shape, result[split:])})
            report = io.StringIO()
            with contextlib.redirect_stdout(report):
                status = check.main(case, folder / "out.safetensors")
            if status:
                sys.exit(f"{case.name}, {executor}, {shlex.join(emulator)}: {report.getvalue()}")
    print(f"{case.name}: right")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--options", default="", type=shlex.split)
    parser.add_argument("--cc", default="cc -std=c11", type=shlex.split)
    parser.add_argument("--emulator", action="append", default=[], type=shlex.split)
    parser.add_argument("--executors", default="none,stack,scratch")
    parser.add_argument("--image", action="store_true")
    parser.add_argument("cases", nargs="+")
    args = parser.parse_args()
    for name in args.cases:
        with tempfile.TemporaryDirectory() as folder:
            run_case(GOLDENS / name, args.options, args.cc, args.emulator, args.executors.split(","), args.image,
                     pathlib.Path(folder))


main()
