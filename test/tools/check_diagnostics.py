#!/usr/bin/env python3
"""Checks that each message is shown by a case and that docs/diagnostics.md has the table of all messages.

usage: check_diagnostics.py [--write] ROOT

--write brings the table up to date instead."""

import pathlib
import sys

import diagnostics_registry

PAGE = pathlib.Path("docs/diagnostics.md")
BEGIN = "<!-- Made by test/tools/check_diagnostics.py --write from Diagnostics.def. -->\n"
END = "<!-- The end of the table. -->\n"


def table(messages):
    lines, section = [], None
    for message in messages:
        if message.section != section:
            section = message.section
            lines.append(f"\n### {section}\n\n| id | message |\n| --- | --- |")
        text = message.text.replace("|", "\\|")
        kind = "" if message.severity == "error" else f"*{message.severity}:* "
        lines.append(f"| `{message.id}` | {kind}{text} |")
    return "\n".join(lines).lstrip("\n") + "\n\n"


def uncovered(root, messages):
    folder = root / diagnostics_registry.CASES
    renderings = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.expected")}
    everything = "\n".join(renderings.values())
    ids = {message.id for message in messages}
    for message in messages:
        if message.severity == "note":
            if not message.pattern().search(everything):
                yield f"{message.id}: no case shows this note"
        elif message.id not in renderings:
            yield f"{message.id}: no case {diagnostics_registry.CASES}/{message.id}.attn with its .expected"
        elif not message.pattern().search(renderings[message.id]):
            yield f"{message.id}: its case does not show `{message.text}`"
    for path in sorted(folder.iterdir()):
        if path.suffix in {".attn", ".py", ".expected"} and path.stem not in ids:
            yield f"{path.relative_to(root)}: Diagnostics.def has no `{path.stem}`"


def main():
    root = pathlib.Path(sys.argv[-1])
    messages = diagnostics_registry.read(root)
    page = (root / PAGE).read_text(encoding="utf-8")
    head, rest = page.split(BEGIN)
    _, tail = rest.split(END)
    current = head + BEGIN + "\n" + table(messages) + END + tail
    if "--write" in sys.argv:
        (root / PAGE).write_text(current, encoding="utf-8")
        return
    problems = list(uncovered(root, messages))
    if page != current:
        problems.append(f"{PAGE}: the table is not current; run test/tools/check_diagnostics.py --write .")
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


main()
