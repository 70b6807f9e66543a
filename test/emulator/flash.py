#!/usr/bin/env python3
"""Runs the flash attention kernels of ptx/ on the emulator and compares with an oracle in double.

usage: flash.py ATTN_EMU [FILE.ptx...] [--perturb]

The files are named fa2_ROWS_COLUMNS_WIDTH_WARPS[_qreg].ptx: tile sizes, head dim, warps of a block. They take q, k, v,
out (bf16), lse (f32, log2 units), the number of key tiles, the sequence length and the scale. Every kernel runs
under the five CI schedules with all checks on; all must agree bit for bit."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import tensors

FOLDER = pathlib.Path(__file__).parent / "ptx"


def forms(names):
    for path in names or sorted(map(str, FOLDER.glob("fa2_*.ptx"))):
        yield path, *map(int, pathlib.Path(path).stem.split("_")[1:5])


def inputs(length, width, heads, seed=5):
    rng = np.random.default_rng(seed)
    return [tensors.to_bf16(rng.standard_normal((heads, length, width))) for _ in range(3)]


def oracle(q, k, v, scale):
    """O and LSE in double; scale is in log2 units."""
    q, k, v = [tensors.from_bf16(x).astype(np.float64) for x in (q, k, v)]
    s = q @ k.transpose(0, 2, 1) * scale
    top = s.max(-1, keepdims=True)
    p = np.exp2(s - top)
    total = p.sum(-1, keepdims=True)
    return p / total @ v, (top + np.log2(total))[..., 0]


def command(emu, path, rows, columns, width, warps, length, heads, folder):
    scale = float(np.float32(1.4426950408889634 / np.sqrt(width)))
    line = [emu, path, "--grid", f"{length // rows}x{heads}", "--block", str(warps * 32),
            "--shared", str((rows + 2 * columns) * width * 2), "--out", f"{folder}/out.st"]
    for name in "qkv":
        line += ["--arg", f"{name}={folder}/in.st#{name}"]
    line += ["--arg", f"o=bf16[{heads},{length},{width}]:uninit", "--arg", f"lse=f32[{heads},{length}]:uninit",
             "--arg", f"tiles=i32:{length // columns}", "--arg", f"length=i32:{length}", "--arg", f"scale=f32:{scale!r}"]
    return line, scale


def errors(folder, q, k, v, scale):
    """The largest errors of O and LSE, in units of what bf16 inputs and probabilities allow."""
    got = tensors.read(f"{folder}/out.st")
    out, lse = oracle(q, k, v, scale)
    error = np.abs(tensors.from_bf16(got["o"]) - out) / 0.02
    worst = error.max(), (np.abs(got["lse"] - lse) / 2e-5).max()
    return [np.inf if np.isnan(x) else x for x in worst]


def main():
    emu = sys.argv[1]
    extra = ["--perturb-approx"] if "--perturb" in sys.argv else []
    names = [name for name in sys.argv[2:] if not name.startswith("--")]
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for path, rows, columns, width, warps in forms(names):
            count += 1
            length, heads = 2 * rows, 2
            q, k, v = inputs(length, width, heads)
            tensors.write(f"{folder}/in.st", {n: ("BF16", x) for n, x in zip("qkv", (q, k, v))})
            line, scale = command(emu, path, rows, columns, width, warps, length, heads, folder)
            result = subprocess.run(line + ["--schedules", "ci"] + extra, capture_output=True, text=True, timeout=300)
            if result.returncode or result.stderr:
                failed += 1
                print(f"FAIL {path}: status {result.returncode}\n{result.stderr[:2000]}")
                continue
            worst = errors(folder, q, k, v, scale)
            if max(worst) > 1:
                failed += 1
                print(f"FAIL {path}: error of O {worst[0]:.2f}, of LSE {worst[1]:.2f} times the tolerance")
    print(f"{count} kernels, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
