"""A lit test format: every golden case on every device that this build has, one test each."""

import pathlib

import lit.formats
import lit.Test
import lit.util

DEVICES = ("host", "reference")


class GoldenFormat(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        folder = pathlib.Path(suite.getSourcePath(path_in_suite))
        for case in sorted(folder.glob("*/case.json")):
            for device in DEVICES:
                yield lit.Test.Test(suite, path_in_suite + (case.parent.name, device), local_config)

    def execute(self, test, lit_config):
        *_, case, device = test.path_in_suite
        config = test.config
        if "attn-run" not in config.available_features:
            return lit.Test.UNSUPPORTED, "this build has no attn-run"
        command = [
            config.python,
            f"{config.attnc_source}/test/tools/run_goldens.py",
            "--attn-run", f"{config.attnc_build}/bin/attn-run",
            "--device", device,
            "--only", f"/{case}",
            f"{config.attnc_source}/test/goldens",
        ]
        out, err, code = lit.util.executeCommand(command, env=config.environment)
        return (lit.Test.PASS if code == 0 else lit.Test.FAIL), out + err
