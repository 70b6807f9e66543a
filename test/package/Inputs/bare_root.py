#!/usr/bin/env python3
"""Installs the Debian package into a root that has nothing but the libraries the package depends on, and works there.

usage: bare_root.py PACKAGE.deb FOLDER MAIN.cpp

MAIN.cpp is compiled against what the package holds."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

package, folder, main = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
root = folder / "root"


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


run("dpkg-deb", "-x", package, str(root))
depends = {re.split(r"[ (]", part.strip())[0] for part in run("dpkg-deb", "-f", package, "Depends").split(",")}
run("c++", "-std=c++17", f"-I{root}/usr/include", main, "-o", str(root / "main"), f"-L{root}/usr/lib", "-lattnc_runtime")

# Libraries of the system that anything in the package takes must be of packages that it names.
files = [path for path in (root / "usr").rglob("*") if path.is_file() and not path.is_symlink()
         and path.read_bytes()[:4] == b"\x7fELF"] + [root / "main"]
environment = dict(os.environ, LD_LIBRARY_PATH=str(root / "usr/lib"))
for line in {line for path in files for line in run("ldd", str(path), env=environment).splitlines()}:
    found = re.search(r"(/\S+) \(0x", line)
    if "not found" in line:
        sys.exit(line.strip())
    if not found or found[1].startswith(str(root)):
        continue
    library = pathlib.Path(found[1])
    names = {str(library), str(library.resolve()), str(library.resolve()).removeprefix("/usr")}
    owners = {owner for name in names
              for owner in re.findall(r"^([^:\n]+):", subprocess.run(["dpkg", "-S", name], capture_output=True, text=True).stdout, re.M)}
    if not owners & depends:
        sys.exit(f"{library} is of {owners or 'no package'}, which the package does not depend on: {sorted(depends)}")
    target = root / str(library).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(library, target)

enter = ["chroot", str(root)] if os.geteuid() == 0 else ["unshare", "-r", "chroot", str(root)]
(root / "window.attn").write_text("mask_mod = and_masks(causal, sliding_window(16))\n")
print(run(*enter, "/usr/bin/attnc", "--version"), end="")
run(*enter, "/usr/bin/attnc", "/window.attn", "-o", "/window.so")
run(*enter, "/usr/bin/attnc", "/window.attn", "-o", "/window.ptx")
print(run(*enter, "/usr/bin/attn-run", "/window.attn", "--random", "Q=40,KV=40,D=32,dtype=f32", "--check"), end="")
print("main:", run(*enter, "/main"), end="")
