"""A lit test format: every case of a diagnostic is one test."""

import pathlib

import command_test
import lit.formats
import lit.Test


class DiagnosticsFormat(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        folder = pathlib.Path(suite.getSourcePath(path_in_suite))
        for case in sorted(folder.glob("*.expected")):
            yield lit.Test.Test(suite, path_in_suite + (case.stem,), local_config)

    def execute(self, test, lit_config):
        config = test.config
        if "attnc" not in config.available_features:
            return lit.Test.UNSUPPORTED, "this build has no attnc"
        command = [config.python, f"{config.attnc_source}/test/tools/run_diagnostics.py", "--attnc",
                   f"{config.attnc_build}/bin/attnc", config.attnc_source, test.path_in_suite[-1]]
        return command_test.execute(test, lit_config, command)
