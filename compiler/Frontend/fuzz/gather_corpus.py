#!/usr/bin/env python3
"""Copies every .attn file of the tree into a folder, as the seeds of the fuzzers.

usage: gather_corpus.py FOLDER

Then: BUILD/bin/attnc-compile-fuzzer FOLDER -dict=compiler/Frontend/fuzz/attn.dict -max_total_time=60"""

import hashlib
import pathlib
import sys

if len(sys.argv) != 2:
    sys.exit(__doc__)
root = pathlib.Path(__file__).resolve().parents[3]
folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for part in ("test", "compiler/library", "examples"):
    for path in sorted((root / part).rglob("*.attn")):
        text = path.read_bytes()
        (folder / hashlib.sha256(text).hexdigest()[:16]).write_bytes(text)
