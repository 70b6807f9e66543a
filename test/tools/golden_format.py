"""A lit test format: every golden case on every device that this build has, and on the reference after each pass over
the attn dialect and after all of them, one test each."""

import pathlib
import re

import lit.formats
import lit.Test
import lit.util

DEVICES = ("host", "reference")


def find_passes(config):
    """The passes over the attn dialect, by their declarations, and the pipeline of all."""
    declarations = pathlib.Path(config.attnc_source, "dialect/Attn/Transforms/Passes.td").read_text()
    return re.findall(r'Pass<"(attn-[a-z-]+)"', declarations) + ["attn-pipeline"]


def write_wrapper(config, name):
    """A script that is attn-run with `--after NAME`; run_goldens.py calls it as it calls attn-run."""
    script = pathlib.Path(config.attnc_build, "test", f"attn-run-after-{name}.sh")
    script.write_text(f'#!/bin/sh\nexec "{config.attnc_build}/bin/attn-run" "$@" --after {name}\n')
    script.chmod(0o755)


class GoldenFormat(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        folder = pathlib.Path(suite.getSourcePath(path_in_suite))
        passes = find_passes(local_config)
        for name in passes:
            write_wrapper(local_config, name)
        for case in sorted(folder.glob("*/case.json")):
            for device in (*DEVICES, *(f"after-{name}" for name in passes)):
                yield lit.Test.Test(suite, path_in_suite + (case.parent.name, device), local_config)

    def execute(self, test, lit_config):
        *_, case, device = test.path_in_suite
        config = test.config
        if "attn-run" not in config.available_features:
            return lit.Test.UNSUPPORTED, "this build has no attn-run"
        is_after = device.startswith("after-")
        attn_run = f"{config.attnc_build}/" + (f"test/attn-run-{device}.sh" if is_after else "bin/attn-run")
        command = [
            config.python,
            f"{config.attnc_source}/test/tools/run_goldens.py",
            "--attn-run", attn_run,
            "--device", "reference" if is_after else device,
            "--only", f"/{case}",
            f"{config.attnc_source}/test/goldens",
        ]
        out, err, code = lit.util.executeCommand(command, env=config.environment)
        return (lit.Test.PASS if code == 0 else lit.Test.FAIL), out + err
