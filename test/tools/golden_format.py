"""A lit test format: every golden case on every device, on the host as compiled for weaker CPUs too, on the emulator under
all schedules and with approximations drawn inside their bounds, those of f32 also on tensor cores, and on the reference
after each pass over the attn dialect and after all of them, one test each. A case is judged in lit's own process: there
are many."""

import functools
import json
import pathlib
import re
import subprocess

import lit.formats
import lit.Test
import run_goldens
import tf32_rule

# What is run: the device and more options. Sanitizers look at the compiler and the emulator, not at the code of kernels: under them the
# runs of NO_SANITIZER are left out.
RUNS = {
    "host": ("host", []),
    "host-x86-64-v3": ("host", ["--cpu", "x86-64-v3"]),
    "host-x86-64": ("host", ["--cpu", "x86-64"]),
    "reference": ("reference", []),
    "emulator": ("emulator", ["--schedules", "ci"]),
    "emulator-perturbed": ("emulator", ["--perturb-approx"]),
    "emulator-tf32": ("emulator", ["--schedules", "ci"]),
    "emulator-tf32x3": ("emulator", ["--tf32x3", "--schedules", "ci"]),
}
NO_SANITIZER = {"host-x86-64-v3", "host-x86-64", "emulator-perturbed", "emulator-tf32", "emulator-tf32x3"}
F32 = {"emulator-tf32", "emulator-tf32x3"}


def find_runs(config):
    """RUNS, and the reference after each pass that changes the attn dialect, by their declarations, and after all."""
    declarations = pathlib.Path(config.attnc_source, "dialect/Attn/Transforms/Passes.td").read_text()
    passes = re.findall(r'Pass<"(attn-(?!print)[a-z-]+)"', declarations) + ["attn-pipeline"]
    return RUNS | {f"after-{name}": ("reference", ["--after", name]) for name in passes}


class GoldenFormat(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        folder = pathlib.Path(suite.getSourcePath(path_in_suite))
        self.runs = find_runs(local_config)
        for case in sorted(folder.glob("*/case.json")):
            isF32 = json.loads(case.read_text())["dtype"] == "f32"
            for run in self.runs:
                if run in F32 and not isF32:
                    continue
                yield lit.Test.Test(suite, path_in_suite + (case.parent.name, run), local_config)

    def execute(self, test, lit_config):
        if "attn-run" not in test.config.available_features:
            return lit.Test.UNSUPPORTED, "this build has no attn-run"
        if test.path_in_suite[-1] == "host-x86-64-v3" and "avx2" not in test.config.available_features:
            return lit.Test.UNSUPPORTED, "this CPU has no AVX2"
        if test.config.sanitize and test.path_in_suite[-1] in NO_SANITIZER:
            return lit.Test.UNSUPPORTED, "left out under a sanitizer"
        case = pathlib.Path(test.suite.getSourcePath(test.path_in_suite[:-1]))
        device, flags = self.runs[test.path_in_suite[-1]]
        attn_run, timeout = f"{test.config.attnc_build}/bin/attn-run", lit_config.maxIndividualTestTime or None
        run = functools.partial(run_goldens.run_case, case, attn_run, device)
        # What --tf32 gives is judged by a rule of its own.
        if test.path_in_suite[-1] == "emulator-tf32":
            run = functools.partial(tf32_rule.run_case, case, attn_run)
        try:
            why = run(flags, test.config.environment, timeout)
        except subprocess.TimeoutExpired:
            return lit.Test.TIMEOUT, ""
        return (lit.Test.FAIL if why else lit.Test.PASS), why
