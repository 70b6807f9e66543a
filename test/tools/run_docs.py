#!/usr/bin/env python3
"""Runs the code blocks of a documentation page.

usage: run_docs.py --bin FOLDER PAGE.md

What a fenced block does follows from its info string:
  attn                 must compile (attnc --emit=attn)
  attn file=NAME       the same, and is kept as NAME for the commands after it
  attn error           must not compile; a `text` block right after it is the message
  mlir                 must parse and verify (attn-opt)
  console              `$ command` lines are run by bash in order, in one folder for the page; the lines after a
                       command are its output, in which `...` stands for any text, also over lines; a command
                       fails with its exit status unless the output shows `[exit N]` in its last line
  sh                   is run as a whole by bash and must succeed
Other blocks (text, cpp, c, cmake, json, ...) are shown, not run; with file=NAME they are kept for the commands after
them. Compilers find the CUDA Toolkit's headers, or where there is none what test/tools/cuda-stub has of them. Exit status
0 if all is as written."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\S*)[ \t]*(.*?)[ \t]*$")


def blocks(page: pathlib.Path):
    """Yields (line, language, options, text)."""
    lines, start, info = [], 0, None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if info is None and fence:
            info, start, lines = (fence[1], fence[2]), number, []
        elif info is not None and line.strip() == "```":
            yield start, info[0], info[1], "\n".join(lines) + "\n"
            info = None
        elif info is not None:
            lines.append(line)
    if info is not None:
        raise SystemExit(f"{page}:{start}: error: block without an end")


def matches(expected: str, got: str) -> bool:
    """True if `got` is `expected`, where `...` stands for any text."""
    parts = [re.escape(part.strip()) for part in expected.strip().split("...")]
    return re.fullmatch(r"[\s\S]*?".join(rf"\s*{part}\s*" for part in parts), got.strip()) is not None


class Page:
    def __init__(self, page: pathlib.Path, bin_folder: str, folder: str):
        self.page, self.folder, self.failures, self.count = page, folder, 0, 0
        root = page.resolve().parent
        while not (root / "CMakePresets.json").exists() and root != root.parent:
            root = root.parent
        self.environment = dict(os.environ, ATTNC_SOURCE=str(root), NO_COLOR="1")
        self.environment["PATH"] = f"{bin_folder}:{os.environ['PATH']}"
        cuda = pathlib.Path(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc").resolve().parent.parent / "include"
        self.environment["CPATH"] = str(cuda if (cuda / "cuda.h").exists() else root / "test/tools/cuda-stub")

    def run(self, command):
        run = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, timeout=300)
        return run.returncode, run.stdout + run.stderr

    def fail(self, line: int, what: str, output: str):
        self.failures += 1
        print(f"{self.page}:{line}: error: {what}\n{output}")

    def keep(self, options, text):
        """Writes a block to the file that its options name."""
        name = next((word[5:] for word in options.split() if word.startswith("file=")), None)
        if name:
            path = pathlib.Path(self.folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return name

    def attn(self, line, options, text, message):
        name = self.keep(options, text) or self.keep("file=variant.attn", text)
        code, output = self.run(["attnc", "--emit=attn", name, "-o", "-"])
        if "error" not in options.split():
            if code:
                self.fail(line, "this program does not compile", output)
        elif code != 1:
            self.fail(line, f"expected exit status 1, got {code}", output)
        elif message is not None and not matches(message, output):
            self.fail(line, "the message differs; it is:", output)

    def console(self, line, text):
        commands = []
        for row in text.splitlines():
            if row.startswith("$ "):
                commands.append([row[2:], []])
            elif commands and commands[-1][0].endswith("\\") and not commands[-1][1]:
                commands[-1][0] += "\n" + row
            elif commands:
                commands[-1][1].append(row)
        for command, expected in commands:
            status = 0
            if expected and (exit_line := re.fullmatch(r"\[exit (\d+)\]", expected[-1].strip())):
                status = int(exit_line[1])
                expected.pop()
            code, output = self.run(["bash", "-c", command])
            if code != status:
                self.fail(line, f"`{command}` ended with {code}, expected {status}", output)
            elif expected and not matches("\n".join(expected), output):
                self.fail(line, f"the output of `{command}` differs; it is:", output)

    def check(self):
        listed = list(blocks(self.page))
        for index, (line, language, options, text) in enumerate(listed):
            if language not in ("attn", "mlir", "console", "sh"):
                self.keep(options, text)
                continue
            self.count += 1
            if language == "attn":
                following = listed[index + 1] if index + 1 < len(listed) else None
                self.attn(line, options, text, following[3] if following and following[1] == "text" else None)
            elif language == "mlir":
                path = pathlib.Path(self.folder, "block.mlir")
                path.write_text(text, encoding="utf-8")
                code, output = self.run(["attn-opt", str(path), "-o", os.devnull])
                if code:
                    self.fail(line, "this IR does not parse or verify", output)
            elif language == "sh":
                code, output = self.run(["bash", "-eu", "-c", text])
                if code:
                    self.fail(line, f"this script ends with {code}", output)
            else:
                self.console(line, text)


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("page", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page = Page(args.page, os.path.abspath(args.bin), folder)
        page.check()
    print(f"{args.page.name}: {page.count} blocks run, {page.failures} failed")
    return 1 if page.failures else 0


sys.exit(main())
