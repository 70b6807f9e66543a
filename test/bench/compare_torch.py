#!/usr/bin/env python3
"""Compares attn-run with PyTorch on this CPU: time and results, side by side.

usage: compare_torch.py [options] --bin BIN      with a Python that can import torch; numpy is needed too

For each variant, the same random tensors go through attn-run (as a safetensors file), through
scaled_dot_product_attention where it can express the variant, and through compiled flex_attention
where its compiler works (it needs a C++ compiler). Times are medians of rounds in which each runs in
turn; those of attn-run are what `--bench --json` reports. Exit status 0 if all results agree, 1 if
not, 2 for the command line."""
import argparse
import json
import math
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import time

# Processes that get ready to compile would take time from what is measured.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

import torch

from torch_variants import CAP, WINDOW, flex, prepare, sdpa, slopes

PROGRAMS = {
    "full": "",
    "causal": "mask_mod = causal\n",
    "alibi": "score_mod = alibi\n",
    "softcap": f"score_mod = softcap({CAP})\n",
    "window": f"mask_mod = and_masks(causal, sliding_window({WINDOW}))\n",
}


def reference(variant, q, k, v):
    """The answer for the first head, in double, and the size of the largest score that matters."""
    q, k, v, heads = q[0, 0].double(), k[0, 0].double(), v[0, 0].double(), q.shape[1]
    products = q @ k.T / math.sqrt(q.shape[-1])
    position = torch.arange(q.shape[0])
    back = position[:, None] - position[None, :]
    scores = products
    if variant == "alibi":
        scores = scores - back * slopes(heads)[0].double()
    elif variant == "softcap":
        scores = CAP * torch.tanh(scores / CAP)
    elif variant == "causal":
        scores = scores.masked_fill(back < 0, -math.inf)
    elif variant == "window":
        scores = scores.masked_fill((back < 0) | (back >= WINDOW), -math.inf)
    weights = torch.softmax(scores, -1)
    matters = weights > 2.0**-24 * weights.amax(-1, keepdim=True)
    largest = float(torch.maximum(products.abs(), scores.abs())[matters].max())
    return weights @ v, largest


TYPES = {torch.float32: "F32", torch.bfloat16: "BF16"}


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.contiguous().view(torch.uint8).numpy().tobytes()
        header[name] = {"dtype": TYPES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_output(path, dtype):
    content = path.read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    entry = json.loads(content[8:8 + size])["o"]
    begin, end = (8 + size + offset for offset in entry["data_offsets"])
    raw = torch.frombuffer(bytearray(content[begin:end]), dtype=dtype)
    return raw.reshape(entry["shape"])


def run_ours(options, folder, variant, dtype, bench):
    command = [f"{options.bin}/attn-run", str(folder / f"{variant}.attn"), "--in", str(folder / "in.safetensors"),
               "--threads", str(options.threads)]
    command += ["--bench", "--json"] if bench else ["--out", str(folder / "out.safetensors")]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{result.stderr}")
    if bench:
        return json.loads(result.stdout)["bench"]["milliseconds"]
    return read_output(folder / "out.safetensors", dtype)


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare(options, folder, variant, dtype, head_dim):
    """Prints one line; returns whether all results agree."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, options.heads, options.length, head_dim).to(dtype) for _ in range(3))
    write_safetensors(folder / "in.safetensors", {"q": q, "k": k, "v": v})
    (folder / f"{variant}.attn").write_text(PROGRAMS[variant])
    expected, largest = reference(variant, q, k, v)
    # Rounding of the result, of the weights and of the scores in f32; larger errors are wrong answers.
    rounding = 4e-6 if dtype == torch.float32 else 2.0**-6
    limit = (rounding + min(2.0**-23 * largest, 2.0**-8)) * float(expected.abs().max())

    calls, errors, notes = {}, {}, []

    def get_error(result):
        return float((result[0, 0].double() - expected).abs().max())

    errors["attnc"] = get_error(run_ours(options, folder, variant, dtype, bench=False))
    for name, make in (("sdpa", sdpa), ("flex", flex)):
        call, result = prepare(lambda: make(variant, q, k, v))
        if call is None:
            notes.append(f"{name}: {result}")
        else:
            calls[name] = call
            errors[name] = get_error(result)

    times = {name: [] for name in ("attnc", *calls)}
    for _ in range(options.rounds):
        for name, call in calls.items():
            times[name] += [seconds(call) * 1e3 for _ in range(math.ceil(options.runs / options.rounds))]
        times["attnc"].append(run_ours(options, folder, variant, dtype, bench=True))
    medians = {name: statistics.median(values) for name, values in times.items()}

    def cell(name):
        if name not in medians:
            return f"{'-':>10} {'':>7}"
        ratio = "" if name == "attnc" else f"{medians[name] / medians['attnc']:6.2f}x"
        return f"{medians[name]:10.2f} {ratio:>7}"

    wrong = [name for name, error in errors.items() if not error <= limit]
    worst = "  ".join(f"{name} {error:.1e}" for name, error in errors.items())
    print(f"{TYPES[dtype].lower():5} {head_dim:4} {variant:8} {medians['attnc']:10.2f} {cell('sdpa')} {cell('flex')}   {worst}"
          + (f"  WRONG: {', '.join(wrong)}" if wrong else ""))
    for note in notes:
        print(f"      {note}")
    sys.stdout.flush()
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, help="the folder of attn-run")
    parser.add_argument("--variants", default=",".join(PROGRAMS))
    parser.add_argument("--dtypes", default="f32,bf16")
    parser.add_argument("--head-dims", default="64,128")
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--length", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--runs", type=int, default=7, help="of each, over all rounds")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    variants = options.variants.split(",")
    for name in variants:
        if name not in PROGRAMS:
            parser.error(f"--variants: expected some of {', '.join(PROGRAMS)}, got {name}")
    dtypes = {"f32": torch.float32, "bf16": torch.bfloat16}
    for name in options.dtypes.split(","):
        if name not in dtypes:
            parser.error(f"--dtypes: expected f32 or bf16, got {name}")
    torch.set_num_threads(options.threads)
    torch.set_grad_enabled(False)
    print(f"torch {torch.__version__}, {options.threads} threads, 1 batch, {options.heads} heads, length {options.length}; "
          "ms, in how many times attnc's time, largest error of the first head")
    print(f"{'dtype':5} {'D':>4} {'variant':8} {'attnc':>10} {'sdpa':>10} {'':>7} {'flex':>10} {'':>7}   errors")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for dtype in options.dtypes.split(","):
            for head_dim in map(int, options.head_dims.split(",")):
                for variant in variants:
                    good &= compare(options, pathlib.Path(folder), variant, dtypes[dtype], head_dim)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
