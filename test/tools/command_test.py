"""Runs one command as a lit test of a format of our own, within lit's time limit."""

import lit.Test
import lit.util


def execute(test, lit_config, command):
    """Passes if the command ends with 0."""
    try:
        out, err, code = lit.util.executeCommand(command, env=test.config.environment,
                                                 timeout=lit_config.maxIndividualTestTime)
    except lit.util.ExecuteCommandTimeoutException as error:
        return lit.Test.TIMEOUT, error.out + error.err
    return (lit.Test.PASS if code == 0 else lit.Test.FAIL), out + err
