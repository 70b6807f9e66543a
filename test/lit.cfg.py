# Text tests (.mlir, .attn, .test), and through tools/golden_format.py the golden cases.
# Features are probed once, here.
import os
import pathlib
import re
import shutil
import subprocess
import sys

import lit.formats

config.name = "attnc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".attn", ".test"]
config.excludes = ["unit", "Inputs", "tools", "bench", "CMakeLists.txt", "lit.local.cfg"]
config.test_source_root = config.attnc_source + "/test"
config.test_exec_root = config.attnc_build + "/test"

# Tests leave nothing behind in the source folder.
sys.dont_write_bytecode = True
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["PATH"] = os.pathsep.join(
    [config.attnc_build + "/bin", config.llvm_tools, os.environ["PATH"]]
)
# What tests compile is not kept for the user's programs.
config.environment["XDG_CACHE_HOME"] = config.attnc_build + "/test/cache"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions += [
    ("%python", config.python),
    ("%tools", config.attnc_source + "/test/tools"),
    ("%goldens", config.attnc_source + "/test/goldens"),
    ("%source", config.attnc_source),
    ("%build", config.attnc_build),
]

for tool in ("attnc", "attn-opt", "attn-run", "attn-emu", "attn-sweep", "gpu-bench"):
    if os.path.exists(f"{config.attnc_build}/bin/{tool}"):
        config.available_features.add(tool)
if os.path.exists(f"{config.llvm_tools}/llc"):
    config.available_features.add("llc")
for program in ("nvcc", "nvdisasm", "ptxas", "qemu-x86_64"):
    if shutil.which(program):
        config.available_features.add(program)
if shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"):
    config.available_features.add("aarch64")
if shutil.which("dpkg-shlibdeps") and shutil.which("dpkg-deb"):
    config.available_features.add("dpkg")
if "ptxas" in config.available_features:
    # Figures of machine code are for one release.
    version = subprocess.run(["ptxas", "--version"], capture_output=True, text=True).stdout
    config.available_features.update(f"ptxas-{release}" for release in re.findall(r"release ([\d.]+)", version))
has_gpu = shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0
config.available_features.add("gpu" if has_gpu else "no-gpu")
cpuinfo = pathlib.Path("/proc/cpuinfo")
if cpuinfo.exists() and " avx2 " in cpuinfo.read_text():
    config.available_features.add("avx2")
config.available_features.add("sanitizer" if config.sanitize else "no-sanitizer")
