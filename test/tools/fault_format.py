"""A lit test format: each fault of test/regression/faults is one test on the host, and one on the emulator, or one on what is compiled."""

import os
import subprocess

import command_test
import lit.formats
import lit.Test


# What the emulator does not run, and why.
HOST_ONLY = {
    **dict.fromkeys(["M9", "M10", "M14", "M15", "L6", "R1", "K4", "E8", "C9"], "plans are made for launches on the host"),
    "W1": "70,000 blocks take the emulator minutes; GpuKernelTest has the sizes of grids",
}


class FaultFormat(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        runner = suite.getSourcePath(path_in_suite) + "/run.py"
        if not os.path.exists(runner):
            return
        for device in ("host", "emulator", "compiler"):
            listing = subprocess.run([local_config.python, runner, "--device", device, "--list"], capture_output=True, text=True,
                                     check=True, env=local_config.environment)
            for line in listing.stdout.splitlines():
                yield lit.Test.Test(suite, path_in_suite + (line.split()[1], device), local_config)

    def execute(self, test, lit_config):
        config = test.config
        if "attn-run" not in config.available_features:
            return lit.Test.UNSUPPORTED, "this build has no attn-run"
        fault, device = test.path_in_suite[-2:]
        name = fault.split("_")[0].upper()
        if device == "emulator" and name in HOST_ONLY:
            return lit.Test.UNSUPPORTED, HOST_ONLY[name]
        runner = test.suite.getSourcePath(test.path_in_suite[:-2]) + "/run.py"
        return command_test.execute(test, lit_config, [config.python, runner, "--device", device, "--attn-run",
                                                       f"{config.attnc_build}/bin/attn-run", name])
