"""The messages of compiler/Frontend/Diagnostics.def and the cases that show them.

Each error and warning `id` has its case in test/Frontend/diagnostics: `<id>.attn`, or `<id>.py`, which prints
the file (for texts that no editor would keep as they are), and beside it `<id>.expected`, the whole rendering.
A first line `# args: ...` gives arguments for attnc."""

import dataclasses
import pathlib
import re

CASES = pathlib.Path("test/Frontend/diagnostics")
REGISTRY = pathlib.Path("compiler/Frontend/Diagnostics.def")


@dataclasses.dataclass
class Message:
    id: str
    severity: str
    text: str
    section: str

    def pattern(self):
        """Matches the message with any arguments."""
        parts = re.split(r"\{\d\}", self.text)
        return re.compile(re.escape(f"{self.severity}: ") + ".*".join(map(re.escape, parts)) + "$", re.M)


def read(root: pathlib.Path) -> list[Message]:
    text = (root / REGISTRY).read_text(encoding="utf-8")
    messages, section = [], ""
    entry = re.compile(r'^// (?P<section>[^\n]*)\.$|^ATTNC_(?P<severity>ERROR|WARNING|NOTE)\((?P<id>\w+),'
                       r'(?P<text>(?:\s*"(?:[^"\\]|\\.)*")+)\s*\)', re.M)
    body = text[text.rindex("#endif"):]
    for match in entry.finditer(body):
        if match["section"]:
            section = match["section"]
            continue
        literals = re.findall(r'"((?:[^"\\]|\\.)*)"', match["text"])
        message = "".join(literals).replace('\\"', '"').replace("\\\\", "\\")
        messages.append(Message(match["id"], match["severity"].lower(), message, section))
    if len(messages) != len(re.findall(r"^ATTNC_", body, re.M)):
        raise SystemExit(f"{REGISTRY}: an entry is not of the form ATTNC_<SEVERITY>(id, \"message\")")
    return messages
