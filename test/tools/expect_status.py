#!/usr/bin/env python3
"""Runs a command and fails unless it exits with the given status.

usage: expect_status.py STATUS COMMAND..."""
import subprocess
import sys

expected, command = int(sys.argv[1]), sys.argv[2:]
status = subprocess.run(command).returncode
if status != expected:
    sys.exit(f"expected exit status {expected}, got {status}")
