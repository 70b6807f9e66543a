"""Reads what a score_mod computes, bit by bit, on every device.

With a single key the log-sum-exp of a row is its score. So a program with one query for each case, and what the
cases depend on in captured tensors, tells each score through `lse`."""

import json
import pathlib
import struct
import subprocess
import tempfile

import numpy

DEVICES = {
    "host": ["--cpu", "native"],
    "host-x86-64-v3": ["--cpu", "x86-64-v3"],
    "host-x86-64": ["--cpu", "x86-64"],
    "reference": ["--device", "reference"],
    "emulator": ["--device", "emulator"],
}
TYPES = {"float32": "F32", "int64": "I64"}


def write(path, tensors):
    header, data = {}, b""
    for name, array in tensors.items():
        raw = array.tobytes()
        header[name] = {"dtype": TYPES[str(array.dtype)], "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read(path, name):
    file = path.read_bytes()
    (length,) = struct.unpack("<Q", file[:8])
    begin, end = json.loads(file[8 : 8 + length])[name]["data_offsets"]
    return numpy.frombuffer(file[8 + length + begin : 8 + length + end], numpy.float32)


def run(expression, **captures):
    """The scores that `expression` of the captures gives for each of their elements: {device: array}."""
    count = len(next(iter(captures.values())))
    names = {"float32": "f32", "int64": "i64"}
    declarations = "".join(f"{name}_: {names[str(array.dtype)]}[Q]\n" for name, array in captures.items())
    values = "".join(f"    {name} = {name}_[q_idx]\n" for name in captures)
    program = (f"import torch\nimport math\n{declarations}\ndef score_mod(score, b, h, q_idx, kv_idx):\n{values}"
               f"    return {expression}\n")
    scores = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "case.attn").write_text(program)
        zeros = numpy.zeros([1, 1, count, 1], numpy.float32)
        write(folder / "in.safetensors", {"q": zeros, "k": zeros[:, :, :1], "v": zeros[:, :, :1],
                                          **{f"{name}_": array for name, array in captures.items()}})
        for device, options in DEVICES.items():
            if options[0] == "--cpu" and options[1] != "native" and not runs_here(options[1]):
                continue
            subprocess.run(["attn-run", folder / "case.attn", "--in", folder / "in.safetensors", "--lse", "--out",
                            folder / "out.safetensors", *options], check=True)
            scores[device] = read(folder / "out.safetensors", "lse")
    return scores


def runs_here(cpu):
    return cpu == "x86-64" or " avx2 " in pathlib.Path("/proc/cpuinfo").read_text()


def check(expression, expected, **captures):
    """Fails where a device computes something else than `expected`, of which zeros have any sign."""
    expected = numpy.asarray(expected, numpy.float32)
    for device, scores in run(expression, **captures).items():
        wrong = numpy.flatnonzero(scores != expected)
        if len(wrong):
            i = wrong[0]
            values = ", ".join(f"{name} = {array[i]!r}" for name, array in captures.items())
            raise SystemExit(f"{device}: {expression} with {values}: got {scores[i]!r}, expected {expected[i]!r}; "
                             f"{len(wrong)} of {len(expected)} are wrong")
