#!/usr/bin/env python3
"""Runs the fault tests: faults that users of other attention systems met, each as a test of its kind.

usage: run.py [--attn-run PATH] [--device NAME] [--list] [ID...]
The device `compiler` has the faults that are looked for in what is compiled. Without an ID all of a device are run. Exit status 0 if
none fails."""
import argparse
import sys
import traceback

import captures
import compiled
import errors
import heads
import lengths
import masks
import numerics
import plans
import strides
import varlen
from attention import Settings

GROUPS = (masks, lengths, strides, heads, captures, numerics, errors, plans, varlen)


def faults(device):
    """id -> function; a fault is a function named after its id, e.g. m1_fully_masked_rows."""
    return {name.split("_")[0].upper(): function for group in ((compiled,) if device == "compiler" else GROUPS)
            for name, function in sorted(vars(group).items())
            if callable(function) and getattr(function, "__module__", "") == group.__name__ and name.split("_")[0][1:].isdigit()}


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--attn-run", default="attn-run")
    parser.add_argument("--device", default="host")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("ids", nargs="*")
    args = parser.parse_args()
    Settings.attn_run, Settings.device = args.attn_run, args.device
    known = faults(args.device)
    if args.list:
        print("\n".join(f"{name} {function.__name__}" for name, function in known.items()))
        return 0
    failed = 0
    for name in args.ids or known:
        try:
            known[name]()
            print(f"{name}: passed ({known[name].__doc__.splitlines()[0]})")
        except Exception:
            failed += 1
            print(f"{name}: FAILED\n{traceback.format_exc()}")
    return 1 if failed else 0


sys.exit(main())
