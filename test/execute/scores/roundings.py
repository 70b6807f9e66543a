"""Rounding through bf16 and f16 keeps what is below their smallest normal number."""

import numpy
import scores

rng = numpy.random.default_rng(1)


def to_bf16(x):
    bits = x.view(numpy.uint32).astype(numpy.uint64)
    return (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) << 16).astype(numpy.uint32).view(numpy.float32)


# Every exponent, down to the smallest f32; halves between two bf16 and their neighbours.
bits = rng.integers(0, 2**31 - 2**24, 4000, dtype=numpy.uint32)
halves = (rng.integers(0, 0x7F00, 2000, dtype=numpy.uint32) << 16) + 0x8000 + rng.integers(0, 3, 2000, dtype=numpy.uint32) - 1
tiny = rng.integers(0, 2**24, 2000, dtype=numpy.uint32)
magnitudes = numpy.concatenate([bits, halves, tiny, tiny >> 4, tiny >> 12]).astype(numpy.uint32)
x = (magnitudes | rng.integers(0, 2, len(magnitudes), dtype=numpy.uint32) << 31).view(numpy.float32)
for method in ["to(torch.bfloat16)", "bfloat16()"]:
    scores.check(f"x.{method}.float()", to_bf16(x), x=x)
small = x[numpy.abs(x) < 1e-30]
scores.check(f"x.to(torch.bfloat16) * {2.0**100}", to_bf16(small) * numpy.float32(2.0**100), x=small)

magnitudes = 2.0 ** rng.uniform(-30, 15.9, 4000)
steps = (rng.integers(0, 4096, 2000) + rng.choice([0, 0.5, 0.25, 0.75], 2000)) * 2.0**-24
x = (numpy.concatenate([magnitudes, steps]) * rng.choice([-1, 1], 6000)).astype(numpy.float32)
for method in ["to(torch.float16)", "half()"]:
    scores.check(f"x.{method}.float()", x.astype(numpy.float16).astype(numpy.float32), x=x)
