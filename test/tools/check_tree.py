#!/usr/bin/env python3
"""Checks rules of the tree that a machine can see.

usage: check_tree.py ROOT

- no source file over 1000 lines; over 600 lines the file comment says why ("long because ...")
- no file named for nothing in particular (utils, helpers, common, misc)
- runtime/ includes nothing of the compiler or of LLVM; dialect/ nothing of compiler/
- every C++ source has the licence line; every file ends with a newline; none is over 1 MiB
- every page and script that a page or script of the project names exists"""
import pathlib
import re
import subprocess
import sys

SOURCES = {".cpp", ".h", ".td", ".py", ".def"}


def problems(root: pathlib.Path):
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"],
                             capture_output=True, text=True, check=True).stdout
    for name in filter(None, listing.split("\0")):
        path = root / name
        if not path.is_file():
            continue
        if path.stat().st_size > 1 << 20:
            yield f"{name}: over 1 MiB"
        if re.fullmatch(r"(?i)(utils?|helpers?|common|misc)\.(h|cpp|py|td)", path.name):
            yield f"{name}: the name says nothing"
        if path.suffix not in SOURCES | {".md", ".sh", ".txt", ".cmake"} or name.startswith("test/goldens/"):
            continue
        text = path.read_text(encoding="utf-8")
        if text and not text.endswith("\n"):
            yield f"{name}: no newline at the end"
        if path.suffix in SOURCES:
            lines = text.count("\n")
            if lines > 1000:
                yield f"{name}: {lines} lines, at most 1000"
            elif lines > 600 and "long because" not in " ".join(text[:3000].split()):
                yield f"{name}: {lines} lines; over 600 the file comment says why (long because ...)"
        if path.suffix in {".cpp", ".h"}:
            if "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" not in text[:600]:
                yield f"{name}: no licence line"
            includes = re.findall(r'^#include ["<]([^">]+)[">]', text, re.M)
            if name.startswith("runtime/") and any(re.match(r"(mlir|llvm|compiler|dialect)/", i) for i in includes):
                yield f"{name}: runtime/ includes the compiler"
            if name.startswith("dialect/") and any(i.startswith("compiler/") for i in includes):
                yield f"{name}: dialect/ includes compiler/"
        if path.suffix == ".md":
            for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
                if not re.match(r"[a-z]+:", link) and not (path.parent / link).exists():
                    yield f"{name}: links to {link}, which does not exist"


found = list(problems(pathlib.Path(sys.argv[1])))
print("\n".join(found))
sys.exit(1 if found else 0)
