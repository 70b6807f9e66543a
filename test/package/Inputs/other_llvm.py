#!/usr/bin/env python3
"""Compiles with libattnc_compiler alone and beside the system's libLLVM, loaded first for all to see.

usage: other_llvm.py libattnc_compiler.so [LIBLLVM]"""
import ctypes
import glob
import subprocess
import sys


class Source(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("text", ctypes.c_char_p), ("text_size", ctypes.c_size_t),
                ("name", ctypes.c_char_p), ("dtypes", ctypes.c_char_p), ("head_dims", ctypes.c_char_p),
                ("lse", ctypes.c_int32), ("approximate", ctypes.c_char_p), ("defines", ctypes.c_void_p),
                ("define_count", ctypes.c_size_t)]


class Code(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t),
                ("messages", ctypes.c_char_p), ("owner", ctypes.c_void_p)]


def compile_with(library: str, target: bytes) -> bytes:
    compiler = ctypes.CDLL(library)
    source = Source(ctypes.sizeof(Source), b"mask_mod = causal", 0, None, b"f32,bf16", b"64", 1)
    code = Code(ctypes.sizeof(Code))
    status = compiler.attnc_compile(ctypes.byref(source), target, ctypes.byref(code))
    if status:
        sys.exit(f"status {status}: {code.messages.decode()}")
    result = ctypes.string_at(code.bytes, code.size)
    compiler.attnc_code_release(ctypes.byref(code))
    return result


library, others = sys.argv[1], sys.argv[2:]
for other in others:
    ctypes.CDLL(other, mode=ctypes.RTLD_GLOBAL)
codes = [compile_with(library, target) for target in (b"host:x86-64-v3", b"sm_80")]
if others:
    sys.stdout.buffer.write(b"".join(codes))
    sys.exit()
found = sorted(glob.glob("/usr/lib/*/libLLVM*.so*") + glob.glob("/usr/lib/llvm-*/lib/libLLVM*.so*"))
if not found:
    sys.exit("there is no libLLVM on this machine")
beside = subprocess.run([sys.executable, __file__, library, found[-1]], capture_output=True)
sys.stderr.buffer.write(beside.stderr)
print("beside", found[-1])
print("the same code" if beside.returncode == 0 and beside.stdout == b"".join(codes) else "other code")
