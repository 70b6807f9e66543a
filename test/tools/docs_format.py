"""A lit test format: every page of documentation is one test, its code blocks are run."""

import pathlib

import command_test
import lit.formats
import lit.Test


class DocsFormat(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        root = pathlib.Path(local_config.attnc_source)
        pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
        for page in pages:
            if page.exists():
                name = str(page.relative_to(root))
                yield lit.Test.Test(suite, path_in_suite + (name.replace("/", "_"),), local_config,
                                    file_path=str(page))

    def execute(self, test, lit_config):
        config = test.config
        if "attnc" not in config.available_features:
            return lit.Test.UNSUPPORTED, "this build has no attnc"
        command = [config.python, f"{config.attnc_source}/test/tools/run_docs.py", "--bin",
                   f"{config.attnc_build}/bin", test.file_path]
        return command_test.execute(test, lit_config, command)
