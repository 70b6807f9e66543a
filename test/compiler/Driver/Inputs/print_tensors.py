#!/usr/bin/env python3
"""Prints each f32 tensor of a safetensors file on one line: name, dtype, shape, elements."""
import json
import struct
import sys

data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
for name, entry in json.loads(data[8:8 + size]).items():
    begin, end = (8 + size + offset for offset in entry["data_offsets"])
    print(name, entry["dtype"], entry["shape"], list(struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])))
