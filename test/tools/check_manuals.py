#!/usr/bin/env python3
"""Checks that manual pages and completions have every option that tools print for --help, and no other.

usage: check_manuals.py BIN FOLDER TOOL..."""
import pathlib
import re
import subprocess
import sys

binaries, folder, *tools = sys.argv[1:]
patterns = {
    "{}.1": r"^\\fB(\\-\S*?)\\fR",
    # The list of all, which is the last.
    "{}.bash": r"(?<!compgen )(?<=[' ])(--?[a-zA-Z][\w-]*)(?=[^\n]*'[^\n]*\n  else)",
    "_{}": r"^  '\*(--?[a-zA-Z][\w-]*)[=+]?'",
    "{}.fish": r"^complete -c \S+ (-[ls] \S+)",
}
failed = False
for tool in tools:
    shown = subprocess.run([f"{binaries}/{tool}", "--help"], capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"^  (--?[a-zA-Z][\w-]*)", shown, re.M))
    assert len(options) > 10, options
    for name, pattern in patterns.items():
        path = pathlib.Path(folder) / name.format(tool)
        found = set(re.findall(pattern, path.read_text(), re.M))
        found = {word.replace("\\-", "-").replace("-l ", "--").replace("-s ", "-") for word in found}
        if found != options:
            failed = True
            print(f"{path}: lacks {sorted(options - found)}, has {sorted(found - options)}")
sys.exit(failed)
