import sys

sys.stdout.buffer.write(b"# gr\xf6\xdfer\nmask_mod = causal\n")
