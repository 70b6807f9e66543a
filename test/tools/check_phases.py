#!/usr/bin/env python3
"""Checks that the table of phases in a page is that of Phases.def; with --write, makes it so.

usage: check_phases.py PHASES.def PAGE.md [--write]"""
import pathlib
import re
import sys

definitions, page = map(pathlib.Path, sys.argv[1:3])
phases = re.findall(r'ATTNC_PHASE\((\w+), "(\w+)", (\w+),\s*(\w+),\s*"([^"]*)"\)', definitions.read_text())
targets = {"Every": "", "Host": "CPUs: ", "Ptx": "GPUs: "}
forms = {"Text": "printed", "Mlir": "printed, read back", "Binary": "written"}
table = "| `--emit=` | what it is | form |\n| --- | --- | --- |\n" + "".join(
    f"| `{name}` | {targets[target]}{text} | {forms[form]} |\n" for _, name, form, target, text in phases)
begin, end = "<!-- phases -->\n", "<!-- end of phases -->"
text = page.read_text()
wanted = text[: text.index(begin)] + begin + table + text[text.index(end):]
if "--write" in sys.argv:
    page.write_text(wanted)
elif wanted != text:
    sys.exit(f"{page}: the table of phases is not that of {definitions}; run with --write")
