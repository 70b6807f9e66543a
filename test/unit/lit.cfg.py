# Unit tests: every NAMETests program of the build folder, test by test.
import lit.formats

config.name = "attnc-unit"
config.test_format = lit.formats.GoogleTest("", "Tests")
config.environment["XDG_CACHE_HOME"] = config.attnc_build + "/test/cache"
config.test_source_root = config.test_exec_root = config.attnc_build + "/test/unit"
