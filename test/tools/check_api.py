#!/usr/bin/env python3
"""Checks that the reference of a page is what the comments of attnc.h say; with --write, makes it so.

usage: check_api.py attnc.h PAGE.md [--write]

What stands between the markers of the page is made: a heading for each section of the header, and for each declaration
its text and its comment."""
import pathlib
import re
import sys

header, page = map(pathlib.Path, sys.argv[1:3])
text = header.read_text()
body = text[text.index('extern "C" {'):text.rindex("#ifdef __cplusplus")]


def paragraphs(comment: str) -> str:
    """The comment as Markdown: paragraphs on lines of their own, indented lines as they are."""
    lines = [re.sub(r"^ \*(?: |$)", "", line).rstrip() for line in comment.strip().split("\n")]
    result = ""
    for before, line in zip([""] + lines, lines):
        is_code, was_code = line.startswith("  "), before.startswith("  ")
        if is_code:
            line = "    " + line.strip()
        joined = result and line and before and not is_code and not was_code
        result += (" " if joined else "\n" if result else "") + line
    return result


def reference() -> str:
    parts = []
    for block in filter(str.strip, re.split(r"\n\n", body)[1:]):
        section = re.match(r"/\*===-+===//\n \* ([^\n]+)\n", block)
        if section:
            parts.append(f"## {section[1]}\n")
            continue
        for declaration in re.split(r"\n(?=/\*\* )", block):
            comment = re.match(r"/\*\*(.*?)\*/\n", declaration, re.S)
            code = declaration[comment.end() if comment else 0:].rstrip()
            if code.startswith("ATTNC_API "):
                code = code.replace("ATTNC_API ", "").replace("\n          ", "\n")
            code = code.replace("ATTNC_API\n", "")
            if comment:
                parts.append(paragraphs(comment[1]) + "\n")
            parts.append(f"```c\n{code}\n```\n")
    return "\n".join(parts)


begin, end = "<!-- reference -->\n", "<!-- end of reference -->"
content = page.read_text()
wanted = content[: content.index(begin)] + begin + "\n" + reference() + "\n" + content[content.index(end):]
if "--write" in sys.argv:
    page.write_text(wanted)
elif wanted != content:
    sys.exit(f"{page}: the reference is not that of {header}; run with --write")
