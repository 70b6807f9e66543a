#!/usr/bin/env python3
"""Compares what attnc says about the cases of test/Frontend/diagnostics with what it should say.

usage: run_diagnostics.py --attnc PATH [--update] ROOT [ID...]

--update writes the expected files instead; read the difference before you commit it."""

import argparse
import difflib
import pathlib
import shlex
import subprocess
import sys
import tempfile

import diagnostics_registry


def render(attnc: str, case: pathlib.Path):
    """The exit status and the rendering, with the file named as in its folder."""
    with tempfile.TemporaryDirectory() as folder:
        text = case.read_bytes()
        if case.suffix == ".py":
            text = subprocess.run([sys.executable, case], stdout=subprocess.PIPE, check=True).stdout
        source = pathlib.Path(folder) / f"{case.stem}.attn"
        source.write_bytes(text)
        first = text.split(b"\n", 1)[0].decode(errors="replace")
        arguments = shlex.split(first.removeprefix("# args:")) if first.startswith("# args:") else []
        command = [attnc, "--emit=attn", "--dtype", "f32", "--head-dim", "64", source.name, *arguments]
        run = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        return run.returncode, run.stderr.decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--attnc", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args()
    folder = options.root / diagnostics_registry.CASES
    cases = sorted([*folder.glob("*.attn"), *folder.glob("*.py")])
    failed = False
    for case in cases:
        if options.ids and case.stem not in options.ids:
            continue
        status, got = render(str(pathlib.Path(options.attnc).absolute()), case)
        expected_file = case.with_suffix(".expected")
        if options.update:
            expected_file.write_text(got, encoding="utf-8")
        expected = expected_file.read_text(encoding="utf-8") if expected_file.exists() else ""
        wanted_status = 1 if ": error: " in expected or expected.startswith("error: ") else 0
        if status != wanted_status:
            failed = True
            print(f"{case.name}: exit status {status}, expected {wanted_status}\n{got}")
        elif got != expected:
            failed = True
            print(*difflib.unified_diff(expected.splitlines(), got.splitlines(), expected_file.name, "got",
                                        lineterm=""), sep="\n")
    sys.exit(1 if failed else 0)


main()
