#!/usr/bin/env python3
"""Prints the closing line of a lit run from its JSON results, skipped tests and their reasons first.

usage: summarize.py RESULTS.json
Exit status 0 if tests ran and none failed."""
import collections
import json
import sys

FAILED = {"FAIL", "UNRESOLVED", "TIMEOUT", "XPASS"}


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as file:
        tests = json.load(file)["tests"]
    skipped = collections.defaultdict(list)
    passed = failed = 0
    for test in tests:
        if test["code"] in FAILED:
            failed += 1
        elif test["code"] in ("UNSUPPORTED", "SKIPPED"):
            reason = test["output"].strip().splitlines()[-1:] or ["no reason given"]
            skipped[reason[0]].append(test["name"])
        elif test["code"] != "EXCLUDED":
            passed += 1
    for reason, names in sorted(skipped.items()):
        shown = ", ".join(sorted(names)[:3]) + (", ..." if len(names) > 3 else "")
        print(f"skipped {len(names)}: {reason} ({shown})")
    count = sum(map(len, skipped.values()))
    print(f"{passed} passed, {failed} failed" + (f", {count} skipped" if count else ""))
    return 0 if passed and not failed else 1


sys.exit(main())
