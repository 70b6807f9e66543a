"""A lit test format: every golden case on every device that this build has, and on the reference after each pass over
the attn dialect and after all of them, one test each. A case is judged in lit's own process: there are many."""

import pathlib
import re
import subprocess

import lit.formats
import lit.Test
import run_goldens

DEVICES = ("host", "reference")


def find_passes(config):
    """The passes that change the attn dialect, by their declarations, and the pipeline of all."""
    declarations = pathlib.Path(config.attnc_source, "dialect/Attn/Transforms/Passes.td").read_text()
    return re.findall(r'Pass<"(attn-(?!print)[a-z-]+)"', declarations) + ["attn-pipeline"]


class GoldenFormat(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        folder = pathlib.Path(suite.getSourcePath(path_in_suite))
        runs = (*DEVICES, *(f"after-{name}" for name in find_passes(local_config)))
        for case in sorted(folder.glob("*/case.json")):
            for run in runs:
                yield lit.Test.Test(suite, path_in_suite + (case.parent.name, run), local_config)

    def execute(self, test, lit_config):
        if "attn-run" not in test.config.available_features:
            return lit.Test.UNSUPPORTED, "this build has no attn-run"
        case = pathlib.Path(test.suite.getSourcePath(test.path_in_suite[:-1]))
        run = test.path_in_suite[-1]
        device, flags = ("reference", ["--after", run.removeprefix("after-")]) if run.startswith("after-") else (run, [])
        try:
            why = run_goldens.run_case(case, f"{test.config.attnc_build}/bin/attn-run", device, flags,
                                       test.config.environment, lit_config.maxIndividualTestTime or None)
        except subprocess.TimeoutExpired:
            return lit.Test.TIMEOUT, ""
        return (lit.Test.FAIL if why else lit.Test.PASS), why
