"""A lit test format: each fault of test/regression/faults is one test."""

import os
import subprocess

import command_test
import lit.formats
import lit.Test


class FaultFormat(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        runner = suite.getSourcePath(path_in_suite) + "/run.py"
        if not os.path.exists(runner):
            return
        listing = subprocess.run([local_config.python, runner, "--list"], capture_output=True, text=True, check=True,
                                 env=local_config.environment)
        for line in listing.stdout.splitlines():
            yield lit.Test.Test(suite, path_in_suite + tuple(line.split()[1:]), local_config)

    def execute(self, test, lit_config):
        config = test.config
        if "attn-run" not in config.available_features:
            return lit.Test.UNSUPPORTED, "this build has no attn-run"
        name = test.path_in_suite[-1].split("_")[0].upper()
        runner = test.suite.getSourcePath(test.path_in_suite[:-1]) + "/run.py"
        return command_test.execute(
            test, lit_config, [config.python, runner, "--attn-run", f"{config.attnc_build}/bin/attn-run", name])
