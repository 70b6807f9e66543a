"""Plans and pictures of masks."""

import json
import pathlib
import resource
import subprocess
import tempfile

import numpy as np
from attention import Settings, attend, encode, random_probe, refused, rows, uniform_probe, write_tensors

CAUSAL = "mask_mod = causal\n"


def run(program, *flags, limit=None):
    """Runs attn-run on random tensors and returns what it prints. limit: bytes of memory, of it and all before."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "variant.attn")
        path.write_text(program)
        done = subprocess.run([Settings.attn_run, str(path), *map(str, flags)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        assert limit is None or used < limit, f"{used} bytes of memory"
        return done.stdout


def m9_plan_of_a_slice():
    """The plan for the first queries of a causal mask has their shape."""
    text = run(CAUSAL, "--random", "Q=256,KV=1024,D=16", "--plan", "--block", "256x256")
    assert text.startswith("plan   256 queries x 1024 keys in blocks of 256 x 256: "), text
    found = json.loads(run(CAUSAL, "--random", "Q=256,KV=1024,D=16", "--plan", "--block", "256x256", "--json"))["plan"]
    assert [row["runs"] for row in found["rows"]] == [[[0, 0, "partial"]]] and found["empty"] == 3, found


def m10_plan_of_a_longer_sequence():
    """A causal plan for 4096 is refused at 300, with both lengths."""
    with tempfile.TemporaryDirectory() as folder:
        plan = f"{folder}/plan"
        run(CAUSAL, "--random", "Q=4096,KV=4096,D=16", "--save-plan", plan)
        refused(CAUSAL, *random_probe(1, 1, 1, 300, 300, 64, dtype="bf16"), "4096", "300", dtype="bf16", flags=["--load-plan", plan])


def m14_picture_of_elements():
    """The picture of a small mask shows its pairs and says so; that of a large one says that it shows blocks."""
    text = run(CAUSAL, "--random", "Q=6,KV=6,D=16", "--mask-picture", "-").splitlines()
    assert text[1].startswith("each character is one pair") and text[2:] == ["█" * (i + 1) + "·" * (5 - i) for i in range(6)], text
    assert "is a block of 32 queries by 16 keys" in run(CAUSAL, "--random", "Q=600,KV=1000,D=16", "--mask-picture", "-")


def m15_long_masks():
    """Plans of long masks need no memory of their square; plan-bench has the times."""
    window = "mask_mod = and_masks(causal, sliding_window(1024))\n"
    documents = "doc: i32[KV]\nmask_mod = document(doc)\n"
    for length in (1000, 4096, 4097, 131072, 262144):
        for program, flags in ((CAUSAL, ()), (window, ()), (documents, ("--fill", "doc=documents:100"))):
            found = json.loads(run(program, "--random", f"Q={length},KV={length},D=1", *flags, "--plan", "--json", limit=1 << 30))["plan"]
            blocks = -(-length // 128)
            assert len(found["rows"]) == blocks and found["full"] + found["partial"] + found["empty"] == blocks**2
            # The diagonal is always there, and most of a window's or document's square is empty.
            assert found["bytes"] < 64 * blocks and found["partial"] >= blocks - 1, (length, found["bytes"])


def l6_plan_longer_than_the_tensors():
    """A plan for 128 queries and 256 keys is refused at 2, with both lengths."""
    with tempfile.TemporaryDirectory() as folder:
        plan = f"{folder}/plan"
        run(CAUSAL, "--random", "B=2,Q=128,KV=256,D=16", "--save-plan", plan)
        refused(CAUSAL, *random_probe(2, 1, 1, 2, 2, 16), "128", "2", flags=["--load-plan", plan])


def r1_stored_plan():
    """A plan that is written and read back gives the same bits, and is the same."""
    program = "doc: i32[KV]\nmask_mod = and_masks(document(doc), causal)\n"
    q, k, v = random_probe(1, 2, 1, 300, 300, 32)
    captures = {"doc": np.sort(np.random.default_rng(4).integers(0, 9, 300)).astype(np.int32)}
    with tempfile.TemporaryDirectory() as folder:
        first, second = f"{folder}/first", f"{folder}/second"
        made = attend(program, q, k, v, captures=captures, flags=["--block", "64x64", "--save-plan", first])
        read = attend(program, q, k, v, captures=captures, flags=["--load-plan", first, "--save-plan", second])
        assert all(np.array_equal(a, b) for a, b in zip(made, read))
        assert pathlib.Path(first).read_bytes() == pathlib.Path(second).read_bytes()


def k4_one_kernel_for_all_windows():
    """A window that is a launch argument keeps its formula: each value has its plan, and none fits another."""
    program = "n: i32\ndef mask_mod(b, h, q, kv):\n    return 0 <= q - kv < n\n"
    for n in (1, 5, 100):
        o, _ = attend(program, *uniform_probe(1, 1, 1, 130, 130, 64), flags=["--set", f"n={n}"])
        expected = [np.arange(max(0, i - n + 1), i + 1).mean() for i in range(130)]
        assert np.allclose(rows(o)[0, 0], expected, rtol=2e-6)
    with tempfile.TemporaryDirectory() as folder:
        plan = f"{folder}/plan"
        run(program, "--random", "Q=130,KV=130,D=64", "--set", "n=5", "--save-plan", plan)
        refused(program, *random_probe(1, 1, 1, 130, 130, 64), "`n` = 5", "100", flags=["--set", "n=100", "--load-plan", plan])


def e8_plan_of_other_heads():
    """A plan made for B = 2 is refused at B = 4 where the mask tells batches apart, and one of other heads likewise."""
    program = "n: i32[B, Hq]\ndef mask_mod(b, h, q, kv):\n    return kv < n[b, h]\n"
    with tempfile.TemporaryDirectory() as folder:
        plan = f"{folder}/plan"
        run(program, "--random", "B=2,Hq=2,Q=8,KV=8,D=16", "--save-plan", plan)
        for batches, heads, dim in ((4, 2, "B (batches)"), (2, 4, "Hq (query heads)")):
            refused(program, *random_probe(batches, heads, heads, 8, 8, 16), dim, "2", "4",
                    captures={"n": np.full((batches, heads), 5, np.int32)}, flags=["--load-plan", plan])


def c9_plan_reads_inside_tables():
    """Planning reads no table past its end, with lengths off the block; a stale plan is found."""
    keep = np.random.default_rng(1).random(130) < 0.5
    program = "keep: bool[130]\ndef mask_mod(b, h, q, kv):\n    return keep[q] & keep[kv]\n"
    zeros = np.zeros((1, 1, 130, 16), np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path, plan = pathlib.Path(folder, "variant.attn"), f"{folder}/plan"
        path.write_text(program)

        def verify(table, *flags):
            kind, data = encode(table)
            write_tensors(f"{folder}/in", {"keep": (kind, table.shape, data), **{x: ("F32", zeros.shape, zeros.tobytes()) for x in "qkv"}})
            return subprocess.run([Settings.attn_run, str(path), "--in", f"{folder}/in", "--verify-plan", *flags], capture_output=True, text=True)

        done = verify(keep, "--block", "16x32", "--refine-plan", "--save-plan", plan)
        assert done.returncode == 0 and "agrees with all pairs" in done.stdout, done.stderr
        done = verify(np.zeros(130, bool), "--block", "16x32", "--save-plan", plan)
        assert done.returncode == 0, done.stderr
        done = verify(keep, "--load-plan", plan)
        assert done.returncode == 4 and "the plan does not hold" in done.stderr, done.stderr
