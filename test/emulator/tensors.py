"""Reads and writes .safetensors files with numpy; bf16 travels as its 16 bits."""
import json
import struct

import numpy as np

TYPES = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16, "I8": np.int8, "U8": np.uint8,
         "I16": np.int16, "I32": np.int32, "I64": np.int64, "BOOL": np.uint8}


def write(path, tensors):
    """`tensors` maps names to (dtype name, array)."""
    header, data = {}, b""
    for name, (dtype, array) in tensors.items():
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": dtype, "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    """Maps names to arrays."""
    with open(path, "rb") as file:
        content = file.read()
    (size,) = struct.unpack("<Q", content[:8])
    tensors = {}
    for name, entry in json.loads(content[8:8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        raw = content[8 + size + begin:8 + size + end]
        tensors[name] = np.frombuffer(raw, TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def to_bf16(values):
    """Nearest even."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (np.asarray(bits).astype(np.uint32) << 16).view(np.float32)
